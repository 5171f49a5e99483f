"""A record's integers depend on this record alone, also where a model's last bits depend on the whole table."""

from typing import ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn import linear_model

from discreet import LogisticRegression
from discreet.core.errors import InvalidInput
from discreet.data import EncodedTable
from discreet.evaluation import METRICS, answers_per_record, evaluate_privately, prepare
from discreet.evaluation.outcomes import Outcomes, outcomes_of
from discreet.matrices import as_matrix
from tests.evaluation.people import Oracle, drawn

METRIC_SETS = [("accuracy",), ("accuracy", "confusion"), ("log_loss",), METRICS]


class Jittery(Oracle):
    """Its answers depend on how many records there are: by the last bits, or by as much as those are where terms of 1e9 were added up, or more."""

    def __init__(self, size):
        self.size = size

    def predict_proba(self, X):
        chance = np.clip(np.asarray(X)[:, 0] + self.size * (len(X) % 7 - 3), 0.0, 1.0)
        return np.column_stack((1.0 - chance, chance))

    def predict(self, X):
        return self.classes_[(self.predict_proba(X)[:, 1] > 0.5).astype(int)]


class Together(Jittery):
    """The same model, of which somebody says that no record changes the answer about another one."""


answers_per_record(Together)


def at_edges():
    """Records whose probabilities are edges of bins, and of levels of the log loss."""
    levels = np.exp(-5.0 * (np.arange(100, 900, 7) + 0.5) / 1024)
    chance = np.concatenate((np.arange(1, 20) / 20, levels, 1 - levels))
    return chance[:, np.newaxis], np.array(["no", "yes"])[np.arange(len(chance)) % 2]


@pytest.mark.parametrize("size", [1e-12, 1e-6, 0.01])
@pytest.mark.parametrize("metrics", METRIC_SETS, ids=str)
def test_one_record_more_changes_no_other_record_and_asked_together_it_would(metrics, size):
    survey = prepare(Oracle(), epsilon=1.0, neighbours="add-remove", metrics=metrics).survey
    X, y = at_edges()
    changed = []
    for model in (Jittery(size), Together(size)):
        tables = [survey.read(outcomes_of(model, X[:count], y[:count])) for count in range(len(X) - 6, len(X) + 1)]
        shared = len(X) - 6
        changed.append(any(not np.array_equal(one[:shared], other[:shared]) for table in tables for one, other in zip(table, tables[0], strict=True)))
    assert changed == [False, True]


def test_a_matrix_product_of_large_terms_moves_no_count_of_others():
    """scikit-learn's logistic regression with coefficients of 1e9 that cancel: together, one record more changes hundreds of decisions."""
    random = np.random.default_rng(0)
    rows = random.standard_normal((403, 33))
    rows[:, 32] = rows[:, :32].sum(axis=1)
    model = linear_model.LogisticRegression().fit(rows, np.arange(403) % 2)
    model.coef_, model.intercept_ = np.append(np.full(32, 1e9), -1e9)[np.newaxis], np.zeros(1)
    survey = prepare(model, epsilon=1.0, neighbours="add-remove", metrics=("accuracy",)).survey
    right = [survey.read(outcomes_of(model, rows[:count], np.ones(count, dtype=int)))[0] for count in (400, 401, 402, 403)]
    assert all(np.array_equal(found[:400], right[0]) for found in right)


@pytest.mark.parametrize("form", ["array", "list", "sparse", "pandas", "polars", "encoded"])
def test_a_record_can_be_asked_about_by_itself_in_every_form_of_table(form):
    X, y = drawn(300)
    table = {
        "array": lambda: X,
        "list": X.tolist,
        "sparse": lambda: sparse.coo_array(X),
        "pandas": lambda: pd.DataFrame(X),
        "polars": lambda: pl.DataFrame(X),
        "encoded": lambda: EncodedTable(
            rows=as_matrix(X), signs=np.where(y == "yes", 1.0, -1.0), classes=("no", "yes"), schema="s", numeric=1, categorical=0
        ),
    }[form]()
    labels = None if form == "encoded" else y

    class Unknown(LogisticRegression):
        """A subclass may compute in another way."""

        asked: ClassVar[list[int]] = []

        def predict(self, X):
            answers = super().predict(X)
            self.asked.append(len(answers))
            return answers

    settings = {"epsilon": 4.0, "classes": ["no", "yes"], "random_state": 1}
    together, alone = (outcomes_of(kind(**settings).fit(table, labels), table, labels) for kind in (LogisticRegression, Unknown))
    assert Unknown.asked == [1] * (301 if form in {"array", "sparse"} else 300)  # first about a row of zeros, whose answer is public
    for name in ("actual", "predicted", "probabilities", "decision"):
        np.testing.assert_array_equal(getattr(alone, name), getattr(together, name))


