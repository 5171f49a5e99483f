"""A fit and the counts that correct its probabilities: one guarantee, lies that are refused, and the base rate where there is nothing to learn."""

from dataclasses import replace

import numpy as np
import pytest

from discreet import KernelClassifier, Lasso, LinearSVC, LogisticRegression, release_uncertainty
from discreet.core.errors import DiscreetError, InvalidInput, InvalidType
from discreet.estimators import fit_with_calibration
from discreet.estimators.intervals.released_noise import noise_law
from discreet.ledger import Ledger, using
from discreet.statements.base import SCORES_WITH_FIT
from tests.estimators.paying import paid_once

BOTH = ["replace-one", "add-remove"]


def people(count=2000, seed=0, features=20, rate=0.11):
    """Labels that no feature tells anything of."""
    rng = np.random.default_rng(seed)
    return rng.uniform(-0.5, 0.5, (count, features)), (rng.random(count) < rate).astype(int)


def made(kind=LinearSVC, **settings):
    return kind(**({"epsilon": 1.0, "delta": 1e-6, "classes": [0, 1], "data_norm": 1.0, "random_state": 0} | settings))


def refused(certificate, weights=None):
    return {check.name for check in certificate.verify(weights).checks if not check.ok} - {"noise source"}


def log_loss(y, chances):
    return float(-np.mean(np.log(np.where(y > 0, chances, 1.0 - chances))))


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("delta", [1e-6, 0.0])
@pytest.mark.parametrize("kind", [LogisticRegression, LinearSVC])
def test_both_promise_what_was_asked_for_together_and_verify(kind, delta, neighbours, classes):
    X, _ = people(400)
    found = fit_with_calibration(made(kind, delta=delta, neighbours=neighbours, classes=list(range(classes))), X, np.arange(400) % classes)
    certificate, model = found.model.certificate_, found.model
    assert (certificate.guarantee.epsilon, certificate.guarantee.delta(1.0)) == (1.0, delta)
    assert not refused(certificate, model.weights_)
    assert certificate.parameters["slope"] == found.shrinkage.slope
    each = model.weights_.reshape(len(model.coef_), -1)
    assert model.coef_.tolist() == each[:, :-1].tolist()
    assert model.intercept_.tolist() == (certificate.problem["intercept_scale"] * each[:, -1]).tolist()
    assert refused(certificate, model.weights_ * 0.5)


def test_labels_without_signal_are_answered_with_their_base_rate():
    X, y = people()
    fresh, answers = people(4000, seed=1)
    base = log_loss(answers, np.full(4000, y.mean()))
    alone, corrected = [], []
    for seed in range(4):
        model = made(epsilon=0.5, delta=1e-6, random_state=seed)
        alone.append(log_loss(answers, model.fit(X, y).predict_proba(fresh)[:, 1]))
        corrected.append(log_loss(answers, fit_with_calibration(model, X, y).model.predict_proba(fresh)[:, 1]))
    assert np.mean(alone) > base + 0.02
    assert np.mean(corrected) < base + 0.01


@pytest.mark.parametrize("kind", [LogisticRegression, pytest.param(LinearSVC, marks=pytest.mark.more)])
def test_labels_of_four_classes_without_signal_are_answered_with_their_shares(kind):
    rng, shares = np.random.default_rng(0), np.array([0.6, 0.25, 0.1, 0.05])
    X, fresh = rng.uniform(-0.5, 0.5, (3000, 20)), rng.uniform(-0.5, 0.5, (2000, 20))
    y = rng.choice(4, 3000, p=shares)
    alone, corrected = [], []
    for seed in range(3):
        model = made(kind, epsilon=0.3, random_state=seed, classes=[0, 1, 2, 3])
        for found, fitted in ((alone, model.fit(X, y)), (corrected, fit_with_calibration(model, X, y).model)):
            found.append(-float(np.mean(fitted.predict_log_proba(fresh) @ shares)))
    best = -float(shares @ np.log(shares))
    assert np.mean(alone) > best + 0.08
    assert np.mean(corrected) < best + 0.02


