"""A record's integers depend on this record alone, also where a model's last bits depend on the whole table.

Measuring a model on a table in blocks: what is read, what is refused, and that nothing private shows.
"""

from typing import ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn import linear_model
from sklearn.linear_model import LogisticRegression as ScikitLearns

from discreet import LogisticRegression, Schema
from discreet.core.errors import InvalidInput
from discreet.data import Block, EncodedTable, FunctionTable, numeric_files, schema_files
from discreet.estimators import Model
from discreet.evaluation import METRICS, answers_per_record, evaluate_privately, prepare, targets
from discreet.evaluation.in_blocks import answered
from discreet.evaluation.outcomes import Outcomes, outcomes_of
from discreet.matrices import DenseMatrix, as_matrix
from discreet.noise import SystemNoise
from tests.canary import CANARY, assert_silent
from tests.evaluation.people import Oracle, drawn
from tests.parts import cluster_here
from tests.schemas import schema_text

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


@pytest.mark.more
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


@pytest.mark.at_most(3)
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


X, Y = drawn(900)
SEEDED = {"epsilon": 1.0, "random_state": 2}


def schema_of(classes):
    return Schema.from_toml(schema_text("people", {"column": "paid", "classes": classes}, {"age": (0, 100), "city": ["Bonn", "Ulm"]}))


def make(number):
    part = slice(400 * number, min(400 * number + 400, 900))
    return Block(DenseMatrix(X[part]), Y[part])


def table():
    return FunctionTable(make, blocks=3, features=1)


def test_one_pass_serves_without_a_ledger():
    made = []

    def counted(number):
        made.append(number)
        return make(number)

    found = evaluate_privately(Oracle(), FunctionTable(counted, blocks=3, features=1), metrics=("roc", "log_loss"), **SEEDED)
    assert made == [0, 1, 2]
    assert found.to_dict() == evaluate_privately(Oracle(), X, Y, metrics=("roc", "log_loss"), **SEEDED).to_dict()


def test_blocks_without_records_add_nothing():
    empty = [make(0), Block(DenseMatrix(X[:0]), Y[:0]), make(1), make(2)]
    found = evaluate_privately(Oracle(), FunctionTable(empty.__getitem__, blocks=4, features=1), **SEEDED)
    assert found.to_dict() == evaluate_privately(Oracle(), X, Y, **SEEDED).to_dict()
    nobody = FunctionTable(lambda _: empty[1], blocks=2, features=1)
    with pytest.raises(InvalidInput, match="there are no records"):
        evaluate_privately(Oracle(), nobody, **SEEDED)
    assert evaluate_privately(Oracle(), nobody, neighbours="add-remove", epsilon=1.0).verify().ok


def test_every_record_counts_once_whatever_its_weight():
    weighted = FunctionTable(lambda number: make(number)._replace(weights=np.full(len(make(number).targets), 0.25)), blocks=3, features=1)
    np.testing.assert_array_equal(evaluate_privately(Oracle(), weighted, **SEEDED).value, evaluate_privately(Oracle(), table(), **SEEDED).value)


def test_what_a_table_lacks_is_said():
    with pytest.raises(InvalidInput, match="leave y out"):
        evaluate_privately(Oracle(), table(), Y, epsilon=1.0)
    with pytest.raises(InvalidInput, match="has no targets"):
        evaluate_privately(Oracle(), FunctionTable(lambda k: make(k)._replace(targets=None), blocks=3, features=1), epsilon=1.0)
    with pytest.raises(InvalidInput, match="outside the model's classes"):
        evaluate_privately(
            Oracle(), FunctionTable(lambda k: Block(DenseMatrix(X[:3]), np.array(["no", "yes", "?"])), blocks=1, features=1), epsilon=1.0
        )
    with pytest.raises(InvalidInput, match="n_jobs must be"):
        evaluate_privately(Oracle(), table(), epsilon=1.0, n_jobs=0)
    with pytest.raises(InvalidInput, match="Check that it can predict on this table"):
        evaluate_privately(ScikitLearns().fit(np.hstack((X, X)), Y), table(), epsilon=1.0)


