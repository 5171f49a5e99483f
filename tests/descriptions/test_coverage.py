"""Whole descriptions of new tables cover what they are for, as often as they say: two points below 95 % would be a fault."""

import numpy as np
import pytest

from benchmarks.description_coverage import adult, covered
from tests.chance import fewest, highest

RUNS = 60
KINDS = ("records", "count", "pair", "share", "mean", "deviation", "quantile")


@pytest.mark.slow
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_intervals_of_descriptions_of_adult_cover(delta):
    """The intervals of one table share its noise and its draw, so that each run has one share of a kind; by chance once in 100,000 times."""
    found = covered(adult(), records=8_000, epsilon=1.0, delta=delta, runs=RUNS, seed=5)
    for kind in KINDS:
        shares = np.mean([held for name, held in found.items() if name[0] == kind], axis=0)
        assert len(shares) == RUNS
        assert highest(shares) >= 0.93, kind
    for name, held in found.items():
        assert sum(held) >= fewest(RUNS, 0.93, looks=len(found)), name
