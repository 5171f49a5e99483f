"""The exact laws of chosen bounds on all small neighbouring tables: the claim holds and is nearly reached, and planted faults are caught."""

import itertools
import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from discreet.accounting import PureDP, Unit
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE, Persons
from discreet.mechanisms.base import Numbers
from discreet.mechanisms.bounds_choice import BoundsChoice, BoundsGrid, OpenColumns
from discreet.mechanisms.counting.queries import shares_of
from discreet.noise import SeededNoise, SystemNoise
from discreet.words.counting import WHOLE

GRID = BoundsGrid(lower=(0.0, -1.0, -2.0), upper=(0.0, 1.0, 2.0))


def columns_of(count):
    return OpenColumns({f"column {place}": GRID for place in range(count)})


NUMBERS = (-9.0, -1.5, 0.0, 1.5, 9.0)


def softmax(scores, rate):
    weights = np.exp(-rate * (np.asarray(scores, dtype=float) - np.min(scores)))
    return weights / weights.sum()


@cache
def law(mechanism, table, scores=None):
    """The joint law of both chosen candidates of one column."""
    low, high = (scores or mechanism.scores)(GRID, np.array(table, dtype=float))
    return np.outer(softmax(low, mechanism.rate), softmax(high, mechanism.rate)).ravel()


def pairs(neighbours):
    for size in (0, 1, 2, 5):
        for rest in itertools.combinations_with_replacement(NUMBERS, size):
            if neighbours is ADD_REMOVE:
                yield from ((rest, (*rest, new)) for new in NUMBERS)
            else:
                yield from (((*rest, old), (*rest, new)) for old, new in itertools.permutations(NUMBERS, 2))


def worst_ratio(mechanism, neighbours, scores=None):
    found = 0.0
    for one, other in pairs(neighbours):
        here, there = (law(mechanism, tuple(sorted(table)), scores) for table in (one, other))
        found = max(found, float(np.abs(np.log(here / there)).max()))
    return found


@pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])
@pytest.mark.parametrize("epsilon", [0.5, 4.0])
def test_a_pure_claim_holds_and_is_nearly_reached(neighbours, epsilon):
    mechanism = replace(BoundsChoice.calibrate(columns_of(1), epsilon=epsilon, delta=0.0, neighbours=neighbours), toll=0)
    claimed = mechanism.guarantee(columns_of(1))
    assert isinstance(claimed, PureDP)
    assert claimed.epsilon == pytest.approx(epsilon, rel=1e-12)
    assert claimed.epsilon <= epsilon
    reached = worst_ratio(mechanism, neighbours)
    assert 0.6 * epsilon < reached <= claimed.epsilon
    assert worst_ratio(replace(mechanism, toll=1), neighbours) <= claimed.epsilon


@pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])
@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 1e-2), (1.5, 1e-4)])
def test_a_claim_with_delta_holds(neighbours, columns, epsilon, delta):
    """All pairs for one column; for two independent columns with the same numbers the square of each law."""
    mechanism = replace(BoundsChoice.calibrate(columns_of(columns), epsilon=epsilon, delta=delta, neighbours=neighbours), toll=0)
    claimed = mechanism.guarantee(columns_of(columns))
    assert claimed.epsilon == pytest.approx(epsilon, rel=1e-12)
    assert claimed.epsilon <= epsilon
    stated = 0.0 if isinstance(claimed, PureDP) else claimed.delta_at_epsilon  # the lesser noise may need no delta
    assert stated <= delta
    worst = 0.0
    for one, other in pairs(neighbours):
        for first, second in ((one, other), (other, one)):
            here, there = (law(mechanism, tuple(sorted(table))) for table in (first, second))
            if columns == 2:
                here, there = np.outer(here, here).ravel(), np.outer(there, there).ravel()
            worst = max(worst, float(np.maximum(here - math.exp(epsilon) * there, 0.0).sum()))
    assert worst <= stated


def test_both_lists_counted_as_one_under_replace_one_are_caught():
    forgetful = replace(BoundsChoice.calibrate(columns_of(1), epsilon=1.0, delta=0.0, neighbours=ADD_REMOVE), toll=0)
    assert worst_ratio(forgetful, REPLACE_ONE) > 1.2


def around_a_target(grid, column):
    """The score of a quantile: how far the number of records beyond is from 2."""
    high = np.array([np.sum(column > edge) for edge in grid.upper])
    low = np.array([np.sum(column < edge) for edge in grid.lower])
    return np.abs(low - 2), np.abs(high - 2)


