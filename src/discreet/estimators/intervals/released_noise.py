"""The law of the noise in a model's weights, from its certificate: public, and free to ask for.

    noise in the objective    w - w_0  is about  -S^-1 b,  S = H + lambda I  and  H >= 0:   the deviation of a'w is at most |a| sqrt(v) / lambda
    noise on the weights      w - w_0  =  b:                                               it is |a| sqrt(v)

w_0 is what the same fit would have released without noise. v = sigma^2 for Gaussian noise. Spherical noise of rate beta in d dimensions is a scale
mixture of normals, v ~ Gamma((d + 1) / 2, rate beta^2 / 2): `_ATOMS` equally likely values stand for that law. The last stage adds discrete noise
of variance r on the grid that weights leave on.

Of several classes at once the noise is one vector of all of their weights (multinomial), or one a class (one against the others); noise in the
objective of residuals is like that of margins. What was chosen beside the fit does not matter to the law: cuts, or a norm. Weights that were shrunk
after the fit (scores-with-fit) have their noise shrunk with them.

Steps with noise, released moments and sketches have no such law of a single weight.

`noise_share`: how much of a model's weights is noise, at least and at most, from its certificate and the weights, so it costs nothing.

    S = lambda I + H,   0 <= tr H <= n c (R^2 + s^2) W

(s is the intercept's constant feature, W the largest weight of a record, c the largest curvature of the loss). With m weights a function, S =
lambda I gives the most, E |S^-1 b|^2 <= m v / lambda^2. The least is where the curvature is as large as it can be and the same in all directions: by
Jensen's inequality, E |S^-1 b|^2 >= m v / (lambda + tr H / m)^2 for every H that does not depend on b, which is so up to the curvature's change over
the length of the noise. Noise on the weights is known exactly. The least needs a public number of records, and is given for losses of margins (not
for rows made of a record) and for multinomial ones, whose tr H is at most (1 - 1 / K) |x|^2 a record.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from discreet.accounting import Json
from discreet.certificates import Certificate
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput, quietly
from discreet.core.lazily import lazily
from discreet.core.normal import ndtr, ndtri
from discreet.losses import loss_named
from discreet.noise.laws import Spherical
from discreet.statements.base import CURVATURE_WITH_FIT, CUTS_THEN_FIT, NORM_THEN_FIT, SCORES_WITH_FIT
from discreet.words import spec_named
from discreet.words.fits import FitSpec

special = lazily("scipy.special")
_ATOMS = 64
"""Equally likely values that stand for the Gamma law of v."""
_STEPS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightNoise:
    """The law of a model's noise, from its certificate."""

    in_objective: bool
    """Whether it is in the objective, or added to the weights."""
    variances: Floats
    """Equally likely values of v."""
    last_stage: float
    """r, the variance of the noise on the grid."""
    ridge: float = 0.0
    """lambda, with what the mechanism added to it: the least curvature of the objective."""
    extra_ridge: float = 0.0
    """What the mechanism added."""

    def bounds(self, lengths: Floats) -> Floats:
        """Deviations of a'w for |a| = `lengths` (n,) and every value of v, (n, atoms): exact for noise on the weights, else upper bounds."""
        least = self.ridge if self.in_objective else 1.0
        return np.multiply.outer(lengths, np.sqrt(self.variances / least / least + self.last_stage))


def noise_law(certificate: Certificate) -> WeightNoise:
    """See the module docstring. Raises InvalidInput for a mechanism without such a law, and for several releases under one certificate."""
    mechanism, parameters, problem = fit_within(certificate)
    kind = spec_named(mechanism)
    if kind is None or not issubclass(kind, FitSpec) or certificate.releases != 1:
        raise InvalidInput(
            f"the distribution of the noise in single weights is not known for {certificate.mechanism!r}, {certificate.releases} time(s)."
        )
    spec: FitSpec = quietly(lambda: kind.read(parameters), InvalidInput("the certificate states no usable noise."), TypeError, ValueError)
    law, last_law = spec.law, spec.grid_law
    if isinstance(law, Spherical):
        places = (np.arange(_ATOMS) + 0.5) / _ATOMS
        variances: Floats = special.gammaincinv(0.5 * (_dimension(problem) + 1), places) * 2.0 / usable(law.rate, "rate") ** 2
    else:
        variances = np.array([usable(law.scale, "scale") ** 2])
    extra = usable(spec.added_ridge, "extra_ridge")
    ridge = usable(problem.get("ridge") if spec.own_ridge is None else spec.own_ridge, "ridge") + extra
    last = (usable(spec.grid_step, "grid_step") * usable(last_law.scale, "grid_scale")) ** 2 * (2.0 if isinstance(law, Spherical) else 1.0)
    if spec.in_objective and not ridge > 0:
        raise InvalidInput("the certificate states no ridge, so the noise has no bound.")
    squared = slope_of(certificate) ** 2 * unit_of(parameters) ** 2
    variances, last = squared * variances, squared * last
    return WeightNoise(in_objective=spec.in_objective, variances=variances, last_stage=last, ridge=ridge, extra_ridge=extra)


