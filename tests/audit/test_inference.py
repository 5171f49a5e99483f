"""Membership and attributes. A right mechanism is reported with a probability of at most 1e-8."""

import math

import numpy as np
import pytest

from discreet.audit import Claim, attribute_inference, membership_inference
from discreet.core.errors import InvalidInput
from discreet.noise import SystemNoise

NOISE = SystemNoise()
SURE = 1 - 1e-8


def response(values, epsilon):
    """Randomised response of one of `values` answers: reaches the accuracy that a pure claim allows."""
    kept = 1 / (1 + (values - 1) * math.exp(-epsilon))

    def run(answer, count):
        words = NOISE.words()(2 * count)
        tell = words[:count] < np.uint64(min(kept, 1 - 2**-40) * 2.0**64)
        other = (answer + 1 + (words[count:] % np.uint64(values - 1)).astype(int)) % values
        return np.where(tell, answer, other)[:, np.newaxis]

    return run


@pytest.mark.parametrize(("stated", "violated"), [(1.0, False), (0.6, True)])
def test_membership_is_guessed_as_well_as_it_can_be(stated, violated):
    found = membership_inference(response(2, 1.0), (0, 1), Claim(epsilon=stated), runs=4000, confidence=SURE, batch=True)
    assert found.violated == violated
    assert found.right / found.guesses == pytest.approx(1 / (1 + math.exp(-1)), abs=0.06)
    assert found.blind == 0.5
    assert found.to_dict()["violated"] == violated


@pytest.mark.parametrize(("stated", "violated"), [(2.0, False), (1.2, True)])
def test_attributes_of_several_values_are_guessed(stated, violated):
    found = attribute_inference(response(4, 2.0), range(4), Claim(epsilon=stated), runs=3000, confidence=SURE, batch=True)
    assert found.violated == violated
    assert found.lower > 0.5
    assert found.blind == 0.25
    assert "25.0% without the output" in str(found)


def test_inference_needs_something_to_tell_apart():
    with pytest.raises(InvalidInput, match="two tables or more"):
        attribute_inference(response(2, 1.0), [0], Claim(epsilon=1.0), batch=True)
