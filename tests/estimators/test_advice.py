"""Advice before a fit: what is legal and leaks is said once, what is not is not, and names of other libraries are answered."""

import inspect
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier, VotingClassifier
from sklearn.feature_selection import RFECV
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier
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
    release_uncertainty,
)
from discreet.core.errors import InvalidInput, InvalidType, PrivacyAdvice
from discreet.data import FunctionTable
from discreet.data.block_table import Block
from discreet.estimators import advice as advice_of_fits
from discreet.estimators import fit_with_cuts, fit_with_intervals, threshold_for
from discreet.ledger import Ledger, using
from discreet.matrices import as_matrix
from tests.estimators.summaries.test_summary import TABLE, people


@pytest.fixture(autouse=True)
def no_table_was_seen():
    advice_of_fits.forget()


def table(count=400, seed=0):
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
        (lambda: Lasso(target_bound=1.0), "data_bound was left at 1.0"),
        (lambda: LinearRegression(target_bound=1.0), "data_norm was left at 1"),
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
    said = [advice(lambda X=X, y=y: model(delta=0.01).fit(X, y)) for X, y in (table(seed=1), (np.zeros((400, 2)), np.zeros(400, dtype=int)))]
    assert said[0] == said[1] != []


def test_a_second_fit_of_one_table_without_a_ledger_is_noticed(tmp_path):
    X, y = table()
    assert advice(lambda: model().fit(X, y)) == []
    assert "no ledger" in advice(lambda: model(LogisticRegression).fit(X, y))[0]
    other = X.copy()
    other[17, 1] += 1e-9
    assert advice(lambda: model().fit(other, y)) == []
    Ledger.create(tmp_path / "ledger").declare("people", epsilon=10.0, delta=1e-3)
    with using(tmp_path / "ledger", "people"):
        assert advice(lambda: model().fit(X, y)) == []


def ways():
    """How a table comes to a fit, each of its own objects every time."""
    schema, (X, y), frame = Schema.from_dict(TABLE), table(), people()
    yield "an array", lambda: model().fit(X.copy(), y)
    yield "sparse rows", lambda: model().fit(sp.csr_array(X), y)
    yield "a pipeline", lambda: make_pipeline(FunctionTransformer(np.tanh), model()).fit(X, y)
    yield (
        "a pipeline that encodes",
        lambda: make_pipeline(schema.transformer(), LinearSVC(data_norm=1.5, classes=["no", "yes"])).fit(frame, frame["rich"]),
    )
    yield "a table that is encoded", lambda: LinearSVC(data_norm=schema.norm_bound).fit(schema.encode(frame, target=True))
    yield "cuts", lambda: fit_with_cuts(LinearSVC(epsilon=2.0, delta=1e-6), frame, schema)
    yield "a search", lambda: PrivateSearchCV(model(), {"alpha": [0.5, 5.0]}, epsilon=9.0, expected_runs=2.0).fit(X.copy(), y)
    blocks = FunctionTable(lambda _: Block(as_matrix(X), y), blocks=1, features=2)
    yield "blocks", lambda: model().fit(blocks)


@pytest.mark.parametrize("work", [pytest.param(work, id=name) for name, work in ways()])
def test_the_same_table_is_known_again_by_what_it_holds(work):
    assert advice(work) == []
    (said,) = advice(work)
    assert "used in an earlier fit" in said


def test_of_a_long_table_some_rows_are_compared_and_nothing_of_them_is_kept():
    X = np.random.default_rng(0).uniform(-0.5, 0.5, (3000, 200))
    y = (X[:, 0] > 0).astype(int)
    assert advice(lambda: model().fit(X, y)) == []
    assert "used in an earlier fit" in advice(lambda: model().fit(X.copy(), y))[0]
    assert advice(lambda: model().fit(X[::-1], y)) == []
    kept = list(advice_of_fits._SEEN)
    assert [len(one) for one in kept] == [16, 16]
    assert len(set(kept)) == 2


def outer():
    """Estimators around ours; each is another library's way to call a fit more than once, or to learn beside it."""
    yield CalibratedClassifierCV(model(), cv=2)
    yield RFECV(model(), cv=2)
    yield BaggingClassifier(model(max_sample_weight=5.0), n_estimators=2)
    yield OneVsRestClassifier(model())
    yield VotingClassifier([("one", model()), ("two", model(LogisticRegression))])
    yield MultiOutputClassifier(model())
    yield Wrapped(model())