def fit_within(certificate: Certificate) -> tuple[str, Mapping[str, Json], Mapping[str, Json]]:
    """The mechanism, parameters and problem of the fit itself, whatever was chosen before it."""
    *_, (mechanism, parameters) = _nested(certificate)
    return mechanism, parameters, certificate.problem


def slope_of(certificate: Certificate) -> float:
    """By which the weights of the fit were multiplied, to calibrate it; 1 of others."""
    slopes = [_parameter(parameters, "slope") for mechanism, parameters in _nested(certificate) if mechanism == SCORES_WITH_FIT]
    return math.prod(slopes)


def was_shrunk(certificate: Certificate) -> bool:
    """Whether its weights are those of a fit times a slope."""
    return any(mechanism == SCORES_WITH_FIT for mechanism, _ in _nested(certificate))


def _nested(certificate: Certificate) -> Iterator[tuple[str, Mapping[str, Json]]]:
    """Mechanism and parameters of what is certified, then of the fit in it, and so on."""
    mechanism, parameters = certificate.mechanism, certificate.parameters
    yield mechanism, parameters
    while (
        mechanism in {CUTS_THEN_FIT, NORM_THEN_FIT, CURVATURE_WITH_FIT, SCORES_WITH_FIT}
        and isinstance(fit := parameters.get("fit"), dict)
        and isinstance(own := fit.get("parameters"), dict)
    ):
        mechanism, parameters = str(fit.get("mechanism")), own
        yield mechanism, parameters


def unit_of(parameters: Mapping[str, Json]) -> float:
    """f, by which width, noise and grid of a fit that counted its records are multiplied; 1 of others."""
    return _parameter(parameters, "unit") if "unit" in parameters else 1.0


def mixture_quantile(spreads: Floats, level: float) -> Floats:
    """q (n,) such that |N(0, s^2)| <= q with probability `level`, s one of `spreads` (n, atoms), all equally likely."""
    outer = ndtri(0.5 + 0.5 * level)
    low, high = outer * spreads.min(axis=1), outer * spreads.max(axis=1)
    if spreads.shape[1] == 1:
        return high
    safe = np.maximum(spreads, np.finfo(np.float64).tiny)
    for _ in range(_STEPS):
        middle = 0.5 * (low + high)
        reached = np.mean(2.0 * ndtr(middle[:, np.newaxis] / safe) - 1.0, axis=1) >= level
        low, high = np.where(reached, low, middle), np.where(reached, middle, high)
    return high


def _dimension(problem: Mapping[str, Json]) -> float:
    """Of the vector that the spherical noise is drawn in: the weights of all classes for a multinomial model, else those of one function."""
    one = _parameter(problem, "features") + (_parameter(problem, "intercept_scale") > 0)
    return one * _parameter(problem, "classes") if problem.get("scheme") == "multinomial" else one


def _parameter(parameters: Mapping[str, Json], name: str) -> float:
    return usable(parameters.get(name), name)


def usable(value: Json, name: str) -> float:
    """A number of a certificate. Raises InvalidInput for one whose squares, or products with others, are none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not (value == 0 or _SMALLEST <= value <= _LARGEST):
        raise InvalidInput(f"the certificate states no usable {name}.")
    return float(value)


_SMALLEST, _LARGEST = 1e-100, 1e100
"""Numbers of a certificate between which squares and products of several are numbers too: a file can state anything."""
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


def _length(law: WeightNoise, weights: int, curvature: float) -> float:
    """Of the noise in all weights, with this curvature beside the ridge."""
    if math.isinf(curvature):
        return 0.0
    least = law.ridge + curvature if law.in_objective else 1.0
    return math.sqrt(weights * float(np.mean(law.variances / least / least + law.last_stage)))


def _curvature(certificate: Certificate, weights: int) -> float:
    """tr H / m, at most; infinite where no number of records is public or the loss is of another kind."""
    _, _, problem = fit_within(certificate)
    name, parameters = problem.get("loss"), problem.get("loss_parameters")
    if "made_rows" in problem or not isinstance(name, str) or not isinstance(parameters, dict):
        return math.inf
    try:
        records, norm, intercept, heaviest = (_parameter(problem, key) for key in ("records", "data_norm", "intercept_scale", "max_weight"))
        classes = _parameter({"classes": 2, **problem}, "classes")
        trace = records * heaviest * (norm**2 + intercept**2)
        if problem.get("scheme") == "multinomial":
            return trace * (1.0 - 1.0 / max(classes, 1.0)) / weights
        loss = loss_named(name, {key: float(value) for key, value in parameters.items()})  # type: ignore[arg-type]
    except (InvalidInput, TypeError, ValueError):
        return math.inf
    functions = classes if problem.get("scheme") == "one-vs-rest" else 1.0
    return trace * loss.smoothness * functions / weights
