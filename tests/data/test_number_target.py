"""A target that is a number between public bounds: encoded around zero, refused where classes are needed, quiet about its cells."""

from dataclasses import replace

import numpy as np
import pytest

from discreet import LinearSVC, LogisticRegression, Model
from discreet.core.errors import InvalidInput, SchemaError
from discreet.data import NumberTarget, NumericColumn, Schema, Target
from discreet.estimators import encoded_estimator
from discreet.estimators.model_kinds import check_learns, learnt_from, standard_kind
from tests.canary import CANARY, assert_silent
from tests.schemas import schema_text

TOML = schema_text(
    "prices",
    {"column": "price", "lower": 100, "upper": 300, "outside": "clip", "missing": 200},
    {"area": (0, 50)},
    rows="bound",
    missing_values=["?"],
)
STRICT = Schema(
    name="prices", target=NumberTarget(column="price", lower=100, upper=300), numeric=(NumericColumn(name="area", lower=0, upper=50),), rows="bound"
)


def test_it_is_encoded_around_zero():
    schema = Schema.from_toml(TOML)
    encoded = schema.encode({"area": [10, 20, 30, 40, 50], "price": [100, 200, 300, 900, "?"]}, target=True)
    assert encoded.numbers.tolist() == [-1.0, 0.0, 1.0, 1.0, 0.0]
    assert (encoded.signs, encoded.codes, encoded.classes) == (None, None, ())
    assert schema.encode({"area": [10]}, target=False).numbers is None
    assert schema.columns(target=True) == ("area", "price")


def test_a_schema_with_it_is_read_back():
    schema = Schema.from_toml(TOML)
    assert schema.target == NumberTarget(column="price", lower=100.0, upper=300.0, outside="clip", missing=200.0)
    assert Schema.from_toml(schema.to_toml()) == Schema.from_dict(schema.to_dict()) == schema
    assert isinstance(
        Schema.from_toml(
            TOML.replace("lower = 100\nupper = 300", 'classes = ["a", "b"]').split("outside")[0] + "[numeric.area]\nlower = 0\nupper = 50\n"
        ).target,
        Target,
    )


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("lower = 100", "lower = 400", "lower must be below upper"),
        ("lower = 100\n", "", "'lower' is missing"),
        ("upper = 300", "upper = inf", "finite number"),
        ("missing = 200", "missing = 99", "between lower"),
        ('outside = "clip"', 'outside = "drop"', "cannot be 'drop'"),
        ('outside = "clip"', "other = 3", "unknown key 'other'"),
        ("lower = 100", 'lower = 100\nclasses = ["a", "b"]', "unknown key 'lower'"),
        ('column = "price"', 'column = "area"', "is both the target and a feature: a model would"),
    ],
)
def test_bounds_that_bound_nothing_are_refused(old, new, words):
    with pytest.raises(SchemaError, match=words):
        Schema.from_toml(TOML.replace(old, new, 1))


@pytest.mark.parametrize("estimator", [LogisticRegression, LinearSVC])
def test_what_predicts_classes_refuses_it(estimator):
    with pytest.raises(SchemaError, match="classes are needed here"):
        _ = STRICT.target.classes
    encoded = STRICT.encode({"area": [10, 20], "price": [100, 200]}, target=True)
    with pytest.raises(InvalidInput):
        estimator(data_norm=STRICT.norm_bound).fit(encoded)


@pytest.mark.parametrize("cell", [CANARY, str(CANARY), None, np.nan, f"x{CANARY}", True])
def test_a_cell_that_is_not_covered_is_refused_and_not_shown(cell):
    with pytest.raises(InvalidInput, match=r"target column 'price'") as caught:
        STRICT.encode({"area": [10], "price": [cell]}, target=True)
    assert "[target]" in str(caught.value)
    assert_silent(f"{caught.value!r} {caught.value.__cause__!r} {caught.value.__context__!r}")


def test_a_count_says_so_begins_at_zero_and_is_learnt_by_a_model_of_counts_or_of_numbers():
    text = schema_text("visits", {"column": "visits", "lower": 0, "upper": 20, "counts": True}, {"age": (0, 100)}, rows="bound")
    schema = Schema.from_toml(text)
    assert Schema.from_toml(schema.to_toml()) == Schema.from_dict(schema.to_dict()) == schema
    assert schema.target.counts
    assert "counts" not in STRICT.to_toml()
    ages = np.random.default_rng(0).uniform(0.0, 100.0, 4000)
    table = schema.encode({"age": ages, "visits": np.minimum(np.random.default_rng(1).poisson(np.exp(ages / 50.0)), 20)}, target=True)
    assert standard_kind(learnt_from(schema)) == "poisson-regression"
    for kind in ("poisson-regression", "linear-regression"):
        estimator = encoded_estimator(kind, schema, {"epsilon": 4.0, "random_state": 0})
        check_learns(estimator, schema)
        low, high = Model.from_estimator(estimator.fit(table), schema).predict({"age": [10.0, 90.0]})
        assert 0.0 <= low < 3.0 < high < 8.0
    for given in ({"lower": 1}, {"counts": "yes"}):
        with pytest.raises(SchemaError, match="counts must be true or false, and a count begins at lower = 0"):
            NumberTarget(**{"column": "visits", "lower": 0, "upper": 20, "counts": True, **given})


def test_a_model_of_counts_says_that_it_answers_a_count_and_one_of_numbers_a_number():
    counts = Schema.from_toml(schema_text("visits", {"column": "visits", "lower": 0, "upper": 20, "counts": True}, {"age": (0, 100)}, rows="bound"))
    numbers = replace(counts, target=replace(counts.target, counts=False))
    for schema, said in ((counts, "visits: a count"), (numbers, "visits: a number")):
        table = schema.encode({"age": [10.0] * 40, "visits": [1.0] * 40}, target=True)
        fitted = encoded_estimator("poisson-regression", schema, {"epsilon": 4.0, "random_state": 0}).fit(table)
        assert said in str(Model.from_estimator(fitted, schema).summary()).splitlines()[0]
