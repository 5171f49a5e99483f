"""CSV and TSV, exactly: every row has as many fields as the header, or the file is refused.

Fast readers fill short rows with gaps, swallow the rest of a file after an open quote, or differ in both from version to version, and their messages
quote the cell they stumbled over. This one is the standard library's, in strict mode: UTF-8 (with or without byte-order mark) or the encoding that is
said, double quotes, blanks after a separator ignored, all cells text. No message tells a cell, a row number or a count of rows.

Names are in the first line with a text. Behind it an empty line is no record, since one of several cells has a separator; where there is one name, it
is a record of one empty cell. Whether a line counts is a matter of how it is written, and never of what it holds.

A line is not longer than it may be: a few kilobytes of a packed file unpack to gigabytes of one line, which would have to be held before anything
could be said about it. It is counted while it is read, over the line breaks that quotes keep within it.
"""

import codecs
import csv
import gzip
import io
import json
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO, TypeVar, cast

from discreet.core.errors import FileFormatError, InvalidInput
from discreet.core.files.reading import opened
from discreet.core.lazily import lazily
from discreet.data.dialect import SEPARATORS, WESTERN, first_line
from discreet.data.frames import check_present
from discreet.data.labels import BLANKS

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazily("polars")

T = TypeVar("T")

_CHUNK = 1_024
"""Rows held as Python strings at a time: more of them leave the caches of a processor before they are columns."""
LONGEST_HEADER = 1 << 22
LONGEST_LINE = 1 << 23
"""Characters of the line of names, and of a record."""
_UNREAD, _NO_CHARACTER = "discreet.unread", "\udcff"
# A block of the file is decoded at once: what is no text in a record behind the header must not decide whether the header can be read.
codecs.register_error(_UNREAD, lambda error: (_NO_CHARACTER, getattr(error, "end")))  # noqa: B009 - of any UnicodeError that decodes


def csv_start(path: str) -> bytes:
    """The bytes up to the end of the first line that is not empty, or what can be had of them: of a standard input what can be looked at."""
    found: list[bytes] = []
    left = LONGEST_HEADER
    try:
        with _opened(path) as binary:
            if path == "-":
                return bytes(getattr(binary, "peek", bytes)())
            while left and (line := binary.readline(left)):
                found.append(line)
                left -= len(line)
                if first_line(line):
                    break
    except (OSError, EOFError, zlib.error):
        return b""
    return b"".join(found)


def csv_header(path: str, *, separator: str, encoding: str) -> list[str]:
    """The names in the first line, columns without a name left out; nothing after that line is interpreted.

    Raises FileFormatError for an empty, damaged or non-UTF-8 file, InvalidInput for repeated names or where the first line holds numbers, since it is
    then a record, whose cells must not pass for names.
    """
    return _reading(path, separator, encoding, lambda lines: header_of(_told(lines), path), errors=_UNREAD)


def _told(lines: Iterator[list[str]]) -> Iterator[list[str]]:
    """The lines, up to one that is not all text, which raises UnicodeError."""
    for fields in lines:
        if any(_NO_CHARACTER in field for field in fields):
            raise UnicodeError
        yield fields


def header_of(lines: Iterator[list[str]], path: str) -> list[str]:
    """The names in the first of the lines with a text. Raises as `csv_header`."""
    header = _header(lines, path)
    if _looks_like_a_record(header):
        raise InvalidInput(f"the first line of {path!r} holds numbers, so it looks like a record. {_NEEDS_HEADER}")
    first: dict[str, int] = {}
    for position, name in enumerate(header):
        if name and first.setdefault(name, position) != position:
            raise InvalidInput(f"columns {first[name] + 1} and {position + 1} of {path!r} have the same name. Give each its own.")
    return [name for name in header if name]


def csv_table(path: str, columns: Sequence[str], *, separator: str, encoding: str) -> "pl.DataFrame":
    """`columns` as text. Raises SchemaError where the header lacks one, FileFormatError as `csv_header` does and for rows of another length."""
    return _reading(path, separator, encoding, lambda lines: columns_of(lines, path, columns, separator=separator))


def columns_of(lines: Iterator[list[str]], path: str, columns: Sequence[str], *, separator: str = "") -> "pl.DataFrame":
    """`columns` of lines of text, of which the first with a text is the header. Raises as `csv_table`."""
    header = _header(lines, path)
    hint = ""
    if _looks_like_a_record(header):
        hint = f" The first line looks like a record: {_NEEDS_HEADER}"
    elif len(header) == 1 < len(columns) and separator:
        hint = f" The header has a single field: is the separator {named(separator)}?{_by(header[0], separator)}"
    elif {_loose(name) for name in header}.issuperset(map(_loose, columns)):
        hint = " The header spells them differently (capitals, blanks, - or _)."
    check_present(header, columns, hint=hint, source=repr(path))
    positions = [header.index(name) for name in columns]
    chunks = [pl.DataFrame({name: pl.Series(name, [], dtype=pl.String) for name in columns})]
    nothing = [[""]] if len(header) == 1 else []
    while read := list(islice(lines, _CHUNK)):
        rows = [row for line in read for row in ([line] if line else nothing)]
        if any(len(row) != len(header) for row in rows):
            raise FileFormatError(
                f"{path!r} has a row with more or fewer fields than its header. Put fields that contain the separator in quotes, or export "
                "the file again."
            )
        chunks.append(
            pl.DataFrame({name: pl.Series(name, [row[at] for row in rows], dtype=pl.String) for name, at in zip(columns, positions, strict=True)})
        )
    return pl.concat(chunks)


