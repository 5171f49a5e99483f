"""The form and the schema are two spellings of one thing."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as some

from discreet.data import (
    CategoricalColumn,
    Cross,
    DateColumn,
    Dialect,
    NumberTarget,
    NumericColumn,
    PersonColumn,
    Schema,
    SchemaDraft,
    Target,
    TimeTarget,
)
from discreet.workbench.form import form_of, read_form
from discreet.workbench.wire import Fields

NAMES = some.text(alphabet="abcXYZ_- .äß", min_size=1, max_size=8).filter(lambda name: name == name.strip() != "")
NUMBERS = some.floats(allow_nan=False, allow_infinity=False, min_value=-1e12, max_value=1e12)
LABELS = some.lists(some.one_of(NAMES, some.integers(-(10**6), 10**6)), min_size=2, max_size=5, unique_by=str)


@some.composite
def schemas(draw):
    names = draw(some.lists(NAMES, min_size=3, max_size=3, unique=True))
    lower = draw(NUMBERS)
    upper = lower + draw(some.floats(min_value=0.5, max_value=1e6))
    number = NumericColumn(
        name=names[0], lower=lower, upper=upper, outside=draw(some.sampled_from(["clip", None])), missing=draw(some.sampled_from([None, lower]))
    )
    labels = draw(LABELS)
    column = CategoricalColumn(name=names[1], categories=tuple(labels), other=draw(some.sampled_from([None, labels[0]])), missing=labels[1])
    classes = draw(LABELS)
    counted = NumberTarget(column=names[2], lower=0.0, upper=9.0, counts=True)
    measured, labelled = NumberTarget(column=names[2], lower=lower, upper=upper), Target(column=names[2], classes=tuple(classes))
    target = draw(some.sampled_from([labelled, measured, counted]))
    several = PersonColumn(column="whose", rows=draw(some.integers(1, 99)), weight=draw(some.sampled_from(["person", "row"])))
    whose = draw(some.sampled_from([{}, {"rows_per_person": 1}, {"person": several}]))
    return Schema(name="x", target=target, numeric=(number,), categorical=(column,), rows=draw(some.sampled_from(["normalise", "bound"])), **whose)


@given(schema=schemas())
def test_a_schema_comes_back_from_its_form(schema):
    formed = read_form(Fields(form_of(schema)))
    assert formed.problems == ()
    assert formed.schema == schema
    without = {name: value for name, value in form_of(schema).items() if name != "base"}
    assert read_form(Fields(without)).schema == schema


EVERYTHING = Schema(
    name="x",
    target=Target(column="y", classes=("1", "2", "3"), ordered=True, aliases={"one": "1"}),
    numeric=(
        NumericColumn(name="a", lower=0.0, upper=1.0, scale="symmetric", released="0" * 64, missing="indicator"),
        NumericColumn(name="b", lower=0.0, upper=9.0, encoding="bins", outside="clip"),
    ),
    date=(DateColumn(name="when", lower="1990-01-01", upper="2020-01-01"),),
    categorical=(
        CategoricalColumn(name="c", categories=("1", "2"), other="1", aliases={"zwei": "2"}),
        CategoricalColumn(name="d", categories=(1, 2)),
    ),
    cross=(Cross(name="b and c", columns=("b", "c")),),
    missing_values=("NA",),
    file=Dialect(separator=";", encoding="cp1252", decimal=",", thousands=".", dates="day.month.year", ignore_case=True, unreadable="missing"),
    person=PersonColumn(column="patient", rows=7),
)
"""What the form has no field for, too."""


def with_changes(schema, name, **changes):
    """The form of a schema in which somebody typed something else for a column."""
    form = form_of(schema)
    return Fields(form | {"columns": [one | changes if one["name"] == name else one for one in form["columns"]]})


def test_a_schema_is_changed_only_where_somebody_typed():
    assert read_form(Fields(form_of(EVERYTHING))).schema == EVERYTHING
    found = read_form(with_changes(EVERYTHING, "c", other="2")).schema
    assert found.categorical[0] == replace(EVERYTHING.categorical[0], other="2")
    assert replace(found, categorical=EVERYTHING.categorical) == EVERYTHING


def test_bounds_that_are_typed_anew_are_not_said_to_be_released():
    found = read_form(with_changes(EVERYTHING, "a", upper="100,000")).schema
    assert found.numeric[0] == replace(EVERYTHING.numeric[0], upper=100_000.0, released=None)


def test_a_cross_goes_with_its_column():
    assert read_form(with_changes(EVERYTHING, "b", kind="ignore")).schema.cross == ()


def test_a_target_of_times_stays_what_its_file_says():
    target = TimeTarget(column="days", event="died", happened=1, ends=(10.0, 20.0))
    schema = Schema(name="x", target=target, numeric=(NumericColumn(name="a", lower=0.0, upper=1.0),))
    assert read_form(Fields(form_of(schema))).schema == schema


def test_open_bounds_make_a_draft():
    formed = read_form(with_changes(EVERYTHING, "b", open=True, lower="", upper=""))
    assert (formed.schema, formed.problems, formed.open) == (None, (), ("b",))
    draft = SchemaDraft.from_toml(formed.draft)
    assert draft.open == ("b",)
    assert draft.schema.numeric[0] == EVERYTHING.numeric[0]
    assert draft.schema.file == EVERYTHING.file


@pytest.mark.parametrize(
    ("file", "says"),
    [({"separator": "xx"}, "separator"), ({"decimal": "!"}, "decimal"), ({"encoding": "nonsense"}, "encoding"), ({"dates": "day.day.year"}, "dates")],
)
def test_a_file_that_is_written_in_no_way_is_said_where_it_was_typed(file, says):
    (problem,) = read_form(Fields(form_of(EVERYTHING) | {"file": file})).problems
    assert problem.where == "file"
    assert says in problem.message


def test_an_alias_without_its_label_is_refused():
    (problem,) = read_form(with_changes(EVERYTHING, "d", aliases=["zwei"])).problems
    assert (problem.where, "TEXT = LABEL" in problem.message) == ("d", True)
