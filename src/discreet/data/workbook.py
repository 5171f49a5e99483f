"""The parts of a spreadsheet's file (.xlsx): packed XML, read a piece at a time and an element after the other, at a cost that is linear in the file.

    xl/workbook.xml         the sheets in their order, and whether days count from 1904
    xl/styles.xml           whether the number in a cell is a date or a number of hours
    xl/sharedStrings.xml    texts that cells refer to

A few kilobytes may unpack to gigabytes, be one element that never ends, elements within each other without end, or entities that stand for more of
themselves. None of it is needed for a table, and all of it is refused by limits that no spreadsheet program reaches: `LARGEST` and `RATIO`,
`_LONGEST_TAG`, `_DEEPEST`, no document type.
"""

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from typing import IO, TypeAlias
from xml.parsers import expat
from zipfile import ZipFile

from discreet.core.errors import FileFormatError

Attributes: TypeAlias = Mapping[str, str]
Opened: TypeAlias = Mapping[str, Callable[[Attributes], None]]
Closed: TypeAlias = Mapping[str, Callable[[str], None]]
"""What is done where an element of a name begins, and where it ends, with the text behind its last inner element."""

LARGEST = {"sheet": 1 << 32, "texts": 1 << 29, "part": 1 << 24}
"""Bytes, unpacked: of the sheet, of the texts of all sheets, and of any other part."""
RATIO = 100
"""Of what is unpacked to what is packed, in a part of more than `LARGEST["part"]`."""
_PIECE = 1 << 16
_LONGEST_TAG = 1 << 20
"""Bytes without the end of a tag."""
_DEEPEST = 32
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")
_UNSHOWN = re.compile(r'"[^"]*+"?|\\.|_.|\*.')
_HOURS = re.compile(r"\[(?:h+|m+|s+)\]", re.IGNORECASE)
_BRACKETS = re.compile(r"\[[^\[\]]*+\]")
_LONGEST_FORMAT = 1_000
_MOMENTS = frozenset(map(str, (*range(14, 23), *range(27, 37), 45, 47, *range(50, 59))))
"""Formats of dates and times that every program knows by their numbers."""
_ELAPSED = "46"


class Malformed(Exception):
    """It is no spreadsheet."""


def elements(stream: IO[bytes], opened: Opened, closed: Closed, *, most: int, refusal: FileFormatError) -> Iterator[None]:
    """Read a part a piece at a time. Raises `refusal` beyond `most` bytes, Malformed or ExpatError for what is no such XML."""
    depth = read = since = 0
    text: list[str] = []

    def start(name: str, attributes: Attributes) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEEPEST:
            raise Malformed
        text.clear()
        if action := opened.get(name.rpartition(":")[2] if ":" in name else name):
            action(attributes)

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        if action := closed.get(name.rpartition(":")[2] if ":" in name else name):
            action("".join(text))
        text.clear()

    def doctype(*_: object) -> None:
        raise Malformed

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, text.append
    parser.StartDoctypeDeclHandler = doctype
    with stream:
        while piece := stream.read(_PIECE):
            read += len(piece)
            if read > most:
                raise refusal
            since = 0 if b">" in piece else since + len(piece)
            if since > _LONGEST_TAG:
                raise Malformed
            parser.Parse(piece, False)
            yield
        parser.Parse(b"", True)
        yield


class Runs:
    """The text of a cell, which may be written in several runs, without how they are pronounced."""

    __slots__ = ("_aside", "_runs", "closed", "opened")

    def __init__(self) -> None:
        """Nothing yet; `opened` and `closed` are for `elements`."""
        self._runs: list[str] = []
        self._aside = 0
        self.opened: Opened = {"rPh": lambda _: self._turn(1)}
        self.closed: Closed = {"rPh": lambda _: self._turn(0), "t": self._add}

    def taken(self) -> str:
        """What was read since it was asked last."""
        text = unescaped("".join(self._runs))
        self.clear()
        return text

    def clear(self) -> None:
        """Forget what was read."""
        self._runs.clear()

    def _turn(self, aside: int) -> None:
        self._aside = aside

    def _add(self, text: str) -> None:
        if not self._aside:
            self._runs.append(text)


