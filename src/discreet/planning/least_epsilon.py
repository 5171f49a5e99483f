"""The other inversion of a plan: the least epsilon that reaches an excess with n records, proved and simulated.

    proved       least e with bound(n; e).excess <= target
    simulated    largest e that is shown to be too small, smallest e that is shown to be enough, for the mean excess of a fit

What is returned as proved was put into the bound itself, so it is enough whatever the bound's shape; that it is the *least* (to one part in 1000)
rests on the bound falling with epsilon. As epsilon grows the bound tends to the one without privacy, or above it, at its best Lambda: where that one
misses the target, no epsilon reaches it.

The simulation makes a table, a fit and a sample to measure on anew each time, so that the measured excesses are independent, and takes Student's
interval of their mean (approximate: excesses are not normal), at a confidence divided by the number of epsilons (Bonferroni), so that all intervals
hold together. The loss is averaged over the class given the row, which is known here; so only the draw of rows is left of the sampling error.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial

import numpy as np
from scipy.special import stdtrit

from discreet.core.arrays import Floats
from discreet.core.errors import InfeasibleTarget, InvalidInput
from discreet.core.validate import each, positive, whole
from discreet.core.workers import job_count, map_in_order
from discreet.data import Records
from discreet.ledger import without_ledger
from discreet.matrices import as_matrix
from discreet.noise import Noise, apart
from discreet.planning.plan import Plan
from discreet.planning.simulate import invented, predictor, usual_ridge

EPSILONS = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
"""That a simulation tries, rising."""
CONFIDENCE = 0.95
_LEAST, _MOST = 1e-6, 100.0
_MEASURED = 4000


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedEpsilon:
    """The mean excess of fits at one epsilon, with its interval."""

    epsilon: float
    mean: float
    low: float
    high: float
    repeats: int

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return asdict(self)


def least_epsilon(plan: Plan, *, records: int, excess: float) -> Plan:
    """The plan at the least epsilon for which `bound(records)` is at most `excess`; the epsilon that `plan` has plays no part.

    Rounded up to four digits. Raises InfeasibleTarget where the bound without privacy exceeds `excess`, or epsilon = 100 is not enough.
    """
    positive(excess, "excess")
    whole(records, "records")
    alone = plan.records_without_privacy(excess)
    if alone > records:
        raise InfeasibleTarget(
            f"with {records:,} records an excess of {excess:g} is not proved at any epsilon: without privacy the same bound asks for {alone:,} "
            "records. Take more records, or a larger excess."
        )

    def enough(epsilon: float) -> bool:
        return replace(plan, epsilon=epsilon).bound(records).excess <= excess

    high = 1.0
    while not enough(high):
        high *= 2.0
        if high > _MOST:
            raise InfeasibleTarget(
                f"with {records:,} records an excess of {excess:g} is not proved at any epsilon up to {_MOST:g}. Take more records, or a larger "
                "excess."
            )
    low = 0.5 * high
    while low > _LEAST and enough(low):
        low, high = 0.5 * low, low
    while high > 1.001 * low:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if enough(middle) else (middle, high)
    rounded = _rounded_up(high)
    return replace(plan, epsilon=rounded if enough(rounded) else high)


def proved_at(plan: Plan, epsilon: float, records: int) -> float | None:
    """The excess that is proved at another epsilon; None where nothing is."""
    try:
        return replace(plan, epsilon=epsilon).bound(records).excess
    except InfeasibleTarget:
        return None


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
        raise InvalidInput("repeats must be at least 2, as one excess has no spread; 1 was given.")
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
        data = Records(rows=as_matrix(np.ascontiguousarray(rows[:, : plan.features])), targets=signs, domain=problem.domain)
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


def _rounded_up(value: float) -> float:
    """To four digits, never down."""
    digits = 3 - math.floor(math.log10(value))
    rounded = round(value, digits)
    return rounded if rounded >= value else round(rounded + 10.0**-digits, digits)
