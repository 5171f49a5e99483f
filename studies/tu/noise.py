"""How much noise each calibration takes, and what it promises in truth.

In units of B sigma_p, B the distance of two records and sigma_p the standard deviation of the projection's entries. Theorem 1 and 2 as printed; a
projection drawn afresh for one release (exact); a fixed, public one (exact, from its spectral norm). Beside them the exact delta of theorem 1's
noise, for a fresh and for a fixed projection, and the power of the likelihood-ratio test on the pair that the fixed one stretches most.
"""

import math
from collections.abc import Iterator

import numpy as np
from scipy.special import ndtr, ndtri

from discreet import REPLACE_ONE
from discreet.data import Domain
from discreet.mechanisms.release import FreshProjection, GaussianRelease
from discreet.papers import tu_factor_1, tu_factor_2, tu_theorem_1
from discreet.queries import Projection, Rows
from studies.base import Record, seed_of

FALSE_ALARMS = 1e-3


def noise_records(*, features: int, width: int, epsilon: float, delta: float, repeats: int) -> Iterator[Record]:
    """Factors and deltas; a fixed projection is drawn `repeats` times."""
    domain = Domain(features=features, norm_bound=0.5, target_bound=1.0)
    rows = Rows(domain=domain)
    one = 1.0 / math.sqrt(width)
    """B sigma_p: two records of norm 1/2 are at most 1 apart."""
    printed = tu_factor_1(epsilon, delta, width)
    yield _record("theorem 1, printed", "factor", printed)
    if epsilon < 1:
        yield _record("theorem 2, printed", "factor", tu_factor_2(epsilon, delta, width))
    fresh = FreshProjection.calibrate(rows, width=width, epsilon=epsilon, delta=delta, neighbours=REPLACE_ONE)
    yield _record("fresh, exact", "factor", fresh.deviation / one)
    same = FreshProjection(width=width, step=fresh.step, scale=printed * one / fresh.step, neighbours=REPLACE_ONE, epsilon=epsilon)
    yield _record("theorem 1, printed", "delta if fresh", same.delta(rows, epsilon))
    for repeat in range(repeats):
        query = Projection.from_public_seed(domain, width=width, seed=seed_of("tu", features, width, repeat) >> 12)
        fixed = GaussianRelease.calibrate(query, epsilon=epsilon, delta=delta, neighbours=REPLACE_ONE)
        yield _record("fixed, exact", "factor", fixed.deviation / one, repeat)
        claimed = tu_theorem_1(query, epsilon=epsilon, delta=delta)
        yield _record("theorem 1, printed", "delta if fixed", claimed.delta(query, epsilon), repeat)
        apart = query.sensitivity(REPLACE_ONE) / claimed.deviation
        yield _record("theorem 1, printed", "power of the attack", float(ndtr(ndtri(FALSE_ALARMS) + apart)), repeat)
    yield _record("theorem 1, printed", "power allowed", min(1.0, math.exp(epsilon) * FALSE_ALARMS + delta))


def _record(method: str, measure: str, value: float, repeat: int = 0) -> Record:
    return {"method": method, "repeat": repeat, "measure": measure, "value": float(np.float64(value))}
