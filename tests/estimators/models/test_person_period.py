"""The yes-or-no rows that are made of records: of one record together they weigh as much as one, wherever the table is; models of them as files."""

import json
from functools import cache

import numpy as np
import polars as pl
import pytest

from discreet import ArrayModel, Model, OrdinalRegression, Schema, SurvivalModel
from discreet.accounting import Unit
from discreet.certificates import Certificate
from discreet.core.errors import FileFormatError, InvalidInput
from discreet.data import FunctionTable, schema_files
from discreet.data.blocks import Block
from discreet.data.targets import period_numbers
from discreet.estimators.model_kinds import encoded_estimator
from discreet.estimators.models.person_period import OfBlocks, Questions, held_table
from discreet.ledger import Account, Ledger
from discreet.matrices import as_matrix
from tests.schemas import schema_text

ENDS = (2.0, 4.0, 8.0)
MODELS = {"times": SurvivalModel(ends=ENDS, data_norm=2.0), "ordered classes": OrdinalRegression(classes=[0, 1, 2, 3], data_norm=2.0)}
TARGETS = {
    "times": {"column": "months", "event": "state", "happened": "dead", "ends": list(ENDS)},
    "ordered classes": {"column": "grade", "classes": ["poor", "fair", "good"], "ordered": True},
}
KIND = {"times": "survival-model", "ordered classes": "ordinal-regression"}
each_target = pytest.mark.parametrize("learnt", TARGETS)


