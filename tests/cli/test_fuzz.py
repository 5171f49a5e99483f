"""Malformed model files and schemas: a refusal or an answer, never anything unexpected."""

import copy
import json
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from discreet.core.errors import DiscreetError, SchemaError
from discreet.data import Schema
from discreet.estimators.files.model import Model
from tests.cli.conftest import SCHEMA, discreet

odd = st.sampled_from(
    [None, True, False, 0, -1, 1, 2**70, -0.0, 1e-320, 1e308, "", "logistic", "\x1b[2J", "\ud800", "yes", [], {}, [[]], [1, "a"], {"a": 1}]
)
anything = st.recursive(
    odd | st.text() | st.integers() | st.floats(), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)
)


def places(value, path=()):
    """Every place of a JSON value, as a path."""
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        yield from places(one, (*path, key))


def changed(record, path, how, value):
    """`record` with one place replaced or removed."""
    if not path:
        return value
    record = copy.deepcopy(record)
    parent = record
    for key in path[:-1]:
        parent = parent[key]
    if how == "remove":
        del parent[path[-1]]
    else:
        parent[path[-1]] = value
    return record


def load_and_use(text):
    """Load and use; True where it was taken for a model."""
    try:
        model = Model.from_json(text)
    except DiscreetError as error:
        lines = str(error).splitlines()
    else:
        lines = []
    assert len(lines) <= 1
    if lines:
        return False
    assert str(model.certificate)
    assert Model.from_json(model.to_json()) == model
    with suppress(SchemaError):  # the name of a column may be the place
        model.predict({"age": [30], "hours": [40], "city": ["north"]})
    return True


@given(data=st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_model_file_with_one_place_changed(fitted_model, data):
    record = json.loads(fitted_model)
    path = data.draw(st.sampled_from(list(places(record))))
    how = data.draw(st.sampled_from(["replace", "remove"]))
    load_and_use(json.dumps(changed(record, path, how, data.draw(anything))))


@given(data=st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_model_with_one_place_of_its_certificate_changed_is_checked_to_the_end(fitted_model, data):
    record = json.loads(fitted_model)
    path = data.draw(st.sampled_from([path for path in places(record) if path[:2] in [("certificate", "parameters"), ("certificate", "problem")]]))
    try:
        model = Model.from_json(json.dumps(changed(record, path, "replace", data.draw(anything))))
    except DiscreetError:
        return
    assert isinstance(model.verify().ok, bool)


@given(position=st.integers(0, 10_000), length=st.integers(0, 40), text=st.text(max_size=10))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_model_file_with_a_stretch_of_text_changed(fitted_model, position, length, text):
    position %= len(fitted_model)
    load_and_use(fitted_model[:position] + text + fitted_model[position + length :])


@given(text=st.text() | anything.map(json.dumps))
def test_a_model_file_of_anything(text):
    assert not load_and_use(text)


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"a":' * 100_000, "1" * 10_000, '{"format": "discreet-model/1", "format": "discreet-model/1"}', "\ufeff{}"]
)
def test_a_model_file_made_to_break_readers(text):
    assert not load_and_use(text)


@given(data=st.data())
def test_a_schema_with_one_place_changed(data):
    record = Schema.from_toml(SCHEMA).to_dict()
    path = data.draw(st.sampled_from(list(places(record))))
    try:
        schema = Schema.from_dict(changed(record, path, data.draw(st.sampled_from(["replace", "remove"])), data.draw(anything)))
    except DiscreetError:
        return
    assert Schema.from_dict(json.loads(json.dumps(schema.to_dict()))) == schema


@given(position=st.integers(0, 1000), length=st.integers(0, 20), text=st.text(max_size=8))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_schema_or_model_file_makes_the_program_fail_unexpectedly(model, fitted_model, position, length, text):
    at = position % len(SCHEMA)
    (model / "odd.toml").write_bytes((SCHEMA[:at] + text + SCHEMA[at + length :]).encode("utf-8", "surrogatepass"))
    assert discreet("schema", "check", "odd.toml", "people.csv").code in (0, 3)
    at = (position * 7) % len(fitted_model)
    (model / "odd.json").write_bytes((fitted_model[:at] + text + fitted_model[at + length :]).encode("utf-8", "surrogatepass"))
    assert discreet("show", "odd.json").code in (0, 3)
    assert discreet("predict", "odd.json", "people.csv").code in (0, 3)
