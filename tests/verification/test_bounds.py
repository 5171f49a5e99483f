"""What rechecks take as upper bounds are upper bounds, from floating-point noise to the largest epsilon."""

import numpy as np
import pytest

from discreet.verification.compositions import two_steps
from discreet.verification.numerics import chords, gaussian_integrals

EPSILONS = np.concatenate(([-30.0, -5.0, -0.3, 0.0, 1e-9, 1e-3], np.geomspace(0.02, 40.0, 25)))


@pytest.mark.parametrize("mu", [0.01, 0.3, 1.0, 4.0])
@pytest.mark.parametrize("knots", [np.array([0.0, 50.0]), np.array([-20.0, -1.0, 0.5, 0.51, 30.0]), np.linspace(-50.0, 50.0, 801)])
def test_chords_are_above_a_curve_that_is_convex_in_the_exponential(mu, knots):
    deltas = gaussian_integrals(knots, mu)
    found, exact = chords(knots, deltas)(EPSILONS), gaussian_integrals(EPSILONS, mu)
    assert np.all(found >= exact * (1 - 1e-9)), "a recheck by these chords would pass what it must not"
    assert np.all(found <= 1.0 + 1e-15)
    assert chords(knots, deltas)(knots[1:]) == pytest.approx(deltas[1:], rel=1e-9, abs=0.0)
    assert chords(knots, deltas)(np.array([knots[0] - 1e-6])) == 1.0


def test_a_point_above_a_chord_is_passed_by():
    """At e^epsilon = 1, 2, 3 the chord of the outer points is at .2 in the middle."""
    curve = chords(np.log([1.0, 2.0, 3.0]), np.array([0.3, 0.29, 0.1]))
    assert curve(np.log([2.0])) == pytest.approx([0.2], rel=1e-12)


@pytest.mark.at_most(2)
@pytest.mark.parametrize("mu", [0.01, 0.1, 0.7, 2.0, 6.0])
def test_two_steps_are_at_most_what_their_splits_say(mu):
    """Of two Gaussian steps in one direction, which move twice as far."""
    least = two_steps(lambda epsilons: gaussian_integrals(np.asarray(epsilons), mu), reach=max(0.2, 12.0 * mu))
    for epsilon in (1e-3, 0.1, 0.5, 1.0, 3.0, 12.0, 40.0):
        exact = float(gaussian_integrals(np.array([epsilon]), 2.0 * mu)[0])
        found = least(epsilon)
        assert found >= exact * (1 - 1e-9)
        if exact > 1e-9:
            assert found <= min(1.0, 3.0 * exact), "a split that nobody would take"
