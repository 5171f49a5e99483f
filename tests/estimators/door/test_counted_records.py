"""A classifier counts its records with noise where their number is secret, says so, and takes more regularisation for few; others count nothing."""

import numpy as np
import pytest

from discreet import KernelClassifier, LinearSVC, LogisticRegression
from discreet.data import Block, FunctionTable
from discreet.estimators import fit_with_calibration, fit_with_cuts
from discreet.matrices import DenseMatrix
from tests.estimators.two_part.test_fit_with_cuts import SCHEMA, people

ASKED = {"epsilon": 1.0, "neighbours": "add-remove", "classes": [0, 1]}


def table(records=600, features=40, rate=0.5, seed=0):
    draw = np.random.default_rng(seed)
    rows = np.abs(draw.normal(size=(records, features)))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True), (draw.random(records) < rate).astype(int)


@pytest.mark.parametrize("kind", [LogisticRegression, LinearSVC, KernelClassifier])
def test_a_fit_states_the_noisy_number_and_what_follows_from_it_as_was_planned(kind):
    X, y = table()
    model = kind(**ASKED).fit(X, y)
    certificate = model.certificate_
    stated, planned = certificate.parameters, kind(**ASKED).plan(features=X.shape[1])
    assert certificate.verify(model.weights_).ok
    assert abs(stated["counted"] - 600) < 6.0 * stated["count_scale"]
    assert set(stated) - set(planned.parameters) == {"counted", "extra_ridge"}
    assert all(stated[name] == value for name, value in planned.parameters.items())
    assert certificate.guarantee == planned.guarantee


def test_persons_are_counted_and_records_in_blocks():
    X, y = table(3_000)
    of_persons = LinearSVC(**ASKED, rows_per_person=3).fit(X, y, persons=np.arange(3_000) // 3).certificate_
    heavy = LinearSVC(**ASKED, rows_per_person=3, max_sample_weight=4.0).fit(X, y, np.full(3_000, 4.0), persons=np.arange(3_000) // 3).certificate_
    in_blocks = LinearSVC(**ASKED).fit(FunctionTable(lambda part: Block(DenseMatrix(X[part::4]), y[part::4]), blocks=4, features=40)).certificate_
    for certificate, number in ((of_persons, 1_000), (heavy, 1_000), (in_blocks, 3_000)):
        assert abs(certificate.parameters["counted"] - number) < 6.0 * certificate.parameters["count_scale"]
        assert certificate.verify().ok


def test_nothing_is_counted_where_nothing_follows_or_something_else_is_asked_beside():
    X, y = table()
    uncounted = [
        LinearSVC(**ASKED, records_share=0.0).fit(X, y).certificate_,
        LinearSVC(**ASKED, public_records=600).fit(X, y).certificate_,
        LinearSVC(**ASKED, public_records=600, alpha=0.01).fit(X, y).certificate_,
        LinearSVC(**ASKED, prior=np.zeros(40)).fit(X, y).certificate_,
        LinearSVC(**ASKED, delta=0.0).fit(X, y).certificate_,
        LinearSVC(**ASKED, data_norm="private").fit(X, y).certificate_,
        LinearSVC(**{**ASKED, "classes": [0, 1, 2]}).fit(X, y).certificate_,
        LinearSVC(**{**ASKED, "neighbours": "replace-one"}).fit(X, y).certificate_,
        LinearSVC(**ASKED).fit_many(X, y, count=2).certificate,
        fit_with_calibration(LinearSVC(**ASKED), X, y).model.certificate_,
    ]
    for certificate in uncounted:
        assert certificate.verify().ok
        assert "count_scale" not in repr(dict(certificate.parameters))


def test_summary_and_explanation_say_what_was_counted():
    X, y = table()
    model = LinearSVC(**ASKED).fit(X, y)
    stated = model.certificate_
    printed = str(model.summary())
    assert f"not public; {max(0.0, stated.parameters['counted']):,.0f} by a count with noise of deviation 134" in printed
    assert f"lambda = {stated.problem['ridge'] + stated.parameters['extra_ridge']:.4g} on" in printed
    assert "counted with noise" in str(LinearSVC(**ASKED).explain(features=40))
    assert "counted with noise" not in str(LinearSVC(**ASKED, records_share=0.0).explain(features=40))


def test_few_records_of_a_rare_class_are_wrong_less_often_and_balanced_ones_no_more():
    """At epsilon .1, 500 records that tell nothing of the class, 15 % in one; and those of half and half, one feature of which tells it."""
    fresh, labels = table(4_000, seed=99)

    def error(share, rate, told):
        wrong = []
        for seed in range(12):
            X, y = table(500, rate=rate, seed=seed)
            held, answers = fresh, (np.random.default_rng(7).random(4_000) < rate).astype(int)
            if told:
                X, held, answers = X + 0.0, fresh + 0.0, labels
                X[:, 0] += 0.6 * y
                held[:, 0] += 0.6 * labels
            model = LinearSVC(**{**ASKED, "epsilon": 0.1}, records_share=share, data_norm=1.0, random_state=seed).fit(X, y)
            wrong.append(np.mean(model.predict(held) != answers))
        return np.mean(wrong)

    assert error(None, 0.15, told=False) < error(0.0, 0.15, told=False) - 0.01
    assert error(None, 0.5, told=True) < error(0.0, 0.5, told=True) + 0.02


@pytest.mark.parametrize("calibrate", [False, True])
def test_after_private_cuts_the_fit_counts_and_is_as_planned_or_leaves_it_to_the_counts_of_classes(calibrate):
    made = fit_with_cuts(LinearSVC(epsilon=3.0, neighbours="add-remove"), people(), SCHEMA, calibrate=calibrate)
    certificate = made.model.certificate_
    assert certificate.verify(made.model.weights_).ok
    own = certificate.parameters["fit"]
    assert ("counted" in own["parameters"]) == (own["mechanism"] == "objective-perturbation-gaussian") == (not calibrate)
    assert ("by a count with noise" in str(made.model.summary())) == (not calibrate)
