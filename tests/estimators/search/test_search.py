"""PrivateSearchCV: it finds, promises, spends and keeps what it should, and behaves around scikit-learn.

The search itself, run many times on two neighbours: what can be told stays below the claim, and does not once the score loses its noise.
"""

import math
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from scipy import stats
from sklearn.base import clone, is_classifier
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from discreet import KernelClassifier, LinearSVC, LogisticRegression, Model, PrivateSearchCV, Schema
from discreet.accounting import ApproximateDP, PureDP
from discreet.core.errors import InfeasibleTarget, InvalidInput, SolverFailure, VerificationFailure
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.estimators.search import methods
from discreet.ledger import Account, BudgetExceeded, Ledger, using
from discreet.mechanisms.selection import CountNoise
from tests.canary import CANARY, assert_silent
from tests.schemas import schema_text

GRID = {"alpha": [0.03, 0.3]}


def table(records: int = 1500) -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(0).uniform(-0.5, 0.5, (records, 3))
    return X, np.where(X[:, 0] > 0, "yes", "no")


def search(inner: object = None, grid: object = None, **given: object) -> PrivateSearchCV:
    chosen = LogisticRegression(classes=["no", "yes"]) if inner is None else inner
    return PrivateSearchCV(chosen, GRID if grid is None else grid, **{"epsilon": 2.0, "expected_runs": 3.0, **given})


@pytest.mark.parametrize("method", ["random-stopping", "algorithm-4"])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_a_search_finds_a_model_and_states_its_total(method: str, delta: float, neighbours: str) -> None:
    public = {"public_records": 1500} if neighbours == "add-remove" else {}
    inner = LinearSVC(classes=["no", "yes"], neighbours=neighbours, mechanism="objective", **public)
    made = search(inner, method=method, delta=delta).fit(*table())
    assert made.score(*table()) > 0.8
    stated = made.certificate_.guarantee
    assert stated.neighbours is (ADD_REMOVE if public else REPLACE_ONE)
    assert isinstance(stated, ApproximateDP if delta else PureDP)
    assert stated.epsilon == pytest.approx(2.0, rel=1e-9)
    assert stated.delta(stated.epsilon) <= delta
    assert made.best_params_ == GRID_SETTINGS[made.best_index_] == made.candidates_[made.best_index_]
    assert made.best_estimator_.certificate_ is made.certificate_
    assert math.isnan(made.best_score_) if method == "algorithm-4" else 0.6 < made.best_score_ < 1.3
    assert list(made.classes_) == ["no", "yes"]
    assert ("the number of runs" in stated.secret) == (method == "random-stopping")


GRID_SETTINGS = [{"alpha": 0.03}, {"alpha": 0.3}]


def test_what_is_delegated_is_what_the_chosen_model_says() -> None:
    X, y = table()
    made = search().fit(X, y)
    for name in ("predict", "predict_proba", "predict_log_proba", "decision_function"):
        np.testing.assert_array_equal(getattr(made, name)(X), getattr(made.best_estimator_, name)(X))
    assert made.score(X, y) == made.best_estimator_.score(X, y)
    for inner in (LinearSVC(classes=["no", "yes"]), LogisticRegression(classes=["no", "yes"])):
        for name in ("predict_proba", "decision_function"):
            assert hasattr(search(inner), name) == hasattr(inner, name)
    assert is_classifier(made)


@pytest.mark.more
def test_many_runs_find_the_better_setting() -> None:
    """One setting shrinks everything to a constant answer."""
    X, _ = table(4000)
    shifted = np.where(X[:, 0] > 0.3, "yes", "no")
    given = {"epsilon": 20.0, "expected_runs": 10.0}
    found = [search(grid={"alpha": [1e6, 0.01]}, random_state=seed, **given).fit(X, shifted).best_index_ for seed in range(10)]
    assert sum(found) >= 9  # by chance once in 90; once in 11 the better one is never run


def test_settings_may_be_drawn_from_distributions_by_a_public_seed() -> None:
    made = PrivateSearchCV(
        LogisticRegression(classes=["no", "yes"]),
        param_distributions={"alpha": stats.loguniform(0.01, 1.0), "mechanism": ["objective", "output"]},
        n_candidates=4,
        public_seed=3,
        epsilon=2.0,
    ).fit(*table())
    assert len(made.candidates_) == 4
    assert clone(made).fit(*table()).candidates_ == made.candidates_


