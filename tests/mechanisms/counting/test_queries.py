"""Queries: exact answers, declared sensitivities that hold and are reached, and refusals that say nothing of the records."""

from itertools import product

import numpy as np
import pytest

from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.mechanisms.base import Numbers
from discreet.mechanisms.counting import BoundedSum, Histogram, IntegerQuery, LaplaceCounting, Queries
from discreet.noise import SeededNoise
from tests.canary import assert_silent

QUERIES = [(Histogram(cells=3), 3), (BoundedSum(largest=2), 3), (BoundedSum(largest=1), 2)]


@pytest.mark.parametrize(("query", "values"), QUERIES, ids=str)
@pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])
def test_sensitivities_are_those_of_the_worst_neighbours(query, values, neighbours):
    """Over all tables of two records and their neighbours."""
    moves = []
    for first, second, other in product(range(values), repeat=3):
        table = np.array([first, second])
        near = table[:1] if neighbours is ADD_REMOVE else np.array([first, other])
        moves.append(query.answer(table) - query.answer(near))
    declared = query.sensitivity(neighbours)
    assert max(np.abs(move).sum() for move in moves) == declared.manhattan
    assert max(np.square(move).sum() for move in moves) == declared.squared
    assert max(np.count_nonzero(move) for move in moves) == declared.coordinates
    assert max(np.abs(move).max() for move in moves) == declared.step


def test_answers_are_exact():
    cells = np.array([0, 2, 2, 1, 2])
    assert Histogram(cells=4).answer(cells).tolist() == [1, 1, 3, 0]
    assert BoundedSum(largest=2).answer(cells).tolist() == [7]
    assert Histogram(cells=2).answer(cells[:0]).tolist() == [0, 0]


@pytest.mark.parametrize("query", [Histogram(cells=3), BoundedSum(largest=2)])
@pytest.mark.parametrize("records", [np.array([0, 3]), np.array([-1, 0]), np.array([0.0, 1.0]), np.array([918273]), np.zeros((2, 2), dtype=int)])
def test_records_out_of_range_are_refused_without_a_word_about_them(query, records):
    with pytest.raises(InvalidInput) as refusal:
        query.answer(records)
    assert_silent(refusal.value)


@pytest.mark.parametrize("size", [0, -1, 1.5, True, 2**21])
def test_sizes_that_are_none_are_refused(size):
    for make in (lambda: Histogram(cells=size), lambda: BoundedSum(largest=size)):
        with pytest.raises(InvalidInput, match="must be an integer from 1"):
            make()


def test_counting_the_records_under_replace_one_is_refused():
    assert Histogram(cells=1).sensitivity(ADD_REMOVE).manhattan == 1
    with pytest.raises(InvalidInput, match="public under replace-one"):
        LaplaceCounting.calibrate(Queries([Histogram(cells=1)]), epsilon=1.0, neighbours=REPLACE_ONE)


def test_both_are_queries():
    assert all(isinstance(query, IntegerQuery) for query, _ in QUERIES)


def test_answers_of_parts_add_up_to_the_release_of_the_whole():
    queries, records = Queries([Histogram(cells=3), BoundedSum(largest=2)]), np.array([0, 2, 2, 1, 2])
    mechanism = LaplaceCounting.calibrate(queries, epsilon=1.0, neighbours=REPLACE_ONE)
    parts = [[query.answer(part) for query in queries.each] for part in (records[:2], records[2:])]
    summed = [first + second for first, second in zip(*parts, strict=True)]
    whole = mechanism.run(queries, queries.answered([records, records]), SeededNoise(1))
    np.testing.assert_array_equal(mechanism.run(queries, Numbers(summed), SeededNoise(1)).value, whole.value)


@pytest.mark.parametrize(
    "answers", [[], [np.zeros(3, dtype=int)], [np.zeros(2, dtype=int), np.zeros(1, dtype=int)], [np.zeros(3), np.zeros(1)]], ids=str
)
def test_answers_to_other_queries_are_refused(answers):
    queries = Queries([Histogram(cells=3), BoundedSum(largest=2)])
    with pytest.raises(InvalidInput, match="each query needs its answer"):
        LaplaceCounting.calibrate(queries, epsilon=1.0, neighbours=REPLACE_ONE).run(queries, Numbers(answers), SeededNoise(1))
