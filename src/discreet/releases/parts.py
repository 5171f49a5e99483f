"""The numbers of a release on disk: Parquet files of float64 columns, written one after the other while rows come, and read the same way.

    data/part-00000.parquet, data/part-00001.parquet, ...        each of at most about 2^23 numbers

so that neither writing nor reading needs memory for more than one of them. They are compressed by LZ4: noise has little to compress, and Zstandard
took three times as long to write and to read, for files of three quarters of the size. Reading trusts nothing: names are those above and no others,
and a file that is no Parquet file of finite float64 numbers with the columns of the manifest is refused.
"""

import hashlib
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from discreet.core.arrays import Floats
from discreet.core.errors import FileFormatError, quietly
from discreet.data.parquet_file import parquet_header, parquet_table

FOLDER = "data"
PROJECTION = "projection.parquet"
PART_NUMBERS = 1 << 23
"""Of a part, rounded up to whole rows; the last one holds what is left. So parts do not depend on the blocks that rows came in."""

_TURNED = 1024
"""Rows whose numbers are moved at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One file of numbers."""

    path: str
    """Within the release's folder, with forward slashes."""
    rows: int
    size: int
    """In bytes."""
    sha256: str


def part_path(number: int) -> str:
    """Of the part with this number, from 0."""
    return f"{FOLDER}/part-{number:05d}.parquet"


class PartWriter:
    """Takes blocks of rows and writes parts. `leading` rows at the beginning are kept apart: they are the projection of a fresh one."""

    __slots__ = ("_folder", "_held", "_leading", "_left", "_names", "_rows", "begun", "parts")

    def __init__(self, names: Sequence[str], *, leading: int = 0) -> None:
        """For rows of these columns; say where with `into`."""
        self._names, self._left = list(names), leading
        self._folder = Path()
        self._leading: list[Floats] = []
        self._held: deque[Floats] = deque()
        self._rows = 0
        self.parts: list[Part] = []
        self.begun = False
        """Whether any row has come, so that the release has been drawn, in part at least."""

    def into(self, folder: Path) -> None:
        """Write into `folder`, which exists and is ours."""
        (folder / FOLDER).mkdir()
        self._folder = folder

    def keep(self, block: Floats) -> None:
        """Write some more rows."""
        self.begun = True
        if self._left:
            first, block = block[: self._left], block[self._left :]
            self._left -= len(first)
            self._leading.append(first.copy())
        if len(block):
            self._held.append(block)
            self._rows += len(block)
        size = -(-PART_NUMBERS // len(self._names))
        while self._rows >= size:
            self._write(size)

    def finish(self) -> tuple[Part, ...]:
        """Write what is left, and say what there is; at least one file, which may be empty."""
        if self._held or not self.parts:
            self._write(self._rows)
        return tuple(self.parts)

    @property
    def leading(self) -> Floats:
        """The rows that were kept apart."""
        return np.concatenate(self._leading)

    def _write(self, count: int) -> None:
        """The next part, of the first `count` rows that wait."""
        self._rows -= count
        taken = [np.zeros((0, len(self._names)))]
        while count:
            block = self._held.popleft()
            taken.append(block[:count])
            if len(block) > count:
                self._held.appendleft(block[count:])
            count -= len(taken[-1])
        self.parts.append(write_part(self._folder, part_path(len(self.parts)), self._names, np.concatenate(taken)))


def write_part(folder: Path, path: str, names: Sequence[str], rows: Floats) -> Part:
    """One file, (n, columns). Raises OSError where it cannot be written."""
    frame = pl.DataFrame(dict(zip(names, turned(rows).T, strict=True)))
    quietly(lambda: frame.write_parquet(folder / path, compression="lz4"), OSError("Parquet: it cannot be written"), pl.exceptions.PolarsError)
    return described(folder, path, len(rows))


def described(folder: Path, path: str, rows: int) -> Part:
    """The file as it is on disk."""
    digest = hashlib.sha256()
    size = 0
    with (folder / path).open("rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
            size += len(piece)
    return Part(path=path, rows=rows, size=size, sha256=digest.hexdigest())


def read_part(folder: Path, part: Part, names: Sequence[str]) -> Floats:
    """Its numbers, (rows, columns). Raises FileFormatError for a file that is not what the manifest says."""
    path = str(folder / part.path)
    if not (folder / part.path).is_file():
        raise FileFormatError(f"the release lacks its file {part.path!r}. Copy the whole folder.")
    if parquet_header(path) != list(names):
        raise FileFormatError(f"{part.path!r} has other columns than the manifest says.")
    frame = parquet_table(path, names)
    if any(dtype != pl.Float64 for dtype in frame.dtypes) or any(column.null_count() for column in frame):
        raise FileFormatError(f"{part.path!r} holds something else than float64 numbers.")
    rows = np.asarray(frame.to_numpy(), dtype=np.float64)
    if rows.shape != (part.rows, len(names)) or not np.all(np.isfinite(rows)):
        raise FileFormatError(f"{part.path!r} does not hold {part.rows} rows of finite numbers, as the manifest says.")
    return rows if rows.flags.c_contiguous else turned(rows)


def turned(rows: Floats) -> Floats:
    """The same numbers in the other layout, row by row or column by column: in pieces that stay in the processor's caches."""
    to_rows = rows.flags.f_contiguous
    made = np.empty(rows.shape, order="C" if to_rows else "F")
    for start in range(0, len(rows), _TURNED):
        made[start : start + _TURNED] = rows[start : start + _TURNED]
    return made


def read_parts(folder: Path, parts: Sequence[Part], names: Sequence[str]) -> Iterator[Floats]:
    """The rows of all parts in order, one part at a time."""
    for part in parts:
        yield read_part(folder, part, names)
