"""Blocks of Parquet and Arrow (Feather) files, read with polars a few rows at a time.

A block is some row groups of a Parquet file, or a part of one that is very long; of an Arrow file, consecutive rows. Files are read in the order
given, those of a folder in the order of their names. Only the needed columns are read. No message tells a cell, a row number or a count.

Decoding costs more than computing, so blocks stay in memory between passes as far as `memory` bytes reach; the others are made anew each time:

    block i of n rows is kept if the blocks so far, times memory / bytes of all, have reached another whole block

so that those that stay are spread evenly over the table: what is found in memory stands for the rest. Bytes are told before a row is read, by an
upper bound for a row; where blocks turn out smaller, others stay too. What is kept is what was read, so a pass gives the same blocks whether they are
kept or not; nothing is written anywhere.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from discreet.core.errors import FileFormatError, InvalidInput, quietly
from discreet.core.files.reading import NOT_ORDINARY, is_file
from discreet.core.lazily import lazily
from discreet.core.neighbours import Persons
from discreet.core.parts import module_of
from discreet.core.private import holds_records
from discreet.core.workers import map_in_order
from discreet.data.block_table import Block, BlockTable, SomeBlocks, block_rows
from discreet.data.frames import check_present
from discreet.data.labels import label_array
from discreet.data.parquet_file import parquet_header, row_group_sizes, silent
from discreet.data.persons import PERSON_BYTES, person_ids
from discreet.data.schema import Schema
from discreet.matrices import DenseMatrix

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazily("polars")

R = TypeVar("R")

_PARQUET = ".parquet"
_ARROW = (".arrow", ".feather", ".ipc")
_IN_SINGLE = frozenset({"Float32", "Int8", "Int16", "UInt8", "UInt16", "Boolean"})
"""Numbers of these types are exact in single precision, at half the memory."""
_LONGEST = 4
"""A row group of more than so many blocks' worth of rows is cut."""
MEMORY = 2**30
"""Bytes of blocks that a table of files keeps unless told otherwise."""
_FOOTERS = 128
"""Files whose footers stay parsed."""


class _Piece(NamedTuple):
    path: str
    start: int
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class FileBlocks:
    """Reads block after block: names of files and public numbers, so that it may travel to wherever the files are."""

    columns: tuple[str, ...]
    encode: "Callable[[pl.DataFrame], Block]"
    pieces: tuple[_Piece, ...]

    def __call__(self, number: int) -> Block:
        """The block of this number, decoded anew. Raises as `numeric_files` says."""
        piece = self.pieces[number]
        lazy = _scan(piece.path).slice(piece.start, piece.rows).select(self.columns)
        with silent():
            return self.encode(quietly(lazy.collect, _damaged(piece.path)))


