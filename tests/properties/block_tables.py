"""The same records as tables of every kind of block: what the properties of blocks run over."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import sparse

from discreet.data import Block, BlockTable, FunctionTable, NpyTable, numeric_files
from discreet.matrices import DenseMatrix, SparseMatrix

ROWS_IN_BLOCK = 700
"""Neither a divisor of the number of records nor of a block's 1024 rows."""


def records(count: int = 3001, features: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """Rows, some of them longer than 1, and labels 0 and 1."""
    rng = np.random.default_rng(20)
    rows = 0.4 * rng.standard_normal((count, features))
    rows[rng.random(rows.shape) < 0.3] = 0.0
    return rows, (rows @ np.arange(1.0, features + 1) + 0.3 * rng.standard_normal(count) > 0).astype(np.int64)


def _generated(rows, targets, _folder):
    return _sliced(rows, targets, DenseMatrix)


def _columns_first(rows, targets, _folder):
    return _sliced(rows, targets, lambda part: DenseMatrix(np.asfortranarray(part)))


def _sparse(rows, targets, _folder):
    return _sliced(rows, targets, lambda part: SparseMatrix(sparse.csr_array(part)))


def _sliced(rows, targets, matrix):
    def make(number):
        part = slice(ROWS_IN_BLOCK * number, ROWS_IN_BLOCK * (number + 1))
        return Block(matrix(rows[part]), targets[part])

    return FunctionTable(make, blocks=-(-len(rows) // ROWS_IN_BLOCK), features=rows.shape[1])


def _mapped(rows, targets, folder):
    np.save(folder / "rows.npy", rows)
    np.save(folder / "targets.npy", targets)
    return NpyTable(folder / "rows.npy", folder / "targets.npy", rows_in_block=ROWS_IN_BLOCK)


def _frame(rows, targets):
    return pl.DataFrame({f"x{j}": rows[:, j] for j in range(rows.shape[1])} | {"y": targets})


def _parquet(rows, targets, folder):
    _frame(rows, targets).write_parquet(folder / "table.parquet", row_group_size=500)
    return numeric_files(folder / "table.parquet", features=[f"x{j}" for j in range(rows.shape[1])], target="y", rows_in_block=1000)


def _parquet_plain(rows, targets, folder):
    """Not compressed, a part of it kept."""
    _frame(rows, targets).write_parquet(folder / "plain.parquet", row_group_size=500, compression="uncompressed")
    names = [f"x{j}" for j in range(rows.shape[1])]
    return numeric_files(folder / "plain.parquet", features=names, target="y", rows_in_block=500, memory=100_000)


def _parquet_folder(rows, targets, folder):
    inside = folder / "parts"
    inside.mkdir()
    frame = _frame(rows, targets)
    for number, start in enumerate(range(0, len(rows), 1300)):
        frame.slice(start, 1300).write_parquet(inside / f"{number:03}.parquet")
    return numeric_files(inside, features=[f"x{j}" for j in range(rows.shape[1])], target="y", rows_in_block=ROWS_IN_BLOCK)


def _arrow(rows, targets, folder):
    _frame(rows, targets).write_ipc(folder / "table.arrow")
    return numeric_files(folder / "table.arrow", features=[f"x{j}" for j in range(rows.shape[1])], target="y", rows_in_block=ROWS_IN_BLOCK)


def _arrow_compressed(rows, targets, folder):
    """Decoded by polars in every pass."""
    _frame(rows, targets).write_ipc(folder / "small.arrow", compression="zstd")
    names = [f"x{j}" for j in range(rows.shape[1])]
    return numeric_files(folder / "small.arrow", features=names, target="y", rows_in_block=ROWS_IN_BLOCK, memory=0)


TABLES: dict[str, Callable[[np.ndarray, np.ndarray, Path], BlockTable]] = {
    "generated": _generated,
    "columns-first": _columns_first,
    "sparse": _sparse,
    "mapped-npy": _mapped,
    "parquet": _parquet,
    "parquet-plain": _parquet_plain,
    "parquet-folder": _parquet_folder,
    "arrow": _arrow,
    "arrow-compressed": _arrow_compressed,
}


def _tables(*hardest):
    return pytest.mark.parametrize("kind", [pytest.param(kind, marks=() if kind in hardest else pytest.mark.more) for kind in TABLES])


each_table = _tables("sparse", "mapped-npy", "parquet-folder", "arrow-compressed")
"""Kinds of one way to the rows share its hardest in the quick run: no dense block, views of a file, files cut elsewhere, decoded in every pass."""
two_tables = _tables("sparse", "arrow-compressed")
"""Where what is looked at stands above the blocks, and asks no more of them than others did: rows not dense, and rows that are new in every pass."""
