"""Noisy mirror descent over a set (proof note mirror_descent.md).

    y_t = grad F(theta_t) + noise on a grid,    theta_{t+1} = argmin_{theta in C} <eta y_t, theta> + B_Psi(theta, theta_t),    t = 1 .. T
    theta_1 = argmin_C Psi,    released: an average of the points

Talwar, Thakurta and Zhang (2014), Algorithm 1, and the strongly convex variant of their appendix A, with the noise of exact Gaussian composition
(module `base`) in place of the printed constants: T steps together are one Gaussian release of mu = S sqrt(T) / sigma, S = k B R_2 plus twice
the bound of rounding errors, k = 1 under add-remove and 2 under replace-one. Everything after y_t is post-processing. F is the SUM of the losses, so
eta is a step size for sums. Any loss with bounded slopes will do: with a kink (the hinge), or clipped to `max_slope` record by record.

Which map, how many steps, how long: from public numbers alone (mechanisms/constrained/excess.py has the bounds).

    W^2 = G_Q^2 + |Q|_2^2        the mean square of the dual norm of N(0, I)
    g = B min(R_2 |Q|_2, R_inf |Q|_1)     the dual norm of one record's gradient
    c' = c min(R_2 |Q|_2, R_inf |Q|_1)^2  the curvature of one record's loss along a unit vector of the norm

Q is the unit ball of the map's norm, carried to R^d; |Q|_1 its l1 radius. The candidates are the Euclidean map, the p-norm and power maps where they
exist, and the entropy of vertices. The one with the smallest bound is taken. T is the least number of steps with which the
terms that are not privacy's are at most SHARE of those that are, and at most a number that bounds the work.

Under add-remove the number of records is private: plans then use the one that the caller declares public, or NOMINAL ones (base.py). What is
proved of the risk holds for that many; privacy does not depend on it.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from discreet.accounting import Json, gaussian_mu
from discreet.core.arrays import Floats, is_finite
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Neighbours
from discreet.mechanisms.constrained.base import NOMINAL, GaussianSteps, GradientSteps, check_gaussian_target, checked_steps, gradient_distance
from discreet.mechanisms.constrained.excess import (
    composite_mirror_descent,
    enough_steps,
    mirror_descent,
    mirror_descent_step,
    private_noise,
    smooth_mirror_descent,
    smooth_mirror_descent_step,
    strongly_convex_mirror_descent,
)
from discreet.noise import Noise
from discreet.objectives import PredictionSum
from discreet.problems import SetRisk
from discreet.sets import Constraint
from discreet.sets.mirror_maps import MirrorMap, Potential, map_names, mirror_map_named
from discreet.words.constrained import MIRROR_DESCENT

AUTO = "auto"
SMOOTH, LIPSCHITZ, STRONGLY_CONVEX, COMPOSITE = "smooth", "lipschitz", "strongly-convex", "composite"
SHARE = 0.25
MOST_STEPS = 4096
LEAST_STEPS = 16
_WORK = 2.0**34
"""Entries of the table that all gradients together may read, where T is not chosen by the caller."""


class Geometry(NamedTuple):
    """One map on one set, for one record of a problem."""

    map: MirrorMap
    width: float
    """W."""
    gradient: float
    """g."""
    smoothness: float
    """c', infinity for a loss with a kink."""
    hilbert: bool
    """Whether the norm is the Euclidean one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Public choices of one run, and the bound that they were chosen by."""

    mirror_map: str
    schedule: str
    """`smooth`: constant steps, average of the points after them; `lipschitz`: constant steps, average of all points; `strongly-convex` and
    `composite`: see A.1."""
    noisy_gradients: int
    step_size: float
    """eta, on the sum of losses; of A.1 the lambda of steps 2 / (lambda (t + 1)), or 2 / (lambda t)."""
    excess: float
    """Bound of E F - min F on the sum, for `records`."""
    records: int

    def to_dict(self) -> dict[str, Json]:
        """What a certificate states of it: plain numbers and words."""
        return {"mirror_map": self.mirror_map, "schedule": self.schedule, "step_size": self.step_size}

    def average(self, constraint: Constraint, steps: int, released: Callable[[Floats], Floats]) -> Floats:
        """The average of the points of a descent of so many steps, (d,); `released` gives a noisy gradient at a point."""
        made = mirror_map_named(self.mirror_map, constraint)
        state = made.start()
        start = made.point(state)
        weights = {SMOOTH: 0.0, COMPOSITE: 2.0}.get(self.schedule, 1.0)
        total = weights * start
        for taken in range(1, steps + 1):
            point = made.point(state)
            gradient = released(point)
            if self.schedule == STRONGLY_CONVEX:
                ridge, weight = self.step_size, taken + 1.0
                direction = (gradient + ridge * (point - start)) * (2.0 / (ridge * weight))
            elif self.schedule == COMPOSITE and isinstance(made, Potential):
                weight = taken + 2.0
                state = made.conjugate_gradient(made.gradient(state) * (taken / weight))  # lambda Psi pulls towards the start
                direction = gradient * (2.0 / (self.step_size * weight))
            else:
                weight = 1.0
                direction = self.step_size * gradient
            state = made.step(state, direction)
            total = total + weight * made.point(state)
            weights += weight
        average: Floats = np.asarray(total / weights)
        return average


