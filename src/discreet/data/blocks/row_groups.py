"""Where a Parquet file may be cut: the numbers of rows of its row groups, from its last bytes.

Reading rows from the middle of a row group decodes what comes before them too. polars, which reads the rows, does not tell where groups end, so the
file's footer is parsed here, as far as that: Thrift's compact protocol, `FileMetaData.row_groups[].num_rows` (fields 4 and 3 of the Parquet format).
Counts of rows are private; they stay in the table.
"""

from pathlib import Path
from typing import Any

from discreet.core.errors import FileFormatError

_MAGIC = b"PAR1"
_STOP, _TRUE, _FALSE = 0, 1, 2
_ROW_GROUPS, _NUM_ROWS = 4, 3
_DEEPEST = 64


def row_group_sizes(path: str) -> list[int]:
    """Rows of every row group, in order. Raises FileFormatError for a file without a readable footer, OSError where it cannot be opened."""
    with Path(path).open("rb") as file:
        length = file.seek(0, 2)
        file.seek(max(0, length - 8))
        tail = file.read(8)
        size = int.from_bytes(tail[:4], "little")
        if length < 12 or tail[4:] != _MAGIC or size > length - 12:
            raise FileFormatError(f"{path!r} is no readable Parquet file: it is damaged, truncated, or not what its name says. Write it again.")
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
