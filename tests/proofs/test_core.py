"""The machine-checked core: it proves what is true, and nothing that is false by 1 %."""

from fractions import Fraction

import pytest
from mpmath import iv, mp

from proofs import core
from proofs.identities import identities
from proofs.intervals import ends, exact, tail, under

WITHOUT_A_CONSTANT = {"7 the sum over integers"}


def test_every_identity_holds_and_none_with_another_constant():
    assert all(holds for _, holds in identities(Fraction(1)))
    assert {lemma for lemma, holds in identities(Fraction(101, 100)) if holds} == WITHOUT_A_CONSTANT


def test_normal_tails_are_enclosed():
    with mp.workdps(150):
        for place in (-19.5, -2.0, 0.0, 0.3, 1.0, 4.75, 12.0):
            low, high = ends(tail(exact(place)))
            right = mp.erfc(mp.mpf(place) / mp.sqrt(2)) / 2
            assert mp.mpf(low.numerator) / low.denominator <= right <= mp.mpf(high.numerator) / high.denominator
            assert high - low < Fraction(1, 10**50)
    low, high = ends(tail(exact(25.0)))
    assert low == 0 < high < Fraction(1, 10**130)


def test_what_cannot_be_decided_is_not_proved():
    one = iv.mpf([1, 2])
    assert under(one, 2)
    assert not under(one, one)
    assert not under(iv.mpf([1, 3]), 2)


@pytest.mark.slow
def test_all_is_proved():
    claims = list(core.check())
    assert len(claims) == len(list(identities(Fraction(1)))) + len(core.NUMBERS) + len(core.LAWS)
    assert [claim for claim, proved in claims if not proved] == []


@pytest.mark.slow
@pytest.mark.parametrize("planted", core.PLANTED)
def test_what_is_false_is_not_proved(planted):
    assert not all(proved for _, proved in core.check(planted, quick=True))


def test_laws_keep_their_claims_and_reach_them_and_not_one_percent_less(monkeypatch, capsys):
    monkeypatch.setattr(core, "NUMBERS", [])
    assert core.main(["--quick"]) == 0
    assert "the law reaches 1.0000 of the claim" in capsys.readouterr().out
    assert core.main(["--quick", "--plant", "claim"]) == 1
