"""`explain`: what the fit does, from public numbers alone."""

import json

import numpy as np
import pytest
from sklearn.base import clone

from discreet import ConstrainedERM, KernelClassifier, LinearRegression, LinearSVC, LogisticRegression, Model, Schema
from discreet.core.errors import InfeasibleTarget, InvalidInput
from discreet.estimators.summaries.explanation import Explanation
from tests.estimators.summaries.test_summary import SINGLE, TABLE, fitted, people


def test_explain_needs_no_data_and_says_what_the_fit_then_does():
    model = LinearSVC(epsilon=1.0, delta=1e-6, classes=[0, 1])
    told = model.explain(features=4, records=500).to_dict()
    X = np.random.default_rng(0).uniform(-0.5, 0.5, (500, 4))
    model.fit(X, (X[:, 0] > 0).astype(int))
    assert model.certificate_.problem["ridge"] == told["alpha"]["lambda"]
    assert told["alpha"]["alpha"] == pytest.approx(told["alpha"]["lambda"] / 500)
    assert model.certificate_.mechanism == told["mechanism"]["name"]
    assert model.explain(records=500).to_dict() == told


def test_every_choice_is_told_with_its_alternatives():
    text = str(LinearSVC(epsilon=0.5, delta=1e-6, neighbours="add-remove").explain(features=105))
    for word in (
        "softplus-hinge",
        "R = 1.044",
        "lambda = ",
        "slack",
        "objective-perturbation-gaussian",
        "Output perturbation",
        "replace-one",
        "delta 0",
    ):
        assert word in text
    assert "alpha =" not in text, "n is private under add-remove"


def test_a_given_alpha_is_told_as_given_beside_the_rule():
    text = str(LogisticRegression(epsilon=1.0, alpha=0.01).explain(features=5, records=1000))
    assert "as given (alpha=None would take" in text
    told = LogisticRegression(epsilon=1.0, alpha=0.01).explain(features=5, records=1000).to_dict()
    assert told["alpha"]["lambda"] == pytest.approx(10.0)


def test_numbers_are_json_and_halve_under_add_remove():
    found = [json.loads(json.dumps(LinearSVC(delta=1e-6, neighbours=kind).explain(features=100).to_dict())) for kind in ("add-remove", "replace-one")]
    noise = [each["mechanism"]["weight_noise"] * each["alpha"]["lambda"] for each in found]
    assert noise[1] / noise[0] == pytest.approx(2.0, rel=0.1)


def test_an_alternative_that_no_noise_reaches_is_told_as_such():
    tight = LogisticRegression(epsilon=0.1, mechanism="output", alpha=0.001, delta=1e-6).explain(features=20, records=1000)
    assert "Objective perturbation at this lambda cannot reach this target" in str(tight)


def test_many_classes_are_explained():
    text = str(LogisticRegression(epsilon=1.0, delta=1e-6, classes=list(range(10))).explain(features=784, records=60000))
    assert "10 classes" in text
    assert "multinomial" in text


def test_a_kernel_machine_is_explained_for_its_random_features():
    told = KernelClassifier(epsilon=1.0, delta=1e-6, n_features=60).explain(records=1000)
    assert "60 features" in told.title


@pytest.mark.parametrize(
    ("model", "arguments", "says", "kind"),
    [
        (LinearSVC(), {}, r"explain\(features=d\)", InvalidInput),
        (LinearSVC(epsilon=np.inf), {"features": 3}, "finite epsilon", InvalidInput),
        (LinearSVC(), {"features": 0}, "features must be an integer of at least 1", InvalidInput),
        (LinearSVC(), {"features": 2.5}, "features must be an integer", InvalidInput),
        (LinearSVC(), {"features": 3, "records": "300"}, "records must be an integer", InvalidInput),
        (LinearSVC(), {"features": 3, "classes": True}, "classes must be an integer of at least 2", InvalidInput),
        (LinearRegression(), {"features": "3"}, "features must be an integer", InvalidInput),
        (LinearRegression(), {"features": 3, "records": -1}, "records must be an integer of at least 0", InvalidInput),
        (ConstrainedERM(), {"features": 3.0}, "features must be an integer", InvalidInput),
        (LogisticRegression(alpha=1e-9, epsilon=0.1), {"features": 3, "records": 100}, "needs alpha >", InfeasibleTarget),
        (LinearSVC(alpha=0.1, neighbours="add-remove"), {"features": 3}, "public_records", InvalidInput),
    ],
)
def test_what_cannot_be_explained_is_said_in_one_sentence(model, arguments, says, kind):
    with pytest.raises(kind, match=says):
        model.explain(**arguments)


def test_every_estimator_explains_itself_before_and_after_a_fit_and_so_does_its_file():
    for name in SINGLE:
        unfitted = clone(fitted(name))
        assert isinstance(unfitted.explain(features=4, records=1000), Explanation)
        assert isinstance(fitted(name).explain(records=300), Explanation)
    schema = Schema.from_dict(TABLE)
    model = Model.from_estimator(LinearSVC(data_norm=schema.norm_bound).fit(schema.encode(people(), target=True)), schema)
    told = model.explain().to_dict()
    assert told["alpha"]["lambda"] == model.certificate.problem["ridge"]
    assert model.certificate.mechanism in told["mechanism"]["text"]