def beyond_both(grid, column):
    """Lists that cross: the lower candidates begin above the upper ones."""
    high = np.array([np.sum(column > edge) for edge in (-2.0, -1.0, 2.0)])
    low = np.array([np.sum(column < edge) for edge in (2.0, 1.0, -2.0)])
    return low, high


@pytest.mark.parametrize("scores", [around_a_target, beyond_both])
def test_scores_that_move_in_two_directions_or_twice_are_caught(scores):
    mechanism = replace(BoundsChoice.calibrate(columns_of(1), epsilon=1.0, delta=0.0, neighbours=ADD_REMOVE), toll=0)
    assert worst_ratio(mechanism, ADD_REMOVE) <= 1.0
    assert worst_ratio(mechanism, ADD_REMOVE, scores) > 1.05


@pytest.mark.parametrize("toll", [0, 1])
def test_what_is_chosen_has_the_law_that_was_audited(toll):
    """800 choices against their probabilities: chi-square over at most 9 cells beyond 50 has probability below 1e-7."""
    mechanism = BoundsChoice(rate=0.7, toll=toll, neighbours=ADD_REMOVE)
    table, count, noise = (-1.5, 1.5, 1.5, 9.0), 800, SeededNoise(5)
    expected = law(mechanism, table).reshape(3, 3) * count
    observed = np.zeros((3, 3))
    scores = mechanism.scores(GRID, np.array(table))
    for _ in range(count):
        low, high = (noise.choice(each, rate=mechanism.rate) for each in scores)
        observed[low, high] += 1
    assert float(np.sum((observed - expected) ** 2 / expected)) < 50.0
    wrong = law(replace(mechanism, rate=1.0), table).reshape(3, 3) * count
    assert float(np.sum((observed - wrong) ** 2 / wrong)) > 50.0


def joint(mechanism, rows, *, whole):
    """The joint law of both chosen candidates, of tables of one person with these rows and of two rows of others."""
    weights = np.ones(len(rows)) if whole else np.full(len(rows), 1.0 / max(len(rows), 1))
    shares = shares_of(Persons(rows=2), np.concatenate((weights, np.ones(2))))
    low, high = mechanism.scores(GRID, np.array([*rows, 1.5, -1.5]), shares)
    return np.outer(softmax(low, mechanism.rate / WHOLE), softmax(high, mechanism.rate / WHOLE)).ravel()


@pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])
def test_rows_of_a_person_choose_as_one_record_does_and_rows_that_count_whole_are_caught(neighbours):
    problem = OpenColumns({"x": GRID}, Persons(rows=3))
    mechanism = replace(BoundsChoice.calibrate(problem, epsilon=1.0, delta=0.0, neighbours=neighbours), toll=1)
    assert mechanism.guarantee(problem).unit is Unit.PERSON
    people = [rows for size in (1, 2, 3) for rows in itertools.combinations_with_replacement(NUMBERS, size)]
    found = {}
    for whole in (False, True):
        laws = np.log([joint(mechanism, rows, whole=whole) for rows in people])
        others = np.log(joint(mechanism, (), whole=whole))[np.newaxis] if neighbours is ADD_REMOVE else laws
        found[whole] = max(float(np.abs(laws - other).max()) for other in others)
    assert 0.45 < found[False] <= 1.0
    assert found[True] > 1.3, "the planted fault: every row counts whole"


def test_bounds_of_persons_are_drawn_with_the_law_that_was_audited_and_verify():
    problem = OpenColumns({"x": GRID}, Persons(rows=2))
    mechanism = BoundsChoice(rate=0.7, toll=1, neighbours=ADD_REMOVE)
    held, weights = np.array([-9.0, 9.0, 1.5, -1.5]), np.array([0.5, 0.5, 1.0, 1.0])
    expected = joint(mechanism, (-9.0, 9.0), whole=False).reshape(3, 3) * 800
    observed, noise = np.zeros((3, 3)), SeededNoise(5)
    for _ in range(800):
        low, high = (noise.choice(each, rate=0.7 / WHOLE) for each in mechanism.scores(GRID, held, shares_of(problem.persons, weights)))
        observed[low, high] += 1
    assert float(np.sum((observed - expected) ** 2 / expected)) < 50.0
    release = mechanism.run(problem, Numbers([held], None, weights), SystemNoise())
    assert release.certificate.verify().ok, release.certificate.verify()
    with pytest.raises(InvalidInput, match="weights"):
        mechanism.run(problem, Numbers([held]), SystemNoise())
