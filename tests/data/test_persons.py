"""Whose rows are whose: ids group exactly, at most M rows of a person are kept, and their weights are a convex combination of nobody else's rows."""

import datetime as dt
import math
from collections import Counter
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Persons
from discreet.data.dialect import Dialect
from discreet.data.labels import spellings
from discreet.data.persons import KEY_WORDS, Draw, key_codes, keyed, person_codes, row_weights, times, weights_of
from discreet.noise import SeededNoise
from tests.canary import CANARY, assert_silent
from tests.data.strategies import labels

KEY = bytes(range(32))
owners_of_rows = st.lists(st.integers(0, 8), min_size=1, max_size=60)
rules = st.builds(Persons, rows=st.integers(2, 12), weight=st.sampled_from(["person", "row"]))


def same_groups(first, second):
    return len(set(zip(first, second, strict=True))) == len(set(first)) == len(set(second))


class ByRow:
    """A source whose priority for a row is that row's own, wherever it stands: neighbouring tables are drawn for row by row."""

    def __init__(self, priorities):
        self._priorities = list(priorities)

    def words(self):
        stream = [0] * KEY_WORDS + self._priorities

        def take(count):
            return np.array([stream.pop(0) for _ in range(count)], dtype=np.uint64)

        return take


DAY = dt.date(2020, 5, 17)
COLUMNS = {
    "integers": [17, 4, 17, 9],
    "array": np.array([17, 4, 17, 9], dtype=np.int16),
    "unsigned": np.array([2**64 - 1, 4, 2**64 - 1, 2**64 - 2], dtype=np.uint64),
    "whole floats": np.array([17.0, 4.0, 17.0, 9.0]),
    "texts": ["a17", " b", "a17 ", "c"],
    "numpy texts": np.array(["a17", "b", "a17", "c"]),
    "objects": np.array([17, "x", "17", 9.0], dtype=object),
    "decimals": [Decimal(17), Decimal("1.1"), Decimal("17.00"), Decimal(2**80)],
    "dates": [DAY, dt.date(2020, 5, 18), DAY, dt.date(1999, 1, 1)],
    "moments": np.array(["2020-05-17", "2020-05-18", "2020-05-17", "1999-01-01"], dtype="datetime64[s]"),
    "polars": pl.Series(["17", "4", "17", "9"]),
    "polars categories": pl.Series(["17", "4", "17", "9"], dtype=pl.Categorical),
    "polars decimals": pl.Series([Decimal(2**70), Decimal(2**70 + 1), Decimal(2**70), Decimal(3)], dtype=pl.Decimal(30, 0)),
    "pandas": pd.Series([17, 4, 17, 9], index=[9, 9, 1, 0]),
    "pandas texts": pd.Series(["17", "4", "17", "9"], dtype="string"),
    "pandas categories": pd.Series(["17", "4", "17", "9"], dtype="category"),
    "pandas integers with room for gaps": pd.Series([17, 4, 17, 9], dtype="Int64"),
    "arrow": pa.array(["17", "4", "17", "9"]),
    "arrow chunks": pa.chunked_array([[17, 4], [17, 9]]),
    "booleans and more": [True, False, True, "9"],
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_equal_ids_are_one_person_and_no_others(kind):
    codes = person_codes(COLUMNS[kind])
    assert codes.shape == (4,)
    assert same_groups(codes.tolist(), [0, 1, 0, 2])
    assert same_groups(key_codes(keyed(COLUMNS[kind], KEY)).tolist(), [0, 1, 0, 2])


def test_an_id_is_the_same_person_in_columns_of_every_kind():
    columns = [[17], ["17"], ["17.0"], [17.0], np.array([17.0]), pd.Series([17], dtype="Int64"), pl.Series([17], dtype=pl.UInt8), [Decimal("17.0")]]
    assert len({keyed(ids, KEY).tobytes() for ids in [*columns, [" 17 "]]}) == 1


@given(labels)
def test_ids_are_one_person_where_one_label_matches_both(label):
    assert set(person_codes([*spellings(label), label, "017"]).tolist()) == ({0, 1} if label != "017" else {0})


def test_ids_in_floating_point_are_compared_by_what_they_are():
    ids = np.array([7.5, 7.0, 2.0**53, 1e300, np.inf, 7.5, -0.0, 0.0])
    assert same_groups(person_codes(ids).tolist(), [0, 1, 2, 3, 4, 0, 5, 5])
    assert same_groups(person_codes(ids.tolist()).tolist(), person_codes(ids).tolist())
    assert same_groups(person_codes([7.5, "7.5", 7, "7.0"]).tolist(), [0, 0, 1, 1])


@given(st.lists(st.text(max_size=3).filter(lambda text: text.strip(" \t\r\n\f\v").strip("\0"))))
def test_texts_group_as_python_groups_them(ids):
    plain = [text.strip(" \t\r\n\f\v") for text in ids]
    assert same_groups(person_codes(ids).tolist(), ["0" if text == "0.0" else text for text in plain])


@given(st.lists(st.integers(-(2**63), 2**63 - 1)))
def test_keys_group_as_the_ids_do_and_say_nothing_without_their_key(ids):
    keys = keyed(ids, KEY)
    assert keys.shape == (len(ids), 2)
    assert same_groups(key_codes(keys).tolist(), ids)
    assert not ids or not np.array_equal(keys, keyed(ids, KEY[::-1]))


def test_keys_that_share_one_half_are_two_persons():
    keys = np.array([[1, 2], [1, 3], [2, 2], [1, 2]], dtype=np.uint64)
    assert same_groups(key_codes(keys).tolist(), [0, 1, 2, 0])


MISSING = {
    "null": pl.Series([17, None]),
    "none": ["a", None],
    "nan": np.array([17.0, np.nan]),
    "nan among objects": [17, float("nan")],
    "empty": ["a", ""],
    "blank": ["a", "  "],
    "pandas": pd.Series([17, None], dtype="Int64"),
    "not a time": np.array(["2020-05-17", "NaT"], dtype="datetime64[s]"),
}


@pytest.mark.parametrize("kind", MISSING)
def test_a_missing_id_is_refused(kind):
    for read in (person_codes, lambda ids: keyed(ids, KEY)):
        with pytest.raises(InvalidInput, match="a person id is missing"):
            read(MISSING[kind])


def test_a_marker_is_a_missing_id_in_texts_and_numbers():
    assert same_groups(person_codes([17, 4, 17], dialect=Dialect(missing=("-1",))).tolist(), [0, 1, 0])
    for ids in (["a", "?"], [17, -1]):
        with pytest.raises(InvalidInput, match="missing"):
            person_codes(ids, dialect=Dialect(missing=("?", "-1")))


@pytest.mark.parametrize("ids", [[CANARY, [1]], [17, CANARY, b"17"], ["\0", CANARY], "17", np.zeros((2, 2)), 17], ids=repr)
def test_what_is_no_id_is_refused_without_a_word_of_it(ids):
    with pytest.raises(InvalidInput, match="person ids") as refusal:
        person_codes(ids)
    assert_silent(refusal.value)
    assert refusal.value.__context__ is None


def broken(weights, owners, persons):
    """Which laws of one person's weights are broken."""
    found, exact = set(), [Fraction(weight) for weight in weights]
    for owner, rows in Counter(owners).items():
        own = [index for index, one in enumerate(owners) if one == owner]
        kept = [exact[index] for index in own if exact[index]]
        for order in (own, own[::-1]):
            if sum((float(weights[index]) for index in order), 0.0) > 1.0:
                found.add("floating sum")
        if sum(kept) > 1:
            found.add("sum")
        if len(kept) != min(rows, persons.rows):
            found.add("rows")
        share = Fraction(1, persons.rows if persons.weight == "row" else len(kept) or 1)
        if any(not share - Fraction(1, 2**53) <= weight <= share for weight in kept):
            found.add("weight")
    return found


@given(owners_of_rows, rules, st.integers(0, 2**31))
def test_at_most_m_rows_of_a_person_share_one_records_weight(owners, persons, seed):
    codes = person_codes(owners)
    shares = row_weights(codes, persons, SeededNoise(seed))
    assert not broken(shares.weights, owners, persons)
    assert shares.persons == len(set(owners))
    assert np.array_equal(shares.counts > 0, shares.weights > 0)
    assert np.array_equal(weights_of(shares.counts, persons), shares.weights)
    again = Draw(SeededNoise(seed))
    assert np.array_equal(again.shares(key_codes(keyed(owners, again.key)), persons).weights, shares.weights)  # codes have another order


def everything(codes, persons, _):
    """A fault: M is not enforced."""
    return weights_of(np.bincount(codes)[codes].astype(np.uint64), persons)


def of_the_most(codes, persons, noise):
    """A fault: the weight is one over the most rows that anybody has."""
    counts = row_weights(codes, persons, noise).counts
    return np.where(counts > 0, 1.0 / max(counts.max(), 1), 0.0)


def to_nearest(codes, persons, noise):
    """A fault: 1 / m is rounded to nearest."""
    counts = row_weights(codes, persons, noise).counts
    return np.where(counts > 0, 1.0 / np.maximum(counts, 1), 0.0)


OWNERS = [0] * 10 + [1] * 3 + [2] + [3] * 49


@pytest.mark.parametrize(("fault", "laws"), [(everything, {"rows"}), (of_the_most, {"weight"}), (to_nearest, {"sum"})])
def test_each_fault_of_weights_is_seen(fault, laws):
    persons = Persons(rows=49 if fault is to_nearest else 12)
    assert laws <= broken(fault(np.array(OWNERS), persons, SeededNoise(0)), OWNERS, persons)
    assert not broken(row_weights(np.array(OWNERS), persons, SeededNoise(0)).weights, OWNERS, persons)


def others_move(rule, owners, priorities, gone, persons):
    """Whether a person's weights change when another one leaves."""
    kept = [index for index, owner in enumerate(owners) if owner != gone]
    whole = rule(person_codes(owners), persons, ByRow(priorities))
    less = rule(person_codes([owners[index] for index in kept]), persons, ByRow(priorities[index] for index in kept))
    return not np.array_equal(whole[kept], less)


@given(st.data(), owners_of_rows.filter(lambda owners: len(set(owners)) > 1), rules)
def test_the_weights_of_a_person_know_of_nobody_else(data, owners, persons):
    priorities = data.draw(st.lists(st.integers(0, 2**64 - 1), min_size=len(owners), max_size=len(owners)))
    gone = data.draw(st.sampled_from(owners))
    assert not others_move(lambda *given: row_weights(*given).weights, owners, priorities, gone, persons)


def test_a_weight_from_other_peoples_rows_is_seen():
    assert others_move(of_the_most, OWNERS, range(len(OWNERS)), 3, Persons(rows=12))


def test_every_set_of_m_rows_is_as_likely():
    codes, persons, draws = np.array([0, 1, 0, 0, 1, 0]), Persons(rows=2), 6000
    noise = SeededNoise(5)
    seen = Counter(tuple(np.flatnonzero(row_weights(codes, persons, noise).counts)) for _ in range(draws))
    assert len(seen) == math.comb(4, 2)
    assert all(set(kept) > {1, 4} for kept in seen)
    expected = draws / len(seen)
    assert sum((count - expected) ** 2 / expected for count in seen.values()) < 20.5  # chi-square, 5 degrees: one in a thousand


@given(st.integers(1, 2000), st.floats(1e-3, 1e3), st.lists(st.floats(0.0, 1.0), min_size=1, max_size=5))
def test_shares_times_factors_are_at_most_the_largest_factor(count, largest, parts):
    counts = np.full(count, count, dtype=np.uint16)
    factors = largest * np.resize(np.array([1.0, *parts]), count)
    found = times(weights_of(counts, Persons(rows=max(count, 2))), factors)
    assert sum(map(Fraction, found)) <= Fraction(largest)
    assert count > 1 or found[0] == factors[0]
    assert np.allclose(found, factors / count, rtol=1e-9)


def test_the_draw_does_not_depend_on_who_is_whose():
    noise = [SeededNoise(3) for _ in range(2)]
    row_weights(np.zeros(8, dtype=int), Persons(rows=2), noise[0])
    row_weights(np.arange(8), Persons(rows=2), noise[1])
    assert np.array_equal(noise[0].words()(4), noise[1].words()(4))


def test_nobody_is_told_apart_where_one_row_is_declared():
    with pytest.raises(InvalidInput, match="each person was declared to have one row, so ids are"):
        row_weights(np.arange(3), Persons(weight="declared"), SeededNoise(0))


def test_one_row_of_each_person_weighs_one():
    shares = row_weights(np.array([0, 0, 1]), Persons(), SeededNoise(0))
    assert sorted(shares.weights[:2]) == [0.0, 1.0]
    assert shares.weights[2] == 1.0
    assert shares.persons == 2


def test_an_empty_table_has_nobody():
    for ids in ([], np.array([], dtype=np.int64), pl.Series([], dtype=pl.String)):
        shares = row_weights(person_codes(ids), Persons(rows=3), SeededNoise(0))
        assert (shares.persons, len(shares.weights)) == (0, 0)
        assert key_codes(keyed(ids, KEY)).shape == (0,)


def test_nothing_shows_shares():
    assert "0." not in repr(row_weights(np.array([0, 0, 1]), Persons(rows=2), SeededNoise(0)))


@settings(max_examples=5)
@given(st.integers(0, 100))
def test_a_long_table_obeys_the_same_laws(seed):
    owners = np.random.default_rng(seed).zipf(1.6, size=20_000) % 5000
    persons = Persons(rows=7)
    shares = row_weights(person_codes(owners), persons, SeededNoise(seed))
    sums = np.bincount(owners, weights=shares.weights)
    assert sums.max() <= 1.0
    assert np.array_equal(np.bincount(owners, weights=shares.counts > 0), np.minimum(np.bincount(owners), 7))
