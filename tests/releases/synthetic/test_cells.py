"""Columns in cells: every value has one, goes back to a value of its cell, and tables in blocks are coded as in memory."""

import numpy as np
import polars as pl
import pytest

from discreet.core.errors import InvalidInput
from discreet.data import CategoricalColumn, DateColumn, NumericColumn, Target
from discreet.data.encodings import Bins
from discreet.releases.synthetic.cells import Coder, cell_columns, counting_schema
from tests.releases.synthetic.cases import NUMBER, schema, table

NAMES = ("age", "cost", "day", "ward", "smoker", "answer")


def coded(made, whole=(), frame=None):
    columns = cell_columns(made, target=True, whole=whole)
    counting = counting_schema(made)
    encoded = counting.encode(table() if frame is None else frame, target=True, persons=False)
    targets = encoded.numbers if encoded.numbers is not None else np.asarray(encoded.classes)[(encoded.signs > 0).astype(int)]
    return columns, Coder(counting, columns).bins_and_fine(encoded.rows, targets)


def fine_of(columns, codes):
    """The fine cells of each column; its bins where these are the finest."""
    later = iter(codes[len(columns) :])
    return [next(later) if column.fine else code for column, code in zip(columns, codes, strict=False)]


@pytest.mark.parametrize("whole", [(), ("age",)])
def test_values_come_back_within_their_cells(whole):
    columns, codes = coded(schema(), whole)
    assert tuple(column.name for column in columns) == NAMES
    for column, bins, fine in zip(columns, codes, fine_of(columns, codes), strict=False):
        assert bins.min() >= 0
        assert bins.max() < column.bins
        for uniform in (0.0, 0.5, 0.99):
            values = column.values(fine, np.full(len(fine), uniform))
            assert column.holds(values), column.name
            frame = {**table(), column.name: values}
            again = fine_of(*coded(schema(), whole, frame))[columns.index(column)]
            assert np.array_equal(again, fine), column.name


def test_whole_numbers_come_back_exactly_where_each_has_a_cell():
    columns, codes = coded(schema(), ("age",))
    ages = columns[0].values(fine_of(columns, codes)[0], np.full(600, 0.7))
    assert ages.to_list() == table()["age"].tolist()
    few = schema(numeric=(NumericColumn(name="children", lower=0, upper=9),), date=(), categorical=(), target=NUMBER)
    (children, answer) = cell_columns(few, target=True, whole=("children", "answer"))
    assert (children.bins, children.fine, answer.bins) == (10, 0, 11)


def test_missing_values_stay_missing_and_crowds_at_a_bound_stay_there():
    columns, codes = coded(schema())
    costs = columns[1].values(fine_of(columns, codes)[1], np.full(600, 0.5)).to_list()
    given = table()["cost"]
    assert [one is None for one in costs] == [one is None for one in given]
    assert all(found == 0.0 for found, one in zip(costs, given, strict=True) if one == 0.0)


def test_bins_are_those_of_the_schema_where_it_gives_some():
    own = schema(numeric=(NumericColumn(name="age", lower=18, upper=90, encoding=(Bins(cuts=(30.0, 60.0)),)),))
    assert cell_columns(own, target=False)[0].bins == 3
    assert [column.name for column in cell_columns(own, target=False)] == ["age", "day", "ward", "smoker"]


def test_other_values_are_none_of_the_column():
    columns = {column.name: column for column in cell_columns(schema(), target=True)}
    for name, others in (
        ("age", [17.0]),
        ("age", [None]),
        ("ward", ["d"]),
        ("smoker", [None]),
        ("day", ["2020-05-05"]),
        ("cost", ["x"]),
        ("cost", [2e5]),
    ):
        assert not columns[name].holds(pl.Series(name, others)), (name, others)
    assert columns["cost"].holds(pl.Series("cost", [None, 5.0]))


@pytest.mark.parametrize(("whole", "word"), [(("ward",), "ward"), (("nothing",), "nothing"), (("share",), "share"), (("huge",), "2.53")])
def test_what_cannot_be_whole_is_refused(whole, word):
    made = schema(numeric=(NumericColumn(name="share", lower=0.1, upper=0.9), NumericColumn(name="huge", lower=0, upper=2.0**54)))
    with pytest.raises(InvalidInput, match=word):
        cell_columns(made, target=True, whole=whole)


@pytest.mark.parametrize("labels", [(False, True), (1, 2), ("a", "b"), (False, True, "unknown"), (1, 2, "none"), (1, True)])
def test_the_type_of_a_released_column_follows_from_the_schema_and_not_from_its_cells(labels):
    made = schema(categorical=(CategoricalColumn(name="code", categories=labels),), target=Target(column="answer", classes=labels))
    for column in cell_columns(made, target=True):
        cells = max(column.bins, column.fine)
        each = [np.full(3, cell) for cell in range(cells)] + [np.zeros(0, dtype=np.int64), np.arange(cells)]
        found = [column.values(codes, np.full(len(codes), 0.5)) for codes in each]
        assert {values.dtype for values in found} == {column.dtype}, column.name
        assert all(column.holds(values) for values in found), column.name
        assert not column.holds(found[-1].cast(pl.String) if column.dtype != pl.String else found[-1] + "?"), column.name
        if column.labels:
            assert found[-1].n_unique() == len(labels)


@pytest.mark.parametrize("whole", [(), ("age",)])
def test_the_bin_of_a_value_is_found_from_the_value(whole):
    """By strangers, too, who have the rows and the schema; days with a time of day and labels of two kinds included."""
    days = (DateColumn(name="day", lower="2020-01-01T00:00:00", upper="2020-12-31T12:30:00"),)
    ward = (CategoricalColumn(name="ward", categories=("a", 1, True)), CategoricalColumn(name="smoker", categories=(True, False)))
    for made in (schema(), schema(date=days), schema(categorical=ward), schema(target=NUMBER)):
        for column in cell_columns(made, target=True, whole=whole):
            fine = np.arange(len(column.labels) or len(column.edges) - 1 + column.gap)
            bins = fine if column.labels else column.bin_codes(fine)
            for uniform in (0.1, 0.5, 0.9):
                values = column.values(fine, np.full(len(fine), uniform))
                assert column.holds(values)
                assert np.array_equal(column.codes(values), bins), column.name
