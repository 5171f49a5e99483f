"""Rows computed from those of another table: cut anew, counted, and refused where the table below changes."""

import numpy as np
import pytest

from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Persons
from discreet.data import Block, FunctionTable, TransformedTable
from discreet.data.blocks.cut import CutTable
from discreet.data.shared_table import SharedTable
from discreet.matrices import DenseMatrix

ROWS = np.arange(60.0).reshape(20, 3)
LENGTHS = [7, 0, 9, 4]


def make(number):
    start = sum(LENGTHS[:number])
    rows = slice(start, start + LENGTHS[number])
    return Block(DenseMatrix(ROWS[rows]), np.arange(20)[rows], np.linspace(0.0, 1.0, 20)[rows])


def doubled(rows):
    entries = rows.entries(slice(None))
    return DenseMatrix(np.hstack((entries, 2.0 * entries)))


def table(jobs=1):
    return TransformedTable(FunctionTable(make, blocks=4, features=3), doubled, features=6, jobs=jobs)


@pytest.mark.parametrize("jobs", [1, 3])
def test_blocks_are_numbered_and_short_and_bring_their_columns(monkeypatch, jobs):
    monkeypatch.setattr("discreet.data.blocks.transformed.block_rows", lambda columns: 4 if columns == 6 else 1)
    found = list(table(jobs).map(lambda number, block: (number, block.rows.entries(slice(None)), block.targets, block.weights), jobs))
    assert [number for number, *_ in found] == [0, 1, 2, 3, 4, 5]
    assert [len(rows) for _, rows, _, _ in found] == [4, 3, 4, 4, 1, 4]
    np.testing.assert_array_equal(np.vstack([rows for _, rows, _, _ in found]), np.hstack((ROWS, 2.0 * ROWS)))
    np.testing.assert_array_equal(np.concatenate([targets for *_, targets, _ in found]), np.arange(20))
    np.testing.assert_array_equal(np.concatenate([weights for *_, weights in found]), np.linspace(0.0, 1.0, 20))


def test_it_says_what_it_is():
    below = FunctionTable(make, blocks=4, features=3)
    above = TransformedTable(TransformedTable(below, doubled, features=6), doubled, features=12)
    assert (above.features, above.remote, above.slow) == (12, False, True)
    assert above.source is below
    assert below.source is below


def test_parts_of_a_table_say_the_periods_of_its_times():
    below = FunctionTable(make, blocks=4, features=3)
    below.ends = (1.0, 2.0)
    parts = (CutTable(below, None, [0]), SharedTable(below, [], Persons(rows=2)))
    assert {part.ends for part in parts} == {(1.0, 2.0)}


def test_a_column_that_is_not_there_stays_absent():
    below = FunctionTable(lambda _: Block(DenseMatrix(ROWS), None), blocks=1, features=3)
    assert list(TransformedTable(below, doubled, features=6).map(lambda _, block: (block.targets, block.weights), 1)) == [(None, None)]


@pytest.mark.parametrize("changed", [[7, 0, 9, 5], [7, 0, 9, 3], [7, 0, 9], [7, 0, 9, 4, 1], [7, 1, 8, 4]], ids=str)
def test_a_table_that_changes_below_is_refused(changed):
    lengths = [LENGTHS]
    below = FunctionTable(lambda k: Block(DenseMatrix(ROWS[: lengths[0][k]]), None), blocks=4, features=3)
    above = TransformedTable(below, doubled, features=6)
    lengths[0] = changed
    below._blocks = len(changed)
    with pytest.raises(InvalidInput, match="the table changed while it was being read"):
        list(above.map(lambda number, block: number, 1))


def test_at_least_one_feature_is_needed():
    with pytest.raises(InvalidInput, match="at least one feature"):
        TransformedTable(FunctionTable(make, blocks=4, features=3), doubled, features=0)
