"""Blocks of Parquet and Arrow (Feather) files, read with polars a few rows at a time.

A block is some row groups of a Parquet file, or a part of one that is very long; of an Arrow file, consecutive rows. Files are read in the order
given, those of a folder in the order of their names. Only the needed columns are read. No message tells a cell, a row number or a count.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
import polars as pl

from discreet.data.blocks.base import Block, BlockTable, block_rows
from discreet.data.blocks.row_groups import row_group_sizes
from discreet.data.frames import check_present
from discreet.data.parquet_file import parquet_header, silent
from discreet.data.quiet import quietly
from discreet.data.schema import Schema
from discreet.designs import DenseDesign
from discreet.errors import FileFormatError, InvalidInput
from discreet.workers import map_in_order

R = TypeVar("R")

_PARQUET = ".parquet"
_ARROW = (".arrow", ".feather", ".ipc")
_LONGEST = 4
"""A row group of more than so many blocks' worth of rows is cut."""


class _Piece(NamedTuple):
    path: str
    start: int
    rows: int


class FileTable(BlockTable):
    """Records in Parquet or Arrow files; see `numeric_files` and `schema_files`, which make one."""

    __slots__ = ("_columns", "_encode", "_features", "_pieces")

    def __init__(
        self, paths: Sequence[str], columns: Sequence[str], encode: Callable[[pl.DataFrame], Block], *, features: int, rows_in_block: int | None
    ) -> None:
        """Read headers and footers: no record yet. `encode` makes a block of a frame with `columns`, and knows public numbers only."""
        self._columns = list(columns)
        self._encode = encode
        self._features = features
        size = block_rows(features) if rows_in_block is None else rows_in_block
        self._pieces = [piece for path in paths for piece in _pieces(path, self._columns, size)]

    @property
    def features(self) -> int:
        """See BlockTable."""
        return self._features

    @property
    def remote(self) -> bool:
        """See BlockTable."""
        return False

    @property
    def slow(self) -> bool:
        """See BlockTable."""
        return True

    def map(self, work: Callable[[int, Block], R], jobs: int) -> Iterator[R]:
        """See BlockTable."""
        with silent():
            yield from map_in_order(lambda numbered: work(numbered[0], self._block(numbered[1])), enumerate(self._pieces), jobs)

    def _block(self, piece: _Piece) -> Block:
        lazy = _scan(piece.path).slice(piece.start, piece.rows).select(self._columns)
        return self._encode(quietly(lazy.collect, _damaged(piece.path)))


def numeric_files(
    paths: str | Path | Sequence[str | Path],
    *,
    features: Sequence[str],
    target: str | None = None,
    weights: str | None = None,
    rows_in_block: int | None = None,
) -> FileTable:
    """Columns of numbers as they are: `features` in this order, `target` with labels or numbers, `weights` with public weights.

    `paths`: a file, a folder of Parquet files, or several files. Raises InvalidInput for files that are not there, SchemaError for absent columns,
    FileFormatError for damaged files; reading raises InvalidInput for columns that hold no numbers.
    """
    names = [*features, *([] if target is None else [target]), *([] if weights is None else [weights])]
    if not features or len(set(names)) < len(names):
        raise InvalidInput("features, target and weights name different columns, and at least one feature is needed.")
    refusal = InvalidInput("every feature and weight must be a column of numbers. Describe columns of text with a schema (schema_files).")

    def encode(frame: pl.DataFrame) -> Block:
        kinds = dict(zip(frame.columns, frame.dtypes, strict=True))
        if not all(kinds[name].is_numeric() or kinds[name] == pl.Boolean for name in names if name != target):
            raise refusal
        numbers = frame[list(features)]
        if any(kinds[name] != pl.Float64 for name in features):
            numbers = quietly(lambda: numbers.cast(pl.Float64), refusal)
        rows = quietly(numbers.to_numpy, refusal)
        labels = None if target is None else np.asarray(frame.get_column(target).to_numpy())
        if labels is not None and labels.dtype.kind == "O":
            labels = labels.astype(str)
        factors = None if weights is None else frame.get_column(weights).cast(pl.Float64).to_numpy()
        return Block(DenseDesign(rows), labels, factors)

    return FileTable(_files(paths), names, encode, features=len(features), rows_in_block=rows_in_block)


def schema_files(paths: str | Path | Sequence[str | Path], schema: Schema, *, target: bool = True, rows_in_block: int | None = None) -> FileTable:
    """Columns as `schema` encodes them; with `target`, targets are the schema's classes, or its numbers. Raises as `numeric_files` does."""

    def encode(frame: pl.DataFrame) -> Block:
        table = schema.encode(frame, target=target)
        if table.numbers is not None:
            return Block(table.rows, table.numbers)
        codes = table.codes if table.signs is None else (table.signs > 0).astype(np.intp)
        return Block(table.rows, None if codes is None else np.asarray(table.classes)[codes])

    return FileTable(_files(paths), schema.columns(target=target), encode, features=schema.features, rows_in_block=rows_in_block)


def _files(paths: str | Path | Sequence[str | Path]) -> list[str]:
    found: list[str] = []
    for path in [paths] if isinstance(paths, str | Path) else list(paths):
        file = Path(path)
        if file.is_dir():
            inside = sorted(str(one) for one in file.iterdir() if one.name.lower().endswith(_PARQUET))
            if not inside:
                raise InvalidInput(f"the folder {str(path)!r} holds no .parquet file.")
            found += inside
        elif not file.exists():
            raise InvalidInput(f"there is no file {str(path)!r}. Check the path.")
        elif not str(path).lower().endswith((_PARQUET, *_ARROW)):
            raise InvalidInput(f"the name of a table that is read in blocks must end in .parquet, .arrow, .feather or .ipc; {str(path)!r} was given.")
        else:
            found.append(str(path))
    if not found:
        raise InvalidInput("at least one file is needed; none was given.")
    return found


def _pieces(path: str, columns: Sequence[str], size: int) -> Iterator[_Piece]:
    if path.lower().endswith(_PARQUET):
        check_present(parquet_header(path), columns, source=repr(path))
        groups = row_group_sizes(path)
    else:
        lazy = _scan(path)
        check_present(quietly(lambda: lazy.collect_schema().names(), _damaged(path)), columns, source=repr(path))
        count = int(quietly(lambda: lazy.select(pl.len()).collect().item(), _damaged(path)))
        groups = [min(size, count - start) for start in range(0, count, size)]
    start = waiting = 0
    for rows in groups:
        if waiting and waiting + rows > size:
            yield _Piece(path, start, waiting)
            start, waiting = start + waiting, 0
        if rows > _LONGEST * size:
            parts = -(-rows // size)
            for part in range(parts):
                begin, end = rows * part // parts, rows * (part + 1) // parts
                yield _Piece(path, start + begin, end - begin)
            start += rows
        else:
            waiting += rows
    if waiting:
        yield _Piece(path, start, waiting)


def _scan(path: str) -> pl.LazyFrame:
    if path.lower().endswith(_PARQUET):
        return pl.scan_parquet(path, glob=False)
    return pl.scan_ipc(path)


def _damaged(path: str) -> FileFormatError:
    return FileFormatError(f"{path!r} is no readable table: it is damaged, truncated, or not what its name says. Write it again.")
