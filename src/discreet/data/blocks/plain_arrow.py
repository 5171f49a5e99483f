"""Where the numbers of an Arrow (Feather, IPC) file are, from its footer and the headers of its record batches.

A record batch without compression holds every column of Float64 or Float32 as it lies in memory, after a bitmap of what is missing. The headers are
FlatBuffers (Arrow columnar format, File.fbs, Message.fbs, Schema.fbs), of which as much is read here as leads to those columns: how many buffers the
columns before take follows from their types, up to the first column of a type that is not known here. Whatever is otherwise is left to polars. Counts
of rows are private; they stay in the table.
"""

import struct
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

import numpy as np

from discreet.data.blocks.runs import Kind, Run

_MAGIC = b"ARROW1"
_CONTINUED = 0xFFFFFFFF
_RECORD_BATCH = 3
_FLOATING_POINT = 3
_KINDS: dict[int, Kind] = {1: np.dtype(np.float32), 2: np.dtype(np.float64)}
_TWO_BUFFERS = {2, 3, 6, 7, 8, 9, 10, 11, 15, 18}
"""Numbers, truth values, decimals, times and binary values of one length: a bitmap and the values."""
_THREE_BUFFERS = {4, 5, 19, 20}
"""Binary values and texts: a bitmap, offsets and the values."""
_VIEWS = {23, 24}
"""Binary values and texts as views: a bitmap, views, and as many buffers as each batch says."""


class _Batch(NamedTuple):
    first: int
    rows: int
    columns: dict[str, int]
    """Where the numbers of a column begin, where none is missing."""


class PlainArrow:
    """The layout of one file; see `Layout`. A file that is not understood has no numbers and no groups; OSError where it cannot be opened."""

    __slots__ = ("_batches", "_kinds", "groups")

    groups: list[int]
    """Rows of every record batch, in order."""

    def __init__(self, path: str) -> None:
        """Read the footer and the headers of the batches."""
        self._kinds: dict[str, Kind] = {}
        self._batches: list[_Batch] = []
        try:
            with Path(path).open("rb") as file:
                length = file.seek(0, 2)
                file.seek(max(0, length - 10))
                tail = file.read(10)
                size = int.from_bytes(tail[:4], "little")
                if tail[4:] == _MAGIC and size <= length - 10:
                    file.seek(length - 10 - size)
                    footer = _Table.root(file.read(size))
                    fields = list(_fields(footer))
                    self._kinds = {field.name: _KINDS[field.precision] for field in fields if field.precision in _KINDS}
                    found = []
                    for place, header in footer.structs(3, 24):
                        file.seek(min(max(place, 0), length))  # what is found at another place is no batch
                        found.append(_batch(file.read(min(max(header, 0), length)), place + header, fields))
                    firsts = accumulate((batch.rows for batch in found[:-1]), initial=0)
                    self._batches = [batch._replace(first=first) for first, batch in zip(firsts, found, strict=False)]
        except (struct.error, IndexError, KeyError, ValueError, OverflowError):
            self._kinds, self._batches = {}, []
        self.groups = [batch.rows for batch in self._batches]

    def kind(self, name: str) -> Kind | None:
        """See Layout."""
        return self._kinds.get(name)

    def runs(self, name: str, start: int, rows: int) -> Sequence[Run] | None:
        """See Layout."""
        inside = [batch for batch in self._batches if batch.first < start + rows and batch.first + batch.rows > start]
        if any(name not in batch.columns for batch in inside):
            return None
        return [Run(batch.first, batch.rows, batch.columns[name]) for batch in inside]


class _Field(NamedTuple):
    name: str
    kind: int
    """Type of the schema; 0 where it is not known here how many buffers a column takes."""
    precision: int
    """Of floating-point numbers; -1 for other columns."""


