import math

import pytest

from discreet.core.neighbours import ADD_REMOVE, DELTA, REPLACE_ONE
from discreet.mechanisms.counting import BoundedSum, GaussianCounting, Histogram, LaplaceCounting, Queries, least_noise, noise_to_compose
from discreet.mechanisms.cuts.grid import ColumnCells, ColumnHistograms


def columns(count):
    return Queries([ColumnHistograms([ColumnCells(name=f"c{place}", lower=0.0, upper=1.0, steps=2) for place in range(count)])])


@pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])
def test_a_release_of_its_own_has_the_lesser_noise_and_states_no_delta_that_it_does_not_use(neighbours):
    taken = set()
    for problem in (*(columns(count) for count in (1, 4, 5, 8, 9, 20)), Queries([Histogram(cells=4), BoundedSum(largest=3)])):
        asked = {"epsilon": 1.0, "neighbours": neighbours}
        pure, other = LaplaceCounting.calibrate(problem, **asked), GaussianCounting.calibrate(problem, **asked, delta=DELTA)
        deviations = math.prod(math.sqrt(2.0) * scale for scale in pure.scales), math.prod(other.scales)
        found = least_noise(problem, **asked, delta=DELTA)
        taken.add(type(found))
        if abs(deviations[0] / deviations[1] - 1.0) > 0.03:  # what is decided by the one Gaussian mechanism is within that of discrete ones
            assert found == min(zip(deviations, (pure, other), strict=True), key=lambda pair: pair[0])[1]
        assert (found.guarantee(problem).delta(1.0) == 0.0) is (type(found) is LaplaceCounting)
        assert type(noise_to_compose(problem, **asked, delta=DELTA)) is GaussianCounting
        assert least_noise(problem, **asked, delta=0.0) == pure == least_noise(problem, **asked, delta=1e-40)
    assert taken == {LaplaceCounting, GaussianCounting}
