"""Corollaries for sets: the constants of their formulas, and the numbers of records that they turn into."""

import math

import pytest

from discreet.accounting import gaussian_mu
from discreet.bounds import corollaries
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE

PRIVACY = {"epsilon": 1.0, "delta": 1e-6, "neighbours": ADD_REMOVE}


def test_corollaries_fall_with_records_and_turn_round():
    for bound in (
        lambda n: corollaries.corollary_13(diameter=2.0, dimension=50, lipschitz=1.0, records=n, **PRIVACY),
        lambda n: corollaries.corollary_14(vertices=100, radius=1.0, lipschitz=1.0, records=n, **PRIVACY),
        lambda n: corollaries.corollary_15(blocks=10, size=5, lipschitz=1.0, records=n, **PRIVACY),
        lambda n: corollaries.corollary_16(rows=8, columns=6, lipschitz=1.0, records=n, **PRIVACY),
        lambda n: corollaries.corollary_5_7(dimension=50, records=n, **PRIVACY),
    ):
        needed = corollaries.records_needed(bound, 0.01)
        assert bound(needed) <= 0.01 < bound(0.999 * needed - 1)


def test_corollaries_have_the_constants_of_their_formulas():
    mu = gaussian_mu(1.0, 1e-6)
    found = corollaries.corollary_13(diameter=2.0, dimension=49, lipschitz=3.0, records=1000, epsilon=1.0, delta=1e-6, neighbours=REPLACE_ONE)
    assert found == pytest.approx(2.0 * 6.0 * 7.0 / (1000 * mu))
    found = corollaries.corollary_14(vertices=10, radius=2.0, lipschitz=1.0, records=1000, **PRIVACY)
    assert found == pytest.approx(2.0 * math.sqrt(2 * math.log(10)) * math.sqrt(2 * math.log(20) + 1) / (1000 * mu))
    found = corollaries.corollary_5_7(dimension=500, records=10**6, **PRIVACY)
    regret = 8.0 * math.log(1000) / (2 * mu)
    assert found == pytest.approx(2.38 * (8e6) ** (1 / 3) * regret ** (2 / 3) / 1e6, rel=0.01)


def test_the_price_follows_the_width_and_not_the_dimension():
    """From d = 100 to d = 10^6 the l2 ball's bound grows a hundredfold, that of the l1 ball, which has 2 d vertices, threefold."""

    def grown(bound):
        return bound(10**6) / bound(100)

    def ball(d):
        return corollaries.corollary_13(diameter=2.0, dimension=d, lipschitz=1.0, records=1e5, **PRIVACY)

    def lasso(d):
        return corollaries.corollary_14(vertices=2 * d, radius=1.0, lipschitz=1.0, records=1e5, **PRIVACY)

    assert grown(ball) == pytest.approx(100.0)
    assert grown(lasso) < 3.0


def test_impossible_questions_are_refused_in_words():
    with pytest.raises(InvalidInput, match="at least 2 vertices"):
        corollaries.corollary_14(vertices=1, radius=1.0, lipschitz=1.0, records=10, **PRIVACY)
    with pytest.raises(InvalidInput, match="no number of records"):
        corollaries.records_needed(lambda n: 1.0, 0.5)
