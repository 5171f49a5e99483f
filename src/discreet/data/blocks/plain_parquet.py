"""Where a Parquet file may be cut, and where its numbers lie as they are: from its last bytes, and the headers of its pages.

Reading rows from the middle of a row group with polars decodes what comes before them too, and polars does not tell where groups end, so the file's
footer is parsed here: `FileMetaData.row_groups[].num_rows` and, for flat columns of DOUBLE or FLOAT without compression, where their chunks begin
(Parquet format, parquet.thrift). A page of such a chunk is numbers as they lie in memory if its encoding is PLAIN and no value is missing: its
definition levels are runs of ones. Whatever is otherwise is left to polars. Counts of rows are private; they stay in the table.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from io import FileIO
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from discreet.data.blocks.runs import Kind, Run
from discreet.data.blocks.thrift import CompactReader
from discreet.errors import FileFormatError

_MAGIC = b"PAR1"
_SCHEMA, _ROW_GROUPS = 2, 4
_TYPE, _REPETITION, _NAME, _CHILDREN = 1, 3, 4, 5
_COLUMNS, _NUM_ROWS = 1, 3
_OTHER_FILE, _META = 1, 3
_CHUNK_TYPE, _CODEC, _VALUES, _COMPRESSED_SIZE, _DATA_PAGE, _DICTIONARY_PAGE = 1, 4, 5, 7, 9, 11
_KINDS: dict[int, Kind] = {4: np.dtype(np.float32), 5: np.dtype(np.float64)}
_REQUIRED, _OPTIONAL = 0, 1
_PAGE_TYPE, _UNCOMPRESSED, _COMPRESSED, _FIRST, _SECOND = 1, 2, 3, 5, 8
_HEADER_BYTES = 4096
"""A page's header and definition levels, at most; a page with longer ones is left to polars."""


class _Chunk(NamedTuple):
    offset: int
    size: int
    rows: int


class PlainParquet:
    """The layout of one file; see `Layout`. Raises FileFormatError for a file without a readable footer, OSError where it cannot be opened."""

    __slots__ = ("_chunks", "_kinds", "_optional", "_path", "_runs", "_starts", "groups")

    groups: list[int]
    """Rows of every row group, in order."""

    def __init__(self, path: str) -> None:
        """Read the footer."""
        self._path = path
        self._runs: dict[tuple[str, int], tuple[Run, ...] | None] = {}
        footer = _footer(path)
        try:
            groups = footer.get(_ROW_GROUPS, [])
            sizes = [int(group[_NUM_ROWS]) for group in groups]
            self._kinds, self._optional = _flat_columns(footer[_SCHEMA])
            self._chunks = [_plain_chunks(group, sorted(self._kinds)) for group in groups]
        except (IndexError, KeyError, TypeError, ValueError, AttributeError):
            sizes = [-1]
        if any(rows < 0 for rows in sizes):
            raise FileFormatError(f"the footer of {path!r} cannot be read. Write the file again.")
        self.groups = sizes
        self._starts = [0, *accumulate(sizes)]

    def kind(self, name: str) -> Kind | None:
        """See Layout."""
        return self._kinds.get(name)

    def runs(self, name: str, start: int, rows: int) -> Sequence[Run] | None:
        """See Layout."""
        found: list[Run] = []
        for group in range(bisect_right(self._starts, start) - 1, bisect_left(self._starts, start + rows)):
            inside = self._group_runs(name, group)
            if inside is None:
                return None
            found += [run for run in inside if run.first < start + rows and run.first + run.rows > start]
        return found

    def _group_runs(self, name: str, group: int) -> tuple[Run, ...] | None:
        if (name, group) not in self._runs:
            chunk = self._chunks[group].get(name)
            fits = chunk is not None and chunk.rows == self.groups[group]
            self._runs[name, group] = self._pages(name, chunk, self._starts[group]) if chunk is not None and fits else None
        return self._runs[name, group]

    def _pages(self, name: str, chunk: _Chunk, first: int) -> tuple[Run, ...] | None:
        found: list[Run] = []
        at, last = chunk.offset, first + chunk.rows
        with FileIO(self._path) as file:
            while first < last:
                file.seek(at)
                try:
                    page = _values(file.read(_HEADER_BYTES), self._kinds[name].itemsize, optional=self._optional[name])
                except (IndexError, KeyError, TypeError, ValueError, AttributeError, RecursionError):
                    return None
                if page is None or page.rows > last - first or at + page.size > chunk.offset + chunk.size:
                    return None
                found.append(Run(first, page.rows, at + page.offset))
                first, at = first + page.rows, at + page.size
        return tuple(found)