def test_a_canary_stays_silent():
    class Shouts(Oracle):
        def predict(self, X):
            raise ValueError(f"{X[0]}")

    for model, labels in ((Shouts(), ["no"] * 5), (Oracle(), [CANARY] * 5)):
        bad = FunctionTable(lambda _, labels=labels: Block(DenseMatrix(np.full((5, 1), CANARY)), np.array(labels)), blocks=2, features=1)
        with pytest.raises(InvalidInput) as refused:
            evaluate_privately(model, bad, epsilon=1.0)
        assert_silent(refused.value)
    assert_silent(repr(answered(prepare(Oracle(), epsilon=1.0).survey, Oracle(), table(), SystemNoise(), jobs=1)))


@pytest.mark.parametrize(
    ("classes", "paid"), [(["no", "yes"], ["no", "yes"]), ([0, 1], [0, 1]), ([False, True], [False, True]), (["a", 1], ["a", "1"])]
)
def test_a_stored_model_measures_files_of_its_schema(tmp_path, classes, paid):
    schema = schema_of(classes)
    drawn_paid = np.random.default_rng(1).integers(0, 2, 1000)
    frame = pl.DataFrame(
        {"age": np.linspace(20, 80, 1000), "city": np.where(np.arange(1000) % 3, "Ulm", "Bonn"), "paid": [paid[code] for code in drawn_paid]}
    )
    frame.write_parquet(tmp_path / "people.parquet", row_group_size=300)
    held = schema.encode(frame, target=True)
    model = Model.from_estimator(LogisticRegression(data_norm=schema.norm_bound, random_state=0).fit(held), schema)
    files = schema_files(tmp_path / "people.parquet", schema, rows_in_block=300)
    settings = {**SEEDED, "metrics": ("accuracy", "log_loss", "calibration")}
    assert evaluate_privately(model, files, n_jobs=2, **settings).to_dict() == evaluate_privately(model, frame, **settings).to_dict()


def test_rows_of_another_width_are_refused_by_a_stored_model(tmp_path):
    schema = schema_of(["no", "yes"])
    frame = pl.DataFrame({"age": [20, 30], "city": ["Ulm", "Bonn"], "paid": ["no", "yes"]})
    frame.write_parquet(tmp_path / "people.parquet")
    model = Model.from_estimator(LogisticRegression(data_norm=schema.norm_bound).fit(schema.encode(frame, target=True)), schema)
    with pytest.raises(InvalidInput, match="fitted on 3 features"):
        evaluate_privately(model, numeric_files(tmp_path / "people.parquet", features=["age"], target="paid"), epsilon=1.0)


def test_only_counts_come_back_from_elsewhere():
    """The model travels to the blocks; what comes back is as long as the queries' answers."""
    back = []

    class Watched(cluster_here().Here):
        def submit(self, function, *arguments, pure):
            future = super().submit(function, *arguments, pure=pure)
            back.extend(future.result().results)
            return future

    far = cluster_here().DaskTable(Watched(), [make(number) for number in range(3)], features=1)
    settings = {**SEEDED, "metrics": ("roc", "log_loss")}
    assert evaluate_privately(Oracle(), far, **settings).to_dict() == evaluate_privately(Oracle(), X, Y, **settings).to_dict()
    assert sorted((count, [len(answer) for answer in answers]) for count, answers in back) == [(100, [40, 1]), (400, [40, 1]), (400, [40, 1])]


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        (np.array([1.0, 0.0, 1.0]), (0, 1)),
        (np.array([2.0**53, 2.0**53 + 2]), (2**53, 2**53 + 1, 2**53 + 2)),
        (np.array([2**53 + 1, 2**53]), (2.0**53, 2.0**53 + 2)),
        (np.array([True, False]), (0, 1)),
        (np.array([1, 0]), (False, True)),
        (np.array(["b", "a"]), ("a", "b")),
        (np.array([0.5, -0.0]), (0.0, 0.5)),
        (np.array([0.5, np.nan]), (0.5, np.nan)),
        (np.array([], dtype=int), (0, 1)),
    ],
    ids=str,
)
def test_labels_are_found_among_the_classes_as_python_compares_them(labels, classes):
    places = {label: place for place, label in enumerate(classes)}
    expected = [places.get(label, -1) for label in labels.tolist()]
    if -1 in expected:
        with pytest.raises(InvalidInput, match="outside the model's classes"):
            targets._codes(labels, classes)
    else:
        assert targets._codes(labels, classes).tolist() == expected