def geometry_of(problem: SetRisk, name: str) -> Geometry:
    """The constants of a map for one record of this problem."""
    made = mirror_map_named(name, problem.constraint)
    return Geometry(
        map=made,
        width=math.hypot(made.norm_width, made.norm_radius),
        gradient=problem.steepest(made.norm_radius, made.norm_l1_radius),
        smoothness=problem.curved(made.norm_radius, made.norm_l1_radius),
        hilbert=made.hilbert,
    )


def plan(problem: SetRisk, *, sensitivity: float, mu: float, mirror_map: str = AUTO, steps: int | None = None, ridge: float = 0.0) -> Plan:
    """The best map and schedule by their bounds. `sensitivity` and `mu` are those of all noisy gradients together; `ridge` lambda >= 0."""
    if problem.constraint.diameter == 0:
        raise InvalidInput("the constraint set is a single point, so there is nothing to learn.")
    records = NOMINAL if problem.domain.records is None else problem.domain.records
    names = map_names(problem.constraint) if mirror_map == AUTO else (mirror_map,)
    if ridge > 0:
        geometry = geometry_of(problem, "euclidean" if mirror_map == AUTO else mirror_map)
        return _strongly_convex(geometry, ridge, sensitivity, mu, _count(problem, records, steps), records)
    candidates = []
    for name in names:
        geometry = geometry_of(problem, name)
        wanted = enough_steps(
            range_=geometry.map.range,
            strong_convexity=geometry.map.strong_convexity,
            gradient=records * geometry.gradient,
            width=geometry.width,
            sensitivity=sensitivity,
            mu=mu,
            smoothness=records * geometry.smoothness,
            share=SHARE,
        )
        count = _count(problem, records, steps, wanted)
        candidates.append(_made(geometry, LIPSCHITZ, sensitivity, mu, count, records))
        if math.isfinite(geometry.smoothness):
            candidates.append(_made(geometry, SMOOTH, sensitivity, mu, count, records))
    return min(candidates, key=lambda candidate: candidate.excess)


def _count(problem: SetRisk, records: int, steps: int | None, wanted: float = math.inf) -> int:
    if steps is not None:
        return steps
    affordable = _WORK / (records * problem.dimension)
    return int(max(LEAST_STEPS, min(MOST_STEPS, affordable, math.ceil(wanted) if wanted < MOST_STEPS else MOST_STEPS)))


