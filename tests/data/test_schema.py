import json
import math

import pytest
from hypothesis import given

from discreet.core.errors import FileFormatError, InvalidInput, SchemaError
from discreet.data import CategoricalColumn, NumericColumn, Schema, Target
from tests.data.strategies import schemas

TEXT = """
format = "discreet-schema/1"
name = "clinic"
missing_values = ["?"]
[target]
column = "ill"
classes = ["no", "yes"]
[numeric.age]
lower = 0
upper = 120
outside = "clip"
[categorical."blood group"]
categories = ["0", "A", "B", "AB"]
[numeric.weight]
lower = 0
upper = 300
"""


def spelled(schema):
    """Everything of a schema, with 1, 1.0 and True told apart."""
    return repr(schema)


@given(schemas())
def test_toml_round_trips(schema):
    again = Schema.from_toml(schema.to_toml())
    assert again == schema
    assert again.to_toml() == schema.to_toml()
    assert spelled(again).replace("-0.0", "0.0") == spelled(schema).replace("-0.0", "0.0")


@given(schemas())
def test_json_round_trips_in_whatever_order_the_keys_are_kept(schema):
    again = Schema.from_dict(json.loads(json.dumps(schema.to_dict(), sort_keys=True, allow_nan=False)))
    assert again == schema
    assert again.feature_names == schema.feature_names
    assert spelled(again) == spelled(schema)


@given(schemas())
def test_features_and_norm_bound_follow_from_the_columns(schema):
    assert schema.features == len(schema.feature_names)
    columns = len(schema.columns(target=False))
    assert schema.norm_bound == (1.0 if schema.rows == "normalise" else math.sqrt(columns))
    assert schema.columns(target=True, persons=False) == (*schema.columns(target=False), schema.target.column)


def test_numeric_features_come_before_categorical_ones():
    names = ("age", "weight", "blood group=0", "blood group=A", "blood group=B", "blood group=AB")
    assert Schema.from_toml(TEXT).feature_names == names


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('format = "discreet-schema/1"', "", 'Begin it with the line format = "discreet-schema/1"'),
        ("schema/1", "schema/9", "'discreet-schema/9' was given. Install"),
        ('name = "clinic"', "", "'name' is missing. Add it"),
        ('name = "clinic"', 'nmae = "clinic"', "unknown key 'nmae'. Did you mean 'name'"),
        ('name = "clinic"', "name = 3", "name must be a string; a number was given"),
        ('name = "clinic"', 'name = "clinic"\nrows = "normalize"', "Did you mean 'normalise'"),
        ('name = "clinic"', 'name = "clinic"\nrows = ["bound"]', "rows must be"),
        ('["?"]', '"?"', "missing_values must be a list; a string was given"),
        ('["?"]', "[1]", "missing_values: each must be a string"),
        ('["?"]', '["A"]', "'A' is both declared and listed in missing_values"),
        ("[target]", "[targt]", "unknown key 'targt'. Did you mean 'target'"),
        ('[target]\ncolumn = "ill"\nclasses = ["no", "yes"]', "", "A table .target. with column"),
        ('column = "ill"', 'colum = "ill"', "target: unknown key 'colum'. Did you mean 'column'"),
        ('column = "ill"\n', "", "target: 'column' is missing"),
        ('column = "ill"', 'column = "age"', "is both the target and a feature: a model would"),
        ('["no", "yes"]', '["no"]', "at least two"),
        ("lower = 0\nupper = 120", "upper = 120", "'lower' is missing"),
        ("upper = 120", "uper = 120", "numeric column 'age': unknown key 'uper'. Did you mean 'upper'"),
        ("upper = 120", "upper = inf", "finite"),
        ("upper = 120", "upper = nan", "finite"),
        ("upper = 120", "upper = -1", "lower must be below upper"),
        ('["0", "A", "B", "AB"]', '["0", "A", "A"]', "'A' twice"),
        ('["0", "A", "B", "AB"]', '["0"]', "at least 2"),
        ("[numeric.weight]", '[numeric."blood group"]', "'blood group' is declared twice"),
        ("[numeric.weight]", "[numeric.age]", "not valid TOML"),
        ("[numeric.weight]", "[weight]", "unknown key 'weight'"),
        ("[numeric.weight]", "[numeric.weight]\nname = 'w'", "The name of a column is the name of its table"),
        ("[numeric.weight]\nlower = 0\nupper = 300", "[numeric]\nweight = 3", "numeric.weight is a number"),
        ("classes = [", "classes = ", "not valid TOML"),
    ],
)
def test_each_mistake_of_a_schema_has_one_clear_message(old, new, message):
    assert old in TEXT
    with pytest.raises(SchemaError, match=message) as caught:
        Schema.from_toml(TEXT.replace(old, new))
    assert caught.value.__context__ is None
    assert caught.value.exit_code == 3


@pytest.mark.parametrize("text", ["x = " + "[" * 100_000, "x = 1" + "0" * 5_000, ".".join("a" * 2_000) + " = 1", "\x00"])
def test_a_text_that_breaks_the_parser_is_a_schema_error_too(text):
    with pytest.raises(SchemaError):
        Schema.from_toml(text)


@pytest.mark.parametrize("table", [None, [], "format", {"format": "discreet-schema/1", "name": "x", "target": 3}, {"format": 1}])
def test_a_dict_of_another_form_is_refused(table):
    with pytest.raises(SchemaError):
        Schema.from_dict(table)


def test_a_column_given_as_something_else_is_refused():
    table = Schema.from_toml(TEXT).to_dict()
    for wrong in ("age", ["age"], [{"lower": 0, "upper": 1}]):
        with pytest.raises(SchemaError, match="numeric"):
            Schema.from_dict({**table, "numeric": wrong})


def test_a_schema_needs_a_feature():
    target = Target(column="y", classes=("no", "yes"))
    with pytest.raises(SchemaError, match="at least one feature"):
        Schema(name="x", target=target)


def test_two_features_of_one_name_are_refused():
    target = Target(column="y", classes=("no", "yes"))
    with pytest.raises(SchemaError, match="same name"):
        Schema(
            name="x",
            target=target,
            numeric=(NumericColumn(name="a=b", lower=0, upper=1),),
            categorical=(CategoricalColumn(name="a", categories=("b", "c")),),
        )


def test_lists_must_be_lists():
    target = Target(column="y", classes=("no", "yes"))
    with pytest.raises(SchemaError, match="missing_values must be a list; a string was given"):
        Schema(name="x", target=target, missing_values="NA")


def test_a_schema_is_loaded_from_a_file_with_its_path_in_messages(tmp_path):
    path = tmp_path / "clinic.toml"
    path.write_text(TEXT, encoding="utf-8-sig")
    assert Schema.load(path) == Schema.from_toml(TEXT)
    path.write_text(TEXT.replace("upper", "uper"), encoding="utf-8")
    with pytest.raises(SchemaError, match=r"clinic\.toml: numeric column 'age': unknown key 'uper'"):
        Schema.load(path)
    path.write_bytes(TEXT.encode("utf-16"))
    with pytest.raises(FileFormatError, match="UTF-8"):
        Schema.load(str(path))
    with pytest.raises(InvalidInput, match="discreet schema new"):
        Schema.load(tmp_path / "absent.toml")
    with pytest.raises(InvalidInput, match="cannot be read"):
        Schema.load(tmp_path)