def named(separator: str) -> str:
    """How messages name it."""
    return SEPARATORS.get(separator, repr(separator))


def _by(line: str, separator: str) -> str:
    """What may separate the fields instead."""
    best = max(SEPARATORS, key=lambda mark: 0 if mark == separator else line.count(mark))
    if best == separator or best not in line:
        return ""
    return f" It holds {named(best)}: write separator = {json.dumps(best)} under [file] in the schema."


_NEEDS_HEADER = "A table must begin with a line of column names: add one (a name made of digits alone needs a letter)."


def _reading(path: str, separator: str, encoding: str, action: Callable[[Iterator[list[str]]], T], *, errors: str = "strict") -> T:
    """`action` on the lines of the file; what the standard library raises is replaced, not chained, since it may quote the file."""
    try:
        with _opened(path) as binary:
            text = io.TextIOWrapper(binary, encoding="utf-8-sig" if encoding == "utf-8" else encoding, errors=errors, newline="")
            try:
                return action(_records(text, separator))
            finally:
                text.detach()
    except _TooLong:
        refusal = FileFormatError(
            f"{path!r} has a line of more than {LONGEST_LINE >> 20} million characters, or a header of more than {LONGEST_HEADER >> 20} "
            "million. Each line is one record, after one line of column names: is a line break missing, or a quote left open?"
        )
    except UnicodeError:
        written = encoding.upper() if encoding.startswith("utf") else encoding
        refusal = FileFormatError(
            f"{path!r} is not {written} text. Name its encoding, with `discreet schema new --encoding {WESTERN}` or encoding ="
            f' "{WESTERN}" under [file] in the schema, or save it as UTF-8.'
        )
    except csv.Error:
        refusal = FileFormatError(f"{path!r} is not valid CSV: a quote is not closed or stands inside a field. Export the file again.")
    except (OSError, EOFError, zlib.error):
        refusal = FileFormatError(
            f"{path!r} cannot be read to its end: it is damaged, truncated, not what its name says, or you lack permission to read it."
        )
    raise refusal


class _TooLong(Exception):
    """A line is longer than it may be."""


class _Lines:
    """Lines of a text, as many characters of them as are left for the record that is read."""

    __slots__ = ("_text", "left")

    def __init__(self, text: io.TextIOWrapper) -> None:
        self._text, self.left = text, LONGEST_HEADER

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        line = self._text.readline(self.left + 1)
        self.left -= len(line)
        if self.left < 0:
            raise _TooLong
        if not line:
            raise StopIteration
        return line


def _records(text: io.TextIOWrapper, separator: str) -> Iterator[list[str]]:
    """The fields of one record after the other."""
    lines = _Lines(text)
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST_LINE))  # of the process: a field is as long as its line may be
    named = False
    for fields in csv.reader(lines, delimiter=separator, skipinitialspace=True, strict=True):
        named = named or _named(fields)
        lines.left = LONGEST_LINE if named else LONGEST_HEADER
        yield fields


@contextmanager
def _opened(path: str) -> Iterator[BinaryIO]:
    """The bytes of the file, unpacked; standard input for "-", which is left open."""
    if path == "-":
        yield sys.stdin.buffer
    elif path.lower().endswith(".gz"):
        with opened(path) as plain, gzip.open(plain, "rb") as packed:
            yield cast("BinaryIO", packed)
    else:
        with opened(path) as plain:
            yield plain


def _header(lines: Iterator[list[str]], path: str) -> list[str]:
    """The first line with a text, names without the blanks around them."""
    for fields in lines:
        if _named(fields):
            return [name.strip(BLANKS) for name in fields]
    raise FileFormatError(f"{path!r} is empty. {_NEEDS_HEADER}")


def _named(fields: Sequence[str]) -> bool:
    return any(field.strip(BLANKS) for field in fields)


def _looks_like_a_record(header: Sequence[str]) -> bool:
    """Whether a field is a number, which no name should be and nearly every record has."""
    return any(_is_number(name) for name in header)


def _is_number(text: str) -> bool:
    """Whichever of . and , marks its fraction, and whichever its thousands."""
    return any(map(_is_plain_number, (text, text.replace(",", ""), text.replace(".", "").replace(",", "."))))


def _is_plain_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return text[-1] in "0123456789."


def _loose(name: str) -> str:
    """A name without what is often written in several ways."""
    return name.lower().replace(" ", "").replace("_", "").replace("-", "")
