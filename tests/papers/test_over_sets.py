"""Talwar, Thakurta and Zhang (2014) as printed: the noise is theirs, and the certificate says what is proved of it."""

import math

import pytest

from discreet.core.errors import InfeasibleTarget, InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.losses.predictions import OfMargin, Squared
from discreet.mechanisms.constrained import Choices, calibrate_over_set
from discreet.noise import SystemNoise
from discreet.sets import L1Ball, L2Ball
from tests.mechanisms.constrained.mirror_problems import regression


def published(problem, **changes):
    choices = Choices(calibration="published")
    return calibrate_over_set(problem, **({"epsilon": 1.0, "delta": 1e-6, "neighbours": REPLACE_ONE, "choices": choices} | changes))


@pytest.mark.parametrize(
    ("mechanism", "loss"), [("auto", Squared()), ("frank-wolfe-gaussian", Squared()), ("objective-perturbation-set", OfMargin())]
)
def test_the_noise_is_printed_and_the_certificate_proves_no_more_than_it_is_worth(mechanism, loss):
    problem, data = regression(L2Ball(dimension=3), loss, records=100)
    made = published(problem, mechanism=mechanism, epsilon=4.0)
    bound = problem.gradient_bound
    if mechanism == "objective-perturbation-set":
        assert made.scale == pytest.approx(bound * math.sqrt(8.0 * math.log(2e6) + 16.0) / 4.0)
        assert made.ridge == pytest.approx(0.5 * problem.smoothness)
    else:
        steps = made.noise_steps
        assert steps.deviation == pytest.approx(math.sqrt(32.0 * steps.count) * bound * math.log(100 / 1e-6) / 4.0, rel=1e-6)
    release = made.run(problem, data, SystemNoise())
    release.verify().require()
    assert release.certificate.guarantee.epsilon <= 4.0 + 1e-12
    assert release.certificate.guarantee.delta_at_epsilon < 5e-7


def test_what_is_printed_and_not_proved_is_refused():
    """The constants of Algorithm 2 are those of one record's gradient, and squares have the whole Jacobian term beside it."""
    problem, _ = regression(L1Ball(dimension=3), Squared(), records=100)
    with pytest.raises(InfeasibleTarget, match="not proved to be enough"):
        published(problem, mechanism="objective-perturbation-set")
    with pytest.raises(InvalidInput, match="Algorithm 4"):
        published(problem, mechanism="frank-wolfe-polytope")
    with pytest.raises(InvalidInput, match="replace-one"):
        published(problem, neighbours=ADD_REMOVE)
    with pytest.raises(InvalidInput, match="delta"):
        published(problem, delta=0.0)
    with pytest.raises(InvalidInput, match="alpha"):
        published(problem, choices=Choices(calibration="published", ridge=3.0))
    with pytest.raises(InvalidInput, match="calibration must be one of"):
        published(problem, choices=Choices(calibration="loose"))
