"""Several rows of a person in plans: the noise of one record, what groups cost, and how many rows are kept."""

import math

import pytest

from discreet.accounting import ApproximateDP, PureDP, to_persons
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.noise import SeededNoise
from discreet.planning import Plan, rows_kept, simulate, simulate_epsilons, ways_of
from discreet.planning.persons import by_groups

COUNTS = {1: 600, 3: 300, 15: 100}


def plan(**settings):
    return Plan(**{"epsilon": 1.0, "features": 10, "norm": 3.0, "rows_per_person": 7, **settings})


def test_rows_that_are_kept_are_counted():
    assert [rows_kept(COUNTS, rows) for rows in (1, 3, 7, 15, 99)] == [1000, 1800, 2200, 3000, 3000]


@pytest.mark.parametrize("counts", [{}, {0: 3}, {2: 0}, {2: 1.5}])
def test_counts_of_rows_and_persons_are_positive_whole_numbers(counts):
    with pytest.raises(InvalidInput):
        rows_kept(counts, 7)


@pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])
@pytest.mark.parametrize("mechanism", ["objective", "output"])
def test_sharing_costs_next_to_nothing_and_groups_what_uneven_rows_cost(neighbours, mechanism):
    """1,000 persons with 2,200 rows, 7 of one person at most: groups pay 7 / 2.2, and nothing where all have 7."""
    shared, groups, one = ways_of(plan(neighbours=neighbours, mechanism=mechanism), 1000, COUNTS)
    assert (shared.records, groups.records, one.records) == (1000, 2200, 1000)
    assert 1.0 <= shared.noise / one.noise * (1.0 + 1e-9) <= 1.004
    assert groups.noise / one.noise == pytest.approx(7.0 / 2.2, rel=0.08)
    _, even, alone = ways_of(plan(neighbours=neighbours, mechanism=mechanism), 1000)
    assert even.noise / alone.noise == pytest.approx(1.0, rel=0.08)


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("rows", [1, 2, 7, 50])
def test_the_plan_by_groups_promises_to_persons_what_was_asked_for(delta, rows):
    """And a thousandth more of epsilon for a row would be too much."""
    asked = plan(delta=delta, rows_per_person=rows)
    single = by_groups(asked)
    scope = {"neighbours": ADD_REMOVE, "theorem": "t"}

    def of_a_person(epsilon):
        row = PureDP(epsilon=epsilon, **scope) if delta == 0 else ApproximateDP(epsilon=epsilon, delta_at_epsilon=single.delta, **scope)
        return to_persons(row, rows)

    assert of_a_person(single.epsilon).epsilon <= asked.epsilon
    assert of_a_person(single.epsilon).delta(asked.epsilon) <= delta
    assert of_a_person(1.001 * single.epsilon).epsilon > asked.epsilon


def test_a_plan_of_persons_has_the_noise_of_a_fit_of_persons():
    """A little more than that of records, and the same for every number of rows."""
    bounds = [plan(rows_per_person=rows).bound(5000) for rows in (None, 1, 2, 50)]
    assert bounds[0] == bounds[1]
    assert bounds[2] == bounds[3]
    assert bounds[0].excess < bounds[2].excess < 1.001 * bounds[0].excess
    assert math.isfinite(bounds[2].excess)
    with pytest.raises(InvalidInput, match="the number of rows kept per person, must be a whole number"):
        plan(rows_per_person=0)
    with pytest.raises(InvalidInput, match="single rows"):
        ways_of(plan(rows_per_person=None), 1000)


def test_persons_with_several_rows_are_simulated_with_one_row_each():
    """As records are, with a thousandth more noise."""
    persons, records = (simulate(plan(rows_per_person=rows), [500], SeededNoise(1), tables=2, draws=2)[0].mean for rows in (7, None))
    assert persons == pytest.approx(records, rel=0.02)
    assert simulate_epsilons(plan(), 300, SeededNoise(1), repeats=2, epsilons=(1.0,))
