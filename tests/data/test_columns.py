import pytest

from discreet.core.errors import SchemaError
from discreet.data import CategoricalColumn, NumericColumn, Target

NUMERIC = {"name": "age", "lower": 0, "upper": 100}
CATEGORICAL = {"name": "sex", "categories": ("f", "m")}
TARGET = {"column": "y", "classes": ("no", "yes")}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"lower": 100}, "lower must be below upper; lower = 100.0 and upper = 100.0"),
        ({"lower": float("nan")}, "finite"),
        ({"upper": float("inf")}, "must be a finite number that float64 can hold. A"),
        ({"upper": 10**400}, "finite"),
        ({"lower": -1e308, "upper": 1e308}, "too far apart"),
        ({"lower": "0"}, "lower must be a number; a string was given"),
        ({"lower": True}, "a boolean was given"),
        ({"outside": "clipp"}, "Did you mean 'clip'"),
        ({"outside": True}, "must be a string"),
        ({"missing": 101}, "missing must lie between"),
        ({"missing": "x"}, "must be a number"),
        ({"scale": "symetric"}, "Did you mean 'symmetric'"),
        ({"scale": None}, "scale must be a string; null was given"),
        ({"name": ""}, "must not be empty"),
    ],
)
def test_a_numeric_column_refuses_what_bounds_nothing(changes, message):
    with pytest.raises(SchemaError, match=message) as caught:
        NumericColumn(**{**NUMERIC, **changes})
    assert caught.value.__context__ is None


def test_numbers_of_a_column_are_floats():
    column = NumericColumn(name="age", lower=0, upper=100, missing=50)
    assert [type(number) for number in (column.lower, column.upper, column.missing)] == [float] * 3


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"categories": ("f",)}, "at least 2"),
        ({"categories": ("f", "f")}, "twice"),
        ({"other": "x"}, "other must be one of the categories; 'x' was given"),
        ({"missing": 1.5}, "must be a string, an integer or a boolean"),
    ],
)
def test_a_categorical_column_refuses_what_is_no_list_of_labels(changes, message):
    with pytest.raises(SchemaError, match=message):
        CategoricalColumn(**{**CATEGORICAL, **changes})


@pytest.mark.parametrize("classes", [("no",), ()])
def test_a_target_has_two_classes_or_more(classes):
    with pytest.raises(SchemaError, match=r"at least two classes are needed"):
        Target(**{**TARGET, "classes": classes})
    assert Target(**{**TARGET, "classes": ("no", "yes", "maybe")}).classes == ("no", "yes", "maybe")


def test_a_target_maps_other_values_to_one_of_its_classes():
    assert Target(**TARGET, other="no", missing="yes").other == "no"
    with pytest.raises(SchemaError, match="target: other must be one of the classes"):
        Target(**TARGET, other="maybe")
