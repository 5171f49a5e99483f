"""Counting with discrete Gaussian noise (proof note counting.md, theorem 2).

    delta(epsilon) = the exact hockey-stick divergence of the worst pair of neighbours, summed over integers (module `gaussian_curve`)

K_j has P(k) proportional to exp(-k^2 / (2 s_j^2)). At the scales in use this is within a per cent of one Gaussian mechanism with
mu^2 = sum over queries of D_j^2 / s_j^2, D_j the L2 sensitivity; nothing is lost to a detour over Renyi divergences, and nothing is assumed large.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from discreet.accounting import ApproximateDP, ConcentratedDP, Guarantee, Profile, gaussian_mu
from discreet.accounting.profile import hull
from discreet.core.arrays import is_finite
from discreet.core.errors import InfeasibleTarget, InvalidInput
from discreet.core.neighbours import Neighbours
from discreet.core.rounding import raising
from discreet.mechanisms.base import at_epsilon
from discreet.mechanisms.counting.base import CountingMechanism
from discreet.mechanisms.counting.gaussian_curve import Component, divergence
from discreet.mechanisms.counting.queries import Queries, Sensitivity
from discreet.noise import drawable
from discreet.words import for_persons
from discreet.words.counting import GaussianCounts

LARGEST_EPSILON = 100.0
LEAST_DELTA = 1e-30
_STEPS = 24
_KNOTS = 129
_REACH = 9.0
"""Standard deviations of the privacy loss beyond which the curve is not read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianCounting(GaussianCounts, CountingMechanism):
    """Counting queries with (epsilon, delta)."""

    @classmethod
    def calibrate(cls, problem: Queries, *, epsilon: float, delta: float, neighbours: Neighbours, shares: Sequence[float] | None = None) -> Self:
        """The least noise (to 1e-6) for (epsilon, delta), of whose mu^2 query j takes the share `shares[j]` (equal ones if None)."""
        if not (is_finite(epsilon) and 0 < epsilon <= LARGEST_EPSILON and 0 < delta < 1):
            raise InvalidInput(
                f"Gaussian noise needs 0 < epsilon <= {LARGEST_EPSILON:g} and 0 < delta < 1; epsilon={epsilon!r}, delta={delta!r} were given."
            )
        if delta < LEAST_DELTA:
            raise InfeasibleTarget(f"delta={delta!r} is too small to be computed exactly here. Use delta >= {LEAST_DELTA:g}, or delta=0.")
        parts = problem.checked_shares(shares)
        mu = gaussian_mu(epsilon, delta)
        moves = problem.sensitivities(neighbours)
        ideal = [math.sqrt(move.squared / share) / mu for move, share in zip(moves, parts, strict=True)]

        def reached(factor: float) -> bool:
            return divergence(_components(moves, [factor * scale for scale in ideal]), epsilon) <= delta

        low, high = 0.5, 1.0
        while not reached(high):
            low, high = high, drawable(1.5 * high * max(ideal)) / max(ideal)
        for _ in range(_STEPS):
            middle = 0.5 * (low + high)
            low, high = (low, middle) if reached(middle) else (middle, high)
        return cls(scales=tuple(drawable(high * scale) for scale in ideal), neighbours=neighbours, epsilon=epsilon)

    def promise(self, problem: Queries) -> ApproximateDP:
        """See the module docstring."""
        self._require_scales(problem)
        components = _components(problem.sensitivities(self.neighbours), self.scales)
        return at_epsilon(self.epsilon, divergence(components, self.epsilon), self.neighbours, self.theorem)

    def curve(self, problem: Queries) -> Guarantee:
        """The whole curve, of which `guarantee` states a point."""
        self._require_scales(problem)
        components = _components(problem.sensitivities(self.neighbours), self.scales)
        mu = math.sqrt(sum(component.mu**2 for component in components))
        knots = np.linspace(0.0, mu * (0.5 * mu + _REACH), _KNOTS)
        epsilons, deltas = hull(knots, np.array([divergence(components, float(knot)) for knot in knots]))
        whole = Profile(epsilons=epsilons, deltas_at=deltas, neighbours=self.neighbours, theorem=self.theorem)
        return for_persons(self.name, whole, problem.persons)

    def concentrated(self, problem: Queries) -> Guarantee:
        """The same release in zero-concentrated privacy: rho = sum of D_j^2 / (2 s_j^2) (Canonne, Kamath, Steinke 2020, theorem 14)."""
        self._require_scales(problem)
        rho = sum(move.squared / (2.0 * scale**2) for move, scale in zip(problem.sensitivities(self.neighbours), self.scales, strict=True))
        return for_persons(self.name, ConcentratedDP(rho=rho * raising(45), neighbours=self.neighbours, theorem=self.theorem), problem.persons)


def _components(moves: Sequence[Sensitivity], scales: Sequence[float]) -> list[Component]:
    return [Component(coordinates=one.coordinates, step=one.step, spread=one.spread, scale=scale) for one, scale in zip(moves, scales, strict=True)]
