"""An exception, a warning, is an output: tables that differ in one record both answer in silence, or are both refused with the same words.

Records are any finite floats. Without this, one long row that makes a fit fail, or print a warning, says that it is there, whatever the noise is.
"""

import warnings
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet.estimators
from discreet import Lasso, LinearRegression, LogisticRegression, Schema
from discreet.core.errors import DiscreetError, InvalidInput, PrivacyAdvice
from discreet.data import schema_files
from discreet.data.person_column import PersonColumn
from discreet.estimators.model_kinds import encoded_estimator
from tests.properties import answers as catalogue
from tests.properties.answers import FEATURES, answers
from tests.schemas import schema_text

WILD = (0.0, -0.0, 5e-324, -1e-310, 1e-160, 1e-9, 0.3, -1.0, 4e38, -1e39, 1e160, -1e160, 1e300, 1.7e308, -1.7e308)
numbers = st.sampled_from(WILD) | st.floats(allow_nan=False, allow_infinity=False)
rows = st.lists(numbers, min_size=FEATURES, max_size=FEATURES) | numbers.map(lambda number: [number] * FEATURES)
records = st.tuples(rows, st.integers(0, 2), numbers, numbers)
MADE = {relation: answers(relation) for relation in ("replace-one", "add-remove")}
each_relation, each_answer = pytest.mark.parametrize("relation", MADE), pytest.mark.parametrize("name", MADE["add-remove"])


def others(count, seed=0):
    """Ordinary records."""
    draw = np.random.default_rng(seed)
    return draw.uniform(-0.5, 0.5, (count, FEATURES)), draw.integers(0, 3, count), draw.uniform(-1, 1, count), draw.uniform(0, 1, count)


def joined(table, record):
    """The table with one record more."""
    one = (np.array([record[0]]), np.array([record[1]]), np.array([record[2]]), np.array([record[3]]))
    return tuple(np.concatenate([column, more]) for column, more in zip(table, one, strict=True))


def said(answer, table):
    """Empty for an answer in silence; else the words of a refusal. Anything else, a warning too, fails."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", PrivacyAdvice)
        try:
            answer(*table)
        except DiscreetError as refusal:
            return f"{type(refusal).__name__}: {refusal}"
    return ""


def of_their_number(words, relation):
    """Whether they refuse a table for how few records it has, which is public under replace-one."""
    return relation == "replace-one" and "it would be mostly noise" in words


@each_relation
@each_answer
@settings(max_examples=2 if settings.default.max_examples < 100 else 6)
@given(count=st.sampled_from([0, 2, 6]), record=records, other=records)
def test_one_record_of_any_finite_floats_changes_nothing_that_is_said(relation, name, count, record, other):
    """With one record, whose number is public under replace-one, Algorithm 4 refuses: it needs as many as there are parts."""
    answer, table = MADE[relation][name], others(count)
    first = joined(table, record)
    second = table if relation == "add-remove" else joined(table, other)
    words = said(answer, first)
    assert words == said(answer, second)
    assert not words or (relation, count) == ("replace-one", 0) or of_their_number(words, relation)


@each_relation
@each_answer
@pytest.mark.parametrize("wild", [4e38, -1.7e308, 5e-324])
def test_the_longest_and_the_shortest_records_are_answered(relation, name, wild):
    table = joined(others(6), ([wild, -wild, wild / 3], 1, wild, wild))
    words = said(MADE[relation][name], table)
    assert not words or of_their_number(words, relation)


@each_answer
def test_under_add_remove_a_table_without_records_is_answered(name):
    assert said(MADE["add-remove"][name], others(0)) == ""


@pytest.mark.parametrize("kind", ["ordinal-regression", "survival-model", "logistic-regression", "linear-regression"])
def test_under_add_remove_blocks_without_records_are_answered_as_those_with_one(kind, tmp_path):
    """Where persons are told apart, or a record makes several rows."""
    targets = {
        "ordinal-regression": {"column": "y", "classes": ["0", "1", "2"], "ordered": True},
        "survival-model": {"column": "y", "ends": [1, 2, 3]},
        "logistic-regression": {"column": "y", "classes": ["0", "1"]},
        "linear-regression": {"column": "y", "lower": 0, "upper": 1},
    }
    schema = Schema.from_toml(schema_text("few", targets[kind], {"age": (0, 100)}, rows="bound"))
    several = kind in ("logistic-regression", "linear-regression")
    schema = replace(schema, person=PersonColumn(column="who", rows=3)) if several else replace(schema, rows_per_person=1)
    for records in (0, 1):
        pl.DataFrame({"age": [50.0], "who": [7], "y": ["1" if "classes" in targets[kind] else 1.0]})[:records].write_parquet(tmp_path / "few.parquet")
        estimator = encoded_estimator(kind, schema, {"neighbours": "add-remove"})
        classes = {"classes": targets[kind]["classes"]} if "classes" in targets[kind] else {}
        fitted = estimator.set_params(**classes).fit(schema_files(tmp_path / "few.parquet", schema))
        assert fitted.certificate_.verify().ok


@each_answer
def test_under_replace_one_a_table_without_records_is_refused_or_answered_in_one_sentence(name):
    """n is public there, so this tells nothing."""
    refusal = said(MADE["replace-one"][name], others(0))
    assert "\n" not in refusal
    assert len(refusal) < 300


@pytest.mark.parametrize("scale", [1e-8, 1e8])
def test_the_smallest_and_the_largest_bounds_are_computed_with(scale):
    """Rows as long as the bound, and as heavy: nothing overflows, and nothing underflows to a failure."""
    X, labels, targets, _ = others(60)
    for classes in (2, 3):
        model = LogisticRegression(classes=list(range(classes)), delta=1e-6, data_norm=scale, max_sample_weight=scale)
        assert not said(lambda model=model, classes=classes: model.fit(scale * X, labels % classes, np.full(60, scale)), ())
    for mechanism in ("objective", "refined"):
        regression = LinearRegression(data_norm=scale, target_bound=scale, mechanism=mechanism)
        assert not said(lambda regression=regression: regression.fit(scale * X, scale * targets), ())
    weighed = LinearRegression(data_norm=scale, target_bound=scale, max_sample_weight=scale)
    assert not said(lambda: weighed.fit(scale * X, scale * targets, np.full(60, scale)), ())


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e160, 1e300])
@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (LogisticRegression, "data_norm"),
        (LogisticRegression, "intercept_scale"),
        (LogisticRegression, "max_sample_weight"),
        (LinearRegression, "data_norm"),
        (LinearRegression, "target_bound"),
        (LinearRegression, "max_sample_weight"),
        (Lasso, "data_bound"),
    ],
    ids=str,
)
def test_bounds_that_nothing_can_be_computed_with_are_refused_in_a_sentence(kind, name, scale):
    X, labels, targets, weights = others(60)
    settings = ({"classes": [0, 1]} if kind is LogisticRegression else {"target_bound": 1.0}) | {name: scale}
    given = {"sample_weight": weights} if name == "max_sample_weight" else {}
    with pytest.raises(InvalidInput, match=r"must lie between 1e-09 and 1e\+09"):
        kind(**settings).fit(X, labels % 2 if kind is LogisticRegression else targets, **given)


def test_every_estimator_is_among_them():
    assert MADE["replace-one"].keys() == MADE["add-remove"].keys()
    named = {name for name in discreet.estimators.__all__ if hasattr(getattr(discreet.estimators, name), "fit")}
    assert named <= vars(catalogue).keys()
