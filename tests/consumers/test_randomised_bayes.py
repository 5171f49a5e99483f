"""Naive Bayes from randomised categories and labels."""

import numpy as np
import pytest

from discreet import Schema, SystemNoise
from discreet.consumers import RandomisedNaiveBayes
from discreet.core.errors import InvalidInput
from discreet.data import CategoricalColumn, Target
from discreet.mechanisms.base import Numbers
from discreet.queries import Target as Column
from discreet.releases import CategorySurvey, RandomisedRecord, read_reports
from discreet.releases.local_categories import bit_names
from tests.chance import highest

RNG = np.random.default_rng(11)
KINDS = (3, 5)


def table(count):
    """Classes of unequal size, and two features whose categories depend on the class."""
    y = (RNG.uniform(size=count) < 0.7).astype(int)
    shares = [np.array([[0.7, 0.2, 0.1], [0.1, 0.3, 0.6]]), np.array([[0.5, 0.2, 0.1, 0.1, 0.1], [0.1, 0.1, 0.1, 0.2, 0.5]])]
    X = np.column_stack([(RNG.uniform(size=count)[:, None] > np.cumsum(one, axis=1)[y]).sum(axis=1) for one in shares])
    return X.astype(float), y, shares


def randomised(codes, kinds, noise):
    others = (codes + RNG.integers(1, kinds, len(codes))) % kinds
    return np.where(RNG.uniform(size=len(codes)) < noise, others, codes)


def noisy(X, y):
    """At epsilon 1 a feature, and a label."""
    noises = [(k - 1) / (k - 1 + np.e) for k in KINDS]
    reported = np.column_stack([randomised(column, k, noise) for column, k, noise in zip(X.T, KINDS, noises, strict=True)])
    label = 1 / (1 + np.e)
    return reported, randomised(y, 2, label), noises, label


def test_shares_and_predictions_are_those_of_the_own_categories():
    X, y, shares = table(60_000)
    reported, labels, noises, label = noisy(X, y)
    model = RandomisedNaiveBayes(feature_noise=noises, label_noise=label).fit(reported, labels)
    blind = RandomisedNaiveBayes().fit(reported, labels)
    own = RandomisedNaiveBayes().fit(X, y)
    assert model.priors_[1] == pytest.approx(0.7, abs=0.03)
    for feature, expected in enumerate(shares):
        assert np.max(np.abs(model.shares_[feature] - expected)) < 0.08 < np.max(np.abs(blind.shares_[feature] - expected))
        assert np.max(np.abs(own.shares_[feature] - expected)) < 0.02
    new, answers, _ = table(20_000)
    right = [np.mean(one.predict(new) == answers) for one in (model, blind, own)]
    assert right[0] > right[2] - 0.01
    assert right[1] < right[2] - 0.03
    assert np.abs(model.predict_proba(new) - own.predict_proba(new)).mean() < 0.06


@pytest.mark.slow
def test_intervals_of_shares_cover_with_their_level():
    covered = []
    for _ in range(200):
        X, y, shares = table(4_000)
        reported, labels, noises, label = noisy(X, y)
        model = RandomisedNaiveBayes(feature_noise=noises, label_noise=label).fit(reported, labels)
        found = [(model.share_interval(feature), expected) for feature, expected in enumerate(shares)]
        covered.append(np.mean([np.mean((ends[..., 0] <= expected) & (expected <= ends[..., 1])) for ends, expected in found]))
    assert highest(covered) >= 0.93


def test_lines_of_owners_are_learnt_from_as_they_are():
    """By response and by encoding, at 2 a column."""
    towns = tuple(f"t{place}" for place in range(12))
    schema = Schema(
        name="answers",
        categorical=(CategoricalColumn(name="sky", categories=("blue", "grey")), CategoricalColumn(name="town", categories=towns)),
        target=Target(column="happy", classes=("no", "perhaps", "yes")),
    )
    survey = CategorySurvey.planned(schema, epsilon=6.0)
    lines = []
    for place in range(240):
        made = survey.mechanism.run(survey.query, Numbers(np.array([place % 2, place % 3, 2 * (place % 2)])), SystemNoise())
        lines.append(RandomisedRecord(columns=bit_names(schema, Column.NOISY), values=made.value[0], certificate=made.certificate).to_line())
    reports = read_reports(lines, schema)
    model = RandomisedNaiveBayes().fit_reports(reports)
    rows = reports.places({"sky": ["blue", "grey"], "town": ["t1", "t1"]})
    assert list(model.predict(rows)) == ["no", "yes"]
    assert model.predict_proba(rows).shape == (2, 3)
    alone = CategorySurvey.planned(schema, epsilon=6.0, target=Column.OMITTED).randomise({"sky": "blue", "town": "t1"}, SystemNoise())
    without = read_reports([alone.to_line()], schema)
    with pytest.raises(InvalidInput, match="target"):
        RandomisedNaiveBayes().fit_reports(without)


def test_a_category_that_no_report_had_says_nothing():
    model = RandomisedNaiveBayes().fit([[0.0], [0.0], [1.0]], [0, 0, 1])
    assert np.allclose(model.predict_proba([[7.0]])[0], model.priors_)
    assert model.predict_proba([[0.0]])[0, 0] > model.priors_[0]


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"feature_noise": [0.1]}, "each of the 2 features"),
        ({"feature_noise": 0.7}, "below 0.5"),
        ({"label_noise": 0.5}, "the point at which a report of"),
        ({"label_noise": [[0.5, 0.5], [0.5, 0.5]]}, "no inverse"),
        ({"label_noise": [[1.0, 0.5], [0.0, 0.5]]}, "add up to 1"),
        ({"smoothing": 0}, "positive"),
    ],
)
def test_what_is_no_channel_is_refused(parameters, words):
    X = np.column_stack([np.arange(6) % 2, np.arange(6) // 3])
    with pytest.raises(InvalidInput, match=words):
        RandomisedNaiveBayes(**parameters).fit(X, [0, 0, 1, 1, 0, 1])
