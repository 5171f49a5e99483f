"""The printed theorems: their formulas by hand, their laws, and no constant that the paper does not give."""

import inspect
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.bounds import most_mistakes, theorem_3, theorem_4, theorem_6, theorem_7, theorem_9, unit_ball_volume
from discreet.core.errors import InvalidInput

SHARED = {"excess": 0.1, "epsilon": 0.5, "dimension": 10, "smoothness": 0.25, "delta": 0.1, "constant": 1.0}
LINEAR = [theorem_3, theorem_4]
KERNELS = [(theorem_6, "sup_norm"), (theorem_7, "space_norm")]


def asked(theorem, **settings):
    name = next(name for name in inspect.signature(theorem).parameters if name.endswith("norm"))
    return theorem(**{name: 3.0, **SHARED, **settings})


def test_they_are_the_printed_numbers():
    noise, failure = 10 * math.log(100), math.log(10)
    assert asked(theorem_3) == pytest.approx(max(9 * failure / 0.01, noise * 3 / 0.05, noise * 0.5 * 9 / (0.1**1.5 * 0.5)))
    assert asked(theorem_4) == pytest.approx(max(9 * failure / 0.01, 0.25 * 9 / 0.05, noise * 3 / 0.05))
    assert asked(theorem_4, norm=0.01, excess=0.001, smoothness=900.0) == pytest.approx(max(noise * 0.01 / 0.0005, 900 * 1e-4 / 0.0005))
    inside = math.log(3 * 5 * failure / (0.1 * 0.1)) - math.lgamma(6)
    assert asked(theorem_6, spread=5.0) == pytest.approx(15**2 * math.sqrt(failure) / (0.5 * 0.01) * inside)
    assert asked(theorem_7, spread=5.0) == pytest.approx(3**4 * 25 * math.sqrt(failure) / (0.5 * 0.1**4) * inside)
    assert asked(theorem_6, spread=1e-9) == pytest.approx(0.25 * 0.1 / (0.5 * failure))


def test_the_unit_ball_has_its_volume():
    assert [unit_ball_volume(d) for d in (1, 2, 3)] == pytest.approx([2.0, math.pi, 4 * math.pi / 3])
    assert asked(theorem_6) == pytest.approx(asked(theorem_6, spread=unit_ball_volume(10)))


@pytest.mark.parametrize("theorem", [theorem_3, theorem_4, theorem_6, theorem_7])
def test_the_constant_that_the_paper_does_not_give_has_no_default(theorem):
    assert inspect.signature(theorem).parameters["constant"].default is inspect.Parameter.empty
    assert asked(theorem, constant=7.0) == pytest.approx(7.0 * asked(theorem))
    for wrong in (0.0, -1.0, math.inf):
        with pytest.raises(InvalidInput, match="constant"):
            asked(theorem, constant=wrong)


@given(factor=st.floats(1.01, 20.0), excess=st.floats(0.005, 0.5), epsilon=st.floats(0.01, 4.0))
def test_more_privacy_and_less_excess_ask_for_more_records(factor, excess, epsilon):
    for theorem in LINEAR:
        here = asked(theorem, excess=excess, epsilon=epsilon)
        assert asked(theorem, excess=excess / factor, epsilon=epsilon) > here
        assert asked(theorem, excess=excess, epsilon=epsilon / factor) >= here
        assert asked(theorem, excess=excess, epsilon=epsilon, norm=3.0 * factor) > here
    for theorem, name in KERNELS:
        here = asked(theorem, excess=excess, epsilon=epsilon, spread=5.0)
        assert asked(theorem, excess=excess, epsilon=epsilon / factor, spread=5.0) > here
        assert asked(theorem, excess=excess, epsilon=epsilon, spread=5.0, **{name: 3.0 * factor}) >= here


@pytest.mark.parametrize("dimension", [1, 100, 300])
def test_high_dimensions_leave_a_positive_finite_number(dimension):
    for theorem in (theorem_3, theorem_4, theorem_6, theorem_7):
        assert 0 < asked(theorem, dimension=dimension) < math.inf


@pytest.mark.parametrize(("settings", "epsilon", "delta"), [(2, 0.1, 0.05), (20, 1.0, 0.01), (500, 4.0, 1e-6), (3, 1.0, 0.9)])
def test_theorem_9_holds_and_the_least_number_is_reached(settings, epsilon, delta):
    """Against the law of the exponential mechanism itself: one setting is the best, the others are worse by one number."""

    def failure(beyond):
        others = (settings - 1) * math.exp(-0.5 * epsilon * beyond)
        return others / (1.0 + others)

    printed, least = (find(settings=settings, epsilon=epsilon, delta=delta) for find in (theorem_9, most_mistakes))
    assert printed == pytest.approx(2 * math.log(settings / delta) / epsilon)
    assert failure(printed) <= delta
    assert failure(least) <= delta * (1.0 + 1e-12)
    if least > 0:
        assert failure(least - 1e-6) > delta
        assert least < printed


def test_theorem_9_takes_numbers_in_range():
    for wrong in ({"settings": 0}, {"epsilon": 0.0}, {"delta": 1.5}):
        with pytest.raises(InvalidInput):
            theorem_9(**{"settings": 5, "epsilon": 1.0, "delta": 0.1, **wrong})
