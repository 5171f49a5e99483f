"""What happens on invented records of the kind that a plan declares: our own mechanism, fitted and measured, beside its bound.

    x = data_norm times a uniform direction of R^d,      P(y = 1 | x) = 1 / (1 + e^{-<f0, x>}),      |f0| = B, along the first axis

Of the logistic loss f0 is the best predictor there is. The excess L(f_priv) - L(f0) is measured on invented records that all fits share, so that
most of the sampling error of the difference cancels. These are public by construction: nothing is protected, and no ledger is spent on.

`simulate_epsilons` tries several epsilons. It makes a table, a fit and a sample to measure on anew each time, so that the measured excesses are
independent, and takes Student's interval of their mean (approximate: excesses are not normal), at a confidence divided by the number of epsilons
(Bonferroni), so that all intervals hold together. The loss is averaged over the class given the row, which is known here; so only the draw of rows is
left of the sampling error. `bracket` gives the largest epsilon that is shown to be too small, and the smallest that is shown to be enough.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial

import numpy as np
from scipy.special import ndtr, stdtrit

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.validate import each, job_count, whole
from discreet.core.workers import map_in_order
from discreet.data import Domain, Records
from discreet.ledger import without_ledger
from discreet.matrices import as_matrix
from discreet.mechanisms.learning import default_ridge
from discreet.mechanisms.learning.margin import MARGIN
from discreet.noise import Noise, apart
from discreet.planning.plan import Plan

EPSILONS = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
"""That a simulation tries, rising."""
CONFIDENCE = 0.95
_MEASURED = 4000
_TESTED = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulated:
    """Excess losses of private fits on invented records."""

    records: int
    alpha: float
    """Lambda of the fits."""
    mean: float
    upper: float
    """The quantile at 1 - failure of the fits, or the largest where there are few."""
    repeats: int

    def to_dict(self) -> dict[str, object]:
        """Plain dicts, lists and numbers, as JSON has them."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedEpsilon:
    """The mean excess of fits at one epsilon, with its interval."""

    epsilon: float
    mean: float
    low: float
    high: float
    repeats: int

    def to_dict(self) -> dict[str, object]:
        """Plain dicts, lists and numbers, as JSON has them."""
        return asdict(self)


def simulate(
    plan: Plan,
    records: Sequence[int],
    noise: Noise,
    *,
    ridge: Callable[[int], float] | None = None,
    tables: int = 4,
    draws: int = 8,
    n_jobs: int | None = None,
) -> list[Simulated]:
    """For each number of records, `tables` invented tables with `draws` private fits each; `ridge` gives lambda for n (None: that of the bound).

    `n_jobs` threads share the tables, each of which has noise of its own: results are the same for any number. Raises what the mechanism raises.
    """
    each(whole, tables=tables, draws=draws)
    jobs = job_count(n_jobs)
    test, labels = invented(plan, _TESTED, noise)
    reference = float(np.mean(plan.margin_loss.value(labels * (test @ predictor(plan)))))

    def measured(weights: Floats) -> float:
        return float(np.mean(plan.margin_loss.value(labels * (test @ weights)))) - reference

    found = []
    for count in records:
        whole(count, "records")
        size = plan.bound(count).ridge if ridge is None else ridge(count)
        fits = map_in_order(partial(_fits, plan, count, size, draws), apart(noise, tables), jobs)
        ordered = sorted(measured(one) for weights in fits for one in weights.T)
        upper = ordered[min(len(ordered) - 1, math.ceil((1.0 - plan.failure) * len(ordered)) - 1)]
        found.append(Simulated(records=count, alpha=size / count, mean=float(np.mean(ordered)), upper=upper, repeats=len(ordered)))
    return found


def _fits(plan: Plan, count: int, ridge: float, draws: int, noise: Noise) -> Floats:
    """Weights (dimension, draws) of private fits on one invented table."""
    problem = plan.problem(count, ridge)
    rows, signs = invented(plan, count, noise)
    data = _seen(problem.domain, rows, signs)
    with without_ledger():
        return plan.calibrated(count, ridge).run_many(problem, data, noise, draws).value


def _seen(domain: Domain, rows: Floats, signs: Floats) -> Records:
    """What a fit sees of invented records; where persons may have several rows, each has one."""
    whole_weights = np.ones(len(signs)) if domain.persons is not None else None
    return Records(rows=as_matrix(np.ascontiguousarray(rows[:, : domain.features])), targets=signs, domain=domain, weights=whole_weights)


