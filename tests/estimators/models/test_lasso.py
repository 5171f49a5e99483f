"""The sparse estimators: what they find, say, keep and refuse. scikit-learn's own checks are in test_scikit_learn.py."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from discreet import Lasso, LassoClassifier
from discreet.core.errors import InvalidInput
from discreet.ledger import Account, BudgetExceeded, Ledger
from tests.canary import CANARY, assert_refused_in_silence, assert_silent

PUBLIC_ATTRIBUTES = {"classes_", "weights_", "coef_", "intercept_", "certificate_", "n_features_in_", "feature_names_in_"}


def table(records=20_000, features=50):
    draw = np.random.default_rng(0)
    X = draw.choice([-1.0, 1.0], size=(records, features))
    return X, 0.5 * X[:, 1] - 0.4 * X[:, 2] + 0.05 * draw.standard_normal(records)


def test_the_features_that_matter_are_found():
    X, y = table()
    model = Lasso(epsilon=2.0, fit_intercept=False, random_state=0, target_bound=1.0).fit(X, y)
    assert set(np.flatnonzero(np.abs(model.coef_) > 0.1)) == {1, 2}
    assert np.abs(model.coef_).sum() <= 1.0 + 1e-12
    assert model.score(X, y) > 0.9


@pytest.mark.parametrize("change", [sp.csr_array, np.asfortranarray, lambda X: X.astype(np.float32)], ids=["sparse", "columns first", "single"])
def test_kinds_of_tables_give_the_same_model(change):
    X, y = table(2000)
    first, second = (LassoClassifier(radius=3.0, random_state=1, classes=[False, True]).fit(rows, y > 0) for rows in (X, change(X)))
    assert np.array_equal(first.weights_, second.weights_)


def test_names_of_columns_are_kept():
    X, y = table(300, 4)
    model = Lasso(random_state=1, target_bound=1.0).fit(pd.DataFrame(X, columns=list("abcd")), y)
    assert list(model.feature_names_in_) == list("abcd")
    assert np.array_equal(model.weights_, Lasso(random_state=1, target_bound=1.0).fit(X, y).weights_)


def test_an_intercept_is_a_coefficient_like_the_others():
    X, _ = table(20_000, 5)
    model = Lasso(epsilon=4.0, radius=1.0, random_state=0, target_bound=1.0).fit(X, np.full(len(X), 0.8))
    assert model.intercept_ == pytest.approx(0.8, abs=0.15)
    assert np.abs(model.weights_).sum() <= 1.0 + 1e-12
    assert np.allclose(model.predict(X), X @ model.coef_ + model.intercept_)


def test_rows_are_brought_within_the_bounds_in_prediction_too():
    X, y = table(2000, 5)
    model = Lasso(data_bound=0.5, data_norm=0.8, random_state=0, target_bound=1.0).fit(X, y)
    far = 100.0 * X[:10]
    clipped = np.clip(far, -0.5, 0.5)
    clipped *= np.minimum(1.0, 0.8 / np.linalg.norm(clipped, axis=1))[:, np.newaxis]
    assert np.allclose(model.predict(far), clipped @ model.coef_ + model.intercept_)


def test_a_certificate_verifies_without_a_seed_only():
    X, y = table(1000)
    for model in (
        Lasso(target_bound=1.0),
        Lasso(neighbours="add-remove", mechanism="frank-wolfe-gaussian", target_bound=1.0),
        LassoClassifier(delta=0.0, classes=[False, True]),
    ):
        target = y if isinstance(model, Lasso) else y > 0
        fitted = clone(model).fit(X, target)
        assert fitted.certificate_.verify(fitted.weights_).ok
        seeded = clone(model).set_params(random_state=0).fit(X, target)
        assert not seeded.certificate_.verify(seeded.weights_).ok


@pytest.mark.more
def test_public_records_are_declared_and_decide_on_the_number_of_steps():
    X, y = table(500)
    hidden = Lasso(neighbours="add-remove", target_bound=1.0).fit(X, y).certificate_
    other = Lasso(neighbours="add-remove", target_bound=1.0).fit(X[:100], y[:100]).certificate_
    assert hidden.parameters == other.parameters
    assert hidden.problem["records"] is None
    declared = Lasso(neighbours="add-remove", public_records=1_000_000, target_bound=1.0).fit(X, y).certificate_
    assert declared.parameters["steps"] > 4 * hidden.parameters["steps"]
    assert any("1000000" in line for line in declared.declared)


def test_without_privacy_it_is_the_lasso():
    X, y = table(2000)
    model = Lasso(epsilon=np.inf, radius=0.5, fit_intercept=False, target_bound=1.0).fit(X, y)
    assert model.coef_[1] == pytest.approx(0.3, abs=0.02)  # soft thresholding of 0.5 and 0.4 to a sum of 0.5
    assert model.coef_[2] == pytest.approx(-0.2, abs=0.02)
    assert not model.certificate_.verify(model.weights_).ok


def test_probabilities_are_those_of_the_logistic_model():
    X, y = table(2000)
    model = LassoClassifier(classes=["no", "yes"], radius=5.0).fit(X, np.where(y > 0, "yes", "no"))
    chances = model.predict_proba(X)
    assert np.allclose(chances.sum(axis=1), 1.0)
    assert np.allclose(chances[:, 1], 1.0 / (1.0 + np.exp(-model.decision_function(X))))
    assert np.allclose(np.exp(model.predict_log_proba(X)), chances)
    decision = model.decision_function(X)
    assert np.array_equal(model.predict(X) == "yes", decision > 0)
    clear = np.abs(decision) > 1e-12  # weights may cancel up to a rounding error, which the probability 0.5 does not show
    assert np.array_equal(model.predict(X)[clear] == "yes", chances[clear, 1] > 0.5)


@pytest.mark.more
def test_tools_of_scikit_learn_work():
    X, y = table()
    assert cross_val_score(Lasso(epsilon=4.0, fit_intercept=False, target_bound=1.0), X, y, cv=3).min() > 0.7
    assert cross_val_score(LassoClassifier(epsilon=4.0, radius=5.0, classes=[False, True]), X, y > 0, cv=3).min() > 0.8


def test_only_public_attributes_are_kept():
    X, y = table(300)
    for model in (Lasso(target_bound=1.0).fit(X, y), LassoClassifier(classes=[False, True]).fit(X, y > 0)):
        found = {name for name in vars(model) if name.endswith("_")}
        assert found <= PUBLIC_ATTRIBUTES
        assert pickle.loads(pickle.dumps(model)).weights_.tolist() == model.weights_.tolist()  # noqa: S301 - our own bytes


def test_nothing_of_a_record_is_shown():
    X, y = table(60, 3)
    X[0], y[0] = CANARY, CANARY
    with_nan = X.copy()
    with_nan[1, 1] = np.nan
    fitted = Lasso(target_bound=1.0).fit(X, y)
    assert_silent(repr(fitted) + str(fitted.certificate_) + str(vars(fitted)))
    calls = [
        lambda: Lasso(target_bound=1.0).fit(with_nan, y),
        lambda: Lasso(target_bound=1.0).fit(X, np.where(y == CANARY, np.inf, CANARY)),
        lambda: Lasso(target_bound=1.0).fit(X, [f"{CANARY}"] * 60),
        lambda: Lasso(target_bound=1.0).fit(X, y[:50]),
        lambda: Lasso(target_bound=1.0).fit(np.full((60, 3), f"text {CANARY}"), y),
        lambda: LassoClassifier(classes=[False, True]).fit(X, y),
        lambda: LassoClassifier(classes=[0, 1]).fit(X, np.full(60, 918273)),
        lambda: fitted.predict(np.full((2, 2), CANARY)),
    ]
    assert_refused_in_silence(calls)


REFUSED = [
    ({"radius": 0.0}, "radius"),
    ({"data_bound": -1.0}, "data_bound"),
    ({"data_bound": None}, "bound"),
    ({"target_bound": np.inf}, "target_bound"),
    ({"max_slope": 0.0}, "max_slope"),
    ({"loss": "absolute"}, "loss"),
    ({"loss": 3}, "loss"),
    ({"neighbours": "next"}, "neighbours"),
    ({"mechanism": "laplace"}, "mechanism"),
    ({"n_iter": 0}, "n_iter"),
    ({"n_iter": 2.5}, "n_iter"),
    ({"public_records": -3}, "public_records"),
    ({"epsilon": 0.0}, "epsilon"),
    ({"epsilon": "one"}, "epsilon"),
    ({"delta": 1.5}, "delta"),
    ({"ledger": "file"}, "ledger"),
    ({"random_state": "seed"}, "random_state"),
    ({"intercept_scale": 0.0}, "intercept_scale"),
]


@pytest.mark.parametrize(("parameters", "named"), REFUSED, ids=[str(parameters) for parameters, _ in REFUSED])
def test_a_wrong_parameter_is_refused_by_name(parameters, named):
    X, y = table(50)
    with pytest.raises(InvalidInput, match=named):
        Lasso(**{"target_bound": 1.0, **parameters}).fit(X, y)


def test_a_fit_spends_on_the_ledger_and_a_refused_one_leaves_no_model(tmp_path):
    Ledger.create(tmp_path / "spent.ledger").declare("people", epsilon=1.5, delta=1e-5)
    account = Account(tmp_path / "spent.ledger", "people")
    X, y = table(300)
    Lasso(ledger=account, target_bound=1.0).fit(X, y)
    model = LassoClassifier(ledger=account, classes=[False, True])
    with pytest.raises(BudgetExceeded):
        model.fit(X, y > 0)
    with pytest.raises(ValueError, match="not fitted"):
        model.predict(X)
