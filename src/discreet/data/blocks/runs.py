"""Numbers that lie in a file as they lie in memory: what is read without decoding.

    run = `rows` consecutive numbers of one column, from row `first` of the file on, at byte `offset`

A column is read run by run to where it shall be, once, by the system; or the file is mapped into memory where the columns of a block lie at equal
distances, as they do in an Arrow file, and nothing is read before it is used. A layout knows one format, and says where the runs are, or nothing.
"""

import sys
from collections.abc import Sequence
from io import FileIO
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.errors import FileFormatError

Numbers: TypeAlias = npt.NDArray[np.float64] | npt.NDArray[np.float32]
Kind: TypeAlias = np.dtype[np.float64] | np.dtype[np.float32]


class Run(NamedTuple):
    """Some consecutive numbers of a column."""

    first: int
    rows: int
    offset: int


class Layout(Protocol):
    """Where the numbers of one file are."""

    @property
    def groups(self) -> Sequence[int]:
        """Rows of the parts that the file was written in, in order."""

    def kind(self, name: str) -> Kind | None:
        """The type of the numbers of a column; None where it holds others, or none."""

    def runs(self, name: str, start: int, rows: int) -> Sequence[Run] | None:
        """Runs that hold rows start .. start + rows - 1 of the column, in order; None where they do not lie there as they are."""


def plain_columns(path: str, layout: Layout, names: Sequence[str], start: int, rows: int) -> Numbers | None:
    """Rows start .. start + rows - 1 of the columns, (rows, d) in Fortran order; None unless all are of one type and lie in the file as they are.

    Raises FileFormatError where the file ends too early.
    """
    found = _found(layout, names, start, rows)
    if found is None:
        return None
    kind, columns = found
    mapped = _mapped(path, kind, columns, start, rows)
    if mapped is not None:
        return mapped
    numbers = np.empty((len(names), rows), dtype=kind)
    with FileIO(path) as file:
        for column, runs in zip(numbers, columns, strict=True):
            for run in runs:
                begin, end = max(start, run.first), min(start + rows, run.first + run.rows)
                file.seek(run.offset + (begin - run.first) * kind.itemsize)
                _fill(file, column[begin - start : end - start], path)
    return numbers.T


def lie_in_place(layout: Layout, names: Sequence[str], start: int, rows: int) -> bool:
    """Whether `plain_columns` maps them into memory."""
    found = _found(layout, names, start, rows)
    return found is not None and _distance(*found, start, rows) is not None


def _found(layout: Layout, names: Sequence[str], start: int, rows: int) -> tuple[Kind, list[Sequence[Run]]] | None:
    kind = layout.kind(names[0])
    if kind is None or sys.byteorder != "little" or any(layout.kind(name) != kind for name in names):
        return None
    columns = []
    for name in names:
        runs = layout.runs(name, start, rows)
        if runs is None:
            return None
        columns.append(runs)
    return kind, columns


def _mapped(path: str, kind: Kind, columns: Sequence[Sequence[Run]], start: int, rows: int) -> Numbers | None:
    """The columns where they are in the file, mapped into memory, if their distances allow."""
    step = _distance(kind, columns, start, rows)
    if step is None:
        return None
    span = (len(columns) - 1) * (step // kind.itemsize) + rows
    offset = columns[0][0].offset + (start - columns[0][0].first) * kind.itemsize
    try:
        flat = np.memmap(path, dtype=kind, mode="r", offset=offset, shape=(span,))
    except (ValueError, OSError):  # longer than the file
        raise FileFormatError(f"{path!r} is damaged or truncated. Write it again.") from None
    return np.lib.stride_tricks.as_strided(np.asarray(flat), (rows, len(columns)), (kind.itemsize, step), writeable=False)


def _distance(kind: Kind, columns: Sequence[Sequence[Run]], start: int, rows: int) -> int | None:
    """Bytes from a column to the next, if each is one run, at equal and whole distances, in their order."""
    if rows < 1 or any(len(runs) != 1 for runs in columns):
        return None
    offsets = [runs[0].offset + (start - runs[0].first) * kind.itemsize for runs in columns]
    step = offsets[1] - offsets[0] if len(offsets) > 1 else rows * kind.itemsize
    even = all(offset == offsets[0] + place * step for place, offset in enumerate(offsets))
    fits = even and step >= rows * kind.itemsize and step % kind.itemsize == 0 and offsets[0] % kind.itemsize == 0
    return step if fits else None


def _fill(file: FileIO, numbers: Numbers, path: str) -> None:
    room = numbers.data.cast("B")
    while room:
        count = file.readinto(room)
        if not count:
            raise FileFormatError(f"{path!r} is damaged or truncated. Write it again.")
        room = room[count:]
