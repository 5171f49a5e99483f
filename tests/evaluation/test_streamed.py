"""Measuring a model on a table in blocks: what is read, what is refused, and that nothing private shows."""

import numpy as np
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression as ScikitLearns

from discreet import LogisticRegression, Schema
from discreet.core.errors import InvalidInput
from discreet.data import Block, DaskTable, FunctionTable, numeric_files, schema_files
from discreet.estimators import Model
from discreet.evaluation import evaluate_privately, prepare
from discreet.evaluation.streamed import answered
from discreet.matrices import DenseMatrix
from tests.canary import CANARY, assert_silent
from tests.data.blocks.cluster_here import Here
from tests.evaluation.people import Oracle, drawn

X, Y = drawn(900)
SEEDED = {"epsilon": 1.0, "random_state": 2}
SCHEMA = """
format = "discreet-schema/1"
name = "people"
[target]
column = "paid"
classes = [{classes}]
[numeric.age]
lower = 0
upper = 100
[categorical.city]
categories = ["Bonn", "Ulm"]
"""


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
    with pytest.raises(InvalidInput, match="cannot be asked about these records"):
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
    assert_silent(repr(answered(prepare(Oracle(), epsilon=1.0).survey, Oracle(), table(), jobs=1)))


@pytest.mark.parametrize(
    ("classes", "paid"), [('"no", "yes"', ["no", "yes"]), ("0, 1", [0, 1]), ("false, true", [False, True]), ('"a", 1', ["a", "1"])]
)
def test_a_stored_model_measures_files_of_its_schema(tmp_path, classes, paid):
    schema = Schema.from_toml(SCHEMA.format(classes=classes))
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
    schema = Schema.from_toml(SCHEMA.format(classes='"no", "yes"'))
    frame = pl.DataFrame({"age": [20, 30], "city": ["Ulm", "Bonn"], "paid": ["no", "yes"]})
    frame.write_parquet(tmp_path / "people.parquet")
    model = Model.from_estimator(LogisticRegression(data_norm=schema.norm_bound).fit(schema.encode(frame, target=True)), schema)
    with pytest.raises(InvalidInput, match="fitted on 3 features"):
        evaluate_privately(model, numeric_files(tmp_path / "people.parquet", features=["age"], target="paid"), epsilon=1.0)


def test_only_counts_come_back_from_elsewhere():
    """The model travels to the blocks; what comes back is as long as the queries' answers."""
    back = []

    class Watched(Here):
        def submit(self, function, *arguments, pure):
            future = super().submit(function, *arguments, pure=pure)
            back.extend(future.result().results)
            return future

    far = DaskTable(Watched(), [make(number) for number in range(3)], features=1)
    settings = {**SEEDED, "metrics": ("roc", "log_loss")}
    assert evaluate_privately(Oracle(), far, **settings).to_dict() == evaluate_privately(Oracle(), X, Y, **settings).to_dict()
    assert sorted((count, [len(answer) for answer in answers]) for count, answers in back) == [(100, [40, 1]), (400, [40, 1]), (400, [40, 1])]
