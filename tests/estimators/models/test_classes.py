"""More than two classes: answers, shapes, declarations, certificates and model files."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit, softmax
from sklearn.base import clone

from discreet import LinearSVC, LogisticRegression, Schema
from discreet.certificates import Certificate
from discreet.core.errors import FileFormatError, InfeasibleTarget, InvalidInput
from discreet.core.neighbours import Neighbours
from discreet.data import CategoricalColumn, Domain, NumericColumn, Records, Target
from discreet.estimators.files.model import Model
from discreet.ledger import Account, BudgetExceeded, Ledger
from discreet.matrices import DenseMatrix
from tests.canary import CANARY, assert_silent

NAMES = np.array(["red", "green", "blue"])


def table(records=3000, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-0.5, 0.5, (records, 4))
    return X, NAMES[np.argmax(X[:, :3] + 0.05 * rng.standard_normal((records, 3)), axis=1)]


EVERY = [
    LogisticRegression(delta=1e-6, classes=NAMES.tolist()),
    LogisticRegression(classes=NAMES.tolist()),
    LogisticRegression(delta=1e-6, neighbours="add-remove", classes=NAMES.tolist()),
    LogisticRegression(delta=1e-6, multi_class="one-vs-rest", classes=NAMES.tolist()),
    LogisticRegression(multi_class="one-vs-rest", neighbours="add-remove", classes=NAMES.tolist()),
    LinearSVC(delta=1e-6, classes=NAMES.tolist()),
    LinearSVC(classes=NAMES.tolist()),
]
SLOWEST = LinearSVC(delta=1e-6, loss="huber-hinge", neighbours="add-remove", classes=NAMES.tolist())
every = pytest.mark.parametrize("model", [*EVERY, pytest.param(SLOWEST, marks=pytest.mark.more)], ids=repr)


@pytest.mark.at_most(3)
@every
def test_three_classes_are_learnt_with_a_certificate_that_verifies(model):
    X, y = table()
    model = clone(model).set_params(epsilon=4.0, classes=NAMES.tolist()).fit(X, y)
    assert model.classes_.tolist() == NAMES.tolist()
    assert (model.coef_.shape, model.intercept_.shape, model.weights_.shape) == ((3, 4), (3,), (15,))
    decision = model.decision_function(X)
    np.testing.assert_allclose(decision, X @ model.coef_.T + model.intercept_, atol=1e-12)
    assert np.array_equal(model.predict(X), NAMES[decision.argmax(axis=1)])
    assert model.score(X, y) > 0.7
    certificate = Certificate.from_dict(json.loads(model.certificate_.to_json()))
    assert certificate.verify(model.weights_).ok
    stated = certificate.guarantee
    assert stated.neighbours is Neighbours(model.neighbours)
    assert stated.epsilon <= 4.0 * (1 + 1e-12)
    assert stated.epsilon == pytest.approx(4.0, rel=1e-6)
    assert stated.delta(stated.epsilon) <= model.delta


@pytest.mark.at_most(3)
@every
def test_a_certificate_with_less_noise_does_not_verify(model):
    X, y = table(200)
    model = clone(model).set_params(epsilon=1.0).fit(X, y)
    certificate = model.certificate_
    key, factor = ("scale", 0.98) if "scale" in certificate.parameters else ("rate", 1.02)
    less = replace(certificate, parameters={**certificate.parameters, key: certificate.parameters[key] * factor})
    assert not all(check.ok for check in less.verify(model.weights_).checks)
    if certificate.problem["classes"] == 3:
        more = replace(certificate, problem={**certificate.problem, "classes": 30})
        assert not all(check.ok for check in more.verify(model.weights_).checks)


def test_without_privacy_the_answers_are_those_of_scikit_learn():
    from sklearn.linear_model import LogisticRegression as Reference

    X, y = table(600)
    alpha = 1e-3
    ours = LogisticRegression(epsilon=np.inf, alpha=alpha, fit_intercept=False, classes=sorted(NAMES)).fit(X, y)
    reference = Reference(C=1 / (alpha * len(X)), fit_intercept=False, tol=1e-10, max_iter=10_000).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), reference.predict_proba(X), atol=1e-6)
    assert not ours.certificate_.verify(ours.weights_).ok


def test_probabilities_are_the_softmax_or_the_normalised_links():
    X, y = table(500)
    multinomial = LogisticRegression(epsilon=np.inf, alpha=1e-2, classes=NAMES.tolist()).fit(X, y)
    np.testing.assert_allclose(multinomial.predict_proba(X), softmax(multinomial.decision_function(X), axis=1))
    against = LogisticRegression(epsilon=np.inf, alpha=1e-2, multi_class="one-vs-rest", classes=NAMES.tolist()).fit(X, y)
    chances = expit(against.decision_function(X))
    np.testing.assert_allclose(against.predict_proba(X), chances / chances.sum(axis=1, keepdims=True))
    np.testing.assert_allclose(np.exp(against.predict_log_proba(X)), against.predict_proba(X))
    np.testing.assert_allclose(LinearSVC(epsilon=np.inf, alpha=1e-2, classes=NAMES.tolist()).fit(X, y).predict_proba(X).sum(axis=1), 1.0)


def test_one_vs_rest_without_privacy_is_one_fit_a_class():
    X, y = table(400)
    together = LinearSVC(epsilon=np.inf, alpha=1e-2, classes=NAMES.tolist()).fit(X, y)
    for row, intercept, name in zip(together.coef_, together.intercept_, together.classes_, strict=True):
        alone = LinearSVC(epsilon=np.inf, alpha=1e-2, classes=[0, 1]).fit(X, (y == name).astype(int))
        np.testing.assert_allclose(row, alone.coef_[0], atol=1e-7)
        np.testing.assert_allclose(intercept, alone.intercept_[0], atol=1e-7)


def test_class_weights_raise_the_noise_by_their_largest_and_shift_the_answers():
    X, y = table()
    plain = LogisticRegression(delta=1e-6, alpha=0.05, classes=NAMES.tolist()).fit(X, y)
    heavy = LogisticRegression(delta=1e-6, alpha=0.05, class_weight={"red": 3.0}, classes=NAMES.tolist()).fit(X, y)
    assert heavy.certificate_.problem["max_weight"] == 3.0
    assert heavy.certificate_.parameters["scale"] > 2.9 * plain.certificate_.parameters["scale"]
    weighted = LogisticRegression(epsilon=np.inf, alpha=0.05, class_weight={"red": 3.0}, classes=NAMES.tolist()).fit(X, y)
    unweighted = LogisticRegression(epsilon=np.inf, alpha=0.05, classes=NAMES.tolist()).fit(X, y)
    assert np.mean(weighted.predict(X) == "red") > np.mean(unweighted.predict(X) == "red")
    doubled = LogisticRegression(epsilon=np.inf, alpha=0.05, max_sample_weight=3.0, classes=NAMES.tolist()).fit(
        X, y, sample_weight=np.where(y == "red", 3.0, 1.0)
    )
    np.testing.assert_allclose(weighted.coef_, doubled.coef_, atol=1e-7)


@pytest.mark.more
def test_many_fits_have_one_certificate_for_all():
    X, y = table(500)
    fits = LogisticRegression(epsilon=2.0, delta=1e-6, classes=NAMES.tolist()).fit_many(X, y, count=3)
    assert (fits.coef.shape, fits.intercept.shape) == ((3, 3, 4), (3, 3))
    assert 2.0 * 3**0.5 < fits.certificate.guarantee.epsilon < 5.0
    assert fits.certificate.verify().ok
    assert np.unique(fits.coef).size == 36


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"mechanism": "output"}, InvalidInput, "more than two classes need mechanism='objective'"),
        ({"calibration": "published"}, InvalidInput, "calibration='tight'"),
        ({"multi_class": "ovo"}, InvalidInput, "multi_class must be None or one of"),
        ({"classes": ["red", "green"]}, InvalidInput, "y contains a label that is not one of the declared"),
        ({"classes": ["red", "green", "red"]}, InvalidInput, "two or more different classes"),
        ({"alpha": 1e-6, "delta": 1e-6}, InfeasibleTarget, "multinomial logistic regression of 3 classes .* is comfortable"),
        ({"alpha": 1e-6}, InfeasibleTarget, "multinomial logistic regression of 3 classes"),
        ({"alpha": 1e-6, "multi_class": "one-vs-rest"}, InfeasibleTarget, "one-vs-rest with the logistic loss and 3 classes"),
        ({"alpha": 1e-6, "multi_class": "one-vs-rest", "delta": 1e-6}, InfeasibleTarget, "one-vs-rest with the logistic loss and 3 classes"),
        ({"epsilon": 0.0}, InvalidInput, "epsilon must be greater than 0"),
    ],
    ids=str,
)
def test_impossible_settings_get_one_clear_sentence(settings, error, message):
    with pytest.raises(error, match=message) as caught:
        LogisticRegression(**{"classes": NAMES.tolist(), **settings}).fit(*table(60))
    assert "\n" not in str(caught.value)
    with pytest.raises(InvalidInput, match="multi_class must be None or one of"):
        LinearSVC(multi_class="multinomial", classes=NAMES.tolist()).fit(*table(60))


def test_a_data_set_of_classes_refuses_what_contradicts_its_domain():
    rows, domain = DenseMatrix(np.zeros((3, 2))), Domain(features=2, norm_bound=1.0, classes=3)
    data = Records(rows=rows, targets=np.array([0, 1, 2]), domain=domain)
    with pytest.raises(InvalidInput, match="signs are for two classes; the domain declares"):
        _ = data.signs
    for wrong in (np.array([0, 1, 3]), np.zeros(3), np.zeros(2, dtype=int), np.ones(3), None):
        with pytest.raises(InvalidInput):
            Records(rows=rows, domain=domain, targets=wrong)
    two = Records(rows=rows, targets=np.array([0, 1, 1]), domain=replace(domain, classes=2))
    assert two.signs.tolist() == [-1.0, 1.0, 1.0]
    assert Records(rows=rows, targets=two.signs, domain=two.domain).codes.tolist() == [0, 1, 1]


COUNT = 240
PEOPLE = {
    "age": [20 + (7 * i) % 60 for i in range(COUNT)],
    "city": [("north", "south")[i % 2] for i in range(COUNT)],
    "answer": [("no", "perhaps", "yes")[(7 * i) % 60 // 20] for i in range(COUNT)],
}


def schema():
    return Schema(
        name="people",
        target=Target(column="answer", classes=("no", "perhaps", "yes")),
        numeric=(NumericColumn(name="age", lower=20, upper=80),),
        categorical=(CategoricalColumn(name="city", categories=("north", "south")),),
    )


@pytest.mark.parametrize("kind", [LogisticRegression, LinearSVC])
@pytest.mark.parametrize("scheme", [None, "one-vs-rest"])
def test_a_model_file_of_three_classes_answers_as_its_estimator(kind, scheme):
    encoded = schema().encode(PEOPLE, target=True)
    assert encoded.signs is None
    assert encoded.codes.tolist() == [("no", "perhaps", "yes").index(answer) for answer in PEOPLE["answer"]]
    estimator = kind(epsilon=8.0, delta=1e-6, multi_class=scheme).fit(encoded)
    model = Model.from_json(Model.from_estimator(estimator, schema()).to_json())
    assert model.verify().ok
    np.testing.assert_array_equal(model.decision(PEOPLE), estimator.decision_function(encoded))
    np.testing.assert_array_equal(model.predict(PEOPLE), estimator.predict(encoded))
    np.testing.assert_array_equal(model.probabilities(PEOPLE), estimator.predict_proba(encoded))


def test_a_model_of_other_classes_than_its_certificate_is_refused():
    estimator = LogisticRegression(epsilon=8.0, delta=1e-6).fit(schema().encode(PEOPLE, target=True))
    record = json.loads(Model.from_estimator(estimator, schema()).to_json())
    for change in ({"classes": 4}, {"scheme": None}, {"scheme": "other"}, {"classes": "3"}):
        broken = {**record, "certificate": {**record["certificate"], "problem": {**record["certificate"]["problem"], **change}}}
        with pytest.raises(FileFormatError, match="the parts of the model do not belong together"):
            Model.from_json(json.dumps(broken))
    two = {**record, "classes": ["no", "yes"], "schema": {**record["schema"], "target": {"column": "answer", "classes": ["no", "yes"]}}}
    with pytest.raises(FileFormatError, match="2 classes, the certificate is for 3"):
        Model.from_json(json.dumps(two))


@pytest.mark.at_most(3)
@every
def test_all_classes_are_one_entry_in_the_ledger(model, tmp_path):
    path = tmp_path / "ledger"
    Ledger.create(path).declare("people", epsilon=1.5, delta=1e-5, neighbours=model.neighbours)
    account = Account(str(path), "people")
    model = clone(model).set_params(epsilon=1.0, ledger=account)
    assert model.fit(*table(100)).certificate_.ledger_entry is not None
    assert account.ledger.spent("people").epsilon == pytest.approx(1.0)
    assert len(account.ledger.history("people")) == 1
    with pytest.raises(BudgetExceeded):
        model.fit(*table(100))


@pytest.mark.at_most(3)
@every
def test_no_value_of_a_record_is_shown_or_kept(model):
    X = np.random.default_rng(0).uniform(0.5, 1.0, (60, 3)) * CANARY
    X[0] = CANARY
    y = NAMES[np.arange(60) % 3]
    model = clone(model).set_params(epsilon=1.0, data_norm=1.0, classes=NAMES.tolist()).fit(X, y)
    assert_silent((repr(model), model.get_params(), vars(model), str(model.certificate_), model.certificate_.to_json()))
    assert_silent(Records(rows=DenseMatrix(X), targets=np.arange(60) % 3, domain=Domain(features=3, norm_bound=1.0, classes=3)))
    model.set_params(classes=[0, 1, 2])
    with pytest.raises(InvalidInput) as refused:
        model.fit(X, np.where(np.arange(60) == 3, int(CANARY), np.arange(60) % 3))
    assert_silent(refused.value)
