"""The bound of the Frank-Wolfe method that is run, against the method itself."""

import numpy as np
import pytest

from discreet.bounds.averaged_walk import averaged_frank_wolfe
from discreet.sets import Simplex


@pytest.mark.parametrize("steps", [1, 2, 5, 20, 100, 400])
@pytest.mark.parametrize("regret", [0.0, 0.05])
def test_the_excess_of_the_mean_of_vertices_is_below_the_bound(steps, regret):
    random = np.random.default_rng(steps)
    worst = 0.0
    for _ in range(20):
        centre = random.dirichlet(np.ones(6))
        point = np.full(6, 1.0 / 6.0)
        for step in range(1, steps + 1):
            scores = point - centre
            choices = np.flatnonzero(scores <= scores.min() + regret)
            point += (np.eye(6)[random.choice(choices)] - point) / step
        worst = max(worst, 0.5 * float(np.sum(np.square(point - centre))))
    curvature = Simplex(dimension=6, radius=1.0).diameter ** 2
    bound = averaged_frank_wolfe(curvature=curvature, regret=regret, steps=steps)
    assert worst <= bound
    if regret == 0.0 and steps > 1:
        assert worst > bound / (400.0 * steps), "a bound that is far too large tells nothing"


def test_it_is_the_formula():
    assert averaged_frank_wolfe(curvature=2.0, regret=0.1, steps=1) == pytest.approx(1.1)
    assert averaged_frank_wolfe(curvature=2.0, regret=0.1, steps=10) == pytest.approx(0.1 * (1 + np.log(10)) + 0.1)