def test_frames_sparse_rows_and_encoded_tables_can_be_searched() -> None:
    X, y = table()
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    made = search().fit(frame, pd.Series(y))
    assert list(made.feature_names_in_) == ["a", "b", "c"]
    assert set(made.predict(frame)) <= {"no", "yes"}
    for rows in (sp.csr_array(X), pl.DataFrame(X, schema=["a", "b", "c"])):
        for method in ("random-stopping", "algorithm-4"):
            assert search(method=method).fit(rows, y).n_features_in_ == 3
    schema = Schema.from_toml(SCHEMA)
    encoded = schema.encode(pl.DataFrame({"a": X[:, 0], "y": y}), target=True)
    made = search(LogisticRegression(classes=["no", "yes"])).fit(encoded)
    model = Model.from_estimator(made.best_estimator_, schema)
    assert model.verify().ok
    assert model.certificate == made.certificate_
    with pytest.raises(InvalidInput, match="random-stopping"):
        search(LogisticRegression(classes=["no", "yes"]), method="algorithm-4").fit(encoded)


SCHEMA = schema_text("people", "y", {"a": {"lower": -0.5, "upper": 0.5, "outside": "clip"}})


def test_kernel_classifiers_can_be_searched() -> None:
    made = search(KernelClassifier(n_features=10, classes=["no", "yes"]), {"gamma": [0.5, 2.0]}, delta=1e-6).fit(*table())
    assert made.certificate_.verify(made.best_estimator_.weights_).ok


@pytest.mark.parametrize("method", [pytest.param("random-stopping", marks=pytest.mark.more), "algorithm-4"])
def test_more_classes_can_be_searched(method: str) -> None:
    X, _ = table(2000)
    y = np.array(["a", "b", "c"])[(X[:, 0] > 0).astype(int) + (X[:, 1] > 0)]
    made = search(LogisticRegression(classes=["a", "b", "c"]), method=method, epsilon=4.0).fit(X, y)
    assert list(made.classes_) == ["a", "b", "c"]
    assert made.certificate_.verify(made.best_estimator_.weights_).ok
    assert made.score(X, y) > 0.6


@pytest.fixture
def account(tmp_path: Path) -> Account:
    path = tmp_path / "ledger"
    Ledger.create(path).declare("people", epsilon=3.0, delta=1e-5)
    return Account(str(path), "people")


@pytest.mark.parametrize("method", ["random-stopping", "algorithm-4"])
def test_the_whole_search_is_one_entry(account: Account, method: str) -> None:
    made = search(LogisticRegression(ledger=account, classes=["no", "yes"]), method=method, delta=1e-6).fit(*table())
    (entry,) = account.ledger.history("people")
    assert entry.guarantee == made.certificate_.guarantee
    assert entry.id == made.certificate_.ledger_entry
    assert method in entry.purpose
    assert account.left.epsilon == pytest.approx(1.0)
    with pytest.raises(BudgetExceeded):
        clone(made).fit(*table())
    with using(account.path, "people"):
        search(method=method, epsilon=0.9, grid={"alpha": [1.0]}).fit(*table())
    assert len(account.ledger.history("people")) == 2


