"""A fit, and the curvature of its records at its weights, under one guarantee (proof note curvature.md, theorem 2).

    delta(epsilon) = E over the curvature of delta_fit(epsilon - its privacy loss)

The curvature promises the same at whatever weights: how far a record moves it follows from the problem of the fit, which is public. So both are
settled before a record is read, and it does not matter that the fit comes first: the worst pair of the two releases is a product.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from discreet.accounting import ApproximateDP, Guarantee, Profile, discrete_delta, epsilon_for
from discreet.accounting.profile import hull
from discreet.certificates import Certificate
from discreet.core.arrays import Floats
from discreet.core.errors import InfeasibleTarget
from discreet.core.neighbours import Neighbours
from discreet.core.rounding import raising
from discreet.mechanisms.curvature.factors import CurvedRisk
from discreet.mechanisms.curvature.gaussian import GaussianCurvature
from discreet.mechanisms.curvature.query import CurvatureQuery
from discreet.mechanisms.selection.then_fit import Chosen, ThenFit, together
from discreet.statements.base import CURVATURE_WITH_FIT

_KNOTS = 129
_REACH = 9.0
"""Deviations of the privacy loss that knots go to."""
_TRIES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvaturePlan(Chosen[GaussianCurvature, CurvatureQuery]):
    """See module docstring; a `Choice`."""

    @classmethod
    def calibrate(cls, problem: CurvedRisk, *, epsilon: float, delta: float, neighbours: Neighbours) -> "CurvaturePlan":
        """The least noise for (epsilon, delta), at weights that are not known yet. Raises InvalidInput for delta = 0."""
        query = CurvatureQuery(problem=problem, weights=np.zeros(problem.dimension))
        return cls(mechanism=GaussianCurvature.calibrate(query, epsilon=epsilon, delta=delta, neighbours=neighbours), problem=query)

    @property
    def curve(self) -> Guarantee:
        """Of one Gaussian mechanism but for the lemma's price, at every epsilon."""
        made, query = self.mechanism, self.problem
        stated, mu = made.guarantee(query), query.distance(made.neighbours) / made.scale
        knots = np.linspace(0.0, mu * (0.5 * mu + _REACH), _KNOTS)[1:]
        deltas = [discrete_delta(float(knot), mu, integers=query.size, scale=made.scale) for knot in knots]
        # At 0 what is known at the first knot, with randomised response up to there: the divergence at 0 is no more.
        at_zero = min(1.0, deltas[0] + float(np.tanh(0.5 * knots[0])) * raising(64))
        epsilons, found = hull(np.append(0.0, knots), np.array([at_zero, *deltas]))
        return Profile(epsilons=epsilons, deltas_at=found, neighbours=stated.neighbours, unit=stated.unit, theorem=stated.theorem)

    def of(self, problem: CurvedRisk, *, times: float = 1.0) -> "CurvaturePlan":
        """The same promise, but for `times` as much noise, for another problem: noise follows how far a record moves the answer."""
        query = CurvatureQuery(problem=problem, weights=np.zeros(problem.dimension))
        made = self.mechanism
        ratio = query.distance(made.neighbours) / self.problem.distance(made.neighbours)
        scale = made.scale * ratio * times * raising(64)
        return replace(self, mechanism=replace(made, scale=scale, levels=query.levels), problem=query)

    def at(self, weights: Floats) -> "CurvaturePlan":
        """At weights (d,) that were released."""
        return replace(self, problem=replace(self.problem, weights=weights))


def settled(
    *,
    epsilon: float,
    delta: float,
    neighbours: Neighbours,
    share: float,
    planned: Callable[[float, float], Certificate],
    problem: Callable[[Certificate], CurvedRisk],
) -> ThenFit[CurvaturePlan]:
    """What both may spend: `planned(epsilon, delta)` is the certificate of a fit, and `problem(certificate)` its public problem.

    The problem of a fit follows its budget (lambda, the temperature of a hinge), and the noise of the curvature the problem: so it is scaled to the
    one that is fitted, and the total is checked again. Raises as `ThenFit.calibrate`.
    """
    first = problem(planned(epsilon, delta))
    plan = partial(CurvaturePlan.calibrate, first, neighbours=neighbours)
    both = ThenFit.calibrate(CURVATURE_WITH_FIT, plan, epsilon=epsilon, delta=delta, share=share, planned=planned)
    for attempt in range(_TRIES):
        choice = both.choice.of(problem(both.fit), times=1.0 + 1e-3 * attempt)
        if epsilon_for(together(choice, both.fit), delta) <= epsilon and isinstance(both.guarantee, ApproximateDP):
            return replace(both, choice=choice)
    raise InfeasibleTarget(f"epsilon={epsilon:g}, delta={delta:g} leave no budget for intervals after the fit; raise either.")
