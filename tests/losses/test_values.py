"""Each loss against its formula, written out again for one margin at a time, and against values known in closed form."""

import math
from fractions import Fraction

import numpy as np
import pytest

from discreet.losses import HuberHinge, Logistic, SmoothedHinge, SoftplusHinge

MARGINS = [-7.5, -1.0, -0.2, 0.0, 0.3, 0.5, 0.9, 1.0, 1.1, 1.5, 2.0, 6.0]


def logistic(margin):
    return math.log(1 + math.exp(-margin))


def softplus_hinge(margin, temperature):
    return temperature * math.log(1 + math.exp((1 - margin) / temperature))


def huber_hinge(margin, half_width):
    if margin > 1 + half_width:
        return 0.0
    if margin < 1 - half_width:
        return 1 - margin
    return (1 + half_width - margin) ** 2 / (4 * half_width)


def smoothed_hinge(margin, half_width):
    t = (1 - margin) / half_width
    if t < -1:
        return 0.0
    if t > 1:
        return 1 - margin
    return half_width * (-(t**4) / 16 + 3 * t**2 / 8 + t / 2 + 3 / 16)


@pytest.mark.parametrize(
    ("loss", "formula"),
    [
        (Logistic(), logistic),
        (SoftplusHinge(temperature=0.3), lambda margin: softplus_hinge(margin, 0.3)),
        (HuberHinge(half_width=0.5), lambda margin: huber_hinge(margin, 0.5)),
        (HuberHinge(half_width=0.1), lambda margin: huber_hinge(margin, 0.1)),
        (SmoothedHinge(half_width=0.5), lambda margin: smoothed_hinge(margin, 0.5)),
        (SmoothedHinge(half_width=2.0), lambda margin: smoothed_hinge(margin, 2.0)),
    ],
    ids=lambda value: "" if callable(value) else repr(value),
)
def test_values_are_those_of_the_formula(loss, formula):
    value = loss.value(np.array(MARGINS))
    assert value == pytest.approx([formula(margin) for margin in MARGINS], rel=1e-13, abs=1e-15)


def test_the_logistic_loss_at_zero():
    value, slope = Logistic().value(np.zeros(1)), Logistic().slope(np.zeros(1))
    assert value[0] == pytest.approx(math.log(2.0), rel=1e-15)
    assert slope[0] == -0.5
    assert Logistic().curvature(np.zeros(1))[0] == 0.25


def test_the_logistic_loss_keeps_its_precision_in_the_tails():
    value, slope = Logistic().value(np.array([40.0, 700.0])), Logistic().slope(np.array([40.0, 700.0]))
    assert value == pytest.approx([math.exp(-40.0), math.exp(-700.0)], rel=1e-13)
    assert slope == pytest.approx([-math.exp(-40.0), -math.exp(-700.0)], rel=1e-13)


def test_the_constants_are_those_of_the_paper():
    """Chaudhuri, Monteleoni, Sarwate (2011): c = 1/4 for logistic regression (cor. 11), 1 / (2 h) for the Huber hinge (cor. 13)."""
    assert (Logistic().lipschitz, Logistic().smoothness) == (1.0, 0.25)
    assert (HuberHinge(half_width=0.5).lipschitz, HuberHinge(half_width=0.5).smoothness) == (1.0, 1.0)
    assert SmoothedHinge(half_width=0.5).smoothness == 1.5
    assert SoftplusHinge(temperature=0.5).smoothness == 0.5


@pytest.mark.parametrize(
    "near", [SoftplusHinge(temperature=1e-6), HuberHinge(half_width=1e-6), SmoothedHinge(half_width=1e-6)], ids=lambda loss: loss.name
)
def test_a_narrow_bend_is_the_hinge(near):
    margins = np.array([-3.0, 0.0, 0.9, 1.0, 1.1, 3.0])
    value = near.value(margins)
    assert value == pytest.approx(np.maximum(1.0 - margins, 0.0), abs=1e-6)


@pytest.mark.parametrize("end", [0.0, 1.0])
def test_kappa_of_the_smoothed_hinge_is_an_upper_bound_down_to_the_smallest_slopes(end):
    """With s = 1 + t: q = (3 s^2 - s^3) / 4 and kappa = c s (2 - s), here in exact fractions. Near q = 0 and 1 the inverse is ill-conditioned."""
    loss = SmoothedHinge(half_width=0.5)
    for s in map(Fraction, np.geomspace(1e-12 if end == 0.0 else 1e-6, 1.0, 300).tolist()):
        exact = (3 * s**2 - s**3) / 4
        slope = np.array([float(exact) if end == 0.0 else 1.0 - float(exact)])
        # A margin's slope is known to the spacing of numbers there: the interval holds the exact one.
        low, high = np.nextafter(slope, 0.0), np.nextafter(slope, 1.0)
        assert Fraction(float(loss.curvature_on_slopes(low, high)[0])) >= Fraction(3, 2) * s * (2 - s)
