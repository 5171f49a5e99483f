import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.core.errors import SchemaError
from discreet.data import Schema, schema_stub
from discreet.data.encodings import Curve
from tests.data.strategies import names


def test_a_stub_is_refused_until_its_placeholders_are_filled_in():
    with pytest.raises(SchemaError, match=r"open placeholders: 'target.column', 'target.classes', 'numeric.age.lower'.*Replace each 'FILL IN'"):
        Schema.from_toml(schema_stub(["age", "ill"], name="clinic"))
    with pytest.raises(SchemaError, match=r"open placeholders: 'target.classes', 'numeric.age.lower'"):
        Schema.from_toml(schema_stub(["age", "ill"], name="clinic", target="ill"))


def test_a_stub_that_is_filled_in_is_a_schema():
    text = schema_stub(["age", "blood group", "ill"], name="clinic", target="ill")
    text = text.replace('classes = ["FILL IN", "FILL IN"]', 'classes = ["no", "yes"]')
    text = text.replace('[numeric.age]\nlower = "FILL IN"\nupper = "FILL IN"', "[numeric.age]\nlower = 0\nupper = 1")
    text = text.replace('[categorical.age]\ncategories = ["FILL IN", "FILL IN"]', "")
    text = text.replace('[numeric."blood group"]\nlower = "FILL IN"\nupper = "FILL IN"\nencoding = "curve"', "")
    text = text.replace('categories = ["FILL IN", "FILL IN"]', 'categories = ["A", "B"]')
    schema = Schema.from_toml(text)
    assert schema.numeric[0].encoding == (Curve(rest=1.0),)
    assert schema.feature_names[-2:] == ("blood group=A", "blood group=B")


def test_a_stub_explains_each_choice_before_the_columns():
    head = schema_stub(["age", "ill"], name="clinic").split("[numeric.age]")[0]
    for word in ("normalise", "missing_values", "outside", "scale", "the second is the positive one", "keep one"):
        assert word in head


@given(st.lists(names, min_size=2, max_size=4, unique=True), names)
def test_a_stub_is_toml_whatever_the_columns_are_called(header, name):
    with pytest.raises(SchemaError, match="open placeholders"):
        Schema.from_toml(schema_stub(header, name=name, target=header[0]))


@pytest.mark.parametrize(
    ("header", "target", "message"),
    [
        (["a", "a"], None, "same name"),
        (["a", ""], None, "a column name must not be empty"),
        (["age", "income"], "incme", "no column 'incme', the target. Did you mean 'income'"),
        (["y"], "y", "the header needs at least one column besides the"),
        ([], None, "at least one column"),
    ],
)
def test_a_header_that_no_schema_can_have_is_refused(header, target, message):
    with pytest.raises(SchemaError, match=re.escape(message)):
        schema_stub(header, name="x", target=target)
