"""How a table of text is written: what separates its fields, its encoding, the marks in its numbers, the order in its dates.

    [file]                                  1.234,5   31.12.1990   "Male", "male " and "MALE" are one label
    separator = ";"
    encoding = "cp1252"
    decimal = ","
    thousands = "."
    dates = "day.month.year"
    ignore_case = true
    unreadable = "missing"

All of it is public, and every cell is read by it alone: which of two ways a number is written is never guessed from the other cells. What a header
shows, its separator and encoding, is recognised from its bytes, and from nothing after them.
"""

import codecs
import re
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from discreet.core.errors import SchemaError, did_you_mean, kind
from discreet.core.lazily import lazily
from discreet.core.short import short_repr

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazily("polars")

SEPARATORS = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar"}
"""Those that are recognised, and how messages name them."""
WESTERN = "cp1252"
"""What spreadsheets in western Europe and America write where they do not write UTF-8; Latin-1 is a part of it."""
_DATES = re.compile(r"(day|month|year)([./-])(day|month|year)\2(day|month|year)")
_TIMES = ("", " %H:%M", " %H:%M:%S", " %H:%M:%S%.f")
_ISO = "year-month-day"
_FIRST_LINE = re.compile(rb"(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?+[\s\0,;|]*+[^\r\n]+")
_GROUPS = (".", ",", "'", "\u2019", " ", "\u00a0", "\u202f", "_")


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """Public. Raises SchemaError for what no table can be written in."""

    separator: str = ""
    """One character; "" is a comma, or a tab in a file whose name ends in .tsv."""
    encoding: str = "utf-8"
    """A name that Python knows, such as "utf-8", "utf-16" or "cp1252"."""
    decimal: str = "."
    """"." or ",": the mark before the fraction of a number."""
    thousands: str = ""
    """What groups the digits of a number by three; "" for nothing."""
    dates: str = _ISO
    """The order of day, month and year with the mark between them, as in "day.month.year"; year-month-day is always read too."""
    ignore_case: bool = False
    """Whether labels, and texts that stand for a missing value, are compared without regard to capitals."""
    unreadable: str = "refuse"
    """Whether text in a column of numbers or dates that is none is refused with its table, or counts as "missing", each cell by itself."""
    missing: tuple[str, ...] = ()
    """Texts that stand for a missing value: the `missing_values` of a schema, which says them at another place."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """Refuse what cannot be used."""
        for field in fields(self):
            given = getattr(self, field.name)
            if field.name != "missing" and not isinstance(given, type(field.default)):
                wanted = "true or false" if field.name == "ignore_case" else "a text in quotes"
                raise SchemaError(f"file: {field.name} must be {wanted}; {kind(given)} was given.")
        if self.separator and (len(self.separator) != 1 or self.separator in '"\r\n ' or self.separator.isalnum()):
            raise SchemaError(f"file: separator must be one character, such as ';' or '\\t'; {self.separator!r} was given.")
        object.__setattr__(self, "encoding", _encoding(self.encoding))
        if self.decimal not in (".", ","):
            raise SchemaError(f'file: decimal must be "." or ","; {self.decimal!r} was given.')
        if self.thousands not in ("", *_GROUPS) or self.thousands == self.decimal:
            raise SchemaError(f"file: thousands must differ from decimal, and be one of . , ' blank _ or nothing; {self.thousands!r} was given.")
        order = _DATES.fullmatch(self.dates)
        if order is None or len({order[1], order[3], order[4]}) < 3:
            raise SchemaError(f'file: dates must be a pattern such as "day.month.year", "month/day/year" or "{_ISO}"; {self.dates!r} was given.')

        if self.unreadable not in ("refuse", "missing"):
            raise SchemaError(f'file: unreadable must be "refuse" or "missing"; {self.unreadable!r} was given.')

    def to_dict(self) -> dict[str, str | bool]:
        """What differs from the defaults, for a schema's table [file]."""
        return {one.name: getattr(self, one.name) for one in fields(self) if one.name != "missing" and getattr(self, one.name) != one.default}

    @property
    def date_forms(self) -> tuple[str, ...]:
        """Forms of dates besides ISO ones, for strptime."""
        if self.dates == _ISO:
            return ()
        form = self.dates.replace("day", "%d").replace("month", "%m").replace("year", "%Y")
        return tuple(form + time for time in _TIMES)

    @property
    def numbers(self) -> str:
        """How numbers are written, for messages; "" for the plain way."""
        if self.decimal == "." and not self.thousands:
            return ""
        return f" written as 1{self.thousands}234{self.decimal}5, as [file] says"

    def plain_numbers(self, texts: "pl.Series") -> "pl.Series":
        """Texts (n,) of numbers in the plain way, 1234.5; null for those that are not written in this one."""
        if not self.numbers:
            return texts
        mark, point = re.escape(self.thousands), re.escape(self.decimal)
        whole = rf"[1-9]\d{{0,2}}(?:{mark}\d{{3}})+|\d+" if self.thousands else r"\d+"
        written = texts.str.contains(rf"^[+-]?(?:(?:{whole})(?:{point}\d*)?|{point}\d+)(?:[eE][+-]?\d+)?$")
        bare = texts.str.replace_all(self.thousands, "", literal=True) if self.thousands else texts
        return bare.str.replace(self.decimal, ".", literal=True).set(~written.fill_null(value=False), None)

    def folded(self, text: str) -> str:
        """A label's text as it is compared."""
        return text.lower() if self.ignore_case else text

    def folded_cells(self, texts: "pl.Series") -> "pl.Series":
        """The same of the texts (n,) of cells."""
        return texts.str.to_lowercase() if self.ignore_case else texts


def recognised(start: bytes, *, separator: str) -> Dialect:
    """The dialect that the first line of a table shows; `start` are the first bytes of the file, `separator` is what its name says.

    Lines before it without a text do not count.
    """
    encoding = _encoding_of(start)
    line = next((text for text in start.decode(encoding, errors="replace").splitlines() if text.strip("\ufeff\0 \t,;|")), "")
    bare = re.sub('"[^"]*"', "", line)
    best = max(SEPARATORS, key=lambda mark: (bare.count(mark), mark == separator))
    found = "" if best not in bare or best == separator else best
    # Spreadsheets separate by semicolons where a comma is the decimal mark.
    return Dialect(separator=found, encoding=encoding, decimal="," if found == ";" else ".")


def first_line(start: bytes) -> bytes:
    """The bytes up to the end of the first line that is not empty; nothing where there is none."""
    found = _FIRST_LINE.match(start)
    return b"" if found is None else found[0]


def _encoding_of(start: bytes) -> str:
    """By its first line alone."""
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    line = first_line(start)
    if b"\0" in line:
        return "utf-16-be" if line.startswith(b"\0") else "utf-16-le"
    try:
        # Bytes that end within the line may end within a character.
        codecs.getincrementaldecoder("utf-8-sig")().decode(line, final=len(line) < len(start))
    except UnicodeDecodeError:
        return WESTERN
    return "utf-8"


def _encoding(name: str) -> str:
    """Python's name of an encoding of text."""
    try:
        found = codecs.lookup(name)
    except (LookupError, ValueError):
        found = None
    if found is None or not found._is_text_encoding or found.name == "idna":  # noqa: SLF001 - Python has no other way to tell
        near = did_you_mean(name, ("utf-8", "utf-16", WESTERN, "latin-1"))
        raise SchemaError(f'file: encoding must be one that Python knows, such as "utf-8", "utf-16" or "{WESTERN}"; {name!r} was given.{near}')
    return found.name
