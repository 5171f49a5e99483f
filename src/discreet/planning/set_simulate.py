"""What happens on invented records of the kind that a plan over a set declares: the mechanism that "auto" takes, beside its bound.

The least value of a sum of losses over a set, which excesses are measured from: accelerated projected gradients (Beck and Teboulle 2009) with
backtracking, restarted where they stop descending. The Frank-Wolfe gap max_{s in C} <theta - s, grad F(theta)> >= F(theta) - min F says how near the
value is. A loss with a kink is smoothed first, by itself
(`PredictionLoss.smoothed`); the minima are as near to each other as the losses are. Not private, and for records that are public only.

Records:

    x_j = +-entry_bound at random, or data_norm times a uniform direction;     theta* = (5 v_1 + 3 v_2 + 2 v_3) / 10 in C,

v_j a point of C with the largest j-th coordinate;     y = <x, theta*> + N(0, (target_bound / 10)^2), or P(y = 1) = 1 / (1 + e^{-<x, theta*>}).

The excess F(theta_priv) / n - min_C F / n is measured on the records themselves, as the bound has it. They are public by construction: nothing is
protected, and no ledger is spent on.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial

import numpy as np
from scipy.special import ndtr

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.validate import each, job_count, whole
from discreet.core.workers import map_in_order
from discreet.data import Records
from discreet.ledger import without_ledger
from discreet.matrices import as_matrix
from discreet.mechanisms.constrained import ConstrainedMechanism, calibrate_over_set
from discreet.noise import Noise, apart
from discreet.objectives import PredictionSum, sum_over_set
from discreet.objectives.prediction_sum import Clipped
from discreet.planning.set_plan import SetPlan
from discreet.problems import ConstrainedRisk
from discreet.sets import Constraint

_STEPS = 600
_CLOSE = 1e-5
"""The gap, as a share of n B spread, at which the search ends."""
_WIDTH = 2e-3
"""h, as a share of min(spread, 1)."""


def least_over_set(problem: ConstrainedRisk, objective: PredictionSum) -> tuple[float, float]:
    """(value, error): a value of F on C, and how far it is at most above the minimum."""
    count = objective.records
    close = _CLOSE * count * problem.slope_bound * problem.spread
    if not math.isinf(problem.smoothness):
        point, gap = _descend(objective, problem.constraint, close)
        return objective.value(point), gap
    width = _WIDTH * min(1.0, problem.spread)
    loss, unit, above = problem.loss.smoothed(width)
    smooth = replace(objective, each=Clipped(loss=loss, slope_bound=problem.slope_bound * unit, kink=False))
    point, gap = _descend(smooth, problem.constraint, unit * close)
    lower = (smooth.value(point) - gap) / unit - count * above
    value = objective.value(point)
    return value, value - lower


def _descend(objective: PredictionSum, constraint: Constraint, close: float) -> tuple[Floats, float]:
    """A point and its gap."""
    zero = np.zeros(constraint.dimension)
    point = ahead = constraint.project(zero)
    value, pace, length = objective.value(point), 1.0, 1e-6 * objective.records
    gap = math.inf
    for taken in range(_STEPS):
        gradient, here = objective.gradient(ahead), objective.value(ahead)
        if taken % 10 == 0:
            slope = objective.gradient(point)
            gap = float(slope @ (point - constraint.linear_minimiser(slope)))
            if gap <= close:
                break
        while True:
            found = constraint.project(ahead - gradient / length)
            moved = found - ahead
            reached = objective.value(found)
            if reached <= here + float(gradient @ moved) + 0.5 * length * float(moved @ moved) + 1e-12 * abs(here):
                break
            length *= 2.0
        if reached > value:
            if pace == 1.0:
                break
            ahead, pace = point, 1.0
            continue
        faster = 0.5 * (1.0 + math.sqrt(1.0 + 4.0 * pace**2))
        ahead = found + ((pace - 1.0) / faster) * (found - point)
        point, value, pace = found, reached, faster
    slope = objective.gradient(point)
    return point, float(slope @ (point - constraint.linear_minimiser(slope)))


_NOISE = 0.1
_SHARES = (0.5, 0.3, 0.2)


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedOverSet:
    """Excess risks of private fits on invented records."""

    records: int
    mechanism: str
    """What "auto" took."""
    own_risk: float
    """What is proved of it as it was run."""
    mean: float
    largest: float
    error: float
    """How much larger the excesses may be at most, since minima are computed."""
    repeats: int

    def to_dict(self) -> dict[str, object]:
        """Plain dicts, lists and numbers, as JSON has them."""
        return asdict(self)


def simulate_over_set(
    plan: SetPlan, records: Sequence[int], noise: Noise, *, tables: int = 2, draws: int = 4, n_jobs: int | None = None
) -> list[SimulatedOverSet]:
    """For each number of records, `tables` invented tables with `draws` private fits each.

    `n_jobs` threads share the tables, each of which has noise of its own: results are the same for any number. Raises what the mechanism raises.
    """
    each(whole, tables=tables, draws=draws)
    if plan.entry_bound is None and plan.data_norm is None:
        raise InvalidInput("the simulation needs a bound on rows: set entry_bound or data_norm.")
    jobs = job_count(n_jobs)
    found = []
    for count in records:
        proved = plan.bound(count)
        mechanism = calibrate_over_set(
            plan.problem(count), mechanism=proved.auto, epsilon=plan.epsilon, delta=plan.delta, neighbours=plan.neighbours, steps=plan.steps
        )
        measured = list(map_in_order(partial(_excesses, plan, count, mechanism, draws), apart(noise, tables), jobs))
        excesses = [one for seen, _ in measured for one in seen]
        found.append(
            SimulatedOverSet(
                records=count,
                mechanism=mechanism.name,
                own_risk=proved.of(mechanism.name).own_risk,
                mean=float(np.mean(excesses)),
                largest=max(excesses),
                error=max(error for _, error in measured),
                repeats=len(excesses),
            )
        )
    return found


def _excesses(plan: SetPlan, count: int, mechanism: ConstrainedMechanism, draws: int, noise: Noise) -> tuple[list[float], float]:
    """Of private fits on one invented table, and how far the minimum found may be off."""
    problem = plan.problem(count)
    rows, targets = invented_over_set(plan, count, noise)
    data = Records(rows=as_matrix(rows), targets=targets, domain=problem.domain)
    objective = sum_over_set(problem, data)
    least, gap = least_over_set(problem, objective)
    with without_ledger():
        return [(objective.value(mechanism.run(problem, data, noise).value) - least) / count for _ in range(draws)], gap / count


def invented_over_set(plan: SetPlan, records: int, noise: Noise) -> tuple[Floats, Floats]:
    """Rows (n, d) without the constant feature, and targets (n,)."""
    features = plan.problem(records).domain.features
    rows: Floats = np.ascontiguousarray(noise.gaussian(scale=1.0, dimension=features, draws=records).T)
    if plan.entry_bound is not None:
        rows = np.where(rows < 0, -plan.entry_bound, plan.entry_bound)
    if plan.data_norm is not None:
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        rows = rows * (plan.data_norm / norms if plan.entry_bound is None else np.minimum(1.0, plan.data_norm / norms))
    weights = model_over_set(plan)
    predictions = rows @ weights[:features] + (plan.intercept_scale * weights[-1] if plan.intercept_scale > 0 else 0.0)
    drawn = noise.gaussian(scale=1.0, dimension=1, draws=records)[0]
    if plan.problem(records).loss.signed_targets:
        return rows, np.where(ndtr(drawn) < 1.0 / (1.0 + np.exp(-predictions)), 1.0, -1.0)
    return rows, predictions + _NOISE * plan.problem(records).domain.target_bound * drawn


def model_over_set(plan: SetPlan) -> Floats:
    """theta*, a point of the set."""
    dimension = plan.constraint.dimension
    found = np.zeros(dimension)
    for index, share in enumerate(_SHARES):
        direction = np.zeros(dimension)
        direction[min(index, dimension - 1)] = -1.0
        found += share * plan.constraint.linear_minimiser(direction)
    return found
