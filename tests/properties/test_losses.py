"""The properties of losses over everything that discreet.losses exports, and the proof that each law can fail."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from discreet.core.errors import InvalidInput
from discreet.losses import Logistic, MarginLoss, loss_named
from tests.properties import loss_properties as properties
from tests.properties.catalogue import every, name

LOSSES = every(MarginLoss)
OFFSETS = arrays(np.float64, st.integers(2, 30), elements=st.floats(-60.0, 60.0))
"""Distances from the middle of the bend, in units of its width."""
each_loss = pytest.mark.parametrize("loss", LOSSES, ids=name)


def margins_of(loss, offsets):
    """Around the middle of the bend as well as on the unit scale."""
    width = loss.lipschitz / loss.smoothness
    return np.concatenate([width * offsets, 1.0 + width * offsets, offsets])


ON_MARGINS = [
    properties.check_slope_is_derivative_of_value,
    properties.check_curvature_is_derivative_of_slope,
    properties.check_value_is_convex,
    properties.check_bounds,
    properties.check_curvature_on_slopes,
]
ON_GRIDS = [
    properties.check_constants_are_attained,
    properties.check_curvature_bound_is_tight,
    properties.check_kappa_is_concave,
    properties.check_kappa_shrinks_at_most_quadratically,
    properties.check_slope_curvature_ratio,
    properties.check_extreme_margins,
    properties.check_the_link_is_that_of_a_loss_without_flat_parts,
]


@each_loss
@pytest.mark.parametrize("law", ON_MARGINS, ids=lambda law: law.__name__)
@given(offsets=OFFSETS)
def test_law_holds_at_any_margins(loss, law, offsets):
    law(loss, margins_of(loss, offsets))


@each_loss
@pytest.mark.parametrize("law", ON_MARGINS, ids=lambda law: law.__name__)
def test_law_holds_over_a_fine_grid(loss, law):
    law(loss, properties.grid(loss))


@each_loss
@pytest.mark.parametrize("law", ON_GRIDS, ids=lambda law: law.__name__)
def test_law_holds_for_the_constants(loss, law):
    law(loss)


@each_loss
@given(offset=st.floats(-60.0, 60.0), shape=st.sampled_from([(), (1,), (3, 2), (0,)]))
def test_shapes_are_kept(loss, offset, shape):
    margins = np.full(shape, offset)
    value, slope = loss.value(margins), loss.slope(margins)
    assert np.shape(value) == np.shape(slope) == np.shape(loss.curvature(margins)) == shape


@each_loss
def test_a_loss_never_changes_the_margins_that_it_is_given(loss):
    margins = np.linspace(-3.0, 3.0, 50)
    margins.flags.writeable = False
    loss.value(margins)
    loss.slope(margins)
    loss.curvature(margins)
    loss.curvature_on_slopes(np.abs(margins) / 3.0, np.abs(margins) / 3.0)


@each_loss
def test_a_loss_is_rebuilt_from_its_name_and_parameters(loss):
    assert loss_named(loss.name, loss.parameters) == loss
    assert hash(loss_named(loss.name, loss.parameters)) == hash(loss)


@each_loss
def test_a_loss_refuses_a_parameter_it_does_not_have(loss):
    with pytest.raises(InvalidInput, match="parameters"):
        loss_named(loss.name, {"no_such_parameter": 1.0})


@each_loss
@pytest.mark.parametrize("value", [0.0, -1.0, np.inf, -np.inf, np.nan])
def test_a_loss_refuses_a_width_that_is_not_positive_and_finite(loss, value):
    for parameter in loss.parameters:
        with pytest.raises(InvalidInput, match=parameter):
            loss_named(loss.name, {parameter: value})


def test_names_are_unique():
    names = {type(loss): loss.name for loss in LOSSES}
    assert len(set(names.values())) == len(names)


def test_the_hinge_is_refused_with_the_reason():
    with pytest.raises(InvalidInput, match=r"kink.*softplus-hinge"):
        loss_named("hinge")


def test_an_unknown_name_is_refused_with_the_names_that_exist():
    with pytest.raises(InvalidInput, match="logistic"):
        loss_named("log")


# A law that cannot fail is not a law: each is met by a loss with one planted fault.


@dataclass(frozen=True)
class Planted:
    """The logistic loss with one attribute replaced: a constant by another, a function by the same times a factor."""

    attribute: str
    change: Any

    def __getattr__(self, attribute):
        honest = getattr(Logistic(), attribute)
        if attribute != self.attribute:
            return honest
        return (lambda *given: self.change(honest(*given))) if callable(honest) else self.change


FAULTS = [
    (properties.check_slope_is_derivative_of_value, "slope", lambda slope: 1.001 * slope),
    (properties.check_slope_is_derivative_of_value, "value", lambda value: 1.001 * value),
    (properties.check_curvature_is_derivative_of_slope, "curvature", lambda curvature: 1.001 * curvature),
    (properties.check_curvature_is_derivative_of_slope, "curvature", lambda curvature: 0.999 * curvature),
    (properties.check_value_is_convex, "value", np.sqrt),
    (properties.check_bounds, "lipschitz", 0.99),
    (properties.check_bounds, "smoothness", 0.2475),
    (properties.check_bounds, "slope", np.negative),
    (properties.check_bounds, "curvature", lambda curvature: curvature - 1e-6),
    (properties.check_curvature_on_slopes, "curvature_on_slopes", lambda bound: 0.999 * bound),
    (properties.check_constants_are_attained, "lipschitz", 1.01),
    (properties.check_constants_are_attained, "smoothness", 0.2525),
    (properties.check_curvature_bound_is_tight, "curvature_on_slopes", lambda bound: 1.02 * bound),
    (properties.check_kappa_is_concave, "curvature_on_slopes", lambda bound: bound**2),
    (properties.check_kappa_shrinks_at_most_quadratically, "curvature_on_slopes", lambda bound: bound**3),
    (properties.check_slope_curvature_ratio, "slope_curvature_ratio", 0.99),
    (properties.check_slope_curvature_ratio, "slope_curvature_ratio", 1.01),
    (properties.check_slope_curvature_ratio, "slope_curvature_ratio", np.inf),
    (properties.check_the_link_is_that_of_a_loss_without_flat_parts, "proper_log_odds", lambda odds: 1.01 * odds),
    (properties.check_the_link_is_that_of_a_loss_without_flat_parts, "linked", False),
    (properties.check_extreme_margins, "curvature", lambda curvature: curvature + np.nan),
]


@pytest.mark.parametrize(("law", "attribute", "change"), FAULTS, ids=[f"{law.__name__}-{attribute}" for law, attribute, _ in FAULTS])
def test_a_planted_fault_breaks_the_law(law, attribute, change):
    faulty = Planted(attribute, change)
    with pytest.raises(AssertionError):
        law(faulty) if law in ON_GRIDS else law(faulty, properties.grid(Logistic()))


def test_every_law_has_a_planted_fault():
    assert {law for law, _, _ in FAULTS} == {*ON_MARGINS, *ON_GRIDS}
