"""The step of a line search, on slopes chosen to mislead it."""

import numpy as np
import pytest

from discreet.solvers.newton import SIGMA, descend

SLOPES = {
    "quadratic": lambda t: 3.0 * t - 2.0,
    "far": lambda t: 1e-9 * t - 1.0,
    "near": lambda t: 1e9 * t - 1.0,
    "kink": lambda t: -1.0 if t < 0.37 else 1e6 * (t - 0.37),
    "jump to a wall": lambda t: -1.0 + 1e-3 * t + 1e12 * max(t - 0.9, 0.0),
    "saturating": lambda t: float(np.tanh(50 * (t - 0.01))) + 1e-6 * t,
}


@pytest.mark.parametrize("name", SLOPES)
def test_the_step_ends_below_the_minimum_with_most_of_the_slope_gone(name):
    slope = SLOPES[name]
    step = descend(slope, slope(0.0), slope(1.0))
    assert step > 0
    tail = slope(step)
    low_end_of_jump = slope(step) < SIGMA * slope(0.0) and slope(np.nextafter(step, 2.0) + 1e-12) > 0
    assert SIGMA * slope(0.0) <= tail <= 0 or low_end_of_jump


def test_a_slope_that_rounding_has_spoilt_gives_no_step():
    assert descend(lambda _: 1e-16, -1e-17, 1e-16) < 1e-6
