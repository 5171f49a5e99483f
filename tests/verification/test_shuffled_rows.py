"""The recheck of shuffled rows against exact sums, where losses far below zero make the untilted deviation say nothing of the sum."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

from discreet.accounting.shuffling import shuffled_ratio
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.data import Domain
from discreet.mechanisms.release import ShuffledGaussianRows
from discreet.queries import Rows, Target
from discreet.verification import shuffled_rows
from tests.mechanisms.release.test_shuffled_rows import calibrated, rechecked


def exact(rows, share, values, masses):
    """E S_+ / (n p) for three answers, summed over how often each is given."""
    chances, counts = share * np.asarray(masses), np.arange(rows + 1)
    high = binom.pmf(counts, rows, chances[0])
    total = 0.0
    for often in counts[high > 1e-20]:
        low = binom.pmf(counts, rows - often, chances[1] / (1.0 - chances[0]))
        for seldom in counts[: rows - often + 1][low[: rows - often + 1] > 1e-20]:
            rest = binom.pmf(counts, rows - often - seldom, chances[2] / (1.0 - chances[0] - chances[1]))
            sums = values[0] * often + values[1] * seldom + values[2] * counts
            total += high[often] * low[seldom] * float(rest @ np.maximum(sums, 0.0))
    return total / (rows * share)


@pytest.mark.parametrize(("epsilon", "ratio"), [(5.45, 3.0), (6.5, 3.2)])
def test_laplace_rows_are_the_exact_sum(epsilon, ratio):
    rows, (loss,) = 500, shuffled_rows._ratios(epsilon, ratio, alone=False)
    found, awaited = shuffled_rows._shuffled(rows, np.exp(-ratio), loss), exact(rows, np.exp(-ratio), loss.values, loss.masses)
    assert found == pytest.approx(awaited, rel=2e-5)
    assert awaited <= shuffled_ratio(epsilon, ratio=ratio, rows=rows, neighbours=REPLACE_ONE) <= 1.001 * awaited


def test_the_bound_without_a_line_is_above_the_sum_and_taken_where_it_is_enough():
    rows, (loss,) = 500, shuffled_rows._ratios(5.45, 3.0, alone=False)
    awaited = exact(rows, np.exp(-3.0), loss.values, loss.masses)
    simple = shuffled_rows._shuffled(rows, np.exp(-3.0), loss, enough=1.0)
    assert 1.01 * awaited < simple < 10.0 * awaited
    assert shuffled_rows._shuffled(rows, np.exp(-3.0), loss, enough=0.99 * simple) == pytest.approx(awaited, rel=2e-5)


@pytest.mark.parametrize(
    ("neighbours", "features", "epsilon", "delta", "rows"),
    [
        (REPLACE_ONE, 3, 6.504882507176557, 1.21e-8, 1066),
        (REPLACE_ONE, 2, 4.895848, 1.05e-8, 469),
        (ADD_REMOVE, 3, 3.0737158771, 4.42e-8, 865),
        (ADD_REMOVE, 3, 3.1870713924575607, 6.0e-8, 1931),
    ],
)
def test_rows_of_which_so_few_look_alike_that_often_none_does_verify(neighbours, features, epsilon, delta, rows):
    """The least noise at which an order is counted: often no other takes part, and next to all of delta is what rows do not share."""
    query = Rows(domain=Domain(features=features, entry_bound=1.0, target_bound=1.0), target=Target.OMITTED)
    made = calibrated(ShuffledGaussianRows, query, shuffled=rows, epsilon=epsilon, delta=delta, neighbours=neighbours)
    assert made.share * rows == pytest.approx(20.0, rel=1e-3)
    assert rechecked(made, query)
    honest = made.planned(query, shape=(2, query.columns))
    lower = replace(honest.guarantee, delta_at_epsilon=0.999 * honest.guarantee.delta_at_epsilon)
    assert [check.ok for check in replace(honest, guarantee=lower).verify().checks if check.name == "delta"] in ([], [False])


@pytest.mark.parametrize(("epsilon", "delta", "rows"), [(4.609, 4e-8, 1387)])
def test_few_rows_that_look_alike_at_a_large_epsilon_verify(epsilon, delta, rows):
    query = Rows(domain=Domain(features=1, entry_bound=1.0, target_bound=1.0), target=Target.OMITTED)
    made = calibrated(ShuffledGaussianRows, query, shuffled=rows, epsilon=epsilon, delta=delta)
    assert rechecked(made, query)
