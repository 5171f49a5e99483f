"""Guesses that ignore a release, or know where its records come from: what they do to printed numbers, and to those for all estimators."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from discreet.bounds import class_mean_error, cramer_rao_error, linear_bayes_error
from discreet.data import Domain
from discreet.mechanisms.release import FisherNoise
from discreet.queries import WeightedRows

TABLE, LABELS = load_breast_cancer(return_X_y=True)
SCALED = (TABLE - TABLE.mean(axis=0)) / TABLE.std(axis=0)
ORDER = np.random.default_rng(1).permutation(len(SCALED))
KNOWN, SECRET = ORDER[:285], ORDER[285:]
"""The adversary's own records, and those that are released."""


def squared_error(guesses):
    return float(np.mean(np.sum((guesses - SCALED[SECRET]) ** 2, axis=1)))


def of_classes(found):
    """`found` of the adversary's records of each class, for the records that are released."""
    return np.stack([found(SCALED[KNOWN][LABELS[KNOWN] == label]) for label in (0, 1)])[LABELS[SECRET]]


@pytest.mark.parametrize("level", [1e-6, 1e-4, 1e-2])
def test_the_class_mean_beats_the_cramer_rao_number_and_not_the_one_for_all_estimators(level):
    query = WeightedRows.of(Domain(features=30, entry_bound=12.0, target_bound=1.0))
    made = FisherNoise.of_level(query, level=level, epsilon=1.0)
    printed = made.cramer_rao(query).unbiased_mse
    assert printed == pytest.approx(30 / np.sqrt(level), rel=1e-6)
    assert cramer_rao_error(np.eye(30) / np.sqrt(level)) == pytest.approx(printed, rel=1e-6)
    guess = squared_error(of_classes(lambda rows: rows.mean(axis=0)))
    assert guess == pytest.approx(20.2, abs=2.0)
    assert guess < printed
    # Ours, for all estimators: within classes, the linear guess that knows mean and covariance. The class mean is no better, whatever the noise.
    own = [np.cov(SCALED[SECRET][LABELS[SECRET] == label].T, bias=True) for label in (0, 1)]
    shares = [float(np.mean(LABELS[SECRET] == label)) for label in (0, 1)]
    for_all = sum(share * linear_bayes_error(prior, np.eye(30) / np.sqrt(level)) for share, prior in zip(shares, own, strict=True))
    assert for_all <= class_mean_error(own, shares) <= guess
    assert made.cramer_rao(query).delta(100.0) == 1.0, "the number is nowhere called differential privacy"


@pytest.mark.parametrize("level", [1e-2, 1.0, 100.0])
def test_the_linear_attacker_reaches_its_number(level):
    """An adversary whose prior comes from other records does about as well as the formula says, and far better than the Cramer-Rao number."""
    noise = 1 / np.sqrt(level)
    released = SCALED[SECRET] + np.sqrt(noise) * np.random.default_rng(2).standard_normal((len(SECRET), 30))
    guesses, stated = np.empty_like(released), 0.0
    for label in (0, 1):
        own = SCALED[KNOWN][LABELS[KNOWN] == label]
        prior, mean, members = np.cov(own.T), own.mean(axis=0), LABELS[SECRET] == label
        guesses[members] = mean + (released[members] - mean) @ np.linalg.solve(prior + noise * np.eye(30), prior)
        stated += float(np.mean(members)) * linear_bayes_error(prior, noise * np.eye(30))
    assert squared_error(guesses) == pytest.approx(stated, rel=0.35)
    assert squared_error(guesses) < cramer_rao_error(noise * np.eye(30))
