"""Logistic regression from randomised labels."""

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression

from discreet import Schema, SystemNoise
from discreet.consumers import NoisyLabelRegression
from discreet.core.errors import InvalidInput
from discreet.data import CategoricalColumn, Target
from discreet.queries import Target as Column
from discreet.releases import CategorySurvey, read_reports
from tests.chance import highest, lowest

RNG = np.random.default_rng(5)


def table(count, kinds, features=3, seed=0):
    slopes = np.random.default_rng(seed).standard_normal((features, kinds))
    slopes -= slopes.mean(axis=1, keepdims=True)
    X = RNG.standard_normal((count, features)) * [1.0, 3.0, 0.2][:features] + 1.0
    y = np.argmax(X @ slopes + RNG.gumbel(size=(count, kinds)), axis=1)
    return X, y, slopes


def reported(y, kinds, noise):
    return np.where(RNG.uniform(size=len(y)) < noise, (y + RNG.integers(1, kinds, len(y))) % kinds, y)


@pytest.mark.parametrize("kinds", [2, 4])
def test_coefficients_are_those_of_the_own_labels(kinds):
    X, y, slopes = table(30_000, kinds)
    noise = 0.1 * kinds
    labels = reported(y, kinds, noise)
    expected = (slopes[:, 1:] - slopes[:, :1]).T if kinds == 2 else slopes.T
    model = NoisyLabelRegression(label_noise=noise).fit(X, labels)
    blind = NoisyLabelRegression().fit(X, labels)
    scales = X.std(axis=0)
    near, far = (np.linalg.norm((one.coef_ - expected) * scales) / np.linalg.norm(expected * scales) for one in (model, blind))
    assert near < 0.15
    assert far > 0.4
    found = np.asarray(model.coef_interval(level=0.99999))
    assert np.all((found[..., 0] <= expected.reshape(found.shape[:-1])) & (expected.reshape(found.shape[:-1]) <= found[..., 1]))


def test_without_noise_it_is_logistic_regression():
    X, y, _ = table(2_000, 2)
    model = NoisyLabelRegression(ridge=1e-9).fit(X, y)
    other = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10_000).fit(X, y)
    assert np.allclose(model.coef_, other.coef_, rtol=1e-3)
    assert np.allclose(model.predict_proba(X), other.predict_proba(X), atol=1e-3)


def test_the_answer_is_the_minimiser_of_the_unbiased_loss_for_any_channel():
    X, y, _ = table(400, 3)
    channel = np.array([[0.8, 0.2, 0.0], [0.1, 0.7, 0.2], [0.3, 0.1, 0.6]])
    labels = np.array([RNG.choice(3, p=channel[own]) for own in y])
    model = NoisyLabelRegression(label_noise=channel, ridge=0.1).fit(X, labels)
    standard = (X - X.mean(axis=0)) / X.std(axis=0)
    slopes = model.coef_ * X.std(axis=0)
    starts = model.intercept_ + model.coef_ @ X.mean(axis=0)
    rest = softmax(standard @ slopes.T + starts, axis=1) - np.linalg.inv(channel)[labels]
    assert np.allclose(rest.T @ standard / 400 + 0.1 * slopes, 0.0, atol=1e-7)
    assert np.allclose(rest.mean(axis=0) + 0.1 * starts, 0.0, atol=1e-7)


def test_more_noise_needs_more_records_and_less_ridge_with_them():
    X, y, _ = table(500, 2)
    quiet, loud, many = (
        NoisyLabelRegression(label_noise=noise).fit(np.tile(X, (times, 1)), np.tile(y, times)) for noise, times in ((0.1, 1), (0.4, 1), (0.4, 4))
    )
    assert quiet.ridge_ < loud.ridge_ == pytest.approx(4 * many.ridge_)
    assert np.all(np.ptp(quiet.coef_interval(), axis=1) < np.ptp(loud.coef_interval(), axis=1))


@pytest.mark.slow
@pytest.mark.parametrize("kinds", [2, 3])
def test_intervals_cover_with_their_level(kinds):
    noise = (kinds - 1) / (kinds - 1 + np.exp(1.5))
    covered, by_half = [], []
    for _ in range(200):
        X, y, slopes = table(8_000, kinds)
        model = NoisyLabelRegression(label_noise=noise).fit(X, reported(y, kinds, noise))
        away = np.abs(model.coef_ - (slopes[:, 1] - slopes[:, 0] if kinds == 2 else slopes.T)) / np.ptp(model.coef_interval(), axis=-1)
        covered.append(np.mean(away < 0.5))
        by_half.append(np.mean(away < 0.25))
    assert highest(covered) >= 0.93
    assert lowest(by_half) <= 0.75, "intervals half as wide cover two thirds"


def test_reports_of_the_target_are_learnt_from_beside_rows_in_clear():
    schema = Schema(
        name="a",
        categorical=(CategoricalColumn(name="sky", categories=("blue", "grey")),),
        target=Target(column="happy", classes=tuple(f"c{place}" for place in range(24))),
    )
    survey = CategorySurvey.planned(schema, epsilon=4.0)
    own = np.arange(200) % 2
    lines = [survey.randomise({"sky": "blue", "happy": f"c{7 * one}"}, SystemNoise()).to_line() for one in own]
    reports = read_reports(lines, schema)
    assert reports.target.law == "unary"
    model = NoisyLabelRegression().fit_reports(own[:, None] + 0.1 * RNG.standard_normal((200, 1)), reports)
    assert list(model.predict([[0.0], [1.0]])) == ["c0", "c7"]
    with pytest.raises(InvalidInput, match="one report for each"):
        NoisyLabelRegression().fit_reports(np.zeros((3, 1)), reports)
    alone = CategorySurvey.planned(schema, epsilon=5.0, target=Column.OMITTED).randomise({"sky": "blue"}, SystemNoise())
    with pytest.raises(InvalidInput, match="the lines do not contain the target"):
        NoisyLabelRegression().fit_reports(np.zeros((2, 1)), read_reports([alone.to_line()] * 2, schema))


@pytest.mark.parametrize(
    ("parameters", "words"),
    [({"label_noise": 0.5}, "the point at which a report of"), ({"ridge": 0.0}, "positive"), ({"label_noise": -1}, "at least 0")],
)
def test_what_cannot_be_used_is_refused(parameters, words):
    X, y, _ = table(20, 2)
    with pytest.raises(InvalidInput, match=words):
        NoisyLabelRegression(**parameters).fit(X, y)
    with pytest.raises(InvalidInput, match="1 class"):
        NoisyLabelRegression().fit(X, np.zeros(20))
