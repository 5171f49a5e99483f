"""The exponential mechanism: its exact law, its exact loss, its certificate, and planted faults."""

import dataclasses
import itertools
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from discreet.accounting import PureDP
from discreet.core.errors import InvalidInput, InvalidType
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.ledger import Account, Ledger
from discreet.mechanisms.base import Numbers
from discreet.mechanisms.selection import Candidates, ExponentialMechanism
from discreet.noise import SeededNoise, SystemNoise


def softmax(scores, rate):
    weights = np.exp(-rate * (np.asarray(scores) - np.min(scores)))
    return weights / weights.sum()


def moved(scores, *, monotone):
    """All scores that one record can make of these: every one up, down or left, or (monotone) every one up or left, and the other way round."""
    steps = (0, 1) if monotone else (-1, 0, 1)
    return [np.add(scores, change) for change in itertools.product(steps, repeat=len(scores))]


def exact_loss(rate, *, monotone):
    worst = 0.0
    for scores in ([0, 0, 0, 0], [0, 5, 5, 5], [30, 0, 0, 0], [60, 60, 0, 0]):
        for other in moved(scores, monotone=monotone):
            worst = max(worst, float(np.abs(np.log(softmax(scores, rate) / softmax(other, rate))).max()))
    return worst


@pytest.mark.parametrize(("neighbours", "monotone"), [(REPLACE_ONE, False), (ADD_REMOVE, False), (ADD_REMOVE, True)])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_the_exact_loss_is_epsilon_and_no_more(neighbours, monotone, epsilon):
    mechanism = ExponentialMechanism.calibrate(epsilon=epsilon, sensitivity=1, neighbours=neighbours, monotone=monotone)
    loss = exact_loss(mechanism.rate, monotone=monotone)
    assert 0.7 * epsilon < loss <= mechanism.guarantee(Candidates(2)).epsilon * (1 + 1e-9)
    assert mechanism.guarantee(Candidates(2)).epsilon <= epsilon


def test_the_exponent_of_add_remove_under_replace_one_is_caught():
    """exp(-epsilon z) where a replaced record can move one score up and another down: almost twice the epsilon."""
    assert exact_loss(1.0, monotone=False) > 1.9
    assert exact_loss(1.0, monotone=True) <= 1.0 + 1e-9
    with pytest.raises(InvalidInput, match="monotone under add-remove only"):
        ExponentialMechanism.calibrate(epsilon=1.0, sensitivity=1, neighbours=REPLACE_ONE, monotone=True)


def test_choices_have_the_probabilities_of_the_formula():
    scores = np.array([3, 0, 5, 0, 900], dtype=np.int64)
    mechanism = ExponentialMechanism.calibrate(epsilon=1.0, sensitivity=2, neighbours=REPLACE_ONE)
    noise = SystemNoise()
    seen = np.bincount([mechanism.chosen(scores, noise) for _ in range(2000)], minlength=5) / 2000
    assert Fraction(mechanism.rate) <= Fraction(1, 4)
    np.testing.assert_allclose(seen, softmax(scores, 0.25), atol=0.08)
    assert seen[4] == 0


def test_a_release_is_certified_and_spent_once(tmp_path: Path):
    path = tmp_path / "ledger"
    Ledger.create(path).declare("people", epsilon=1.0)
    mechanism = ExponentialMechanism.calibrate(epsilon=0.4, sensitivity=1, neighbours=REPLACE_ONE)
    scores = np.array([5, 900, 900])
    release = mechanism.run(Candidates(len(scores)), Numbers(scores, [b"records"]), SystemNoise(), account=Account(str(path), "people"))
    assert release.value.shape == (1,)
    assert release.verify().ok
    assert release.certificate.guarantee == mechanism.guarantee(Candidates(2))
    assert [entry.guarantee for entry in Ledger(path).history("people")] == [mechanism.guarantee(Candidates(2))]
    for change in ({"rate": 0.4}, {"sensitivity": 2}, {"neighbours": "add-remove"}, {"monotone": "yes", "rate": 0.5}, {"rate": -1.0}):
        other = dataclasses.replace(release.certificate, parameters={**release.certificate.parameters, **change})
        assert not other.verify(release.value).ok
    assert not mechanism.run(Candidates(len(scores)), Numbers(scores), SeededNoise(1)).verify().ok


@pytest.mark.parametrize(
    "make",
    [
        lambda: ExponentialMechanism.calibrate(epsilon=0.0, sensitivity=1, neighbours=REPLACE_ONE),
        lambda: ExponentialMechanism.calibrate(epsilon=math.inf, sensitivity=1, neighbours=REPLACE_ONE),
        lambda: ExponentialMechanism.calibrate(epsilon=1.0, sensitivity=0, neighbours=REPLACE_ONE),
        lambda: ExponentialMechanism.calibrate(epsilon=1.0, sensitivity=True, neighbours=REPLACE_ONE),
        lambda: ExponentialMechanism(rate=math.nan, sensitivity=1, monotone=False, neighbours=REPLACE_ONE),
    ],
)
def test_numbers_that_promise_nothing_are_refused(make):
    with pytest.raises(InvalidInput):
        make()


def test_scores_are_integers_and_at_least_one():
    mechanism = ExponentialMechanism.calibrate(epsilon=1.0, sensitivity=1, neighbours=REPLACE_ONE)
    with pytest.raises(InvalidType, match="integer scores"):
        mechanism.run(Candidates(1), Numbers(np.array([0.5])), SystemNoise())
    with pytest.raises(InvalidInput, match="shape"):
        mechanism.run(Candidates(0), Numbers(np.array([], dtype=np.int64)), SystemNoise())
    assert isinstance(mechanism.guarantee(Candidates(2)), PureDP)
