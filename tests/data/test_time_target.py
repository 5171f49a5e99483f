"""Targets that are times: what a schema says of them, and what their cells become."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from discreet import Schema
from discreet.core.errors import InvalidInput, SchemaError
from discreet.data import Dialect, TimeTarget
from tests.schemas import schema_text

TIMES = {"column": "months", "event": "died", "ends": [6, 12]}


def schema(**changed):
    target = {name: value for name, value in (TIMES | changed).items() if value is not None}
    return Schema.from_toml(schema_text("clinic", target, {"age": (0, 100)}))


def times(frame, **changed):
    return schema(**changed).encode(pl.DataFrame({"age": [50.0] * len(frame["months"]), **frame}), target=True).times


def test_it_is_read_written_and_encoded():
    found = schema()
    assert found.target == TimeTarget(column="months", event="died", ends=(6.0, 12.0))
    assert Schema.from_toml(found.to_toml()) == found == Schema.from_dict(found.to_dict())
    assert found.columns(target=True) == ("age", "months", "died")
    assert found.columns(target=False) == ("age",)
    for yes, no in ((1, 0), (True, False), ("1", "0"), ("true", "False"), (1.0, 0.0)):
        assert times({"months": ["3", "-1", "99.5"], "died": [yes, no, yes]}, outside="clip").tolist() == [[3, 1], [0, 0], [99.5, 1]]
    assert times({"months": [3, 4], "died": ["dead", "?"]}, happened="dead").tolist() == [[3, 1], [4, 0]]
    folded = replace(schema(happened="dead"), file=Dialect(ignore_case=True))
    table = pl.DataFrame({"age": [50.0] * 3, "months": [3, 4, 5], "died": ["Dead", "alive", "DEAD"]})
    assert folded.encode(table, target=True).times[:, 1].tolist() == [1, 0, 1]
    assert np.array_equal(times({"months": [3, 4]}, event=None), [[3, 1], [4, 1]])
    with pytest.raises(SchemaError, match="a time until an event; classes are needed here"):
        _ = found.target.classes


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"ends": [6, 6]}, "increasing"),
        ({"ends": []}, "increasing"),
        ({"ends": [-1, 2]}, "increasing"),
        ({"event": "months"}, "of the time itself"),
        ({"event": None, "happened": 1}, "target: happened needs event, the column whose value"),
        ({"event": "age"}, "is both the target and a feature: a model would"),
        ({"event": ""}, "must not be empty"),
        ({"ordered": True}, "unknown key 'ordered'"),
        ({"outside": "drop"}, 'Write outside = "clip"'),
    ],
)
def test_what_is_no_time_is_refused(changed, words):
    with pytest.raises(SchemaError, match=words):
        schema(**changed)


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        ({"months": ["soon", "3"], "died": [1, 1]}, "must hold numbers"),
        ({"months": [None, 3.0], "died": [1, 1]}, "a value is missing"),
        ({"months": [1, 3], "died": [None, 1]}, "does not say whether"),
        ({"months": [1, 3], "died": ["dead", "1"]}, "Add happened"),
        ({"months": [1, -7], "died": [0, 1]}, 'has a time below 0. Add outside = "clip"'),
    ],
)
def test_a_cell_that_says_nothing_is_refused_without_being_told(frame, words):
    with pytest.raises(InvalidInput, match=words) as refused:
        times(frame)
    assert "soon" not in str(refused.value)
    assert "dead" not in str(refused.value)
    assert "7" not in str(refused.value)


def test_classes_in_order_are_classes():
    target = {"column": "grade", "classes": ["poor", "good"], "ordered": True}
    found = Schema.from_toml(schema_text("school", target, {"age": (0, 100)}))
    assert found.target.ordered
    assert Schema.from_toml(found.to_toml()) == found
    with pytest.raises(SchemaError, match="ordered must be true or false"):
        Schema.from_toml(schema_text("school", target | {"ordered": "yes"}, {"age": (0, 100)}))