class Wrapped(MetaEstimatorMixin, BaseEstimator):
    """Somebody else's."""

    def __init__(self, estimator):
        self.estimator = estimator

    def fit(self, X, y):
        clone(self.estimator).fit(X, y)
        return self


@pytest.mark.parametrize("made", [*outer()], ids=lambda one: type(one).__name__)
def test_any_estimator_around_ours_is_named(made):
    X, y = table()
    said = advice(lambda: made.fit(X, y[:, np.newaxis] if isinstance(made, MultiOutputClassifier) else y))
    assert [one for one in said if one.startswith(f"{type(made).__name__} calls the fit of ")], said
    assert ("fit_with_calibration" in said[0]) == isinstance(made, CalibratedClassifierCV)


def seeded():
    X, y = table()
    yield lambda seed: model(random_state=seed).fit(X, y)
    yield lambda seed: model(random_state=seed).fit_many(X, y, count=2)
    yield lambda seed: LinearRegression(data_norm=1.0, target_bound=1.0, random_state=seed).fit(X, X[:, 0])
    yield lambda seed: PrivateSearchCV(model(), {"alpha": [0.5, 5.0]}, epsilon=9.0, expected_runs=2.0, random_state=seed).fit(X, y)
    yield lambda seed: fit_with_cuts(LinearSVC(epsilon=2.0, delta=1e-6, random_state=seed), people(), Schema.from_dict(TABLE))
    yield lambda seed: fit_with_intervals(model(random_state=seed), X, y)
    yield lambda seed: evaluate_privately(model().fit(X, y), X, y, epsilon=1.0, random_state=seed)
    yield lambda seed: release_uncertainty(model().fit(X, y), X, y, epsilon=1.0, delta=1e-6, random_state=seed)


@pytest.mark.parametrize("work", [*seeded()])
def test_a_seed_is_said_to_make_the_noise_known(work):
    for seed in (None, 0):
        advice_of_fits.forget()
        said = [one for one in advice(lambda seed=seed: work(seed)) if "draw the same noise again" in one]
        assert len(said) == (seed is not None)


def noisy(count, neighbours):
    X, y = table(count)
    yield lambda: model(data_norm="private", neighbours=neighbours).fit(X, y)
    search = PrivateSearchCV(model(neighbours=neighbours), {"data_norm": [1.0, 2.0]}, epsilon=2.0, expected_runs=2.0)
    yield lambda: search.fit(*table(count, seed=1))


@pytest.mark.parametrize(("count", "neighbours", "says"), [(40, "replace-one", True), (40, "add-remove", False), (4000, "replace-one", False)])
def test_a_choice_inside_a_fit_that_is_mostly_noise_is_said_from_public_numbers(count, neighbours, says):
    for work in noisy(count, neighbours):
        assert any("it would be mostly noise" in one for one in advice(work)) is says


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
    again, y = table(seed=1)
    assert advice(lambda: private.fit(again, y)) == []
    assert any("used in an earlier fit" in one for one in advice(lambda: private.fit(again, y)))
    large = PrivateSearchCV(LinearSVC(classes=[0, 1]), {"alpha": [0.5, 5.0]}, epsilon=12.0, delta=0.1, expected_runs=2.0)
    said = advice(lambda: large.fit(*table(seed=2)))
    assert [any(part in one for one in said) for part in ("162,755 times", "above 1 / n", "data_norm was left")] == [True] * 3


def test_cross_validation_on_the_records_is_noticed():
    said = advice(lambda: cross_val_score(model(), *table(1200), cv=2))
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


def test_a_classifier_that_cannot_beat_one_answer_is_said_beforehand_from_public_numbers_alone():
    few, many = table(), table(4000)
    said = advice(lambda: model(epsilon=0.1, neighbours="replace-one").fit(*few))
    assert any("400 records are few for this budget" in words for words in said)
    assert not any("for this budget" in words for words in advice(lambda: model(epsilon=0.1, neighbours="replace-one").fit(*many)))
    secret = [advice(lambda given=given: model(epsilon=0.01, neighbours="add-remove").fit(*given)) for given in (few, many)]
    assert secret[0] == secret[1]
    assert any("is private" in words for words in secret[0])
