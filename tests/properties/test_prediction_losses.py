"""The properties of losses of predictions over everything that discreet.losses.predictions exports, and the proof that each law can fail."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from discreet.core.errors import InvalidInput
from discreet.losses import HuberHinge, SoftplusHinge
from discreet.losses.predictions import Absolute, HuberLoss, OfMargin, Pinball, PredictionLoss, Squared, prediction_loss_named
from tests.properties import prediction_loss_properties as properties
from tests.properties.catalogue import every, name

LOSSES = [*every(PredictionLoss), OfMargin(loss=HuberHinge()), OfMargin(loss=SoftplusHinge())]
each_loss = pytest.mark.parametrize("loss", LOSSES, ids=name)


@each_loss
@pytest.mark.parametrize("law", properties.LAWS, ids=lambda law: law.__name__)
def test_law_holds(loss, law):
    law(loss)


@each_loss
def test_shapes_are_kept_and_arguments_never_changed(loss):
    predictions, targets = properties.scan(2.0, 1.0, points=7)
    predictions.flags.writeable = targets.flags.writeable = False
    assert loss.value(predictions, targets).shape == loss.slope(predictions, targets).shape == predictions.shape


@each_loss
def test_a_loss_is_rebuilt_from_its_name_and_parameters(loss):
    assert prediction_loss_named(loss.name, loss.parameters) == loss


@each_loss
def test_a_loss_refuses_a_parameter_it_does_not_have(loss):
    with pytest.raises(InvalidInput, match="parameters"):
        prediction_loss_named(loss.name, {"no_such_parameter": 1.0})


@each_loss
@pytest.mark.parametrize("value", [0.0, -1.0, np.inf, np.nan])
def test_a_loss_refuses_a_width_that_is_not_positive_and_finite(loss, value):
    for parameter in loss.parameters:
        with pytest.raises(InvalidInput, match=parameter):
            prediction_loss_named(loss.name, {parameter: value})


def test_an_unknown_name_is_refused_with_the_names_that_exist():
    with pytest.raises(InvalidInput, match=r"logistic.*squared"):
        prediction_loss_named("log")


def test_a_huber_loss_is_half_the_squared_loss_with_its_slope_clipped():
    predictions, targets = properties.scan(3.0, 1.0)
    assert np.array_equal(HuberLoss(half_width=0.5).slope(predictions, targets), np.clip(0.5 * Squared().slope(predictions, targets), -0.5, 0.5))


def test_half_the_absolute_loss_is_the_pinball_loss_of_the_median():
    predictions, targets = properties.scan(3.0, 1.0)
    assert np.array_equal(Pinball(quantile=0.5).slope(predictions, targets), 0.5 * Absolute().slope(predictions, targets))


# A law that cannot fail is not a law: each is met by a loss with one planted fault.


@dataclass(frozen=True)
class Planted:
    """The squared loss with one function replaced by the same, changed."""

    attribute: str
    change: Any

    def __getattr__(self, attribute):
        honest = getattr(Squared(), attribute)
        return (lambda *given: self.change(honest(*given))) if attribute == self.attribute else honest


FAULTS = [
    (properties.check_slope_is_derivative_of_value, "slope", lambda slope: 1.001 * slope),
    (properties.check_value_is_not_negative, "value", lambda value: value - 0.01),
    (properties.check_lipschitz, "lipschitz", lambda bound: 0.999 * bound),
    (properties.check_lipschitz_is_attained, "lipschitz", lambda bound: 1.02 * bound),
    (properties.check_smoothness, "smoothness", lambda bound: 0.999 * bound),
    (properties.check_smoothness_is_attained, "smoothness", lambda bound: 1.02 * bound),
    (properties.check_smoothed_is_near, "smoothed", lambda found: (Pinball(quantile=0.5).smoothed(0.01)[0], *found[1:])),
]


@pytest.mark.parametrize(("law", "attribute", "change"), FAULTS, ids=[law.__name__ for law, _, _ in FAULTS])
def test_a_planted_fault_breaks_the_law(law, attribute, change):
    with pytest.raises(AssertionError):
        law(Planted(attribute, change))


def test_every_law_has_a_planted_fault():
    assert {law for law, _, _ in FAULTS} == set(properties.LAWS)
