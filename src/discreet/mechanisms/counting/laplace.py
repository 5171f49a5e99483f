"""Counting with discrete Laplace noise (proof note counting.md, theorem 1).

    epsilon = sum over queries j of D_j / t_j,       D_j the L1 sensitivity of query j, t_j the scale of its noise, P(k) prop. to exp(-|k| / t_j)

The sum is taken in rational numbers and rounded up. The theorem has no slack: the ratio e^epsilon is reached.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from discreet.accounting import PureDP
from discreet.core.arrays import is_finite
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Neighbours
from discreet.core.rounding import raising
from discreet.mechanisms.counting.base import CountingMechanism
from discreet.mechanisms.counting.queries import Queries
from discreet.noise import drawable
from discreet.words.counting import LaplaceCounts


@dataclass(frozen=True, slots=True, kw_only=True)
class LaplaceCounting(LaplaceCounts, CountingMechanism):
    """Counting queries with pure epsilon."""

    @classmethod
    def calibrate(cls, problem: Queries, *, epsilon: float, neighbours: Neighbours, shares: Sequence[float] | None = None) -> Self:
        """The least noise for epsilon, of which query j takes the share `shares[j]` (equal ones if None)."""
        if not (is_finite(epsilon) and epsilon > 0):
            raise InvalidInput(f"epsilon must be positive and finite; {epsilon!r} was given.")
        parts = problem.checked_shares(shares)
        sizes = [move.manhattan for move in problem.sensitivities(neighbours)]
        scales = tuple(drawable(size / (epsilon * share) * raising(4_096)) for size, share in zip(sizes, parts, strict=True))
        return cls(scales=scales, neighbours=neighbours)

    def promise(self, problem: Queries) -> PureDP:
        """See the module docstring."""
        self._require_scales(problem)
        exact = sum(
            (move.manhattan / Fraction(scale) for move, scale in zip(problem.sensitivities(self.neighbours), self.scales, strict=True)),
            Fraction(0),
        )
        nearest = float(exact)
        epsilon = nearest if Fraction(nearest) >= exact else math.nextafter(nearest, math.inf)
        return PureDP(epsilon=epsilon, neighbours=self.neighbours, theorem=self.theorem)
