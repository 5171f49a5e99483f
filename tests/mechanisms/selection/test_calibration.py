"""What one run may spend: the whole never exceeds its target, and hardly stays below it."""

import math

import pytest

from discreet.accounting import ApproximateDP, GaussianDP, PureDP, epsilon_for, gaussian_mu
from discreet.accounting.stopping import NegativeBinomialRuns
from discreet.core.errors import InfeasibleTarget, InvalidInput
from discreet.core.neighbours import REPLACE_ONE, Privacy
from discreet.mechanisms.selection import calibrated

LAW = NegativeBinomialRuns.with_mean(8.0, eta=1.0)
STATED = {"neighbours": REPLACE_ONE, "theorem": "a theorem"}


def pure(epsilon, delta):
    return [PureDP(epsilon=epsilon, **STATED)]


def gaussian(epsilon, delta):
    return [GaussianDP(mu=gaussian_mu(epsilon, delta), **STATED)] * 3


def point(epsilon, delta):
    return [ApproximateDP(epsilon=epsilon, delta_at_epsilon=delta, **STATED)]


def target(curves_at, delta=0.0, **changes):
    privacy = Privacy(epsilon=changes.pop("epsilon", 1.0), delta=delta, neighbours=changes.pop("neighbours", REPLACE_ONE))
    return calibrated(privacy, **{"law": LAW, "score_share": 0.1, "curves_at": curves_at, **changes})


def test_a_pure_search_spends_its_epsilon():
    found = target(pure)
    total = found.mechanism.guarantee(pure(found.epsilon, 0.0))
    assert isinstance(total, PureDP)
    assert 1.0 - 1e-8 <= total.epsilon <= 1.0
    assert found.epsilon + 1.0 / found.mechanism.score.scale > 1.0 / 3.0


@pytest.mark.parametrize("curves_at", [gaussian, point])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_a_search_with_delta_spends_its_epsilon(curves_at, epsilon):
    found = target(curves_at, delta=1e-8, epsilon=epsilon)
    total = epsilon_for(found.mechanism.guarantee(curves_at(found.epsilon, found.delta)), 1e-8)
    assert 0.99 * epsilon <= total <= epsilon


def test_the_share_of_the_score_is_its_share_of_mu_squared():
    few, many = (target(gaussian, delta=1e-8, score_share=share) for share in (0.05, 0.3))
    assert few.epsilon > many.epsilon
    assert few.mechanism.score.scale > many.mechanism.score.scale


def test_fits_that_break_their_promise_leave_no_target():
    with pytest.raises(InfeasibleTarget, match="so the search does too"):
        target(lambda epsilon, delta: pure(1.5 * epsilon, delta))
    with pytest.raises(InfeasibleTarget, match="too small for this search"):
        target(lambda epsilon, delta: [GaussianDP(mu=5.0, **STATED)], delta=1e-8)


@pytest.mark.parametrize("change", [{"epsilon": 0.0}, {"epsilon": math.inf}, {"delta": 1.0}, {"score_share": 0.0}, {"score_share": 1.0}])
def test_numbers_out_of_range_are_refused(change):
    with pytest.raises(InvalidInput):
        target(gaussian, **{"delta": 1e-8, **change})
