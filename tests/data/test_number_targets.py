"""Several numbers as the targets of one schema: read and written, encoded each as alone, and refused where one is taken."""

import numpy as np
import polars as pl
import pytest

from discreet.core.errors import SchemaError
from discreet.data import NumberTarget, NumberTargets, Schema, schema_files
from discreet.data.local_check import troubles
from tests.schemas import schema_text

RENT = {"column": "rent", "lower": 0, "upper": 3000}
HEATING = {"column": "heating", "lower": -1, "upper": 400, "outside": "clip"}


def schema(targets=(RENT, HEATING)):
    return Schema.from_toml(schema_text("flats", list(targets), {"size": (0, 200)}, rows="bound"))


def test_tables_of_targets_are_read_and_written():
    found = schema()
    assert isinstance(found.target, NumberTargets)
    assert found.answers == ("rent", "heating")
    assert found.columns(target=True) == ("size", "rent", "heating")
    assert Schema.from_toml(found.to_toml()) == found
    assert Schema.from_dict(found.to_dict()) == found


def test_each_is_encoded_as_it_is_alone():
    frame = pl.DataFrame({"size": [50.0, 100.0], "rent": [0.0, 1500.0], "heating": [900.0, 0.0]})
    together = schema().encode(frame, target=True).numbers
    for place, target in enumerate((RENT, HEATING)):
        alone = Schema.from_toml(schema_text("flats", target, {"size": (0, 200)}, rows="bound"))
        assert np.array_equal(together[:, place], alone.encode(frame, target=True).numbers)
    assert [trouble.column for trouble in troubles(frame.with_columns(rent=pl.lit(9e9), heating=pl.lit("?")), schema())] == ["rent", "heating"]


@pytest.mark.parametrize(
    ("targets", "words"),
    [
        ((RENT,), "several targets need two or more"),
        ((RENT, {**HEATING, "lower": 0, "counts": True}), "counts = true is for a single"),
        ((RENT, RENT), "the same column"),
        ((RENT, {"column": "size", "lower": 0, "upper": 1}), "is both the target and a feature: a model would"),
        ((RENT, {"column": "kind", "classes": ["a", "b"]}), "with several targets, each is a number with lower and"),
        ((RENT, {"column": "heating", "lower": 0}), "'upper' is missing"),
    ],
)
def test_what_are_no_several_numbers_is_refused(targets, words):
    with pytest.raises(SchemaError, match=words):
        schema(targets)


def test_where_one_is_taken_the_others_are_named(tmp_path):
    pl.DataFrame({"size": [1.0], "rent": [1.0], "heating": [1.0]}).write_parquet(tmp_path / "flats.parquet")
    with pytest.raises(SchemaError, match=r"'rent', 'heating', and only one is possible here|a release has at most one target"):
        _ = schema().one_target
    assert schema_files(tmp_path / "flats.parquet", schema()).targets == 2
    with pytest.raises(SchemaError, match="is not one of the targets"):
        schema().target.place_of("size")
    assert schema_files(tmp_path / "flats.parquet", schema(), target=False).features == 1
    assert NumberTarget(**RENT).where == "target column 'rent'"
