"""What becomes of how long rows are, where a schema says it and where it leaves it open."""

import warnings

import numpy as np
import pytest

from discreet import LinearRegression, Schema, SchemaDraft
from discreet.data.row_lengths import length_words, meaningless
from discreet.estimators import advice
from tests.schemas import OPEN, schema_text

TARGET = {"column": "rent", "lower": 0, "upper": 2000}
CURVE = {"lower": 0, "upper": 200, "encoding": "curve"}
LONE = {
    "a number": {"area": (0, 200)},
    "one on a logarithmic scale": {"area": {"lower": 0, "upper": 200, "encoding": "log"}},
    "one around zero, with gaps": {"area": {"lower": -9, "upper": 9, "scale": "symmetric", "missing": "indicator"}},
}
MORE = {
    "two numbers": {"area": (0, 200), "floor": (0, 9)},
    "a curve": {"area": CURVE},
    "a category": {"kind": ["flat", "house"]},
    "a number and a category": {"area": (0, 200), "kind": ["flat", "house"]},
    "a number twice": {"area": {"lower": 0, "upper": 200, "encoding": ["linear", "log"]}},
}


def schema(columns, **says):
    return Schema.from_toml(schema_text("flats", TARGET, columns, **says))


@pytest.mark.parametrize(("columns", "rows"), [*((one, "bound") for one in LONE.values()), *((one, "normalise") for one in MORE.values())])
def test_what_is_left_open_is_settled_by_public_columns_and_written_down(columns, rows):
    found = schema(columns)
    assert found.rows == rows
    assert found.to_dict()["rows"] == rows
    assert Schema.from_toml(found.to_toml()) == found
    assert meaningless(found) is None
    for said in ("normalise", "bound"):
        assert schema(columns, rows=said).rows == said
    assert length_words(found).startswith("left as they are" if rows == "bound" else "divided")


@pytest.mark.parametrize("columns", LONE.values(), ids=LONE)
def test_a_lone_number_that_is_divided_by_its_length_is_told_before_anything_is_spent(columns):
    said = schema(columns, rows="normalise")
    assert 'write rows = "bound"' in meaningless(said)
    assert meaningless(schema(columns, rows="bound")) is None


def test_nothing_is_learnt_of_it_and_a_fit_in_python_says_so_too():
    area = np.random.default_rng(0).uniform(20.0, 200.0, 2000)
    frame, scores = {"area": area, "rent": 10.0 * area}, {}
    for rows in ("normalise", None):
        table = schema(LONE["a number"], **({} if rows is None else {"rows": rows})).encode(frame, target=True)
        advice.forget()
        model = LinearRegression(epsilon=4.0, data_norm=1.0)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            model.fit(table)
        assert any("its sign alone" in str(one.message) for one in said) == (rows is not None)
        scores[rows] = model.score(table, table.numbers)
    assert scores["normalise"] < 0.05
    assert scores[None] > 0.9


def test_bounds_that_are_still_to_be_chosen_leave_it_as_open_as_it_was():
    draft = SchemaDraft.from_toml(schema_text("flats", TARGET, {"area": OPEN | {"encoding": "curve"}}))
    assert draft.filled({"area": (0.0, 200.0)}, released="0" * 64).rows == "normalise"
    draft = SchemaDraft.from_toml(schema_text("flats", TARGET, {"area": OPEN}))
    assert draft.filled({"area": (0.0, 200.0)}, released="0" * 64).rows == "bound"
    draft = SchemaDraft.from_toml(schema_text("flats", TARGET, {"area": OPEN}, rows="normalise"))
    assert draft.filled({"area": (0.0, 200.0)}, released="0" * 64).rows == "normalise"
