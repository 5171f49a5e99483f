"""Whole descriptions of new tables cover what they are for, as often as they say: two points below 95 % would be a fault."""

import numpy as np
import pytest

from benchmarks.description_coverage import adult, covered


@pytest.mark.slow
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_intervals_of_descriptions_of_adult_cover(delta):
    found = covered(adult(), records=8_000, epsilon=1.0, delta=delta, runs=60, seed=5)
    for kind in ("records", "count", "pair", "share", "mean", "deviation", "quantile"):
        held = [float(np.mean(one)) for name, one in found.items() if name[0] == kind]
        # Cells of one table share its noise and its draw, so that means over columns scatter as about sixty draws of a few do.
        assert np.mean(held) >= 0.93, kind
        assert min(held) >= 0.78, kind
