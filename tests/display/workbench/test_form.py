"""The form and the schema are two spellings of one thing."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from discreet.data import CategoricalColumn, NumberTarget, NumericColumn, PersonColumn, Schema, Target
from discreet.display.workbench.form import form_of, lost_by_the_form, read_form
from discreet.display.workbench.wire import Fields

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
    target = draw(some.sampled_from([Target(column=names[2], classes=tuple(classes)), NumberTarget(column=names[2], lower=lower, upper=upper)]))
    several = PersonColumn(column="whose", rows=draw(some.integers(1, 99)), weight=draw(some.sampled_from(["person", "row"])))
    whose = draw(some.sampled_from([{}, {"rows_per_person": 1}, {"person": several}]))
    return Schema(name="x", target=target, numeric=(number,), categorical=(column,), rows=draw(some.sampled_from(["normalise", "bound"])), **whose)


@given(schema=schemas())
def test_a_schema_comes_back_from_its_form(schema):
    formed = read_form(Fields(form_of(schema)))
    assert formed.problems == ()
    assert formed.schema == schema
    assert not lost_by_the_form(schema)


@pytest.mark.parametrize("changes", [{"scale": "symmetric"}, {"released": "0" * 64}])
def test_what_the_form_cannot_show_is_noticed(changes):
    number = NumericColumn(name="a", lower=0.0, upper=1.0, **changes)
    assert lost_by_the_form(Schema(name="x", target=Target(column="y", classes=("no", "yes")), numeric=(number,)))


def test_a_label_that_looks_like_a_number_is_noticed():
    """The text "1" matches fewer cells than the number 1, so a schema that says the one must not become the other."""
    column = CategoricalColumn(name="a", categories=("1", "2"))
    assert lost_by_the_form(Schema(name="x", target=Target(column="y", classes=("no", "yes")), categorical=(column,)))
