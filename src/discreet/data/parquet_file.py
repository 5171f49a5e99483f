"""Parquet: names from the file's own schema, columns from polars, messages from neither.

On a damaged file the decoder of polars may panic, and a panic prints numbers of rows to standard error before Python hears of it: while a file is
decoded, standard error is closed to it. A file damaged so that the decoder asks for more memory than there is ends the process; nothing in Python
can catch that.

Where a file may be cut: the numbers of rows of its row groups, from its last bytes.

Reading rows from the middle of a row group decodes what comes before them too. polars, which reads the rows, does not tell where groups end, so the
file's footer is parsed here, as far as that: Thrift's compact protocol, `FileMetaData.row_groups[].num_rows` (fields 4 and 3 of the Parquet format).
Counts of rows are private; they stay in the table.
"""

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from discreet.core.errors import FileFormatError, quietly
from discreet.core.files.reading import opened
from discreet.core.lazily import lazily
from discreet.data.frames import check_present

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazily("polars")


def parquet_header(path: str) -> list[str]:
    """The names of the columns. Raises FileFormatError where the file is no Parquet file."""
    with silent():
        return quietly(lambda: pl.scan_parquet(path, glob=False).collect_schema().names(), _damaged(path))


def parquet_table(path: str, columns: Sequence[str]) -> "pl.DataFrame":
    """`columns` of the file. Raises SchemaError where it lacks one, FileFormatError where it is damaged."""
    check_present(parquet_header(path), columns, source=repr(path))
    with silent():
        return quietly(lambda: pl.read_parquet(path, columns=list(columns), glob=False).select(columns), _damaged(path))


def _damaged(path: str) -> FileFormatError:
    return FileFormatError(f"{path!r} cannot be read as a Parquet file: it is damaged, truncated, or not what its name says. Write it again.")


class _Quiet:
    """How many are decoding, in all threads, and standard error as it was."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.inside = 0
        self.kept: int | None = None


_quiet = _Quiet()


@contextmanager
def silent() -> Iterator[None]:
    """Standard error of the process leads nowhere until the last of those that are inside leaves; without one, nothing is to be done."""
    with _quiet.lock:
        _quiet.inside += 1
        if _quiet.inside == 1:
            with suppress(OSError):
                _quiet.kept = os.dup(2)
            if _quiet.kept is not None:
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, 2)
                os.close(nowhere)
    try:
        yield
    finally:
        with _quiet.lock:
            _quiet.inside -= 1
            if _quiet.inside == 0 and _quiet.kept is not None:
                os.dup2(_quiet.kept, 2)
                os.close(_quiet.kept)
                _quiet.kept = None


_MAGIC = b"PAR1"
_STOP, _TRUE, _FALSE = 0, 1, 2
_ROW_GROUPS, _NUM_ROWS = 4, 3
_DEEPEST = 64


def row_group_sizes(path: str) -> list[int]:
    """Rows of every row group, in order. Raises FileFormatError for a file without a readable footer, OSError where it cannot be opened."""
    with opened(path) as file:
        length = file.seek(0, 2)
        file.seek(max(0, length - 8))
        tail = file.read(8)
        size = int.from_bytes(tail[:4], "little")
        if length < 12 or tail[4:] != _MAGIC or size > length - 12:
            raise FileFormatError(f"{path!r} cannot be read as a Parquet file: it is damaged, truncated, or not what its name says. Write it again.")
        file.seek(length - 8 - size)
        footer = file.read(size)
    try:
        groups = _Reader(footer).struct(0).get(_ROW_GROUPS, [])
        sizes = [int(group[_NUM_ROWS]) for group in groups]
    except (IndexError, KeyError, TypeError, ValueError, AttributeError, RecursionError):
        sizes = [-1]
    if any(rows < 0 for rows in sizes):
        raise FileFormatError(f"the footer of {path!r} cannot be read. Write the file again.")
    return sizes


class _Reader:
    """Thrift's compact protocol: structs as dictionaries from field numbers to values."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def struct(self, depth: int) -> dict[int, Any]:
        if depth > _DEEPEST:
            raise ValueError
        fields: dict[int, Any] = {}
        number = 0
        while (head := self._byte()) != _STOP:
            number = number + (head >> 4) if head >> 4 else self._zigzag()
            kind = head & 15
            fields[number] = kind == _TRUE if kind in {_TRUE, _FALSE} else self._value(kind, depth + 1)
        return fields

    def _value(self, kind: int, depth: int) -> Any:  # noqa: ANN401, PLR0911 - whatever the file holds; one line a type
        match kind:
            case 1 | 2 | 3:
                return self._byte()
            case 4 | 5 | 6:
                return self._zigzag()
            case 7:
                return self._take(8)
            case 8:
                return self._take(self._varint())
            case 9 | 10:
                head = self._byte()
                count = self._varint() if head >> 4 == 15 else head >> 4
                if count > len(self._data):
                    raise ValueError
                return [self._value(head & 15, depth) for _ in range(count)]
            case 11:
                count = self._varint()
                if count > len(self._data):
                    raise ValueError
                kinds = self._byte() if count else 0
                return [(self._value(kinds >> 4, depth), self._value(kinds & 15, depth)) for _ in range(count)]
            case 12:
                return self.struct(depth)
            case _:
                raise ValueError

    def _byte(self) -> int:
        self._at += 1
        return self._data[self._at - 1]

    def _take(self, count: int) -> bytes:
        self._at += count
        if self._at > len(self._data):
            raise IndexError
        return self._data[self._at - count : self._at]

    def _varint(self) -> int:
        result = shift = 0
        while True:
            byte = self._byte()
            result |= (byte & 127) << shift
            if byte < 128:
                return result
            shift += 7
            if shift > 70:
                raise ValueError

    def _zigzag(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)
