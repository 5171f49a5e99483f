"""A fit and the counts that correct its probabilities: one guarantee, lies that are refused, and the base rate where there is nothing to learn."""

from dataclasses import replace

import numpy as np
import pytest

from discreet import KernelClassifier, Lasso, LinearSVC, LogisticRegression, release_uncertainty
from discreet.core.errors import DiscreetError, InvalidInput, InvalidType
from discreet.estimators import fit_with_calibration
from discreet.estimators.released_noise import noise_law
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


@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("delta", [1e-6, 0.0])
@pytest.mark.parametrize("kind", [LogisticRegression, LinearSVC])
def test_both_promise_what_was_asked_for_together_and_verify(kind, delta, neighbours):
    found = fit_with_calibration(made(kind, delta=delta, neighbours=neighbours), *people(400))
    certificate, model = found.model.certificate_, found.model
    assert (certificate.guarantee.epsilon, certificate.guarantee.delta(1.0)) == (1.0, delta)
    assert not refused(certificate, model.weights_)
    assert certificate.parameters["slope"] == found.shrinkage.slope
    assert model.coef_[0].tolist() == model.weights_[:-1].tolist()
    assert model.intercept_[0] == certificate.problem["intercept_scale"] * model.weights_[-1]
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


def test_a_lie_about_a_part_the_slope_or_the_total_is_refused():
    certificate = fit_with_calibration(made(neighbours="add-remove"), *people(400)).model.certificate_
    part = certificate.parameters["scores"]

    def told(**changed):
        return replace(certificate, parameters={**certificate.parameters, **changed})

    half = {**part, "parameters": {**part["parameters"], "scales": [0.5 * scale for scale in part["parameters"]["scales"]]}}
    assert "scores" in refused(told(scores=half))
    fewer = {**part, "problem": {"queries": [{"kind": "histogram", "cells": 12}]}}  # of which a record moves one integer and not two
    assert "question" in refused(told(scores=fewer))
    assert "question" in refused(told(slope=1.5))
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
        (made(classes=[0, 1, 2]), InvalidInput, "two classes; 3"),
    ],
)
def test_what_cannot_be_calibrated_is_refused_in_a_sentence_and_costs_nothing(tmp_path, estimator, error, says):
    Ledger.create(tmp_path / "ledger").declare("people", epsilon=1.0, delta=1e-5)
    with using(tmp_path / "ledger", "people"), pytest.raises(DiscreetError, match=says) as raised:
        fit_with_calibration(estimator, *people(100))
    assert raised.type is error
    assert not Ledger(tmp_path / "ledger").history("people")
