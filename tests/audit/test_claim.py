import math

import pytest

from discreet.accounting import ApproximateDP, GaussianDP, NoGuarantee, PureDP, gaussian_delta
from discreet.audit import Claim
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE

SAID = {"neighbours": ADD_REMOVE, "theorem": "a test"}


@pytest.mark.parametrize(("epsilon", "delta"), [(0.0, 0.0), (0.7, 0.0), (1.0, 0.05), (6.0, 1e-3)])
@pytest.mark.parametrize("tables", [2, 3, 10])
def test_the_accuracy_that_a_claim_allows_is_reached_and_not_exceeded(epsilon, delta, tables):
    """Tell the table with probability delta, otherwise answer at random, the true table e^epsilon times as likely as each other one."""
    right = math.exp(epsilon) / (math.exp(epsilon) + tables - 1)
    reached = delta + (1 - delta) * right
    assert Claim(epsilon=epsilon, delta=delta).accuracy(tables) == pytest.approx(reached, rel=1e-12)


@pytest.mark.parametrize("guarantee", [PureDP(epsilon=1.3, **SAID), ApproximateDP(epsilon=0.5, delta_at_epsilon=0.01, **SAID)])
def test_the_advantage_is_the_total_variation_of_the_guarantee(guarantee):
    claim = Claim.of(guarantee)
    assert claim.epsilon == guarantee.epsilon
    assert claim.advantage == pytest.approx(guarantee.delta(0.0), rel=1e-12)


def test_a_curve_is_audited_at_the_delta_that_is_asked_for():
    claim = Claim.of(GaussianDP(mu=0.8, **SAID), delta=1e-4)
    assert gaussian_delta(claim.epsilon, 0.8) == pytest.approx(1e-4, rel=1e-6)
    with pytest.raises(InvalidInput, match="say at which delta"):
        Claim.of(GaussianDP(mu=0.8, **SAID))


def test_what_claims_nothing_is_refused():
    with pytest.raises(InvalidInput, match="no claim to audit"):
        Claim.of(NoGuarantee(**SAID))
    for epsilon, delta in ((math.inf, 0.0), (-1.0, 0.0), (math.nan, 0.0), (1.0, 1.0), (1.0, -0.1)):
        with pytest.raises(InvalidInput, match="a claim needs"):
            Claim(epsilon=epsilon, delta=delta)