def table(records=400, seed=0):
    draw = np.random.default_rng(seed)
    age = draw.uniform(0, 100, records)
    event, seen = draw.exponential(6.0 * np.exp(1.0 - age / 50)), draw.uniform(0, 12, records)
    grade = np.array(["poor", "fair", "good"])[np.searchsorted([-1.0, 1.0], (age - 50) / 20 + draw.logistic(size=records))]
    months, state = np.minimum(event, seen), np.where(event <= seen, "dead", "alive")
    return pl.DataFrame({"age": age, "city": ["north", "south"] * (records // 2), "months": months, "state": state, "grade": grade})


def schema(learnt, **head):
    columns = {"age": (0, 100), "city": ["north", "south"]}
    return Schema.from_toml(schema_text("people", TARGETS[learnt], columns, rows="bound", **(head or {"rows_per_person": 1})))


def made(learnt, **more):
    return encoded_estimator(KIND[learnt], schema(learnt), {"epsilon": 2.0, "delta": 1e-6, "random_state": 7, **more})


def wrong(verification):
    return {check.name for check in verification.checks if not check.ok}


@cache
def seeded():
    """All that is wrong with a model whose noise was seeded."""
    return wrong(Model.from_estimator(made("times").fit(schema("times").encode(table(20), target=True)), schema("times")).verify())


def check_made_rows(model):
    """Of a record one person's, who has no more than all weigh one record together, and functions of that record alone, in memory and in blocks."""
    draw = np.random.default_rng(0)
    X, codes = draw.normal(size=(50, 3)) * draw.uniform(0, 4, (50, 1)), draw.integers(0, 4, 50)
    questions = Questions.of(model._made())
    held = held_table(questions, as_matrix(X), codes)
    blocks = [OfBlocks(questions, lambda known: known)(Block(as_matrix(X[part]), codes[part]), part.start) for part in (slice(0, 20), slice(20, 50))]
    rows, owners = held.rows.entries(slice(None)), held.persons.to_numpy()
    assert np.array_equal(np.concatenate([block.rows.entries(slice(None)) for block in blocks]), rows)
    assert np.array_equal(np.concatenate([block.persons for block in blocks]), owners)
    assert np.array_equal(np.concatenate([block.targets for block in blocks]) > 0, held.signs > 0)
    assert np.array_equal(np.unique(owners), np.arange(50)), "each record is one person"
    assert np.bincount(owners).max() <= questions.made.rows == held.rule.rows, "all of its rows are kept, each at one over their largest number"
    assert held.rule.weight == "row"
    assert np.all(np.linalg.norm(rows, axis=1) <= questions.made.norm), "no row is shortened afterwards"
    X[7], codes[7] = 0.1, 3
    other = held_table(questions, as_matrix(X), codes)
    assert np.array_equal(rows[owners != 7], other.rows.entries(slice(None))[other.persons.to_numpy() != 7])


@pytest.mark.parametrize("learnt", MODELS)
def test_the_rows_of_a_record_are_its_own_short_and_weigh_one_record_together(learnt):
    check_made_rows(MODELS[learnt])


def test_times_are_told_apart_as_they_are_seen():
    y = [(2.0, 1), (2.0, 0), (1.9, 0), (8.0, 1), (8.1, 1), (0.0, 1), (4.5, 1)]
    assert period_numbers(y, ends=ENDS).tolist() == [1, 2, 0, 5, 6, 1, 5]
    assert period_numbers([2.0, 9.0], ends=ENDS).tolist() == [1, 6]


@each_target
def test_a_schema_an_array_and_blocks_give_the_same_model(learnt, tmp_path):
    frame, whole = table(), schema(learnt)
    model = made(learnt).fit(whole.encode(frame, target=True))
    file = Model.from_estimator(model, whole)
    assert wrong(file.verify()) == seeded()
    X = whole.encode(frame, target=False).rows.entries(slice(None))
    y = frame["grade"].to_numpy() if learnt != "times" else np.column_stack((frame["months"], frame["state"] == "dead"))
    again = made(learnt, **({} if learnt == "times" else {"classes": TARGETS[learnt]["classes"]})).fit(X, y)
    assert np.allclose(again.weights_, model.weights_, atol=1e-6)
    assert again.certificate_.parameters == pytest.approx(model.certificate_.parameters)
    frame.write_parquet(tmp_path / "people.parquet")
    blocks = schema_files(tmp_path / "people.parquet", whole, rows_in_block=90)
    classes = {} if learnt == "times" else {"classes": TARGETS[learnt]["classes"]}
    assert np.allclose(made(learnt, **classes).fit(blocks).weights_, model.weights_, atol=1e-6)
    file.save(tmp_path / "model.json")
    read = Model.load(tmp_path / "model.json")
    assert read == file
    assert np.array_equal(read.predict(frame), model.predict(X))
    again.save(tmp_path / "array.json")
    of_arrays = ArrayModel.load(tmp_path / "array.json")
    assert np.array_equal(of_arrays.predict(X), again.predict(X))
    if learnt == "times":
        assert np.array_equal(read.survival(frame), model.predict_survival(X))
        assert np.array_equal(read.median_time(frame), model.predict_median(X))
    else:
        assert np.array_equal(read.probabilities(frame), model.predict_proba(X))
        assert np.allclose(np.exp(read.log_probabilities(frame)), read.probabilities(frame), atol=1e-15)
        codes = read.codes(frame)
        assert np.array_equal(np.asarray(read.classes)[codes], read.predict(frame))
    assert len(read.summary().parts[0].lines) == 3 + (3 if learnt == "times" else 2)


def test_the_median_time_is_where_half_are_left():
    model = SurvivalModel(ends=[1.0, 2.0, 4.0])
    questions = model._made()
    odds = np.log(np.array([[0.25 / 0.75, 2.0, 1.0], [0.1 / 0.9, 0.1 / 0.9, 0.1 / 0.9]]))
    assert np.allclose(questions.survival(odds)[0], [0.75, 0.25, 0.125])
    assert questions.median_time(odds).tolist() == [1.5, np.inf]
    assert np.isclose(questions.mean_time(odds)[0], 0.5 * (1.75 + 1.0) + 0.375)


@each_target
def test_a_certificate_that_states_other_rows_is_refused(learnt, tmp_path):
    frame, whole = table(), schema(learnt)
    file = Model.from_estimator(made(learnt).fit(whole.encode(frame, target=True)), whole)
    for name, value in (("bound", 1.0), ("rows", 1), ("of", "times" if learnt != "times" else "ordered classes"), ("step", 100.0)):
        record = json.loads(file.to_json())
        record["certificate"]["problem"]["made_rows"][name] = value
        if name in ("rows", "bound", "of"):
            with pytest.raises(FileFormatError, match=r"do not belong together|problem|same fit"):
                Model.from_json(json.dumps(record))
        else:
            assert wrong(Model.from_json(json.dumps(record)).verify()) > seeded()
    record = json.loads(file.certificate.to_json())
    record["problem"]["persons"]["rows"] += 1
    assert wrong(Certificate.from_json(json.dumps(record)).verify()) > seeded()
    if learnt == "times":
        record = json.loads(file.certificate.to_json())
        record["problem"]["made_rows"]["ends"][-1] += 2.0**-40
        assert wrong(Certificate.from_json(json.dumps(record)).verify()) - seeded() == {"hypotheses"}
        record = json.loads(file.to_json())
        record["schema"]["target"]["ends"][-1] = 9
        with pytest.raises(FileFormatError, match="do not belong together"):
            Model.from_json(json.dumps(record))


def test_what_it_cannot_promise_is_refused_before_anything_is_spent():
    frame = table()
    for head in ({"missing_values": ["?"]}, {}):
        unsaid = schema("times", missing_values=["?"])
        model = SurvivalModel(ends=ENDS, data_norm=unsaid.norm_bound)
        with pytest.raises(InvalidInput, match="expands each record into several rows, so it needs"):
            model.fit(unsaid.encode(frame, target=True))
        assert not head or model.set_params(rows_per_person=1).fit(unsaid.encode(frame, target=True)).certificate_.problem["persons"]["rows"] == 3
    weighted = FunctionTable(lambda _: Block(as_matrix(np.eye(3)), np.ones(3), np.ones(3)), blocks=1, features=3)
    with pytest.raises(InvalidInput, match="counts once"):
        SurvivalModel(rows_per_person=1).fit(weighted)
    with pytest.raises(InvalidInput, match="without times"):
        SurvivalModel(rows_per_person=1).fit(schema("ordered classes").encode(frame, target=True))


def test_the_ends_of_a_schema_are_taken_and_never_contradicted(tmp_path):
    frame, whole = table(60), schema("times")
    frame.write_parquet(tmp_path / "people.parquet")
    Ledger.create(tmp_path / "ledger").declare("people", epsilon=9.0, delta=1e-3, unit=Unit.PERSON)
    account = Account(str(tmp_path / "ledger"), "people")
    left = account.left
    for told in (whole.encode(frame, target=True), schema_files(tmp_path / "people.parquet", whole, rows_in_block=20)):
        model = SurvivalModel(data_norm=whole.norm_bound)
        assert Model.from_estimator(model.fit(told), whole).certificate.problem["made_rows"]["ends"] == list(ENDS)
        assert model.ends is None
        assert model.set_params(ends=list(ENDS)).fit(told).certificate_.problem["made_rows"]["ends"] == list(ENDS)
        with pytest.raises(InvalidInput, match="Leave ends out of the estimator, or make them"):
            SurvivalModel(data_norm=whole.norm_bound, ends=ENDS[:2], ledger=account).fit(told)
    assert account.left == left
