"""What a description will be worth is said before it is made, and comes out so."""

import math

import pytest

from discreet.core.errors import InvalidInput
from discreet.core.foreseen import SAY
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.data import CategoricalColumn, NumericColumn, Schema
from discreet.descriptions import prepare_description
from discreet.descriptions.describe import describe_prepared
from discreet.noise import SeededNoise
from tests.descriptions.people import SCHEMA, SEVERAL, people

NORMAL = 1.959964
COUNT = 4000


def prepared(schema=SCHEMA, relation=REPLACE_ONE, **settings):
    asked = {"by": "city", "pairs": [("ward", "ill")], "whole": ["age"]} | settings
    return prepare_description(schema, epsilon=1.0, delta=1e-6, neighbours=relation, **asked)


@pytest.mark.parametrize("relation", [REPLACE_ONE, ADD_REMOVE])
def test_intervals_are_as_wide_as_was_said(relation):
    """But for what all tables tell together of the number of records."""
    made = prepared(relation=relation)
    said = made.outlook(COUNT)
    found = describe_prepared(made, people(COUNT), SeededNoise(3))
    for name in ("age", "seen"):
        mean = found.whole.numbers[name].mean
        assert 0.5 * (mean.noise_high - mean.noise_low) / NORMAL == pytest.approx(said.means[name], rel=0.1)
    category, pair = said.counts
    ward = found.group("north").categories["ward"][0]
    assert 0.5 * (ward.high - ward.low) / NORMAL == pytest.approx(category, rel=0.25)
    both = found.group("north").pairs["ward", "ill"][0][0]
    assert 0.5 * (both.high - both.low) / NORMAL == pytest.approx(pair, rel=0.35)
    assert 0.0 < said.rank < 0.1
    for records in (0, -5, 2.5):
        with pytest.raises(InvalidInput, match="records must be an integer of at least 1"):
            made.outlook(records)


def test_persons_whose_rows_count_alike_pay_for_all_of_their_rows():
    one, many = (
        prepared(Schema(**{**_fields(SCHEMA), "person": SEVERAL if weight is None else SEVERAL.__class__(column="id", rows=3, weight=weight)}))
        for weight in (None, "row")
    )
    assert many.outlook(COUNT).counts[0] == pytest.approx(3 * one.outlook(COUNT).counts[0], rel=0.05)


def test_it_is_said_of_a_public_number_of_records_or_of_some():
    said = prepared().outlook()
    assert (said.records, said.public, said.to_dict()["groups"]) == (SAY, False, 3)
    assert any(", say" in words for _, words in said.lines())
    assert prepared().outlook(SAY).means == said.means
    assert prepared().outlook(4 * SAY).means["age"] == pytest.approx(said.means["age"] / 4)


def test_more_columns_have_more_noise_and_what_is_not_there_is_not_said():
    schema = Schema(
        name="two",
        numeric=(NumericColumn(name="x", lower=0, upper=1),),
        categorical=(CategoricalColumn(name="a", categories=("u", "v")),),
        target=SCHEMA.target,
    )
    alone, both = (prepared(schema, by=None, pairs=[], whole=[], columns=names).outlook() for names in (["a"], ["a", "x"]))
    assert (alone.means, alone.rank, alone.counts[1]) == ({}, None, None)
    assert both.counts[0] > 1.2 * alone.counts[0]
    assert [label for label, _ in alone.lines()] == ["Noise"]
    assert [label for label, _ in both.lines()] == ["Noise", "Mean", "Median", "Less"]
    numbers = prepared(schema, by=None, pairs=[], whole=[], columns=["x"]).outlook()
    assert numbers.counts == (None, None)
    assert math.isfinite(numbers.rank)
    assert [label for label, _ in numbers.lines()] == ["Mean", "Median"]


def _fields(schema):
    return {name: getattr(schema, name) for name in ("name", "target", "numeric", "date", "categorical")}
