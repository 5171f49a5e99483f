"""The private score of a search: how many records a model gets right, plus exact integer noise.

    score = sum_i [model(x_i) = y_i] + Z,    Z discrete Laplace of scale t, or discrete Gaussian of scale s

Of a regression a record counts as much as its prediction is near, 1 less a bounded loss, in parts of 2^-20 (estimators/search/tables.py), and Z is
drawn in such parts. It is too where persons have several rows: a row counts as many as its share of one record's weight allows, rounded down, and
those of a person 1 together (mechanisms/counting/counting.md).

One record changes the count by at most 1, under add-remove and under replace-one, whatever the model: whether a record counts depends on the record
and the model only. So the score is 1/t-private, or has the curve of a discrete Gaussian shifted by 1: with p(k) proportional to e^{-k^2 / (2 s^2)},

    delta(epsilon) = sum over k < 1/2 - epsilon s^2 of p(k) (1 - e^{epsilon - (1 - 2 k) / (2 s^2)})

(Canonne, Kamath, Steinke 2020, theorem 7: the exact curve; for s > 4096 their theorem 4, rho = 1 / (2 s^2), is used instead). The model is itself a
release from the same records; the score is another query on them, and composes with it. No records need to be held out for that.
"""

import math
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from discreet.accounting import ConcentratedDP, Guarantee, Profile, PureDP, Unit
from discreet.accounting.profile import hull
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Neighbours, Persons
from discreet.core.rounding import raising
from discreet.mechanisms.counting import BoundedSum, GaussianCounting, Queries
from discreet.mechanisms.counting.queries import parts_of
from discreet.noise import Noise, drawable
from discreet.noise.laws import LAWS_BY_NAME
from discreet.words.counting import WHOLE

LAPLACE, GAUSSIAN = LAWS_BY_NAME
_KNOTS = 65
_WINDOW = 10.5
"""Scales on either side that are summed; what lies beyond has probability below 1e-22, which is added."""
_BEYOND = 1e-22
_SUMMED = 2.0**12
"""Beyond this scale the sums would be long, and the concentrated guarantee of the same noise is nearly as good in a small part of the whole."""
_LARGEST = 2.0**40


@dataclass(frozen=True, slots=True, kw_only=True)
class CountNoise:
    """The noise of the score. Raises InvalidInput for an unknown law, or a scale that is too large to be of use."""

    law: str
    scale: float
    """In records."""
    persons: Persons | None = None
    """Whose rows are whose; None where the unit of privacy is a row."""
    fine: bool = False
    """Whether a record counts in parts, as much as a number is near, and not 0 or 1."""

    def __post_init__(self) -> None:
        """See class docstring."""
        if self.law not in (LAPLACE, GAUSSIAN) or not 0 < self.scale <= _LARGEST:
            raise InvalidInput(
                f"the noise of a score is {LAPLACE} or {GAUSSIAN} of a scale up to 2^40 records; {self.law!r} and {self.scale!r} were given. "
                "Raise epsilon or score_share."
            )
        drawable(self.scale * self.parts)

    @property
    def deviation(self) -> float:
        """Of the noise, in records, at most."""
        return LAWS_BY_NAME[self.law](self.scale).largest_deviation

    @property
    def parts(self) -> int:
        """What one record counts."""
        return WHOLE if self.fine else parts_of(self.persons)

    def guarantee(self, neighbours: Neighbours) -> Guarantee:
        """See the module docstring."""
        found = self._of_counts(neighbours)
        return found if self.persons is None else replace(found, unit=Unit.PERSON)

    def _of_counts(self, neighbours: Neighbours) -> PureDP | ConcentratedDP | Profile:
        if self.law == LAPLACE:
            return PureDP(epsilon=raising(5) / self.scale, neighbours=neighbours, theorem="a count with discrete Laplace noise")
        if self.parts > 1:
            counting = GaussianCounting(scales=(self.scale * self.parts,), neighbours=neighbours, epsilon=1.0)
            curve = cast("Profile", counting.curve(Queries([BoundedSum(largest=self.parts // parts_of(self.persons))], self.persons)))
            return replace(curve, theorem="a count with discrete Gaussian noise")
        if self.scale > _SUMMED:
            return ConcentratedDP(rho=0.5 / self.scale**2 * raising(5), neighbours=neighbours, theorem="a count with discrete Gaussian noise")
        epsilons, deltas = hull(*_curve(self.scale))
        return Profile(epsilons=epsilons, deltas_at=deltas, neighbours=neighbours, theorem="a count with discrete Gaussian noise")

    def score(self, correct: int, noise: Noise) -> int:
        """The count with noise, in parts of records; private by itself, by `guarantee`."""
        return correct + int(LAWS_BY_NAME[self.law](self.scale * self.parts).draw(noise, 1, 1)[0, 0])


def _curve(scale: float) -> tuple[Floats, Floats]:
    """Points of the curve; sums of non-negative terms, raised by more than their rounding."""
    reach = math.ceil(_WINDOW * scale) + 2
    k = np.arange(-reach, reach + 1, dtype=np.float64)
    density = np.exp(-0.5 * np.square(k / scale))
    density /= density.sum()
    losses = (0.5 - k) / scale**2
    epsilons = np.linspace(0.0, float(losses[0]), _KNOTS)
    deltas = [float(density @ -np.expm1(np.minimum(epsilon - losses, 0.0))) for epsilon in epsilons]
    return epsilons, np.minimum(1.0, np.array(deltas) * raising(450_000) + _BEYOND)