def test_strong_scores_of_three_classes_keep_what_they_say():
    rng = np.random.default_rng(0)
    X = rng.uniform(-0.5, 0.5, (4000, 3))
    found = fit_with_calibration(made(LogisticRegression, epsilon=4.0, classes=[0, 1, 2]), X, X.argmax(axis=1))
    assert found.shrinkage.slope > 0.95
    assert np.mean(found.model.predict(X) == X.argmax(axis=1)) > 0.9


def test_a_lie_about_a_part_the_slope_or_the_total_is_refused():
    certificate = fit_with_calibration(made(neighbours="add-remove", mechanism="output"), *people(400)).model.certificate_
    part = certificate.parameters["scores"]

    def told(**changed):
        return replace(certificate, parameters={**certificate.parameters, **changed})

    half = {**part, "parameters": {**part["parameters"], "scales": [0.5 * scale for scale in part["parameters"]["scales"]]}}
    assert "scores" in refused(told(scores=half))
    fewer = {**part, "problem": {"queries": [{"kind": "histogram", "cells": 12}]}}  # of which a record moves one integer and not two
    assert "question" in refused(told(scores=fewer))
    assert "question" in refused(told(slope=1.5))
    assert "question" in refused(told(shift=[0.0, 0.0, 0.0]))
    three = {**part, "problem": {"queries": [{"kind": "scored-classes", "bins": 5, "classes": 3}]}}
    assert "question" in refused(told(scores=three))
    less = replace(certificate.guarantee, delta_at_epsilon=1e-7)
    assert refused(replace(certificate, guarantee=less, parameters={**certificate.parameters, "delta": 1e-7}))


def test_one_entry_pays_for_both_before_anything_is_drawn(tmp_path):
    paid_once(tmp_path, lambda: fit_with_calibration(made(random_state=None), *people(400)), SCORES_WITH_FIT)


@pytest.mark.parametrize("rows", [1, 2])
def test_persons_are_those_of_both_and_are_drawn_twice(rows):
    X, y = people(600)
    found = fit_with_calibration(made(rows_per_person=rows, delta=0.0), X, y, persons=np.arange(600) // 3)
    assert not refused(found.model.certificate_, found.model.weights_)
    assert any("anew for the counts" in line.enforced for line in found.model.certificate_.hypotheses)


def test_noise_is_shrunk_with_the_weights_and_intervals_say_why_there_are_none():
    X, y = people(400)
    found = fit_with_calibration(made(), X, y)
    scale = found.model.certificate_.parameters["fit"]["parameters"]["scale"]
    assert noise_law(found.model.certificate_).variances[0] == pytest.approx((found.shrinkage.slope * scale) ** 2)
    with pytest.raises(InvalidInput, match="shrunk afterwards"):
        release_uncertainty(found.model, X, y, epsilon=1.0, delta=1e-6)


@pytest.mark.parametrize(
    ("estimator", "error", "says"),
    [
        (KernelClassifier(classes=[0, 1]), InvalidType, "need a LogisticRegression or a LinearSVC"),
        (Lasso(radius=1.0), InvalidType, "Lasso was given"),
        (made(epsilon=np.inf), InvalidInput, "finite epsilon"),
        (made(fit_intercept=False), InvalidInput, "need an intercept"),
        (made(data_norm="private"), InvalidInput, "declared data_norm"),
        (made(class_weight={1: 3.0}), InvalidInput, "Leave class_weight out"),
        (made(loss="huber-hinge"), InvalidInput, "a loss that has probabilities"),
        (made(classes=None), InvalidInput, "declared classes"),
    ],
)
def test_what_cannot_be_calibrated_is_refused_in_a_sentence_and_costs_nothing(tmp_path, estimator, error, says):
    Ledger.create(tmp_path / "ledger").declare("people", epsilon=1.0, delta=1e-5)
    with using(tmp_path / "ledger", "people"), pytest.raises(DiscreetError, match=says) as raised:
        fit_with_calibration(estimator, *people(100))
    assert raised.type is error
    assert not Ledger(tmp_path / "ledger").history("people")