class _Table:
    """A table of a FlatBuffer: fields by number."""

    __slots__ = ("_at", "_data", "_fields")

    def __init__(self, data: bytes, at: int) -> None:
        self._data, self._at = data, at
        offsets = at - self._number("<i", at)
        self._fields = [self._number("<H", offsets + 4 + 2 * i) for i in range(self._number("<H", offsets) // 2 - 2)]

    @classmethod
    def root(cls, data: bytes) -> "_Table":
        return cls(data, struct.unpack_from("<I", data, 0)[0])

    def _number(self, form: str, at: int) -> int:
        if at < 0:
            raise ValueError
        return int(struct.unpack_from(form, self._data, at)[0])

    def _place(self, field: int) -> int:
        """Where a field is; 0 for one that is left out."""
        inside = self._fields[field] if field < len(self._fields) else 0
        return self._at + inside if inside else 0

    def number(self, field: int, form: str) -> int:
        place = self._place(field)
        return self._number(form, place) if place else 0

    def _follow(self, field: int) -> int:
        place = self._place(field)
        return place + self._number("<I", place) if place else 0

    def table(self, field: int) -> "_Table | None":
        place = self._follow(field)
        return _Table(self._data, place) if place else None

    def text(self, field: int) -> str:
        place = self._follow(field)
        return self._data[place + 4 : place + 4 + self._number("<I", place)].decode() if place else ""

    def tables(self, field: int) -> "Iterator[_Table]":
        place = self._follow(field)
        for i in range(self._number("<I", place) if place else 0):
            at = place + 4 + 4 * i
            yield _Table(self._data, at + self._number("<I", at))

    def structs(self, field: int, size: int) -> Iterator[tuple[int, int]]:
        """The first and the second number of every struct of `size` bytes; 24 is a Block, whose second has four bytes."""
        place = self._follow(field)
        for i in range(self._number("<I", place) if place else 0):
            at = place + 4 + size * i
            yield self._number("<q", at), self._number("<i" if size == 24 else "<q", at + 8)

    def numbers(self, field: int) -> list[int]:
        place = self._follow(field)
        return [self._number("<q", place + 4 + 8 * i) for i in range(self._number("<I", place) if place else 0)]


def _fields(footer: _Table) -> Iterator[_Field]:
    """Columns of the file, up to the first that is not understood."""
    schema = footer.table(1)
    if schema is None or schema.number(0, "<h") != 0:  # little-endian
        return
    for field in schema.tables(1):
        kind = 2 if field.table(4) is not None else field.number(2, "<B")  # numbers of a dictionary's entries
        if kind not in _TWO_BUFFERS | _THREE_BUFFERS | _VIEWS or any(True for _ in field.tables(5)):
            return
        about = field.table(3)
        precision = about.number(0, "<h") if kind == _FLOATING_POINT and about is not None else -1
        yield _Field(field.text(0), kind, precision)


def _batch(header: bytes, body: int, fields: Sequence[_Field]) -> _Batch:
    """A record batch from its `header`, its body being at byte `body`. Raises ValueError where it is none."""
    if struct.unpack_from("<I", header, 0)[0] != _CONTINUED:
        raise ValueError
    message = _Table.root(header[8:])
    batch = message.table(2)
    if batch is None or message.number(1, "<B") != _RECORD_BATCH:
        raise ValueError
    rows = batch.number(0, "<q")
    if rows < 0:
        raise ValueError
    columns: dict[str, int] = {}
    if batch.table(3) is None:  # without compression
        nodes, buffers, views = list(batch.structs(1, 16)), list(batch.structs(2, 16)), iter(batch.numbers(4))
        at = 0
        for field, (count, missing) in zip(fields, nodes, strict=False):
            values, size = buffers[at + 1]
            whole = values >= 0 and size >= rows * _KINDS[field.precision].itemsize if field.precision in _KINDS else False
            if whole and count == rows and missing == 0:
                columns[field.name] = body + values
            at += 2 + next(views) if field.kind in _VIEWS else 3 if field.kind in _THREE_BUFFERS else 2
    return _Batch(0, rows, columns)
