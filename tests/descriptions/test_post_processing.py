"""Least squares, intervals, margins: what is computed from noisy counts, where the truth is known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.descriptions.fitted import fit_tables, whole_numbers
from discreet.descriptions.intervals import Level
from discreet.descriptions.margins import whole_table
from discreet.mechanisms.counting import Cells, Summary

TREE = Cells(cells=21, levels=((1, 30), (4, 20), (16, 20)))
FLAT = Cells(cells=3, levels=((1, 50),))
QUERY = Summary(groups=2, tables=(TREE, FLAT), sums=((10, 10),))


@pytest.mark.parametrize("public", [None, 700.0])
def test_counts_are_unbiased_and_of_the_variance_that_is_stated(public):
    draw = np.random.default_rng(5)
    true = [draw.multinomial(700, np.full(2 * size, 0.5 / size)).reshape(2, size) for size in (21, 3)]
    true[1][0, 0] += true[0][0].sum() - true[1][0].sum()
    true[1][1, 0] += true[0][1].sum() - true[1][1].sum()
    exact = np.concatenate(
        [
            (weight * np.add.reduceat(leaves, np.arange(0, table.cells, width), axis=1)).ravel()
            for table, leaves in zip(QUERY.tables, true, strict=True)
            for width, weight in table.levels
        ]
        + [np.zeros(4)]
    )
    functions = np.tril(np.ones((21, 21)))[[0, 5, 11, 20]]
    found = []
    for _ in range(400):
        fitted, totals = fit_tables(QUERY, exact + 40.0 * draw.standard_normal(len(exact)), deviation=40.0, public=public)
        found.append([functions @ fitted[0].counts[part] for part in range(3)] + [np.array([total.number for total in totals])])
        assert np.allclose([fit.counts.sum(axis=1) for fit in fitted], [[total.number for total in totals]] * 2)
    for part in range(3):
        leaves = true[0][part] if part < 2 else true[0].sum(axis=0)
        seen = np.array([one[part] for one in found])
        stated = fitted[0].variances(part, functions)
        assert np.allclose(seen.mean(axis=0), functions @ leaves, atol=4.5 * np.sqrt(stated / 400) + 1e-6)
        assert np.allclose(seen.var(axis=0), stated, rtol=0.35, atol=1e-9)
    numbers = np.array([one[3] for one in found])
    assert np.allclose(numbers.var(axis=0), [total.variance for total in totals], rtol=0.35, atol=1e-9)


@given(st.integers(0, 10_000), st.lists(st.floats(0.0, 1.0), min_size=1, max_size=9))
def test_whole_numbers_add_up_and_are_near(total, shares):
    values = np.array(shares) * total / (sum(shares) or 1.0)
    if not sum(shares):
        values[0] = total
    found = whole_numbers(values, total)
    assert sum(found) == total
    assert min(found) >= 0
    assert np.max(np.abs(np.array(found) - values)) < 1.0 + 1e-6


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 6), st.sampled_from([1.0, 30.0, 1000.0]))
def test_tables_have_the_margins_that_they_are_given(seed, a, b, noise):
    draw = np.random.default_rng(seed)
    true = draw.integers(0, 60, (a, b))
    found = whole_table(true + noise * draw.standard_normal((a, b)), true.sum(axis=1).tolist(), true.sum(axis=0).tolist())
    assert found.min() >= 0
    assert np.array_equal(found.sum(axis=1), true.sum(axis=1))
    assert np.array_equal(found.sum(axis=0), true.sum(axis=0))
    exact = whole_table(true.astype(float), true.sum(axis=1).tolist(), true.sum(axis=0).tolist())
    assert np.array_equal(exact, true)


@pytest.mark.parametrize("noise", [0.0, 0.03])
@pytest.mark.parametrize("share", [0.02, 0.5])
def test_shares_means_and_quantiles_are_covered_as_often_as_is_stated(share, noise):
    """2,000 draws of 400 records: a share below 95 % by more than two points would be a fault, as would an interval that covers always."""
    draw, n = np.random.default_rng(7), 400
    level = Level.of(0.95, gaussian=True)
    seen = draw.binomial(n, share, 2000) / n + noise * draw.standard_normal(2000)
    held = [one.low <= share <= one.high for one in (level.share(float(value), noise**2, n) for value in seen)]
    assert 0.93 <= np.mean(held) <= (0.985 if share > 0.1 else 1.0)


def test_quantiles_are_covered_as_often_as_is_stated():
    draw, n, noise = np.random.default_rng(8), 900, 0.01
    edges = np.linspace(0.0, 1.0, 401)
    level = Level.of(0.9, gaussian=True)
    held = []
    for _ in range(300):
        below = np.searchsorted(np.sort(draw.uniform(size=n) ** 2), edges) / n + noise * draw.standard_normal(401)
        found = level.quantile(0.5, edges, below, np.full(401, noise**2), n)
        held.append(found.low <= 0.25 <= found.high)
    assert 0.87 <= np.mean(held) <= 0.97


def test_laplace_noise_of_one_count_has_an_exact_interval():
    level = Level.of(0.95, gaussian=False)
    noise = np.random.default_rng(9).laplace(0.0, 10.0, 20_000)
    held = [one.noise_low <= 500.0 <= one.noise_high for one in (level.around(500.0 + k, 200.0, 0.0, (0.0, np.inf)) for k in noise.tolist())]
    assert np.mean(held) == pytest.approx(0.95, abs=0.006)
