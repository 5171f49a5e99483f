"""How much of a model's weights is noise, at least and at most: from its certificate and the weights, so it costs nothing.

    w = w_0 - S^-1 b,   S = lambda I + H,   0 <= tr H <= n c (R^2 + s^2) W

for noise b in the objective (module `released_noise`; s is the intercept's constant feature, W the largest weight of a record, c the largest
curvature of the loss). With m weights a function and noise of variance v in each, S = lambda I gives the most, E |S^-1 b|^2 <= m v / lambda^2. The
least is where the curvature is as large as it can be and the same in all directions: by Jensen's inequality, E |S^-1 b|^2 >= m v / (lambda + tr H /
m)^2 for every H that does not depend on b, which is so up to the curvature's change over the length of the noise. Noise on the weights is known
exactly.

The least needs a public number of records, and is given for losses of margins (not for rows made of a record) and for multinomial ones, whose tr H
is at most (1 - 1 / K) |x|^2 a record.
"""

import math
from typing import NamedTuple

import numpy as np

from discreet.certificates import Certificate
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.estimators.released_noise import NoiseLaw, fit_within, noise_law
from discreet.losses import loss_named

MOSTLY = 0.5
"""A share of noise from which on readers are told."""


class NoiseShare(NamedTuple):
    """Lengths; the noise's are root mean squares."""

    length: float
    """Of the released weights, which contain the noise."""
    least: float
    most: float

    @property
    def share(self) -> float:
        """The least share of noise in the squared length of the weights."""
        return min((self.least / self.length) ** 2, 1.0) if self.length > 0 else float(self.least > 0)

    @property
    def words(self) -> str | None:
        """What a reader of the model must know; None where the weights need not be mostly noise."""
        if self.share < MOSTLY:
            return None
        return (
            f"The model is mostly noise: at least {100 * self.share:.0f} % of its weights, by squared length. Its predictions may be no better than "
            "guesses. Use more records, fewer columns or a larger epsilon."
        )


def noise_share(certificate: Certificate, weights: Floats) -> NoiseShare | None:
    """None where the noise of single weights has no public law, or there is no noise."""
    try:
        law = noise_law(certificate)
    except InvalidInput:
        return None
    curvature = _curvature(certificate, len(weights)) if law.in_objective else 0.0
    found = NoiseShare(length=float(np.linalg.norm(weights)), least=_length(law, len(weights), curvature), most=_length(law, len(weights), 0.0))
    return found if found.most > 0 else None


def _length(law: NoiseLaw, weights: int, curvature: float) -> float:
    """Of the noise in all weights, with this curvature beside the ridge."""
    if math.isinf(curvature):
        return 0.0
    least = law.ridge + curvature if law.in_objective else 1.0
    return math.sqrt(weights * float(np.mean(law.variances / least**2 + law.last_stage)))


def _curvature(certificate: Certificate, weights: int) -> float:
    """tr H / m, at most; infinite where no number of records is public or the loss is of another kind."""
    _, _, problem = fit_within(certificate)
    given = (problem.get("records"), problem.get("data_norm"), problem.get("intercept_scale"), problem.get("max_weight"))
    name, parameters, classes = problem.get("loss"), problem.get("loss_parameters"), problem.get("classes", 2)
    if (
        "made_rows" in problem
        or not all(isinstance(one, int | float) for one in (*given, classes))
        or not isinstance(name, str)
        or not isinstance(parameters, dict)
    ):
        return math.inf
    records, norm, intercept, heaviest = map(float, given)  # type: ignore[arg-type]
    trace = records * heaviest * (norm**2 + intercept**2)
    if problem.get("scheme") == "multinomial":
        return trace * (1.0 - 1.0 / float(classes)) / weights  # type: ignore[arg-type]
    try:
        loss = loss_named(name, {key: float(value) for key, value in parameters.items()})  # type: ignore[arg-type]
    except (InvalidInput, TypeError, ValueError):
        return math.inf
    functions = float(classes) if problem.get("scheme") == "one-vs-rest" else 1.0  # type: ignore[arg-type]
    return trace * loss.smoothness * functions / weights