def test_a_budget_that_is_exceeded_draws_nothing(account: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.noise.stopping.number_of_runs", lambda *_, **__: pytest.fail("drawn"))
    with pytest.raises(BudgetExceeded):
        search(ledger=account, epsilon=5.0).fit(*table())
    assert account.ledger.history("people") == ()


def test_the_table_is_known_again_by_its_digest(account: Account, tmp_path: Path) -> None:
    X, y = table()
    search(ledger=account, epsilon=0.5).fit(X, y)
    account.ledger.declare("others", epsilon=1.0)
    with pytest.raises(InvalidInput, match="people"):
        LogisticRegression(epsilon=0.1, classes=["no", "yes"], ledger=Account(account.path, "others")).fit(X, y)


def test_an_unfitted_search_without_account_does_not_leave_a_process_where_a_ledger_is_in_use(account: Account) -> None:
    with using(account.path, "people"):
        with pytest.raises(InvalidInput, match="ledger is in use"):
            pickle.dumps(search())
        pickle.dumps(search(ledger=account))
        pickle.dumps(search(LogisticRegression(ledger=account)))
        made = search(epsilon=0.5, ledger=account).fit(*table())
        assert pickle.loads(pickle.dumps(made)).best_params_ == made.best_params_  # noqa: S301 - what was just written


def test_a_seed_repeats_the_search_and_its_certificate_does_not_hold() -> None:
    first, second = (search(random_state=7).fit(*table()) for _ in range(2))
    np.testing.assert_array_equal(first.best_estimator_.weights_, second.best_estimator_.weights_)
    assert first.best_score_ == second.best_score_
    assert not first.certificate_.noise_private
    assert not first.certificate_.verify().ok
    other = search(random_state=np.random.default_rng(8)).fit(*table())
    assert other.best_score_ != first.best_score_


def test_runs_of_a_seeded_search_draw_noise_of_their_own() -> None:
    seeds = []
    prepared = methods.Fits.prepared

    def listening(self: object, number: int, **given: object) -> object:
        seeds.append(given["seed"])
        return prepared(self, number, **given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(methods.Fits, "prepared", listening)
        search(random_state=5, expected_runs=30.0).fit(*table(200))
    runs = [seed for seed in seeds if seed != 0]
    assert len(runs) == len(set(runs))


def test_nothing_is_kept_but_what_is_released() -> None:
    made = search().fit(*table())
    assert {name for name in vars(made) if name.endswith("_")} == {
        "best_estimator_",
        "best_index_",
        "best_params_",
        "best_score_",
        "candidates_",
        "certificate_",
        "n_features_in_",
    }
    assert made.get_params()["estimator"].get_params() == LogisticRegression(classes=["no", "yes"]).get_params()


def test_failed_fits_are_runs_with_the_worst_score(monkeypatch: pytest.MonkeyPatch) -> None:
    fit = LogisticRegression.fit
    attempts = []

    def failing(self: LogisticRegression, X: object, y: object) -> object:
        attempts.append(self.alpha)
        if self.alpha == 0.03 and not sp.issparse(X):
            raise SolverFailure("no")
        return fit(self, X, y)

    monkeypatch.setattr(LogisticRegression, "fit", failing)
    made = search(grid={"alpha": [0.03] * 1 + [0.3] * 9}, expected_runs=60.0, random_state=1).fit(*table(300))
    assert made.best_params_ == {"alpha": 0.3}
    with pytest.raises(SolverFailure, match="budget counts as spent"):
        search(grid={"alpha": [0.03]}).fit(*table(300))


def test_an_estimator_that_promises_otherwise_on_the_records_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as one whose noise depends on the data."""
    fit = LogisticRegression.fit

    def peeking(self: LogisticRegression, X: object, y: object) -> object:
        self.alpha = self.alpha * (1.0 if sp.issparse(X) else 2.0)
        return fit(self, X, y)

    monkeypatch.setattr(LogisticRegression, "fit", peeking)
    with pytest.raises(VerificationFailure, match="differs from the one planned"):
        search().fit(*table(300))


REFUSED = {
    "no settings": (lambda: search(grid={"alpha": []}), "empty|at least one|non-empty"),
    "both": (lambda: PrivateSearchCV(LogisticRegression(), GRID, param_distributions=GRID), "not both"),
    "neither": (lambda: PrivateSearchCV(LogisticRegression()), "not both"),
    "epsilon in the grid": (lambda: search(grid={"epsilon": [1.0]}), "cannot be searched over"),
    "a seeded estimator": (
        lambda: search(LogisticRegression(random_state=1, classes=["no", "yes"])),
        "the estimator has a random_state, so every fit would",
    ),
    "method": (lambda: search(method="grid"), "method must be one of"),
    "law": (lambda: search(law="poisson"), "law must be one of"),
    "runs": (lambda: search(expected_runs=1.0), "expected number of runs"),
    "share": (lambda: search(score_share=1.0), "score_share"),
    "epsilon": (lambda: search(epsilon=math.inf), "scikit-learn's own search"),
    "epsilon text": (lambda: search(epsilon="1"), "must be a number"),
    "delta": (lambda: search(delta=1.0), "delta"),
    "candidates": (lambda: PrivateSearchCV(LogisticRegression(), param_distributions=GRID, n_candidates=0), "n_candidates"),
    "another library": (lambda: PrivateSearchCV(SGDClassifier(), GRID), "private by itself"),
    "a pipeline": (lambda: PrivateSearchCV(make_pipeline(FunctionTransformer(), LogisticRegression()), GRID), "private by itself"),
    "no estimator": (lambda: PrivateSearchCV(LogisticRegression, GRID), "needs an estimator"),
    "dummy": (lambda: PrivateSearchCV(DummyClassifier(), GRID), "private by itself"),
    "relation": (lambda: search(LogisticRegression(neighbours="next door", classes=["no", "yes"])), "neighbours must be one of"),
    "ledger": (lambda: search(ledger="file"), "Account"),
    "noise": (lambda: search(random_state="seed"), "random_state"),
    "another label": (lambda: search(LogisticRegression(classes=["no", "maybe"])), "y contains a label that is not one of the declared"),
    "an infeasible setting": (lambda: search(grid={"alpha": [1e-9]}, delta=1e-6), "leave this setting out"),
    "a setting of no parameter": (lambda: search(grid={"alhpa": [1.0]}), "alhpa"),
}


@pytest.mark.parametrize(("make", "says"), REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_be_searched_is_refused_in_one_sentence(make: object, says: str) -> None:
    with pytest.raises((ValueError, TypeError), match=says):
        make().fit(*table(300))


def test_too_few_records_for_algorithm_4_are_refused() -> None:
    with pytest.raises(InvalidInput, match="fewer settings"):
        search(method="algorithm-4", grid={"alpha": [1.0, 2.0, 3.0, 4.0]}).fit(*table(4))


def test_infeasible_settings_are_named_with_public_numbers() -> None:
    with pytest.raises(InfeasibleTarget, match=r"alpha.*1e-05.*epsilon="):
        search(grid={"alpha": [0.1, 1e-5]}, epsilon=0.1, delta=1e-6).fit(*table(300))


def test_cross_validation_pipelines_and_parameters_work_around_it() -> None:
    X, y = table(900)
    model = make_pipeline(FunctionTransformer(np.tanh), search(epsilon=20.0))
    assert cross_val_score(model, X, y, cv=2).min() > 0.7
    made = search().set_params(estimator__data_norm=0.5, epsilon=3.0)
    assert made.estimator.data_norm == 0.5
    with pytest.raises(NotFittedError):
        made.predict(X)


def test_no_record_is_told(caplog: pytest.LogCaptureFixture) -> None:
    X, y = table(300)
    X = X * CANARY
    X[0] = CANARY
    made = search(delta=1e-6).fit(X, y)
    assert_silent(repr(made))
    assert_silent(made.certificate_)
    assert_silent(made.certificate_.to_json())
    for broken in (np.where(np.arange(300)[:, None] == 3, np.nan, X), np.full(X.shape, f"{CANARY}a")):
        with pytest.raises(InvalidInput) as caught:
            search().fit(broken, y)
        assert_silent(caught.value)
    with pytest.raises(InvalidInput) as caught:
        search(LogisticRegression(classes=[0, 1])).fit(X, np.where(np.arange(300) == 3, int(CANARY), 0))
    assert_silent(caught.value)
    assert_silent(caplog.text)


RUNS = 700
RECORDS = 40
CLAIM = 1.0
LEVEL = 1e-6


def outcomes(signs: np.ndarray, method: str) -> np.ndarray:
    """(score, sign of the weight, setting) of RUNS searches on equal rows with these labels."""
    X = np.full((RECORDS, 1), 0.5)
    model = LogisticRegression(classes=[0, 1], fit_intercept=False)
    search = PrivateSearchCV(model, {"alpha": [1.0, 50.0]}, epsilon=CLAIM, expected_runs=4.0, method=method)
    found = []
    for _ in range(RUNS):
        search.fit(X, signs)
        found.append((search.best_score_ * RECORDS, search.best_estimator_.weights_[0] > 0, search.best_index_))
    return np.array(found, dtype=float)


def lower_bound(first: np.ndarray, second: np.ndarray) -> float:
    """Of the privacy loss, over events fixed in advance: scores above a number or next to one, signs, settings, and their combinations."""
    counts = np.arange(RECORDS + 1.0)
    rounded = [np.nan_to_num(np.rint(each[:, 0]), nan=-1.0) for each in (first, second)]
    events = [lambda score, _sign, _index, c=c: score == c for c in (0.0, 1.0, RECORDS - 1.0, float(RECORDS))]
    events += [lambda score, _sign, _index: (score == 0) | (score == RECORDS)]
    events += [lambda score, _sign, _index, c=c: score > c for c in counts[::8]]
    events += [lambda _score, sign, _index: sign > 0, lambda _score, _sign, index: index == 0]
    events += [lambda score, sign, _index: (sign > 0) & (score > RECORDS / 2)]
    best = 0.0
    for event in events:
        hits = [int(np.count_nonzero(event(score, each[:, 1], each[:, 2]))) for score, each in zip(rounded, (first, second), strict=True)]
        for likely, rare in (hits, hits[::-1], [RUNS - hit for hit in hits], [RUNS - hit for hit in hits[::-1]]):
            low = stats.beta.ppf(LEVEL, likely, RUNS - likely + 1) if likely else 0.0
            high = stats.beta.ppf(1.0 - LEVEL, rare + 1, RUNS - rare) if rare < RUNS else 1.0
            best = max(best, float(np.log(max(low, 1e-300) / high)))
    return best


@pytest.fixture(scope="module")
def neighbours() -> tuple[np.ndarray, np.ndarray]:
    ones = np.ones(RECORDS, dtype=int)
    other = ones.copy()
    other[0] = 0
    return ones, other


@pytest.mark.slow
@pytest.mark.parametrize("method", ["random-stopping", "algorithm-4"])
def test_what_can_be_told_is_below_the_claim(method: str, neighbours: tuple[np.ndarray, np.ndarray]) -> None:
    assert lower_bound(*(outcomes(signs, method) for signs in neighbours)) <= CLAIM


@pytest.mark.slow
def test_a_score_without_noise_is_caught(monkeypatch: pytest.MonkeyPatch, neighbours: tuple[np.ndarray, np.ndarray]) -> None:
    monkeypatch.setattr(CountNoise, "score", lambda _self, correct, _noise: correct)
    assert lower_bound(*(outcomes(signs, "random-stopping") for signs in neighbours)) > 2.0 * CLAIM