def _made(geometry: Geometry, schedule: str, sensitivity: float, mu: float, count: int, records: int) -> Plan:
    known = {
        "range_": geometry.map.range,
        "strong_convexity": geometry.map.strong_convexity,
        "width": geometry.width,
        "noise": private_noise(sensitivity=sensitivity, mu=mu, steps=count),
    }
    if schedule == SMOOTH:
        known["smoothness"] = records * geometry.smoothness
        step = smooth_mirror_descent_step(**known, steps=count)
        excess = smooth_mirror_descent(**known, steps=count, step_size=step)
    else:
        known["gradient"] = records * geometry.gradient
        step = mirror_descent_step(**known, steps=count + 1, hilbert=geometry.hilbert)
        excess = mirror_descent(**known, steps=count + 1, step_size=step, hilbert=geometry.hilbert)
    return Plan(mirror_map=geometry.map.name, schedule=schedule, noisy_gradients=count, step_size=step, excess=excess, records=records)


def _strongly_convex(geometry: Geometry, ridge: float, sensitivity: float, mu: float, count: int, records: int) -> Plan:
    """Excess of the plain sum: at most that of the regularised one, plus lambda R."""
    known = {
        "strong_convexity": geometry.map.strong_convexity,
        "ridge": ridge,
        "width": geometry.width,
        "noise": private_noise(sensitivity=sensitivity, mu=mu, steps=count),
    }
    gradient, steps, range_ = records * geometry.gradient, count + 1, geometry.map.range
    if geometry.hilbert:
        schedule, steepest = STRONGLY_CONVEX, gradient + ridge * math.sqrt(2.0 * range_)
        excess = strongly_convex_mirror_descent(**known, gradient=steepest, steps=steps, hilbert=True)
    else:
        schedule = COMPOSITE
        excess = composite_mirror_descent(**known, range_=range_, gradient=gradient, steps=steps, hilbert=False)
    return Plan(
        mirror_map=geometry.map.name,
        schedule=schedule,
        noisy_gradients=count,
        step_size=ridge,
        excess=excess + ridge * geometry.map.range,
        records=records,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyMirrorDescent(GradientSteps):
    """Mirror descent on gradients with Gaussian noise: (epsilon, delta)-private."""

    name = "mirror-descent"
    theorem = MIRROR_DESCENT
    plan: Plan
    """Map, schedule and step size."""

    @classmethod
    def calibrate(
        cls,
        problem: SetRisk,
        *,
        epsilon: float,
        delta: float,
        neighbours: Neighbours,
        steps: int | None = None,
        mirror_map: str = AUTO,
        ridge: float = 0.0,
    ) -> Self:
        """The least noise for (epsilon, delta).

        `steps` noisy gradients and the `mirror_map` ("euclidean", "p-norm", "power", "entropy") are chosen from public numbers where they are left
        out. `ridge` lambda > 0 adds lambda Psi to F, with the Euclidean map lambda |theta - theta_1|^2 / 2, and takes a schedule of theorem A.1.
        Raises InvalidInput for numbers out of range and maps that the set has not.
        """
        check_gaussian_target(epsilon, delta)
        if not (isinstance(ridge, int | float) and is_finite(ridge) and ridge >= 0):
            raise InvalidInput(f"ridge must be a finite number of at least 0; {ridge!r} was given.")
        distance = gradient_distance(problem, neighbours)
        chosen = plan(
            problem,
            sensitivity=distance,
            mu=gaussian_mu(epsilon, delta),
            mirror_map=mirror_map,
            steps=None if steps is None else checked_steps(steps),
            ridge=float(ridge),
        )
        found = GaussianSteps.calibrate(distance=distance, dimension=problem.dimension, epsilon=epsilon, delta=delta, count=chosen.noisy_gradients)
        return cls(noise_steps=found, epsilon=epsilon, plan=chosen, neighbours=neighbours)

    def risk_bound(self) -> float:
        """Bound of the excess of the mean loss, E F / n - min F / n, for the n that the plan was made for; ideal Gaussian noise."""
        return self.plan.excess / self.plan.records

    def parameters(self) -> dict[str, Json]:
        """See Mechanism."""
        return {**GradientSteps.parameters(self), **self.plan.to_dict()}

    def point(self, problem: SetRisk, objective: PredictionSum, noise: Noise) -> Floats:
        """See ConstrainedMechanism."""
        return self.plan.average(problem.constraint, self.noise_steps.count, lambda point: self.noise_steps.release(objective.gradient(point), noise))
