"""The machinery under numerical composition: discretised pairs, tilted transforms, and the faults that they must not have."""

import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from discreet.accounting import Profile, Unit, gaussian_delta, gaussian_deltas
from discreet.accounting.convolution import curve_together
from discreet.accounting.numerical import Masses, curve_of, numerical_curve, pessimistic_masses, reach_of
from discreet.accounting.profile import hull
from tests.accounting.examples import PRIVATE, approximate, gaussian, pure, witness


def curve_of_masses(masses, step, epsilons):
    """H of the pair at e^epsilon, directly."""
    losses = step * (masses.first + np.arange(len(masses.finite)))
    return masses.infinite + np.maximum(0.0, -np.expm1(np.subtract.outer(epsilons, losses))) @ masses.finite


def direct(parts, step, epsilons):
    """delta by convolution in the plain way: sums of positive products, no transform."""
    finite, first, log_survives, log_total = np.ones(1), 0, 0.0, 0.0
    for masses, count in parts:
        total = float(np.sum(masses.finite)) + masses.infinite
        for _ in range(count):
            finite, first = np.convolve(finite, masses.finite), first + masses.first
            log_survives, log_total = log_survives + math.log1p(-masses.infinite / total), log_total + math.log(total)
    infinite = -math.expm1(log_survives) * math.exp(log_total)
    return curve_of_masses(Masses(first=first, finite=finite, infinite=infinite), step, epsilons)


@given(PRIVATE, st.floats(0.004, 0.5))
def test_a_discretised_pair_is_above_its_curve_everywhere(part, step):
    reach = min(reach_of(part), 30.0)
    masses = pessimistic_masses(curve_of(part), step=step, reach=reach)
    epsilons = np.concatenate((np.linspace(0, reach + 1, 301), [0.0, step / 2, step]))
    exact = curve_of(witness(part))(epsilons)
    assert np.all(curve_of_masses(masses, step, epsilons) >= exact * (1 - 1e-12) - 1e-16)
    # Below zero by complements: the pair must dominate there as well.
    mirrored = -np.expm1(-epsilons) + np.exp(-epsilons) * exact
    assert np.all(curve_of_masses(masses, step, -epsilons) >= mirrored * (1 - 1e-12) - 1e-16)


@pytest.mark.parametrize("step", [0.01, 0.05])
def test_a_discretised_pair_is_close_to_its_curve(step):
    masses = pessimistic_masses(gaussian(1.0).deltas, step=step, reach=11.0)
    grid = step * np.arange(int(6 / step))
    assert np.allclose(curve_of_masses(masses, step, grid), gaussian_deltas(grid, 1.0), rtol=1e-8)


@settings(max_examples=25)
@example([(pure(2.0), 3), (gaussian(0.5), 1)])
@example([(pure(3.0), 2), (gaussian(0.125), 1)])
@given(st.lists(st.tuples(PRIVATE, st.integers(1, 4)), min_size=1, max_size=4))
def test_the_transform_agrees_with_plain_convolution_from_above(parts):
    step = 0.05
    discretised = [(pessimistic_masses(curve_of(part), step=step, reach=min(reach_of(part), 12.0)), count) for part, count in parts]
    epsilons, deltas = curve_together(discretised, step=step)
    kept = slice(0, len(epsilons), max(1, len(epsilons) // 50))
    exact = np.minimum(direct(discretised, step, epsilons[kept]), 1.0)
    assert np.all(deltas[kept] >= exact * (1 - 1e-10))
    assert np.all(deltas[kept] <= exact * (1 + 1e-4) + 1e-11)


def test_a_law_that_is_hardly_spread_beside_its_largest_loss_has_a_curve():
    """Tilts that its spread asks for would make e^{theta l} of that loss infinite."""
    finite = np.zeros(8_193)
    finite[0], finite[-1] = 1.0 - 1e-12, 1e-12
    epsilons, deltas = curve_together([(Masses(first=0, finite=finite, infinite=0.0), 2)], step=3e-5)
    assert np.all(np.isfinite(deltas))
    exact = 2e-12 * -math.expm1(-8_192 * 3e-5)
    assert exact * (1.0 - 1e-6) <= deltas[0] <= 1.0
    assert epsilons[0] == 0.0


def test_the_far_tail_keeps_its_relative_accuracy():
    """Without tilting, a transform knows nothing below 1e-16; here delta = 4e-19 is right to a few percent."""
    step = 0.005
    masses = pessimistic_masses(gaussian(0.1).deltas, step=step, reach=1.1)
    epsilons, deltas = curve_together([(masses, 100)], step=step)
    index = round(9.0 / step)
    assert gaussian_delta(9.0, 1.0) < 1e-17
    assert gaussian_delta(9.0, 1.0) <= deltas[index] <= 1.1 * gaussian_delta(9.0, 1.0)
    assert epsilons[index] == pytest.approx(9.0)


@given(st.lists(st.floats(0.0, 1.0), min_size=2, max_size=30))
def test_the_hull_is_below_its_points_and_convex(values):
    epsilons = np.linspace(0.0, 3.0, len(values))
    knots, deltas = hull(epsilons, np.array(values))
    assert knots[0] == 0.0
    assert set(knots) <= set(epsilons)
    slopes = np.diff(deltas) / np.diff(np.exp(knots))
    assert np.all(np.diff(slopes) >= -1e-12)


# The same checks, met by planted faults.


def test_masses_that_are_rounded_down_are_caught():
    masses = pessimistic_masses(pure(1.0).deltas, step=0.3, reach=1.0)
    losses = 0.3 * (masses.first + np.arange(len(masses.finite)))
    honest = curve_of_masses(masses, 0.3, np.array([0.5]))
    faulty = curve_of_masses(Masses(first=masses.first - 1, finite=masses.finite, infinite=0.0), 0.3, np.array([0.5]))
    assert losses[-1] >= 1.0
    assert honest >= pure(1.0).delta(0.5)
    assert faulty < pure(1.0).delta(0.5)


def test_a_dropped_tail_is_caught():
    masses = pessimistic_masses(approximate(0.5, 1e-3).deltas, step=0.05, reach=0.5)
    faulty = Masses(first=masses.first, finite=masses.finite, infinite=0.0)
    _, honest_deltas = curve_together([(masses, 10)], step=0.05)
    _, faulty_deltas = curve_together([(faulty, 10)], step=0.05)
    true = -math.expm1(10 * math.log1p(-1e-3))
    assert honest_deltas[-1] >= true * (1 - 1e-9)
    assert faulty_deltas[-1] < true


@pytest.mark.at_most(1)
@pytest.mark.parametrize("far", [2.0, 40.0, 400.0])
def test_losses_that_are_next_to_never_far_from_nothing_take_a_grid_that_a_memory_holds(far):
    """A step that follows the spread alone asked for some thousand million points."""
    part = Profile(epsilons=(0.0, far), deltas_at=(1e-6, 1e-12), neighbours="replace-one", unit=Unit.RECORD, theorem="test")
    tracemalloc.start()
    epsilons, deltas = numerical_curve({part: 3})
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1 << 29
    assert deltas[0] <= 1.01 * 3e-6
    assert np.interp(0.0, epsilons, deltas) >= 3e-6 * (1 - 1e-5)