def _footer(path: str) -> dict[int, Any]:
    with Path(path).open("rb") as file:
        length = file.seek(0, 2)
        file.seek(max(0, length - 8))
        tail = file.read(8)
        size = int.from_bytes(tail[:4], "little")
        if length < 12 or tail[4:] != _MAGIC or size > length - 12:
            raise FileFormatError(f"{path!r} is no readable Parquet file: it is damaged, truncated, or not what its name says. Write it again.")
        file.seek(length - 8 - size)
        data = file.read(size)
    try:
        return CompactReader(data).struct()
    except (IndexError, KeyError, TypeError, ValueError, AttributeError, RecursionError):
        return {_ROW_GROUPS: [None]}


def _flat_columns(schema: list[dict[int, Any]]) -> tuple[dict[str, Any], dict[str, bool]]:
    """Types of the floating-point columns of a table without columns inside columns, and whether values may be missing; ({}, {}) for others."""
    columns = schema[1:]
    if any(_CHILDREN in column for column in columns) or schema[0][_CHILDREN] != len(columns):
        return {}, {}
    names = [column[_NAME].decode() for column in columns]
    of_numbers = {
        name: column
        for name, column in zip(names, columns, strict=True)
        if column[_TYPE] in _KINDS and column[_REPETITION] in {_REQUIRED, _OPTIONAL} and names.count(name) == 1
    }
    return (
        {name: _KINDS[column[_TYPE]] for name, column in of_numbers.items()},
        {name: column[_REPETITION] == _OPTIONAL for name, column in of_numbers.items()},
    )


def _plain_chunks(group: dict[int, Any], names: Sequence[str]) -> dict[str, _Chunk]:
    """The chunks of the columns `names` that are neither compressed nor written by means of a dictionary."""
    wanted, found = set(names), {}
    for column in group[_COLUMNS]:
        meta = column.get(_META)
        if meta is None or column.get(_OTHER_FILE) or meta[_CODEC] != 0 or meta.get(_DICTIONARY_PAGE, 0) > 0:
            continue
        name = b".".join(meta[3]).decode()
        if name in wanted and meta[_CHUNK_TYPE] in _KINDS and meta[_DATA_PAGE] > 0 and meta[_COMPRESSED_SIZE] > 0:
            found[name] = _Chunk(meta[_DATA_PAGE], meta[_COMPRESSED_SIZE], meta[_VALUES])
    return found


def _values(data: bytes, item: int, *, optional: bool) -> _Chunk | None:
    """Where the values of a page that begins with `data` are, how long it is, and how many it holds; None where they are encoded."""
    reader = CompactReader(data)
    header = reader.struct()
    body, size = reader.at, header[_COMPRESSED]
    if header[_UNCOMPRESSED] != size:
        return None
    if header[_PAGE_TYPE] == 0:
        first = header[_FIRST]
        rows, encoding, skipped = first[1], first[2], 0
        if optional:
            skipped = 4 + int.from_bytes(data[body : body + 4], "little")
            if first[3] != 3 or body + skipped > len(data) or not _all_ones(data[body + 4 : body + skipped], rows):
                return None
    elif header[_PAGE_TYPE] == 3:
        second = header[_SECOND]
        rows, encoding, skipped = second[1], second[4], second[5] + second[6]
        if second[2] != 0 or second[6] != 0 or second[3] != rows:
            return None
    else:
        return None
    if encoding != 0 or rows < 1 or skipped < 0 or skipped + rows * item != size:
        return None
    return _Chunk(body + skipped, body + size, rows)


def _all_ones(levels: bytes, count: int) -> bool:
    """Whether definition levels of one bit are runs of ones, `count` together; packed bits are not looked into."""
    at = total = 0
    while at < len(levels):
        head = shift = 0
        while True:
            byte = levels[at]
            head |= (byte & 127) << shift
            at, shift = at + 1, shift + 7
            if byte < 128:
                break
        if head & 1 or levels[at] != 1:
            return False
        total, at = total + (head >> 1), at + 1
    return total == count
