"""A record's integers depend on this record alone, also where a model's last bits depend on the whole table."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from discreet import LinearSVC, LogisticRegression
from discreet.data import EncodedTable
from discreet.designs import as_design
from discreet.evaluation import METRICS, prepare
from discreet.evaluation.outcomes import Outcomes, outcomes_of
from tests.evaluation.people import Oracle, drawn

METRIC_SETS = [("accuracy",), ("accuracy", "confusion"), ("log_loss",), METRICS]


class Jittery(Oracle):
    """Its last bits depend on how many records there are, as those of a matrix product may."""

    def predict_proba(self, X):
        chance = np.clip(np.asarray(X)[:, 0] + 1e-12 * (len(X) % 7 - 3), 0.0, 1.0)
        return np.column_stack((1.0 - chance, chance))

    def predict(self, X):
        return self.classes_[(self.predict_proba(X)[:, 1] > 0.5).astype(int)]


class Single(Oracle):
    """Computes in single precision, and in another order when there is one record more."""

    def predict_proba(self, X):
        chance = np.clip(np.asarray(X)[:, 0] + 3e-7 * (len(X) % 7 - 3), 0.0, 1.0).astype(np.float32)
        return np.column_stack((np.float32(1.0) - chance, chance))

    def predict(self, X):
        return self.classes_[(self.predict_proba(X)[:, 1] > 0.5).astype(int)]


def at_edges():
    """Records whose probabilities are edges of bins, and of levels of the log loss."""
    levels = np.exp(-5.0 * (np.arange(100, 900, 7) + 0.5) / 1024)
    chance = np.concatenate((np.arange(1, 20) / 20, levels, 1 - levels))
    return chance[:, np.newaxis], np.array(["no", "yes"])[np.arange(len(chance)) % 2]


def forgetful(found):
    """The same outcomes without asking again."""
    return Outcomes(classes=found.classes, actual=found.actual, predicted=found.predicted, probabilities=found.probabilities, decision=found.decision)


@pytest.mark.parametrize("model", [Jittery(), Single()], ids=["double", "single"])
@pytest.mark.parametrize("metrics", METRIC_SETS, ids=str)
def test_one_record_more_changes_no_other_record_and_without_asking_again_it_does(metrics, model):
    survey = prepare(model, epsilon=1.0, neighbours="add-remove", metrics=metrics).survey
    X, y = at_edges()
    changed = []
    for read in (survey.read, lambda found: survey.read(forgetful(found))):
        tables = [read(outcomes_of(model, X[:count], y[:count])) for count in range(len(X) - 6, len(X) + 1)]
        shared = len(X) - 6
        changed.append(any(not np.array_equal(one[:shared], other[:shared]) for table in tables for one, other in zip(table, tables[0], strict=True)))
    assert changed == [False, True]


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
            rows=as_design(X), signs=np.where(y == "yes", 1.0, -1.0), classes=("no", "yes"), schema="s", numeric=1, categorical=0
        ),
    }[form]()
    labels = None if form == "encoded" else y
    model = LogisticRegression(epsilon=4.0, classes=["no", "yes"]).fit(table, labels)
    found = outcomes_of(model, table, labels)
    for record in (0, 17, 299):
        one = found.alone(record)
        assert (one.records, one.actual[0], one.predicted[0]) == (1, found.actual[record], found.predicted[record])
        assert one.probabilities[0] == pytest.approx(found.probabilities[record], abs=1e-12)
        assert one.decision[0] == pytest.approx(found.decision[record], abs=1e-12)


def test_only_records_near_an_edge_are_asked_about_again(monkeypatch):
    X, y = drawn(2000)
    X[:3, 0] = 0.5
    asked = []
    found = outcomes_of(Oracle(), X, y)
    again = found.alone
    monkeypatch.setattr(found, "alone", lambda record: asked.append(record) or again(record))
    prepare(Oracle(), epsilon=1.0, metrics=("roc",)).survey.read(found)
    assert asked == [0, 1, 2]


def test_ties_of_decision_values_are_asked_about_again():
    X = np.array([[0.0], [0.4], [-0.4]])
    model = LinearSVC(epsilon=4.0, loss="huber-hinge", fit_intercept=False, classes=["no", "yes"]).fit(*drawn(300))
    survey = prepare(model, epsilon=1.0, metrics=("accuracy",)).survey
    asked = []
    found = outcomes_of(model, X, ["no", "yes", "no"])
    again = found.alone
    found.alone = lambda record: asked.append(record) or again(record)
    survey.read(found)
    assert asked == [0]


def test_arrays_in_single_precision_are_widened_before_a_model_sees_them():
    seen = []

    class Watched(Oracle):
        def predict(self, X):
            seen.append(X.dtype)
            return super().predict(X)

    X, y = at_edges()
    found = outcomes_of(Watched(), X.astype(np.float32), y)
    assert seen == [np.float64]
    assert not found.coarse
    assert outcomes_of(Single(), X, y).coarse
