"""What happens on invented records of the kind that a plan declares: our own mechanism, fitted and measured, beside its bound.

    x = data_norm times a uniform direction of R^d,      P(y = 1 | x) = 1 / (1 + e^{-<f0, x>}),      |f0| = B, along the first axis

Of the logistic loss f0 is the best predictor there is. The excess L(f_priv) - L(f0) is measured on invented records that all fits share, so that
most of the sampling error of the difference cancels. These are public by construction: nothing is protected, and no ledger is spent on.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial

import numpy as np
from scipy.special import ndtr

from discreet.core.arrays import Floats
from discreet.core.validate import each, whole
from discreet.core.workers import job_count, map_in_order
from discreet.data import Records
from discreet.ledger import without_ledger
from discreet.matrices import as_matrix
from discreet.mechanisms.learning import default_ridge
from discreet.mechanisms.learning.margin import MARGIN
from discreet.noise import Noise, apart
from discreet.planning.plan import Plan

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
        """For JSON."""
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
    data = Records(rows=as_matrix(np.ascontiguousarray(rows[:, : plan.features])), targets=signs, domain=problem.domain)
    with without_ledger():
        return plan.calibrated(count, ridge).run_many(problem, data, noise, draws).value


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
