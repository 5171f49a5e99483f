"""Ordered sums of rows: those of a plain loop, to the last bit, whatever the layout, the cuts of the table and the rows beside a row."""

import numpy as np
import pytest
from scipy import sparse

from discreet.matrices import as_matrix, in_order
from discreet.matrices import base as base_module
from discreet.matrices.bounded import factors_in_order, shortening
from tests.matrices.test_matrices import Least

RNG = np.random.default_rng(0)
LAYOUTS = {
    "row-major": np.ascontiguousarray,
    "column-major": np.asfortranarray,
    "view": lambda rows: np.repeat(rows, 2, axis=1)[:, ::2],
    "turned": lambda rows: np.ascontiguousarray(rows[::-1])[::-1],
    "float32": lambda rows: rows.astype(np.float32),
    "sparse": sparse.csr_array,
    "another package's": Least,
}
each_layout = pytest.mark.parametrize("layout", LAYOUTS)


def rows_of(count, columns):
    """Of sizes that differ by 60 powers of two, with zeros: numbers of single precision, so that all layouts hold the same."""
    sizes = np.exp2(RNG.integers(-30, 30, (count, columns))) * (RNG.random((count, columns)) < 0.7)
    return (sizes * RNG.standard_normal((count, columns))).astype(np.float32).astype(np.float64)


def one_by_one(row, weights):
    total = 0.0
    for entry, weight in zip(row.tolist(), weights.tolist(), strict=True):
        total += entry * weight
    return total


@each_layout
@pytest.mark.parametrize("columns", [1, 2, 7, 50])
@pytest.mark.parametrize("numbers", [1, 100, 1 << 20])
def test_ordered_sums_are_those_of_a_loop_over_each_row(layout, columns, numbers, monkeypatch):
    """The loop rounds products and sums one by one; where SciPy rounds them together, it is not the one here, but still one of each row."""
    monkeypatch.setattr(base_module, "_CHUNK_NUMBERS", numbers)
    rows, weights = rows_of(23, columns), RNG.standard_normal((columns, 3)) * (RNG.random((columns, 3)) < 0.8)
    matrix = as_matrix(LAYOUTS[layout](rows))
    if not in_order.rounds_together():
        for model in range(3):
            expected = [one_by_one(row, weights[:, model]) for row in rows]
            np.testing.assert_array_equal(matrix.ordered_matvec(weights[:, model]), expected)
            np.testing.assert_array_equal(matrix.ordered_matvec(weights)[:, model], expected)
        np.testing.assert_array_equal(matrix.ordered_row_norms(), np.sqrt([one_by_one(row, row) for row in rows]))
    order = RNG.permutation(23)[:17]
    for others in (order, order[:1]):
        part = as_matrix(LAYOUTS[layout](rows[others]))
        np.testing.assert_array_equal(part.ordered_matvec(weights), matrix.ordered_matvec(weights)[others])
        np.testing.assert_array_equal(part.ordered_row_norms(), matrix.ordered_row_norms()[others])
        np.testing.assert_array_equal(matrix.chosen(others).ordered_matvec(weights), matrix.ordered_matvec(weights)[others])


@pytest.mark.parametrize("left_out", [0, 1, 1023, 1024, 2999])
@pytest.mark.parametrize("layout", ["row-major", "column-major"])
def test_an_ordered_sum_of_a_row_of_a_long_table_does_not_depend_on_the_other_rows(layout, left_out):
    rows, weights = rows_of(3000, 6), RNG.standard_normal(6)
    kept = np.delete(np.arange(len(rows)), left_out)
    whole, part = as_matrix(LAYOUTS[layout](rows)), as_matrix(LAYOUTS[layout](rows[kept]))
    np.testing.assert_array_equal(whole.ordered_matvec(weights)[kept], part.ordered_matvec(weights))
    np.testing.assert_array_equal(whole.ordered_row_norms()[kept], part.ordered_row_norms())


def test_where_products_and_sums_are_rounded_together_all_layouts_go_one_way(monkeypatch):
    """Planted: NumPy's columns would round otherwise there, and a table of one row does not tell which layout it has."""
    rows, weights = np.asfortranarray(rows_of(9, 5)), RNG.standard_normal(5)
    expected = in_order.products(rows, weights), in_order.squares(rows)
    for together in (True, False):
        monkeypatch.setattr(in_order, "rounds_together", lambda together=together: together)
        seen = []
        monkeypatch.setattr(in_order, "_row_blocks", lambda *given, real=in_order._row_blocks, seen=seen: seen.append(1) or real(*given))
        for found, one in zip((in_order.products(rows, weights), in_order.squares(rows)), expected, strict=True):
            np.testing.assert_allclose(found, one, rtol=1e-12, atol=1e-3)
        assert len(seen) == (2 if together else 0)
        monkeypatch.undo()


@each_layout
@pytest.mark.parametrize("long", [0, 1, 5, 6, 20])
def test_rows_are_shortened_by_their_own_norm_however_many_are_long(layout, long):
    """A few long rows are looked at by themselves, many with all others, none not at all."""
    rows = RNG.standard_normal((20, 7)).astype(np.float32).astype(np.float64)
    rows /= np.linalg.norm(rows, axis=1)[:, np.newaxis] * np.where(np.arange(20) < long, 0.5, 2.0)[:, np.newaxis]
    rows = rows.astype(np.float32).astype(np.float64)[RNG.permutation(20)]
    matrix = as_matrix(LAYOUTS[layout](rows))
    expected = shortening(matrix.ordered_row_norms(), 1.0)
    for jobs in (1, 3):
        found = factors_in_order(matrix, 1.0, jobs=jobs)
        assert (found is None) == (long == 0)
        np.testing.assert_array_equal(np.ones(20) if found is None else found, expected)
