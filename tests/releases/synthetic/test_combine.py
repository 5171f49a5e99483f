"""Intervals of several tables: they cover what the population has, where the noise matters and where the sampling does."""

import numpy as np
import pytest

from discreet.core.errors import InvalidInput
from discreet.releases import combined


@pytest.mark.parametrize(("noise", "sampling"), [(1.0, 0.1), (0.1, 1.0), (1.0, 1.0)])
def test_intervals_cover_what_the_population_has(noise, sampling):
    """The law of the estimates as the tables are made: noise once in what was released, and once more in each table; so for the sampling."""
    draw, covered, runs = np.random.default_rng(int(10 * noise + sampling)), 0, 1500
    for _ in range(runs):
        released = draw.normal(0, noise) + draw.normal(0, sampling)
        found = combined(released + draw.normal(0, noise, 5) + draw.normal(0, sampling, 5), level=0.9)
        covered += found.low <= 0.0 <= found.high
    assert abs(covered / runs - 0.9) < 0.035


@pytest.mark.parametrize("estimates", [[], [1.0], [1.0, np.nan], [[1.0, 2.0]], [1.0, np.inf]])
def test_what_is_no_list_of_estimates_is_refused(estimates):
    with pytest.raises(InvalidInput):
        combined(estimates)


@pytest.mark.parametrize("level", [0.0, 1.0, -1.0])
def test_levels_are_between_0_and_1(level):
    with pytest.raises(InvalidInput):
        combined([1.0, 2.0], level=level)