def unescaped(text: str) -> str:
    """A text with the characters that XML has no place for."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text) if "_x" in text else text


class Workbook:
    """The parts of an open file. Raises FileFormatError for more than may be unpacked, and whatever zipfile and expat raise for what is damaged."""

    def __init__(self, file: ZipFile, *, size: int, path: str) -> None:
        """Read which parts there are; `size` is that of the file."""
        self._file, self._size, self._path = file, size, path
        self._names = {name.lower(): name for name in file.namelist()}
        book = next((part for kind, part in self._related("").values() if kind == "officeDocument"), "xl/workbook.xml")
        related = self._related(book)
        self._of_kind = dict(related.values())
        sheets: list[str] = []
        self.from_1904 = False

        def properties(said: Attributes) -> None:
            self.from_1904 = said.get("date1904") in ("1", "true")

        def sheet(said: Attributes) -> None:
            kind, part = related.get(next((value for name, value in said.items() if name.endswith(":id")), ""), ("", ""))
            if kind == "worksheet":
                sheets.append(part)

        self._read(book, "part", {"workbookPr": properties, "sheet": sheet}, {})
        if not sheets:
            raise Malformed
        self._sheet = sheets[0]

    def rows(self, opened: Opened, closed: Closed) -> Iterator[None]:
        """The first sheet, a piece at a time."""
        return self._elements(self._sheet, "sheet", opened, closed)

    def texts(self) -> list[str]:
        """Those that cells refer to by their numbers."""
        found: list[str] = []
        runs = Runs()
        if part := self._of_kind.get("sharedStrings"):
            self._read(part, "texts", runs.opened, {**runs.closed, "si": lambda _: found.append(runs.taken())})
        return found

    def formats(self) -> list[str]:
        """Of every style what its numbers are: "moment", "hours", or "" for plain ones."""
        codes: dict[str, str] = {}
        styles: list[str] = []
        found: list[str] = []

        def style(said: Attributes) -> None:
            number = said.get("numFmtId", "0")
            styles.append(_kind_of(codes[number]) if number in codes else _kind_of_number(number))

        if part := self._of_kind.get("styles"):
            opened: Opened = {
                "numFmt": lambda said: codes.update({said.get("numFmtId", ""): said.get("formatCode", "")}),
                "cellXfs": lambda _: styles.clear(),
                "xf": style,
            }
            self._read(part, "part", opened, {"cellXfs": lambda _: found.extend(styles)})
        return found

    def _related(self, part: str) -> dict[str, tuple[str, str]]:
        """By their numbers the kinds and names of the parts that one refers to; "" is the file itself."""
        folder, name = posixpath.split(part)
        found: dict[str, tuple[str, str]] = {}

        def relation(said: Attributes) -> None:
            target = posixpath.normpath(posixpath.join("/", folder, said.get("Target", ""))).lstrip("/")
            found[said.get("Id", "")] = said.get("Type", "").rpartition("/")[2], target

        self._read(posixpath.join(folder, "_rels", f"{name}.rels"), "part", {"Relationship": relation}, {})
        return found

    def _read(self, part: str, kind: str, opened: Opened, closed: Closed) -> None:
        for _ in self._elements(part, kind, opened, closed):
            pass

    def _elements(self, part: str, kind: str, opened: Opened, closed: Closed) -> Iterator[None]:
        entry = self._file.getinfo(self._names[part.lower()])
        most = min(LARGEST[kind], max(LARGEST["part"], RATIO * min(entry.compress_size, self._size)))
        refusal = FileFormatError(
            f"{self._path!r} unpacks to more than a spreadsheet may: {LARGEST['sheet'] >> 30} GiB of its sheet, {LARGEST['texts'] >> 20} MiB of its "
            f"texts, {LARGEST['part'] >> 20} MiB of anything else or {RATIO} times what is packed. Save it as CSV."
        )
        return elements(self._file.open(entry), opened, closed, most=most, refusal=refusal)


def _kind_of_number(number: str) -> str:
    """Of a format that every program knows."""
    return "hours" if number == _ELAPSED else "moment" if number in _MOMENTS else ""


def _kind_of(code: str) -> str:
    """Of a format, by its letters outside quotes, escapes and brackets, in the part for numbers that are not negative."""
    shown = _UNSHOWN.sub("", code[:_LONGEST_FORMAT]).partition(";")[0]
    if _HOURS.search(shown):
        return "hours"
    bare = _BRACKETS.sub("", shown).lower()
    return "moment" if "general" not in bare and not set("dmyhs").isdisjoint(bare) else ""
