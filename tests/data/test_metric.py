"""A schema with a public metric: its rows, its file, and what refuses it."""

from dataclasses import replace

import numpy as np
import pytest

from discreet import LinearRegression, Model, PublicMetric, Schema
from discreet.core.errors import DiscreetError, InvalidInput, SchemaError
from discreet.core.neighbours import REPLACE_ONE
from discreet.data.metric import Metric
from discreet.descriptions.asked import Asked
from discreet.mechanisms.cuts.columns import columns_to_cut, counting_schema
from discreet.releases.methods.columns import released_schema

PLAIN = Schema.from_toml(
    'format = "discreet-schema/1"\nname = "flats"\nrows = "bound"\ntarget = { column = "price", lower = 0, upper = 1000 }\n'
    '[numeric.rooms]\nlower = 0\nupper = 8\n[numeric.age]\nlower = 0\nupper = 100\n[categorical.region]\ncategories = ["n", "s"]\n'
)


def table(seed, records):
    draw = np.random.default_rng(seed)
    rooms, age, region = draw.integers(0, 9, records).astype(float), draw.uniform(0.0, 20.0, records), draw.choice(["n", "s"], records)
    return {"rooms": rooms, "age": age, "region": region, "price": np.clip(100.0 * rooms - 8.0 * age + 100.0, 0.0, 1000.0)}


def with_metric(power=-0.5):
    return PublicMetric.of_rows(PLAIN.encode(table(0, 400), target=False), power=power).on(PLAIN)


def written(matrix):
    return matrix.matvec(np.eye(matrix.shape[1]))


def test_rows_are_in_the_coordinates_of_the_metric_and_no_longer_than_one():
    schema, cells = with_metric(), table(1, 50)
    plain = written(PLAIN.encode(cells, target=False).rows)
    mapped = plain @ schema.metric.matrix
    expected = mapped / np.maximum(1.0, np.linalg.norm(mapped, axis=1, keepdims=True))
    encoded = written(schema.encode(cells, target=False).rows)
    np.testing.assert_allclose(encoded, expected, atol=1e-12)
    assert np.any(np.linalg.norm(mapped, axis=1) > 1.2)
    assert np.all(np.linalg.norm(encoded, axis=1) <= 1.0 + 1e-12)
    assert schema.norm_bound == 1.0
    one = written(schema.encode({name: cell[7:8] for name, cell in cells.items()}, target=False).rows)
    np.testing.assert_array_equal(one[0], encoded[7])  # whatever stands beside it


def test_a_schema_with_a_metric_is_read_back_as_it_was_written():
    schema = with_metric()
    for again in (Schema.from_dict(schema.to_dict()), Schema.from_toml(schema.to_toml())):
        assert again == schema
        assert again.metric.digest == schema.metric.digest
    for entries in ([], [[1.0], [0.0]], [[1.0], [0.0, "1"]], [[float("nan")]], 3, [[1.0], [2.0, 1.0]]):
        with pytest.raises(SchemaError, match="metric"):
            Schema.from_dict(schema.to_dict() | {"metric": {"entries": entries}})
    with pytest.raises(SchemaError, match="at most 1000 features"):
        Metric.of(np.eye(1001))
    with pytest.raises(SchemaError, match="has a metric already"):
        PublicMetric(np.eye(schema.features)).on(schema)
    with pytest.raises(DiscreetError, match="for 3 columns"):
        PublicMetric(np.eye(3)).on(PLAIN)


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_a_model_has_its_metric_and_a_certificate_that_names_it(neighbours, tmp_path):
    schema, cells = with_metric(), table(2, 3000)
    fitted = LinearRegression(epsilon=2.0, delta=1e-6, data_norm=schema.norm_bound, neighbours=neighbours).fit(schema.encode(cells, target=True))
    model = Model.from_estimator(fitted, schema)
    model.save(tmp_path / "model.json")
    read = Model.load(tmp_path / "model.json")
    read.verify().require()
    np.testing.assert_array_equal(read.predict(cells), model.predict(cells))
    np.testing.assert_allclose(
        model.predict(cells), 500.0 * (fitted.predict(schema.encode(cells, target=False).rows.matvec(np.eye(4))) + 1.0), rtol=1e-9
    )
    assert read.certificate.problem["norm_bound"] == 1.0
    for other in (with_metric(power=0.25), replace(PLAIN, rows="normalise")):
        with pytest.raises(InvalidInput, match="the metric of the schema"):
            replace(model, schema=other)
    # A column's coefficient is that of its unit, in rows that are not shortened.
    near = {"rooms": np.array([0.0, 1.0]), "age": np.array([1.0, 1.0]), "region": np.array(["n", "n"])}
    line = next(line for line in model.summary().parts[0].lines if line.name == "rooms")
    plain = model.to_sklearn()
    rows = written(PLAIN.encode(near, target=False).rows)
    assert np.diff(plain.predict(rows))[0] == pytest.approx(line.coefficient, rel=1e-6)
    short = np.linalg.norm(rows @ schema.metric.matrix, axis=1) <= 1.0
    np.testing.assert_allclose(model.predict(near)[short], plain.predict(rows)[short], rtol=1e-9)
    assert model.curves().contributions


def test_what_needs_rows_as_the_columns_make_them_refuses_a_metric():
    schema = with_metric()
    for ask in (
        lambda: released_schema(schema),
        lambda: Asked(schema=schema, neighbours=REPLACE_ONE),
        lambda: counting_schema(schema, columns_to_cut(schema)),
    ):
        with pytest.raises(SchemaError, match="has a metric, which is for fits"):
            ask()
