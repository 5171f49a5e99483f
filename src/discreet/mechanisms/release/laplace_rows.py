"""Rows with discrete Laplace noise on every number, on a grid: delta 0 (proof note rows.md, theorem 5).

    released row i = w (round(a_i / w) + K_i),     K_i discrete Laplace integers of scale t, P(k) proportional to exp(-|k| / t)

    epsilon = D / t,    D = r M S_1 / w + M columns,    S_1 >= sum of the absolute numbers of a row,  r = 2 (replace-one, local) or 1 (add-remove)

M rows of a person, or 1. Placement, persons, slots, owners and targets in clear are as in `rows`. D is an integer, rounded up, and D / t is a
rational number, rounded up. The deviation is about sqrt(2) r M S_1 / epsilon: sqrt(2) r d / epsilon where d numbers are within +-1, beside
r sqrt(d) / mu of Gaussian noise. For few columns it is less, and promises more.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from discreet.accounting import PureDP
from discreet.core.arrays import is_finite
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Neighbours
from discreet.core.rounding import raising
from discreet.mechanisms.release.placement import check_placement
from discreet.mechanisms.release.rows import GridRelease, grid_step
from discreet.noise import drawable
from discreet.queries import RowQuery, Rows
from discreet.queries.base import UP, reach
from discreet.words.rows import LaplaceRows


@dataclass(frozen=True, slots=True, kw_only=True)
class LaplaceRelease(LaplaceRows, GridRelease):
    """Laplace noise of one size on every released number, for pure epsilon; for the records themselves (`Rows`)."""

    @classmethod
    def calibrate(cls, query: RowQuery, *, epsilon: float, neighbours: Neighbours, slots: int | None = None, local: bool = False) -> Self:
        """The least noise (to 1e-6) for epsilon.

        Raises InvalidInput for another query than Rows, and as GaussianRelease.calibrate; InfeasibleTarget for noise that cannot be drawn.
        """
        if not (is_finite(epsilon) and epsilon > 0):
            raise InvalidInput(f"epsilon must be positive and finite; {epsilon!r} was given.")
        step = grid_step(_apart(query, neighbours), query.numbers**2)
        scale = drawable(_steps(query, neighbours, step) / epsilon * raising(64))
        made = cls(step=step, scale=scale, neighbours=neighbours, slots=slots, local=local)
        made.guarantee(query)
        return made

    def promise(self, query: RowQuery) -> PureDP:
        """See the module docstring."""
        check_placement(query, self.neighbours, self.slots)
        exact = _steps(query, self.neighbours, self.step) / Fraction(self.scale)
        nearest = float(exact)
        epsilon = nearest if Fraction(nearest) >= exact else math.nextafter(nearest, math.inf)
        return PureDP(epsilon=epsilon, neighbours=self.neighbours, unit=query.read.unit, local=self.local, theorem=self.theorem)


def _apart(query: RowQuery, neighbours: Neighbours) -> float:
    """r M S_1."""
    if not isinstance(query, Rows):
        raise InvalidInput("Laplace noise needs the query Rows: how far one record moves other rows, in sums of absolute differences, is not known.")
    return reach(neighbours) * query.read.rows * query.read.manhattan


def _steps(query: RowQuery, neighbours: Neighbours, step: float) -> int:
    """D: rounding moves each number by at most half a step, twice."""
    return math.ceil(_apart(query, neighbours) / step * UP) + query.numbers
