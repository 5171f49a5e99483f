"""Cells of columns: every value is in one, wherever it is, and one record moves the counts as far as is declared."""

from itertools import product

import numpy as np
import pytest

from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.mechanisms.counting import IntegerQuery, LaplaceCounting
from discreet.mechanisms.cuts.grid import ColumnCells, ColumnHistograms, equal_steps
from discreet.mechanisms.cuts.release import CutsPlan
from discreet.noise import SystemNoise
from discreet.words.counting import MOST_COLUMNS
from tests.canary import assert_silent

COARSE = ColumnHistograms(
    (ColumnCells(name="a", lower=0.0, upper=2.0, steps=2, halvings=0), ColumnCells(name="b", lower=-1.0, upper=8.0, steps=3, halvings=0))
)


def test_every_value_is_in_one_cell_and_missing_ones_in_the_last():
    column = ColumnCells(name="a", lower=0.0, upper=3.0, steps=3, halvings=0)
    values = np.array([-7.0, 0.0, 0.999, 1.0, 1.9, 2.0, 3.0, 1e300, -np.inf, np.inf, np.nan])
    assert column.edges == (0.0, 1.0, 2.0, 3.0)
    assert column.cells_of(values).tolist() == [0, 0, 0, 1, 1, 2, 2, 2, 0, 2, 3]
    assert column.size == 4


@pytest.mark.parametrize(("lower", "upper"), [(0.0, 1.0), (-5.0, 99_999.0), (1e9, 1e9 + 1.0), (0.0, 1e-300), (1e15, 1e15 + 2)])
@pytest.mark.parametrize("deviation", [1.0, 100.0, 1e6])
def test_edges_rise_from_bound_to_bound_whatever_the_bounds(lower, upper, deviation):
    column = ColumnCells(name="a", lower=lower, upper=upper, steps=equal_steps(deviation))
    assert column.edges[0] == lower
    assert column.edges[-1] == upper
    assert np.all(np.diff(column.edges) > 0)
    assert column.size <= equal_steps(deviation) + 45


def test_the_fewer_the_noise_the_finer_the_cells():
    assert [equal_steps(deviation) for deviation in (0.5, 50.0, 1e5)] == [1024, 256, 64]


@pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])
def test_sensitivities_are_those_of_the_worst_neighbours(neighbours):
    """Over all tables of two records and their neighbours."""
    records = list(product(range(3), range(4)))
    moves = []
    for first, second, other in product(records, repeat=3):
        near = [first] if neighbours is ADD_REMOVE else [first, other]
        moves.append(COARSE.answer(np.array([first, second])) - COARSE.answer(np.array(near)))
    declared = COARSE.sensitivity(neighbours)
    assert max(np.abs(move).sum() for move in moves) == declared.manhattan
    assert max(np.square(move).sum() for move in moves) == declared.squared
    assert max(np.count_nonzero(move) for move in moves) == declared.coordinates
    assert isinstance(COARSE, IntegerQuery)


def test_more_columns_than_a_certificate_may_state_are_refused_before_anything_is_spent():
    columns = tuple(ColumnCells(name=str(number), lower=0.0, upper=1.0, steps=2, halvings=0) for number in range(MOST_COLUMNS + 1))
    plan = CutsPlan(cells=ColumnHistograms(columns[1:]), mechanism=LaplaceCounting(scales=(1.0,), neighbours=ADD_REMOVE))
    released = plan.release(np.zeros(plan.cells.size, dtype=np.int64), SystemNoise())
    assert released.certificate.verify().ok
    with pytest.raises(InvalidInput, match="4096 columns"):
        ColumnHistograms(columns)


def test_answers_are_exact_and_split_by_column():
    cells = COARSE.cells_of(np.array([[0.5, 0.0], [1.5, np.nan], [1.0, 8.0]]))
    answer = COARSE.answer(cells)
    assert [part.tolist() for part in COARSE.split(answer)] == [[1, 2, 0], [1, 0, 1, 1]]
    assert COARSE.answer(cells[:0]).tolist() == [0] * 7


@pytest.mark.parametrize(
    "records", [np.array([[0, 4]]), np.array([[-1, 0]]), np.array([[0.0, 1.0]]), np.array([918273]), np.zeros((2, 3), dtype=int)]
)
def test_records_out_of_range_are_refused_without_a_word_about_them(records):
    with pytest.raises(InvalidInput) as refusal:
        COARSE.answer(records)
    assert_silent(refusal.value)


def test_columns_that_are_none_are_refused():
    for lower, upper, steps in ((1.0, 1.0, 4), (0.0, np.inf, 4), (2.0, 1.0, 4), (0.0, 1.0, 0), (-1e308, 1e308, 4)):
        with pytest.raises(InvalidInput):
            ColumnCells(name="a", lower=lower, upper=upper, steps=steps)
    twice = ColumnCells(name="a", lower=0.0, upper=1.0, steps=4)
    for columns in ((), (twice, twice)):
        with pytest.raises(InvalidInput, match="at least one column"):
            ColumnHistograms(columns)