class FileTable(BlockTable):
    """Records in Parquet or Arrow files; make one with `numeric_files` or `schema_files`."""

    __slots__ = ("_kept", "_read")

    def __init__(
        self,
        paths: Sequence[str],
        columns: Sequence[str],
        encode: "Callable[[pl.DataFrame], Block]",
        *,
        features: int,
        row_bytes: int,
        rows_in_block: int | None,
        memory: int = MEMORY,
        rule: Persons | None = None,
    ) -> None:
        """Read headers and footers: no record yet. `encode` makes a block of a frame with `columns`, and knows public numbers only.

        `row_bytes`: what a row of a block takes at most.
        """
        size = block_rows(row_bytes // 8) if rows_in_block is None else rows_in_block
        pieces = tuple(piece for path in paths for piece in _pieces(path, columns, size))
        self._read = FileBlocks(columns=tuple(columns), encode=encode, pieces=pieces)
        self._kept = KeptBlocks(memory, [row_bytes * piece.rows for piece in pieces])
        # Slow where less than half of the table stays in memory.
        super().__init__(features, slow=2 * self._kept.memory < row_bytes * sum(piece.rows for piece in pieces), rule=rule)

    def map(self, work: Callable[[int, Block], R], jobs: int) -> Iterator[R]:
        """See BlockTable."""
        with silent():
            yield from map_in_order(lambda number: work(number, self._kept.block(number, self._read)), range(len(self._read.pieces)), jobs)

    def quick(self) -> SomeBlocks:
        """See BlockTable: those that stay in memory."""
        return SomeBlocks(self._kept.planned, lambda number: self._kept.block(number, self._read))

    def on(self, client: Any, *, remember: bool = True) -> BlockTable:  # noqa: ANN401 - Dask publishes no types
        """The same blocks, read by the workers of a Dask cluster, which must find the files under the same paths: a `discreet.cluster.DaskTable`.

        Raises InvalidInput if the files have no rows.
        """
        blocks = len(self._read.pieces)
        table: BlockTable = module_of("cluster").DaskTable.from_function(client, self._read, blocks=blocks, features=self.features, remember=remember)
        table.say(self)
        return table


def numeric_files(
    paths: str | Path | Sequence[str | Path],
    *,
    features: Sequence[str],
    target: str | Sequence[str] | None = None,
    weights: str | None = None,
    person: str | None = None,
    rows_in_block: int | None = None,
    memory: int = MEMORY,
) -> FileTable:
    """A table of numeric columns, unencoded: `features` in this order, `target` with labels or numbers, `weights` with weights, `person` with ids.

    Several numeric columns in `target` are several targets. `paths`: a file, a folder of Parquet files, or several files. `memory`: bytes of decoded
    blocks that the table keeps between passes; 0 for none. Raises InvalidInput for missing files, SchemaError for missing columns, FileFormatError
    for damaged files; reading raises InvalidInput for columns that are not numbers.
    """
    several = () if target is None or isinstance(target, str) else tuple(target)
    names = [*features, *several, *(name for name in (target, weights, person) if isinstance(name, str))]
    if not features or len(set(names)) < len(names):
        raise InvalidInput("features, target, weights and person must name different columns, with at least one feature.")
    refusal = InvalidInput("every feature and weight must be a column of numbers. Describe columns of text with a schema (schema_files).")

    def encode(frame: "pl.DataFrame") -> Block:
        kinds = dict(zip(frame.columns, frame.dtypes, strict=True))
        if not all(kind.is_numeric() or kind == pl.Boolean for name, kind in kinds.items() if name not in (target, person)):
            raise refusal
        rows = quietly(lambda: number_columns(frame, features, single=all(str(kinds[name]) in _IN_SINGLE for name in features)), refusal)
        labels = np.asarray(frame.get_column(target).to_numpy()) if isinstance(target, str) else None
        if several:
            labels = np.ascontiguousarray(quietly(lambda: number_columns(frame, several, single=False), refusal))
        if labels is not None and labels.dtype.kind == "O":
            labels = labels.astype(str)
        factors = None if weights is None else frame.get_column(weights).cast(pl.Float64).to_numpy()
        return Block(DenseMatrix(rows), labels, factors, None if person is None else person_ids(frame.get_column(person)))

    row_bytes = 8 * (len(names) + 1) + (0 if person is None else PERSON_BYTES)
    table = FileTable(_files(paths), names, encode, features=len(features), row_bytes=row_bytes, rows_in_block=rows_in_block, memory=memory)
    table.targets = len(several) or 1
    return table


def schema_files(
    paths: str | Path | Sequence[str | Path],
    schema: Schema,
    *,
    target: bool = True,
    persons: bool | None = None,
    rows_in_block: int | None = None,
    memory: int = MEMORY,
) -> FileTable:
    """A table of columns as `schema` encodes them; with `target`, targets are the schema's classes or numbers.

    Otherwise as `numeric_files`. With `persons` (by default as `target`), blocks carry the ids in the schema's [person] column, and the table its
    rule.
    """
    whose = target if persons is None else persons

    def encode(frame: "pl.DataFrame") -> Block:
        table = schema.encode(frame, target=target, persons=whose)
        if table.numbers is not None or table.times is not None:
            return Block(table.rows, table.numbers if table.times is None else table.times, None, table.persons)
        codes = table.codes if table.signs is None else (table.signs > 0).astype(np.intp)
        return Block(table.rows, None if codes is None else label_array(table.classes)[codes], None, table.persons)

    table = FileTable(
        _files(paths),
        schema.columns(target=target, persons=whose),
        encode,
        features=schema.features,
        row_bytes=schema.row_bytes + (PERSON_BYTES if whose and schema.person is not None else 0),
        rows_in_block=rows_in_block,
        memory=memory,
        rule=schema.persons if whose else None,
    )
    table.ends, table.targets, table.encoded = schema.ends, len(schema.answers) if target else 1, True
    return table


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
    for name in found:
        if not is_file(name):
            raise InvalidInput(f"{name!r} is {NOT_ORDINARY}.")
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


def _scan(path: str) -> "pl.LazyFrame":
    """What reads the file: the same object while the file is the same, so that polars parses a long footer once and not once a block."""
    return _scanned(path, _state(path))


def _state(path: str) -> tuple[int, ...]:
    """What a file that is written anew differs in."""
    found = Path(path).stat()
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


@lru_cache(maxsize=_FOOTERS)
def _scanned(path: str, state: tuple[int, ...]) -> "pl.LazyFrame":  # noqa: ARG001
    return pl.scan_parquet(path, glob=False) if path.lower().endswith(_PARQUET) else pl.scan_ipc(path)


def _damaged(path: str) -> FileFormatError:
    return FileFormatError(f"{path!r} cannot be read as a table: it is damaged, truncated, or not what its name says. Write it again.")


def number_columns(frame: "pl.DataFrame", names: Sequence[str], *, single: bool) -> npt.NDArray[np.float64] | npt.NDArray[np.float32]:
    """The columns `names` (n, d) in Fortran order, as float32 if `single`; a missing number is not-a-number. Raises what polars does for others."""
    columns = np.empty((len(names), frame.height), dtype=np.float32 if single else np.float64)
    kind = pl.Float32 if single else pl.Float64
    for place, name in enumerate(names):
        start = 0
        for chunk in frame.get_column(name).cast(kind).get_chunks():
            columns[place, start : start + len(chunk)] = chunk.to_numpy()
            start += len(chunk)
    return columns.T


@holds_records
class KeptBlocks:
    """At most `memory` bytes of blocks, by number. Raises InvalidInput for a negative number of bytes."""

    __slots__ = ("_blocks", "_expected", "_lock", "_reserved", "_room", "memory", "planned")

    planned: tuple[int, ...]
    """Numbers of the blocks that are sure to find room, in order."""

    def __init__(self, memory: int, sizes: Sequence[int] = ()) -> None:
        """Keep nothing yet. `sizes`: upper bounds of the bytes of every block, where they are known."""
        if isinstance(memory, bool) or not isinstance(memory, int) or memory < 0:
            raise InvalidInput(f"memory must be a number of bytes, an integer >= 0; {memory!r} was given.")
        self.memory = memory
        self._room = memory
        self.planned = _spread(memory, sizes)
        self._expected = {number: sizes[number] for number in self.planned}
        self._reserved = sum(self._expected.values())
        self._blocks: dict[int, Block] = {}
        self._lock = threading.Lock()

    def block(self, number: int, make: Callable[[int], Block]) -> Block:
        """The block of this number: kept, or made, and then kept where there is room."""
        found = self._blocks.get(number)
        if found is not None:
            return found
        made = make(number)
        size = _bytes(made)
        with self._lock:
            self._reserved -= self._expected.pop(number, 0)
            if number not in self._blocks and size <= self._room - self._reserved:
                self._blocks[number] = made
                self._room -= size
        return made


def _spread(memory: int, sizes: Sequence[int]) -> tuple[int, ...]:
    """Blocks of at most `memory` bytes together, evenly spaced."""
    total = sum(sizes)
    if total <= memory:
        return tuple(range(len(sizes)))
    found = [number for number in range(len(sizes)) if (number + 1) * memory // total > number * memory // total]
    while sum(sizes[number] for number in found) > memory:  # blocks of different lengths
        found.pop()
    return tuple(found)


def _bytes(block: Block) -> int:
    columns = sum(int(column.nbytes) for column in (block.targets, block.weights) if column is not None)
    return block.rows.held_bytes + columns + (0 if block.persons is None else int(block.persons.estimated_size()))
