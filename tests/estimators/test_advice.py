"""Advice before a fit: what is legal and leaks is said once, what is not is not, and names of other libraries are answered."""

import inspect
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from discreet import (
    KernelClassifier,
    Lasso,
    LinearRegression,
    LinearSVC,
    LogisticRegression,
    OrdinalRegression,
    PrivateSearchCV,
    Schema,
    SurvivalModel,
    evaluate_privately,
)
from discreet.core.errors import InvalidInput, InvalidType, PrivacyAdvice
from discreet.estimators import fit_with_cuts, threshold_for
from discreet.ledger import Ledger, using
from tests.estimators.test_summary import TABLE, people


def table(count=200, seed=0):
    X = np.random.default_rng(seed).uniform(-0.5, 0.5, (count, 2))
    return X, (X[:, 0] > 0).astype(int)


def model(kind=LinearSVC, **settings):
    return kind(**({"classes": [0, 1], "data_norm": 1.0} | settings))


def advice(work):
    """What is said while `work` runs."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", PrivacyAdvice)
        work()
    return [str(one.message) for one in caught if one.category is PrivacyAdvice]


def test_a_plain_fit_says_nothing():
    assert advice(lambda: model().fit(*table())) == []
    schema = Schema.from_dict(TABLE)
    assert advice(lambda: LinearSVC(data_norm=schema.norm_bound).fit(schema.encode(people(), target=True))) == []


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (lambda: model(epsilon=10.0), "22,026 times"),
        (lambda: model(delta=0.01), "above 1 / n"),
        (lambda: LinearSVC(classes=[0, 1]), "data_norm was left at 1.0"),
        (Lasso, "data_bound was left at 1.0"),
        (LinearRegression, "data_norm was left at 1"),
        (lambda: OrdinalRegression(classes=[0, 1], data_norm=1.0, epsilon=10.0), "22,026 times"),
        (lambda: SurvivalModel(data_norm=1.0, delta=0.01), "above 1 / n"),
    ],
)
def test_what_is_worth_saying_is_said_with_a_remedy(made, says):
    (said,) = advice(lambda: made().fit(*table()))
    assert says in said


@pytest.mark.parametrize(
    "made",
    [
        lambda: model(epsilon=np.inf, alpha=0.1),
        lambda: model(epsilon=9.99),
        lambda: model(delta=0.01, neighbours="add-remove"),  # n is private: nothing may depend on it
        lambda: clone(LinearSVC(classes=[0, 1])),
        lambda: KernelClassifier(classes=[0, 1], n_features=4),
    ],
)
def test_what_is_not_is_not(made):
    assert advice(lambda: made().fit(*table())) == []


def test_what_is_said_of_delta_is_the_same_for_every_table_of_that_many_records():
    said = [advice(lambda X=X, y=y: model(delta=0.01).fit(X, y)) for X, y in (table(seed=1), (np.zeros((200, 2)), np.zeros(200, dtype=int)))]
    assert said[0] == said[1] != []


def test_a_second_fit_of_one_table_without_a_ledger_is_noticed(tmp_path):
    X, y = table()
    assert advice(lambda: model().fit(X, y)) == []
    assert "no ledger" in advice(lambda: model(LogisticRegression).fit(X, y))[0]
    assert advice(lambda: model().fit(X.copy(), y)) == []
    Ledger.create(tmp_path / "ledger").declare("people", epsilon=10.0, delta=1e-3)
    with using(tmp_path / "ledger", "people"):
        assert advice(lambda: model().fit(X, y)) == []


def test_a_step_that_learns_is_named_and_public_ones_are_not():
    (said,) = advice(lambda: make_pipeline(StandardScaler(), model()).fit(*table()))
    assert "standardscaler" in said
    assert "Schema.transformer" in said
    assert advice(lambda: make_pipeline(FunctionTransformer(np.tanh), model()).fit(*table())) == []
    schema, frame = Schema.from_dict(TABLE), people()
    public = make_pipeline(schema.transformer(), LinearSVC(data_norm=schema.norm_bound, classes=["no", "yes"]))
    assert advice(lambda: public.fit(frame, frame["rich"])) == []


def test_a_search_on_the_records_is_noticed_and_the_private_one_is_not():
    X, y = table()
    said = advice(lambda: GridSearchCV(model(), {"alpha": [0.1, 1.0]}, cv=2).fit(X, y))
    assert any("PrivateSearchCV" in one for one in said)
    private = PrivateSearchCV(model(), {"alpha": [0.5, 5.0]}, epsilon=9.0, expected_runs=2.0)
    again = X.copy()
    assert advice(lambda: private.fit(again, y)) == []
    assert any("used in an earlier fit" in one for one in advice(lambda: private.fit(again, y)))
    large = PrivateSearchCV(LinearSVC(classes=[0, 1]), {"alpha": [0.5, 5.0]}, epsilon=12.0, delta=0.1, expected_runs=2.0)
    said = advice(lambda: large.fit(X.copy(), y))
    assert [any(part in one for one in said) for part in ("162,755 times", "above 1 / n", "data_norm was left")] == [True] * 3


def test_cross_validation_on_the_records_is_noticed():
    said = advice(lambda: cross_val_score(model(), *table(), cv=2))
    assert said
    assert all("evaluate_privately" in one for one in said)


def test_an_evaluation_says_what_a_fit_would_of_epsilon_and_delta():
    X, y = table()
    fitted = model().fit(X, y)
    for given, says in (({"epsilon": 12.0}, "162,755 times"), ({"epsilon": 1.0, "delta": 0.1}, "above 1 / n")):
        (said,) = advice(lambda given=given: evaluate_privately(fitted, X, y, **given))
        assert says in said
    assert advice(lambda: evaluate_privately(fitted, X, y, epsilon=1.0, delta=0.1, neighbours="add-remove")) == []


def test_cuts_and_a_fit_are_one_fit():
    schema, frame = Schema.from_dict(TABLE), people()
    assert advice(lambda: fit_with_cuts(LinearSVC(epsilon=2.0, delta=1e-6), frame, schema)) == []


@pytest.mark.parametrize(
    ("kind", "given", "says"),
    [
        (LogisticRegression, {"C": 1.0}, "called alpha here"),
        (Lasso, {"neighbors": "add-remove"}, "called neighbours here"),
        (LinearRegression, {"penalty": "l1"}, "Lasso"),
        (LogisticRegression, {"l1_ratio": 0.5}, "an elastic net is ConstrainedERM over an l1 ball"),
        (LinearSVC, {"epsilonn": 1.0}, "Did you mean 'epsilon'"),
        (PrivateSearchCV, {"accountant": None}, "ledger"),
    ],
)
def test_names_of_other_libraries_are_answered(kind, given, says):
    with pytest.raises(TypeError, match=says) as raised:
        kind(**given)
    assert isinstance(raised.value, InvalidType)
    if kind is not PrivateSearchCV:
        with pytest.raises(ValueError, match=says):
            kind().set_params(**given)


def test_balanced_weights_are_refused_with_what_to_do():
    with pytest.raises(InvalidInput, match="public base rate"):
        model(class_weight="balanced").fit(*table())


def test_a_threshold_follows_public_costs():
    X, y = table(2000)
    fitted = model(LogisticRegression, random_state=0).fit(X, y)
    low, high = (fitted.predict(X, threshold=threshold_for(false_positive=1.0, false_negative=times)) for times in (19.0, 1.0 / 19.0))
    assert high.sum() < fitted.predict(X).sum() < low.sum()
    assert np.array_equal(low, (fitted.predict_proba(X)[:, 1] > 0.05).astype(int))
    assert np.array_equal(fitted.predict(X, threshold=0.5), fitted.predict(X))
    for wrong in (0.0, 1.0, "half"):
        with pytest.raises(InvalidInput, match="between 0 and 1"):
            fitted.predict(X, threshold=wrong)
    with pytest.raises(InvalidInput, match="two classes"):
        LogisticRegression(classes=[0, 1, 2]).fit(X, np.arange(2000) % 3).predict(X, threshold=0.5)


def test_help_still_knows_the_parameters():
    assert list(inspect.signature(LinearSVC).parameters) == [*inspect.signature(LinearSVC.__init__).parameters][1:]
    assert "epsilon" in inspect.signature(PrivateSearchCV).parameters


@pytest.mark.parametrize("kind", [LogisticRegression, LinearRegression, SurvivalModel, Lasso])
def test_a_parameter_that_fit_has_not_is_answered_by_the_class_that_was_called(kind):
    with pytest.raises(InvalidType, match=rf"^{kind.__name__}\.fit has no parameter 'person'\. Did you mean 'persons'\?"):
        kind().fit([[0.0], [1.0]], [0, 1], person=[1, 2])
    assert list(inspect.signature(kind.fit).parameters)[:3] == ["self", "X", "y"]
