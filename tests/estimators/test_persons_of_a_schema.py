"""A fit on a table that a schema encoded: whose rows are whose is said there once, and holds for arrays, files and the model's own file."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from discreet import LinearRegression, LinearSVC, LogisticRegression, Schema, evaluate_privately, release_uncertainty
from discreet.accounting import Unit
from discreet.core.errors import InvalidInput
from discreet.data import CategoricalColumn, NumberTarget, NumericColumn, Target, schema_files
from discreet.data.person_column import PersonColumn
from discreet.estimators.files.model import Model
from discreet.noise import SeededNoise
from discreet.releases import publish

DRAW = np.random.default_rng(0)
ROWS = 400
AGES = DRAW.integers(20, 80, ROWS)
TABLE = {
    "age": AGES.tolist(),
    "city": [("north", "south")[i % 2] for i in range(ROWS)],
    "ill": [("no", "yes")[bool(age > 50)] for age in AGES],
    "patient id": DRAW.integers(0, 90, ROWS).tolist(),
}
SILENT = Schema(
    name="visits",
    target=Target(column="ill", classes=("no", "yes")),
    numeric=(NumericColumn(name="age", lower=0, upper=100),),
    categorical=(CategoricalColumn(name="city", categories=("north", "south")),),
)
ONE = replace(SILENT, rows_per_person=1)
SEVERAL = replace(SILENT, person=PersonColumn(column="patient id", rows=3))
BY_ROWS = replace(SILENT, person=PersonColumn(column="patient id", rows=3, weight="row"))


def model(**settings):
    return LinearSVC(**{"epsilon": 5.0, "random_state": 3, **settings})


@pytest.mark.parametrize("schema", [SEVERAL, BY_ROWS, ONE], ids=["several", "by rows", "one"])
def test_the_fit_is_that_of_the_same_said_in_python(schema):
    from_schema = model().fit(schema.encode(TABLE, target=True))
    rule = schema.persons
    ids = None if schema is ONE else TABLE["patient id"]
    weight = "person" if schema is ONE else rule.weight
    said = model(rows_per_person=rule.rows, person_weight=weight).fit(SILENT.encode(TABLE, target=True), persons=ids)
    np.testing.assert_array_equal(from_schema.weights_, said.weights_)
    assert from_schema.certificate_.guarantee == said.certificate_.guarantee
    assert from_schema.certificate_.guarantee.unit is Unit.PERSON
    assert from_schema.certificate_.problem["persons"] == rule.to_dict()


def test_files_in_blocks_are_fitted_as_the_table_in_memory(tmp_path):
    path = tmp_path / "visits.parquet"
    pl.DataFrame(TABLE).write_parquet(path)
    held = model().fit(SEVERAL.encode(TABLE, target=True))
    streamed = model(classes=["no", "yes"]).fit(schema_files(path, SEVERAL, rows_in_block=50))
    np.testing.assert_allclose(streamed.weights_, held.weights_, atol=1e-6)
    assert streamed.certificate_.problem == held.certificate_.problem
    one = model(classes=["no", "yes"]).fit(schema_files(path, ONE))
    assert one.certificate_.problem["persons"] == {"rows": 1, "weight": "declared"}


def test_a_regression_takes_them_too():
    schema = replace(SEVERAL, target=NumberTarget(column="age", lower=0, upper=100), numeric=())
    fitted = LinearRegression(mechanism="moments", random_state=0).fit(schema.encode(TABLE, target=True))
    assert fitted.certificate_.problem["persons"] == SEVERAL.persons.to_dict()


@pytest.mark.parametrize(
    ("schema", "settings"),
    [
        (SEVERAL, {"rows_per_person": 2}),
        (SEVERAL, {"rows_per_person": 1}),
        (SEVERAL, {"person_weight": "row"}),
        (BY_ROWS, {"rows_per_person": 3}),
        (ONE, {"rows_per_person": 3}),
    ],
)
def test_whoever_says_it_twice_says_the_same(tmp_path, schema, settings):
    with pytest.raises(InvalidInput, match=r"the schema of the table says .*Leave both out of the estimator, or make them equal"):
        model(**settings).fit(schema.encode(TABLE, target=True))
    path = tmp_path / "visits.parquet"
    pl.DataFrame(TABLE).write_parquet(path)
    with pytest.raises(InvalidInput, match=r"the schema of the table says .*Leave both out of the estimator, or make them equal"):
        model(classes=["no", "yes"], **settings).fit(schema_files(path, schema))


def test_the_same_said_twice_is_no_contradiction():
    agreed = model(rows_per_person=3, person_weight="row").fit(BY_ROWS.encode(TABLE, target=True))
    assert agreed.certificate_.problem["persons"] == BY_ROWS.persons.to_dict()
    assert model(rows_per_person=1).fit(ONE.encode(TABLE, target=True)).certificate_.guarantee.unit is Unit.PERSON


def test_ids_beside_a_table_that_brings_the_rule_are_refused():
    for schema in (SEVERAL, ONE):
        with pytest.raises(InvalidInput, match="leave persons out"):
            model().fit(schema.encode(TABLE, target=True), persons=TABLE["patient id"])


def test_a_rule_without_its_ids_is_never_believed():
    table = SEVERAL.encode(TABLE, target=True)
    table.persons = None
    with pytest.raises(InvalidInput, match="the table and its schema disagree on whether there"):
        model().fit(table)


def test_a_model_file_keeps_what_was_said_and_predicts_without_ids():
    fitted = Model.from_estimator(LogisticRegression(epsilon=5.0).fit(SEVERAL.encode(TABLE, target=True)), SEVERAL)
    again = Model.from_json(fitted.to_json())
    assert again.schema.person == SEVERAL.person
    assert again.verify().ok
    assert "persons" in {check.name for check in again.verify().checks}
    without = {name: cells for name, cells in TABLE.items() if name != "patient id"}
    np.testing.assert_array_equal(again.predict(without), fitted.predict(TABLE))


@pytest.mark.parametrize("other", [SILENT, replace(SEVERAL, person=PersonColumn(column="patient id", rows=4)), BY_ROWS, ONE])
def test_a_model_whose_schema_says_more_than_its_certificate_is_refused(other):
    fitted = model().fit(other.encode(TABLE, target=True))
    with pytest.raises(InvalidInput, match=r"about rows of persons|person ids"):
        Model.from_estimator(fitted, SEVERAL)


def test_intervals_keep_the_rows_of_a_person_together():
    fitted = model(random_state=None).fit(SEVERAL.encode(TABLE, target=True))
    held = release_uncertainty(fitted, SEVERAL.encode(TABLE, target=True), epsilon=5.0, delta=1e-6, random_state=0)
    from_file = release_uncertainty(Model.from_estimator(fitted, SEVERAL), TABLE, epsilon=5.0, delta=1e-6, random_state=0)
    np.testing.assert_array_equal(held.value, from_file.value)
    assert from_file.certificate.guarantee.unit is Unit.PERSON
    with pytest.raises(InvalidInput, match="Pass the same persons as in the fit, or none if it"):
        release_uncertainty(Model.from_estimator(fitted, SEVERAL), SILENT.encode(TABLE, target=True), epsilon=5.0, delta=1e-6)


def test_a_model_is_measured_on_the_persons_of_its_schema(tmp_path):
    table = SEVERAL.encode(TABLE, target=True)
    fitted = Model.from_estimator(model(random_state=None).fit(table), SEVERAL)
    settings = {"epsilon": 1.0, "metrics": ("accuracy", "log_loss"), "random_state": 2}
    found = evaluate_privately(fitted, TABLE, **settings)
    assert found.certificate.guarantee.unit is Unit.PERSON
    assert (found.counted, found.records) == ("Persons", len(set(TABLE["patient id"])))
    np.testing.assert_array_equal(evaluate_privately(fitted, table, **settings).value, found.value)
    path = tmp_path / "visits.parquet"
    pl.DataFrame(TABLE).write_parquet(path)
    np.testing.assert_array_equal(evaluate_privately(fitted, schema_files(path, SEVERAL), **settings).value, found.value)
    said = evaluate_privately(fitted, SILENT.encode(TABLE, target=True), persons=TABLE["patient id"], rows_per_person=3, **settings)
    np.testing.assert_array_equal(said.value, found.value)
    with pytest.raises(InvalidInput, match="leave persons out"):
        evaluate_privately(fitted, TABLE, persons=TABLE["patient id"], rows_per_person=3, **settings)


def test_what_counts_single_rows_refuses_persons_who_have_several(tmp_path):
    """Until it keeps the rows of a person together: never a guarantee for rows where the schema asks for persons."""
    doors = {
        "release": lambda: publish(TABLE, tmp_path / "out", SeededNoise(0), method="additive", schema=SEVERAL, epsilon=1.0, delta=1e-6),
    }
    for door in doors.values():
        with pytest.raises(InvalidInput, match="person"):
            door()
