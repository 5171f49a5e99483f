"""What is wrong on public grounds is refused before anything is spent, planned around, or taken from a fitted model."""

import numpy as np
import pytest

from discreet import ConstrainedERM, KernelClassifier, LassoClassifier, LinearRegression, LinearSVC, LogisticRegression, PrivateSearchCV, Schema
from discreet.core.errors import InvalidInput
from discreet.data import NumberTarget, NumericColumn
from discreet.ledger import BudgetExceeded, Ledger
from discreet.statements.base import SCHEMA

ROWS = np.random.default_rng(0).uniform(-0.5, 0.5, (300, 3))
LABELS = np.where(ROWS[:, 0] > 0, "yes", "no")


@pytest.mark.parametrize(
    ("model", "grid", "says"),
    [
        (LassoClassifier(classes=["no", "yes", "x"]), {"radius": [1, 2]}, "Only binary"),
        (LassoClassifier(classes=["no", "yes"], n_jobs=0), {"radius": [1, 2]}, "n_jobs"),
        (LinearSVC(classes=["no", "yes", "yes"]), {"alpha": [0.1, 0.2]}, "different classes"),
    ],
)
def test_a_search_that_cannot_be_fitted_spends_nothing(account, model, grid, says):
    with pytest.raises(InvalidInput, match=says):
        PrivateSearchCV(model, grid, epsilon=2.0, delta=1e-6, ledger=account).fit(ROWS, LABELS)
    assert not Ledger(account.path).history("people")


def test_a_search_over_kernel_machines_draws_one_fresh_seed():
    model = KernelClassifier(classes=["no", "yes"], n_features=8, feature_seed=None)
    found = PrivateSearchCV(model, {"gamma": [0.5, 2.0]}, epsilon=4.0, delta=1e-6, expected_runs=3.0).fit(ROWS, LABELS)
    seeds = {each["problem"]["feature_map"]["seed"] for each in found.certificate_.parameters["candidates"]}
    assert seeds == {found.best_estimator_.feature_seed_}
    assert found.certificate_.verify(found.best_estimator_.weights_).ok
    given = PrivateSearchCV(model, {"feature_seed": [None, 3]}, epsilon=4.0, delta=1e-6, expected_runs=3.0).fit(ROWS, LABELS)
    assert given.best_estimator_.feature_seed_ is not None


def test_a_plan_leaves_a_fitted_kernel_machine_as_it_is():
    model = KernelClassifier(classes=["no", "yes"], n_features=8, feature_seed=None, random_state=0).fit(ROWS, LABELS)
    before, frequencies = model.predict(ROWS), model.frequencies_
    model.plan(features=5, records=300)
    np.testing.assert_array_equal(model.predict(ROWS), before)
    assert model.frequencies_ is frequencies


@pytest.mark.parametrize("model", [LassoClassifier(n_iter=3), ConstrainedERM(loss="logistic")], ids=["lasso", "over a set"])
def test_a_refused_refit_leaves_the_classes_of_the_model(account, model):
    model.set_params(classes=["no", "yes"], epsilon=1.0).fit(ROWS, LABELS)
    before = model.predict(ROWS)
    model.set_params(classes=["yes", "no"], epsilon=50.0, ledger=account)
    with pytest.raises(BudgetExceeded):
        model.fit(ROWS, LABELS)
    np.testing.assert_array_equal(model.predict(ROWS), before)


def test_a_fit_on_numbers_has_no_classes():
    model = ConstrainedERM(loss="logistic", classes=["no", "yes"]).fit(ROWS, LABELS)
    assert model.classes_.tolist() == ["no", "yes"]
    assert "classes_" not in vars(model.set_params(loss="squared", classes=None, target_bound=1.0).fit(ROWS, ROWS[:, 0]))


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_a_regression_on_an_encoded_table_states_the_schema(neighbours):
    schema = Schema(name="people", target=NumberTarget(column="pay", lower=0.0, upper=10.0), numeric=(NumericColumn(name="age", lower=0, upper=100),))
    table = schema.encode({"age": [20.0, 60.0] * 200, "pay": [1.0, 8.0] * 200}, target=True)
    model = LinearRegression(neighbours=neighbours, public_records=400, target_bound=1.0).fit(table)
    assert model.certificate_.declared[0] == SCHEMA
    assert model.certificate_.verify(model.weights_).ok


def test_named_weights_of_all_classes_plan_what_a_fit_states():
    model = LogisticRegression(class_weight={"no": 0.5, "yes": 0.25}, random_state=0)
    planned = model.plan(features=3, records=300)
    with pytest.warns(match="takes its classes from the records"):
        assert planned.problem == model.fit(ROWS, LABELS).certificate_.problem
    assert LogisticRegression(class_weight={"no": 0.5}).plan(features=3, records=300).problem["max_weight"] == 1.0
    with pytest.raises(InvalidInput, match="must be a dict"):
        LogisticRegression(class_weight="balanced").plan(features=3)


@pytest.mark.parametrize(
    "model",
    [LinearSVC(), KernelClassifier(n_features=8), LassoClassifier(), LinearRegression(target_bound=1.0)],
    ids=lambda each: type(each).__name__,
)
@pytest.mark.parametrize(
    "asked", [{"features": "3"}, {"features": 2.5}, {"features": 0}, {"features": 3, "records": "300"}, {"features": 3, "records": -1}], ids=str
)
def test_a_plan_refuses_what_is_no_whole_number(model, asked):
    with pytest.raises(InvalidInput, match=f"{list(asked)[-1]} must be an integer"):
        model.plan(**asked)


def test_a_plan_says_what_it_needs():
    with pytest.raises(InvalidInput, match="classes must be an integer of at least 2"):
        LinearSVC().plan(features=3, classes=1)
    with pytest.raises(InvalidInput, match=r"plan\(records=n\)"):
        LinearSVC(alpha=0.1).plan(features=2)
    with pytest.raises(InvalidInput, match="public_records"):
        LinearSVC(alpha=0.1, neighbours="add-remove").plan(features=2, records=300)


def test_features_of_an_explained_kernel_machine_are_columns_of_x():
    model = KernelClassifier(epsilon=1.0, n_features=60)
    assert str(model.explain(features=3, records=1000)) == str(model.explain(records=1000))
    with pytest.raises(InvalidInput, match="features must be"):
        model.explain(features=0)