def test_only_what_is_needed_is_asked():
    class Watched(Oracle):
        asked: ClassVar[list[str]] = []

        def predict(self, X):
            self.asked.append("predict")
            return super().predict(X)

        def predict_proba(self, X):
            self.asked.append("predict_proba")
            return super().predict_proba(X)

    X, y = at_edges()
    for metrics, expected in ((("accuracy",), {"predict"}), (("roc",), {"predict_proba"}), (("log_loss", "confusion"), {"predict", "predict_proba"})):
        Watched.asked.clear()
        evaluate_privately(Watched(), X, y, epsilon=1.0, metrics=metrics)
        assert set(Watched.asked) == expected


def test_levels_are_those_of_the_cut_loss():
    chance = np.concatenate(([0.0, 1.0, 5e-324], np.random.default_rng(0).uniform(0.0, 1.0, 1000)))
    found = Outcomes(
        classes=("no", "yes"), actual=np.ones(1003, np.int64), predicted=None, probabilities=np.column_stack((1.0 - chance, chance)), decision=None
    )
    for bound in (0.3, 5.0, 2000.0):
        with np.errstate(divide="ignore"):
            exact = 1024 * np.minimum(-np.log(chance) / bound, 1.0)
        survey = prepare(Oracle(), epsilon=1.0, metrics=("log_loss",), log_loss_bound=bound).survey
        assert np.all(np.abs(survey.read(found)[-1] - exact) <= 0.5 + 1e-9)


@pytest.mark.parametrize("form", ["array", "list", "sparse", "pandas", "polars"])
def test_a_record_that_a_foreign_model_fails_on_is_counted_and_no_error(form):
    """Its error would tell that the record is there."""

    class Fussy:
        classes_: ClassVar[list[str]] = ["no", "yes"]

        def predict(self, X):
            values = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=float)
            if np.any(values > 5.0):
                raise ValueError("a value is too large")
            return np.where(values[:, 0] > 0, "yes", "no")

        def predict_proba(self, X):
            return np.ones((len(self.predict(X)), 3 if np.any(np.asarray(X.toarray() if hasattr(X, "toarray") else X) > 4.0) else 2)) / 2.0

    X, y = drawn(20)
    X, y = np.clip(X, -1.0, 1.0), np.asarray(y)
    X[3, 0], X[7, 0] = 9.0, 4.5
    table = {"array": lambda X: X, "list": lambda X: X.tolist(), "sparse": sparse.csr_array, "pandas": pd.DataFrame, "polars": pl.DataFrame}[form]
    said, without = outcomes_of(Fussy(), table(X), y), outcomes_of(Fussy(), table(np.delete(X, (3, 7), axis=0)), np.delete(y, (3, 7)))
    assert said.predicted[3] == 0
    np.testing.assert_array_equal(said.probabilities[[3, 7]], np.zeros((2, 2)))
    np.testing.assert_array_equal(np.delete(said.predicted, (3, 7)), without.predicted)
    assert evaluate_privately(Fussy(), table(X), y, epsilon=1.0).verify().ok


def test_a_frame_without_a_column_of_the_model_is_refused():
    X, y = drawn(50)
    frame = pd.DataFrame(X, columns=[f"c{place}" for place in range(X.shape[1])])
    model = linear_model.LogisticRegression().fit(frame, y)
    with pytest.raises(InvalidInput, match="lacks the column 'c0'"):
        evaluate_privately(model, frame.drop(columns="c0"), y, epsilon=1.0)
