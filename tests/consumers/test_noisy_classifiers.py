"""Classifiers on rows with noise: moments are reconstructed, and errors halved where the bias dominates."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from discreet.consumers import NoisyLinearSVC, NoisyLogisticRegression, reconstructed_rows
from discreet.core.errors import InvalidInput
from tests.consumers.tables import SLOPES, correlated, noisy


def classes(count, seed):
    rows = correlated(count, seed)
    return rows, np.where(np.random.default_rng(seed + 1).random(count) < expit(rows @ SLOPES + 0.3), "yes", "no")


def test_classes_get_the_moments_of_the_records():
    rows, labels = classes(40_000, 0)
    codes = (labels == "yes").astype(np.intp)
    covariance = np.diag([1.0, 0.5, 0.2])
    released = noisy(rows, covariance, 0)
    moved, drowned = reconstructed_rows(released, codes, covariance)
    assert drowned == 0
    for code in (0, 1):
        part = released[codes == code]
        assert np.allclose(moved[codes == code].mean(axis=0), part.mean(axis=0))
        centred, found = part - part.mean(axis=0), np.cov(moved[codes == code].T, bias=True) * len(part)
        assert np.allclose(found, centred.T @ centred - (len(part) - 1) * covariance, atol=1e-3)
        assert np.allclose(found / len(part), np.cov(rows[codes == code].T), atol=0.08)
    assert np.allclose(reconstructed_rows(released, codes, np.zeros((3, 3)))[0], released)


def test_one_covariance_serves_where_a_class_is_small():
    rows = correlated(200, 1)
    codes = np.zeros(200, dtype=np.intp)
    codes[:4] = 1
    moved, _ = reconstructed_rows(noisy(rows, 0.1, 1), codes, 0.1 * np.eye(3))
    assert np.all(np.isfinite(moved))
    with pytest.raises(InvalidInput, match="too few"):
        reconstructed_rows(rows[:5], codes[:5], np.eye(3))


@pytest.mark.parametrize("kind", [NoisyLogisticRegression, NoisyLinearSVC])
def test_errors_are_at_most_half_of_the_naive_ones(kind):
    rows, labels = classes(60_000, 2)
    released = noisy(rows, 1.5, 2)
    reference, naive, aware = (kind(feature_noise=noise).fit(table, labels) for noise, table in ((0.0, rows), (0.0, released), (1.5, released)))
    off = [np.linalg.norm(model.coef_ - reference.coef_) / np.linalg.norm(reference.coef_) for model in (naive, aware)]
    assert off[0] > 0.5
    assert off[1] < 0.3 * off[0]
    wrong = [np.mean(model.predict(rows) != labels) - np.mean(reference.predict(rows) != labels) for model in (naive, aware)]
    assert wrong[1] < 0.5 * wrong[0]
    assert list(aware.classes_) == ["no", "yes"]
    assert aware.coef_.shape == (1, 3)


def test_probabilities_are_those_of_the_records():
    rows, labels = classes(60_000, 3)
    released = noisy(rows, 1.5, 3)
    aware, naive = (NoisyLogisticRegression(feature_noise=noise).fit(released, labels) for noise in (1.5, 0.0))
    chances = expit(rows @ SLOPES + 0.3)
    assert np.mean(np.abs(aware.predict_proba(rows)[:, 1] - chances)) < 0.04
    assert np.mean(np.abs(naive.predict_proba(rows)[:, 1] - chances)) > 0.1
    assert np.allclose(aware.predict_proba(rows).sum(axis=1), 1.0)


def test_without_noise_it_is_logistic_regression():
    rows, labels = classes(2000, 4)
    model = NoisyLogisticRegression(ridge=1e-8).fit(rows, labels)
    other = LogisticRegression(C=1e6, tol=1e-10, max_iter=1000).fit(rows, labels)
    assert np.allclose(model.coef_, other.coef_, atol=1e-3)
    assert np.allclose(model.intercept_, other.intercept_, atol=1e-3)
    assert clone(model).get_params() == model.get_params()


def test_what_cannot_be_used_is_refused():
    rows, labels = classes(100, 5)
    with pytest.raises(InvalidInput, match="two classes; there are 1"):
        NoisyLinearSVC().fit(rows, np.full(100, "no"))
    with pytest.raises(InvalidInput, match="there are 100"):
        NoisyLinearSVC().fit(rows, np.arange(100))
    with pytest.raises(InvalidInput, match="one target for each"):
        NoisyLinearSVC().fit(rows, labels[:50])
    with pytest.raises(InvalidInput, match="ridge must be positive"):
        NoisyLogisticRegression(ridge=0.0).fit(rows, labels)
    with pytest.raises(InvalidInput, match="half_width"):
        NoisyLinearSVC(half_width=-1.0).fit(rows, labels)
    with pytest.raises(InvalidInput, match="feature_noise"):
        NoisyLogisticRegression(feature_noise=-1.0).fit(rows, labels)
