"""A whole search on invented fits, by its exact output law: settings drawn, fits, noisy counts, ties, the best of K; and planted faults."""

import dataclasses
import math

import numpy as np
import pytest

from discreet.accounting import ApproximateDP, PureDP, compose, selected
from discreet.accounting.selection import drawn_at_random
from discreet.accounting.stopping import NegativeBinomialRuns
from discreet.core.neighbours import REPLACE_ONE
from discreet.mechanisms.selection import CountNoise, RandomStopping
from discreet.mechanisms.selection.score import GAUSSIAN, LAPLACE
from discreet.noise import SystemNoise
from tests.accounting.test_selection import best_of, hockey, worst_ratio

STATED = {"neighbours": REPLACE_ONE, "theorem": "an invented fit"}
LAWS = [NegativeBinomialRuns(eta=1.0, gamma=0.1), NegativeBinomialRuns(eta=0.0, gamma=0.03)]
FITS = (0.3, 0.6)
"""epsilon of each setting: randomised response over two models."""


def counts(model, other):
    """How many records each model gets right; the neighbour turns one record, for every model in the direction that tells most."""
    return (10, 14)[model] + ((1, -1)[model] if other else 0)


def runs(law, noise, *, other):
    """P(setting, model, score) of one run, as an array (score, setting x model), scores ascending."""
    scale, reach = noise.scale, 60
    k = np.arange(-reach, reach + 25)
    table = []
    for epsilon in FITS:
        likely = 1.0 / (1.0 + math.exp(-epsilon))
        for model in (0, 1):
            chance = likely if (model == 0) == other else 1.0 - likely
            away = k - counts(model, other)
            weight = np.exp(-np.abs(away) / scale) if noise.law == LAPLACE else np.exp(-0.5 * (away / scale) ** 2)
            table.append(chance / len(FITS) * weight / weight.sum())
    return np.array(table).T


def released(law, noise, *, other):
    """The law of what a search releases: among runs with equal scores each is as likely to be the one that is kept."""
    one = runs(law, noise, other=other)
    level = one.sum(axis=1)
    kept = best_of(law, level)[:-1]
    return (one / np.maximum(level, 1e-300)[:, np.newaxis] * kept[:, np.newaxis]).ravel()


def check(claim, law, noise):
    p, q = (released(law, noise, other=other) for other in (False, True))
    if isinstance(claim, PureDP):
        sure = np.minimum(p, q) > 1e-9  # below, differences of cumulated probabilities have no correct digits
        assert worst_ratio(p[sure], q[sure]) <= claim.epsilon + 1e-5
    for epsilon in np.linspace(0.0, 3.0, 31):
        assert max(hockey(p, q, epsilon), hockey(q, p, epsilon)) <= claim.delta(epsilon) * (1 + 1e-9) + 1e-13


@pytest.mark.parametrize("law", LAWS, ids=repr)
@pytest.mark.parametrize("noise", [CountNoise(law=LAPLACE, scale=3.0), CountNoise(law=GAUSSIAN, scale=3.0)], ids=lambda noise: noise.law)
def test_the_claim_covers_the_exact_law_of_a_search(law, noise):
    mechanism = RandomStopping(law=law, score=noise, neighbours=REPLACE_ONE)
    claim = mechanism.guarantee([PureDP(epsilon=epsilon, **STATED) for epsilon in FITS])
    assert isinstance(claim, PureDP) == (noise.law == LAPLACE)
    check(claim, law, noise)


def parts(noise):
    return [PureDP(epsilon=epsilon, **STATED) for epsilon in FITS], noise.guarantee(REPLACE_ONE)


FAULTS = {
    "the score is free": lambda fits, score, law: selected(drawn_at_random(fits), law),
    "the search is free": lambda fits, score, law: compose([drawn_at_random(fits), score]),
    "the best setting's price": lambda fits, score, law: dataclasses.replace(selected(fits[0], law), epsilon=selected(fits[0], law).epsilon),
    "only the fit": lambda fits, score, law: fits[1],
}


@pytest.mark.parametrize("claim", FAULTS.values(), ids=FAULTS.keys())
def test_a_planted_claim_is_caught(claim):
    law, noise = LAWS[0], CountNoise(law=LAPLACE, scale=1.0)
    fits, score = parts(noise)
    check(RandomStopping(law=law, score=noise, neighbours=REPLACE_ONE).guarantee(fits), law, noise)
    with pytest.raises(AssertionError):
        check(claim(fits, score, law), law, noise)


def test_points_alone_are_enough_for_a_claim():
    law, noise = LAWS[0], CountNoise(law=GAUSSIAN, scale=4.0)
    stated = [ApproximateDP(epsilon=epsilon, delta_at_epsilon=1e-7, **STATED) for epsilon in FITS]
    claim = RandomStopping(law=law, score=noise, neighbours=REPLACE_ONE).guarantee(stated)
    check(claim, law, noise)
    assert claim.delta(20.0) >= 0.99 * law.mean * 1e-7


def test_runs_and_settings_are_drawn_by_their_laws():
    mechanism = RandomStopping(law=NegativeBinomialRuns(eta=1.0, gamma=0.25), score=CountNoise(law=LAPLACE, scale=1.0), neighbours=REPLACE_ONE)
    noise = SystemNoise()
    drawn = np.array([mechanism.runs(noise) for _ in range(2000)])
    assert drawn.min() == 1
    assert drawn.mean() == pytest.approx(4.0, abs=0.6)
    seen = np.bincount([mechanism.setting(noise, 3) for _ in range(1500)], minlength=3)
    assert seen.shape == (3,)
    assert seen.min() > 350
