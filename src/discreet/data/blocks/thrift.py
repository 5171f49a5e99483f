"""Thrift's compact protocol, as the footers and page headers of Parquet files use it: a struct is a dictionary from field numbers to values."""

from typing import Any

_STOP, _TRUE, _FALSE = 0, 1, 2
_DEEPEST = 64


class CompactReader:
    """Reads one value after the other. Raises IndexError, ValueError or RecursionError where the bytes are none."""

    def __init__(self, data: bytes) -> None:
        """Begin at the first byte."""
        self._data = data
        self._at = 0

    @property
    def at(self) -> int:
        """How many bytes have been read."""
        return self._at

    def struct(self, depth: int = 0) -> dict[int, Any]:
        """The struct that begins here, `depth` levels down."""
        if depth > _DEEPEST:
            raise ValueError
        fields: dict[int, Any] = {}
        number = 0
        while (head := self._byte()) != _STOP:
            number = number + (head >> 4) if head >> 4 else self._zigzag()
            kind = head & 15
            if 4 <= kind <= 6:  # the most frequent ones
                value = self._varint()
                fields[number] = (value >> 1) ^ -(value & 1)
            else:
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
        data, at = self._data, self._at
        byte = data[at]
        result, shift = byte & 127, 7
        while byte > 127:
            at += 1
            byte = data[at]
            result |= (byte & 127) << shift
            shift += 7
            if shift > 77:
                raise ValueError
        self._at = at + 1
        return result

    def _zigzag(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)