def usual_ridge(plan: Plan) -> Callable[[int], float]:
    """The lambda that a fit takes when nobody chooses alpha, for n records."""

    def ridge(records: int) -> float:
        problem = plan.problem(records, 1.0)
        least = MARGIN.comfortable_ridge(problem, epsilon=plan.epsilon, delta=plan.delta, neighbours=plan.neighbours)
        chosen = default_ridge(problem, epsilon=plan.epsilon, delta=plan.delta, neighbours=plan.neighbours, mechanism=plan.mechanism)
        return max(chosen, least)

    return ridge


def invented(plan: Plan, records: int, noise: Noise) -> tuple[Floats, Floats]:
    """Rows (n, dimension), the intercept's constant feature last, and signs (n,)."""
    directions = noise.gaussian(scale=1.0, dimension=plan.features, draws=records).T
    directions *= plan.data_norm / np.linalg.norm(directions, axis=1, keepdims=True)
    scale = plan.problem(1, 1.0).domain.intercept_scale
    rows = np.column_stack((directions, np.full(records, scale))) if scale > 0 else directions
    chance = 1.0 / (1.0 + np.exp(-(rows @ predictor(plan))))
    uniform = ndtr(noise.gaussian(scale=1.0, dimension=1, draws=records)[0])
    return rows, np.where(uniform < chance, 1.0, -1.0)


def predictor(plan: Plan) -> Floats:
    """f0, of norm B, along the first axis."""
    weights = np.zeros(plan.problem(1, 1.0).dimension)
    weights[0] = plan.norm
    return weights


def simulate_epsilons(
    plan: Plan,
    records: int,
    noise: Noise,
    *,
    epsilons: Sequence[float] = EPSILONS,
    repeats: int = 24,
    confidence: float = CONFIDENCE,
    n_jobs: int | None = None,
) -> list[SimulatedEpsilon]:
    """The mean excess at each epsilon, over `repeats` invented tables of `records` rows, with intervals that hold together.

    The alpha is the one that a fit takes by itself. `n_jobs` threads share the tables, each of which has noise of its own: results are the same for
    any number. Raises InvalidInput for fewer than two repeats, and what the mechanism raises.
    """
    each(whole, records=records, repeats=repeats)
    if repeats == 1:
        raise InvalidInput("repeats must be at least 2, so that there is a spread; 1 was given.")
    plans = [replace(plan, epsilon=epsilon) for epsilon in epsilons]
    sizes = [usual_ridge(one)(records) for one in plans]
    work = partial(_excesses, plan, list(zip(plans, sizes, strict=True)), records)
    found = np.stack(list(map_in_order(work, apart(noise, repeats), job_count(n_jobs))), axis=1)
    factor = float(stdtrit(repeats - 1, 1.0 - 0.5 * (1.0 - confidence) / len(plans))) / math.sqrt(repeats)
    means, spreads = found.mean(axis=1), factor * found.std(axis=1, ddof=1)
    return [
        SimulatedEpsilon(epsilon=one.epsilon, mean=float(mean), low=float(mean - spread), high=float(mean + spread), repeats=repeats)
        for one, mean, spread in zip(plans, means, spreads, strict=True)
    ]


def _excesses(plan: Plan, plans: Sequence[tuple[Plan, float]], records: int, noise: Noise) -> Floats:
    """One fit on one invented table with each plan and lambda, measured on one sample: (number of plans,)."""
    rows, signs = invented(plan, records, noise)
    measured, _ = invented(plan, _MEASURED, noise)
    scores = measured @ predictor(plan)
    chance = 1.0 / (1.0 + np.exp(-scores))
    found = []
    for one, size in plans:
        problem = one.problem(records, size)
        data = _seen(problem.domain, rows, signs)
        with without_ledger():
            weights = one.calibrated(records, size).run(problem, data, noise).value
        value, reached = one.margin_loss.value, measured @ weights
        gaps = chance * (value(reached) - value(scores)) + (1.0 - chance) * (value(-reached) - value(-scores))
        found.append(float(np.mean(gaps)))
    return np.array(found)


def bracket(simulated: Sequence[SimulatedEpsilon], excess: float) -> tuple[float | None, float | None]:
    """The largest epsilon that is too small, together with all below it, and the smallest that is enough, with all above it; None where none is."""
    small, enough = None, None
    for one in simulated:
        if one.low <= excess:
            break
        small = one.epsilon
    for one in reversed(simulated):
        if one.high > excess:
            break
        enough = one.epsilon
    return small, enough
