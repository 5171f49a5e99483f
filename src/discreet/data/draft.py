"""A schema whose bounds are still to be chosen: what is public about a table, but for bounds that nobody knows.

A numeric column is open where both its lower and its upper are left out, or are the stub's placeholder. It may list public candidates:

    [numeric.income]                    [numeric.year]
    lower = "FILL IN"                   grid = [1950, 1975, 2000, 2025]
    upper = "FILL IN"

Everything else must be there and valid, which is checked before a record is read, with bounds of 0 and 1 in the place of open ones. How open columns
are encoded, by themselves and in crosses, is set aside until their bounds are known.

A stub is such a text, written from the header alone: no cell of the table has any influence on it. Every column gets both of its possible tables;
its owner keeps one and replaces placeholders by what is publicly known. Until then `Schema.from_toml` refuses the text and says what is still open.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput, SchemaError, did_you_mean
from discreet.core.frameless import frameless
from discreet.core.lazily import lazily
from discreet.core.short import short_repr
from discreet.data.cells import column_numbers
from discreet.data.columns import INDICATOR, Cross
from discreet.data.dialect import Dialect
from discreet.data.encodings import Encoding, encodings_of
from discreet.data.frames import Frame, as_frame
from discreet.data.labels import PLACEHOLDER, checked_text
from discreet.data.persons import person_ids
from discreet.data.schema import Schema
from discreet.data.toml_text import load_toml, read_toml, toml_key, toml_string, toml_value

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazily("polars")


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaDraft:
    """A schema whose bounds are still open; public."""

    schema: Schema
    """With bounds 0 and 1, and no rule for missing values, in the open columns."""
    open: tuple[str, ...]
    """The columns whose bounds are to be chosen, in the order of the schema."""
    grids: Mapping[str, tuple[float, ...]]
    """The candidates of the open columns that list some."""
    missing: Mapping[str, float]
    """What missing values of open columns count as."""
    encodings: Mapping[str, tuple[Encoding, ...]] = field(default_factory=dict)
    """Those of the open columns that name some; what does not fit the bounds is refused when these are known."""
    open_rows: bool = False
    """Whether how long rows are is left open too."""
    crosses: Mapping[str, tuple[Encoding, ...]] = field(default_factory=dict)
    """Those of the crosses of open columns, likewise."""

    __repr__ = short_repr

    @classmethod
    @frameless
    def from_toml(cls, text: str) -> Self:
        """Read the draft in `text`. Raises SchemaError, with one clear message per mistake."""
        found: list[str] = []
        grids: dict[str, tuple[float, ...]] = {}
        missing: dict[str, float] = {}
        encodings: dict[str, tuple[Encoding, ...]] = {}
        crosses: dict[str, tuple[Encoding, ...]] = {}
        said: list[bool] = []

        def prepare(table: dict[str, Any]) -> None:
            said.append("rows" in table)
            columns = table.get("numeric")
            for name, column in columns.items() if isinstance(columns, dict) else ():
                if not isinstance(column, dict) or {column.get("lower", PLACEHOLDER), column.get("upper", PLACEHOLDER)} != {PLACEHOLDER}:
                    continue
                found.append(name)
                if "grid" in column:
                    grids[name] = _grid(name, column.pop("grid"))
                if "encoding" in column:
                    encodings[name] = encodings_of(column.pop("encoding"), where=f"numeric column {name!r}")
                if "missing" in column and column["missing"] != INDICATOR:
                    missing[name] = _number(f"numeric column {name!r}: missing", column.pop("missing"))
                column |= {"lower": 0.0, "upper": 1.0, "outside": "clip"}
            crossed = table.get("cross")
            for name, entry in crossed.items() if isinstance(crossed, dict) else ():
                listed = entry.get("columns") if isinstance(entry, dict) else None
                if isinstance(listed, list) and any(one in found for one in listed):
                    given = {"encoding": entry["encoding"]} if "encoding" in entry else {}
                    crosses[name] = Cross(name=name, columns=tuple(listed), **given).encoding
                    entry["encoding"] = [{"name": "bins", "count": 8}] * len(crosses[name])

        schema = Schema.from_dict(read_toml(text, prepare=prepare))
        if not found:
            raise SchemaError(
                "no bounds are left to choose. To have bounds chosen, delete lower and upper from a [numeric] table, or leave the stub's "
                "placeholders there."
            )
        return cls(schema=schema, open=tuple(found), grids=grids, missing=missing, encodings=encodings, open_rows=not any(said), crosses=crosses)

    @classmethod
    @frameless
    def load(cls, path: str | Path) -> Self:
        """The draft in a TOML file. Raises as `Schema.load` does."""
        return load_toml(path, cls.from_toml)

    @property
    def columns(self) -> tuple[str, ...]:
        """What is read of a table: the open columns, and that of persons where the schema has one."""
        return self.open if self.schema.person is None else (*self.open, self.schema.person.column)

    @frameless
    def read(self, frame: Frame) -> "tuple[list[Floats], pl.Series | None]":
        """The open columns as numbers (n,), NaN where a value is missing, and the ids of persons, where the schema has a column of them; private.

        Raises as `Schema.encode` does.
        """
        table, dialect, person = as_frame(frame, self.columns), self.schema.dialect, self.schema.person
        ids = None if person is None else person_ids(table.get_column(person.column), dialect=dialect)
        return [column_numbers(table.get_column(name), dialect=dialect) for name in self.open], ids

    def filled(self, bounds: Mapping[str, tuple[float, float]], *, released: str) -> Schema:
        """The schema with these bounds, each marked with the digest `released` of their certificate; values outside are clipped."""
        if set(bounds) != set(self.open):
            raise InvalidInput("give bounds for exactly the columns whose bounds the draft leaves open.")
        columns = []
        for column in self.schema.numeric:
            if column.name in bounds:
                lower, upper = bounds[column.name]
                gap = self.missing.get(column.name)
                inside = column.missing if gap is None else min(max(gap, lower), upper)
                encoding = self.encodings.get(column.name, column.encoding)
                columns.append(replace(column, lower=lower, upper=upper, outside="clip", missing=inside, released=released, encoding=encoding))
            else:
                columns.append(column)
        cross = tuple(replace(one, encoding=self.crosses.get(one.name, one.encoding)) for one in self.schema.cross)
        return replace(self.schema, numeric=tuple(columns), cross=cross, rows=None if self.open_rows else self.schema.rows)


def _file_table(file: Dialect) -> str:
    """[file] as it was recognised or said; a comment where it is the usual one."""
    written = file.to_dict()
    further = [f"# {key} = {value}  # {said}" for key, value, said in _FURTHER if key not in written]
    said = [f"{key} = {toml_value(value)}" for key, value in written.items()]
    return (_WRITTEN if written else _USUAL) + "\n".join((*said, *further)) + "\n\n"


def _grid(name: str, given: object) -> tuple[float, ...]:
    if not isinstance(given, list):
        raise SchemaError(f"numeric column {name!r}: grid must be a list of numbers: public candidates for its bounds.")
    return tuple(_number(f"numeric column {name!r}: each entry of grid", entry) for entry in given)


def _number(what: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e300:
        raise SchemaError(f"{what} must be a finite number.")
    return float(value)


_OPEN = toml_string(PLACEHOLDER)
_OF_IDS = re.compile(r"(^|[ ._-])(id|nr|person|patient|customer|client|kunde|kennung)$", re.IGNORECASE)
"""Columns that a stub proposes for ids of persons, by their names alone."""

_HEAD = """\
# What is public about this table. Everything here will be published with the model, so write down what is known
# without looking at the records: from the questionnaire, the law, the code book. Never copy a bound or a list of
# categories from the table itself.
format = "discreet-schema/1"
name = {name}

# "normalise": each row is divided by its own norm, and the norm bound is 1. Left out, it is that, unless one number is all there is in a row.
# "bound": rows stay as they are, and the norm bound is the square root of the number of columns.
# rows = "normalise"

# Texts that stand for a missing value, beside the empty one; as in ["?", "NA"].
missing_values = []

# Does each person have one row? Then remove the # from the next line:
# rows_per_person = 1

# Can a person have several rows (visits, purchases, claims)? Then remove the # from the next three lines instead: `column` holds the
# person ids and has no table below; at most `rows` rows per person are kept, a number that you choose without looking at the records.
# If the schema says neither, single rows are protected, not persons.
# [person]
# column = {person}
# rows = 7

{file}# The column to predict and its classes. If there are two, the second is the positive one.
# Rows with any other class or none are refused, unless other = "CLASS" and missing = "CLASS" say what they count as.
# Are the classes ordered, lowest first? Then add ordered = true.
# A number instead of classes: write lower = NUMBER and upper = NUMBER, the smallest and the largest possible value (the closer, the less
# noise); outside = "clip" and missing = NUMBER work as below. Is it a count, from lower = 0 on? Then add counts = true.
# A time until an event: write ends = [6, 12, 24], the ends of the periods to tell apart, and event = "COLUMN", the column that says
# whether the event happened at that time.
[target]
column = {target}
classes = [{open}, {open}]

# Each column below has two tables: keep one, fill it in, and delete the other. To leave a column out, delete both.
# For a column of dates write [date.NAME] instead, with lower = "1990-01-01" and upper = "2030-12-31".
#   [numeric.NAME]      lower and upper are the smallest and the largest possible value.
#                       encoding = "curve" lets the model be any smooth curve of the number; without this line it is a straight line.
#                       outside = "clip": a value beyond a bound counts as that bound.
#                       missing = NUMBER: what a missing value counts as; missing = "indicator" gives it a coefficient of its own.
#                       scale = "symmetric" encodes to [-1, 1] instead of [0, 1].
#   [categorical.NAME]  categories are all possible values, at least two.
#                       other = "CATEGORY" and missing = "CATEGORY": what any other value and a missing one count as.
# Without outside, other and missing, a table with such values is refused.
"""

_USUAL = """\
# Are numbers, dates or labels of the file written in another way? Remove the # from [file] and from the lines that you need:
# [file]
# decimal = ","
"""
_WRITTEN = """\
# How the file is written. Separator and encoding were recognised from its first line, or you gave them. Check decimal: if semicolons
# separate the fields, it is a guess. Remove the # from the further lines that you need.
[file]
"""
_FURTHER = (
    ("thousands", '"."', "1.234.567"),
    ("dates", '"day.month.year"', "31.12.1990"),
    ("ignore_case", "true", "Male and MALE are the same label"),
    ("unreadable", '"missing"', "text in a column of numbers or dates counts as missing; otherwise the table is refused"),
)
"""Lines of [file] that a stub proposes."""

_COLUMN = """
[numeric.{key}]
lower = {open}
upper = {open}
encoding = "curve"
[categorical.{key}]
categories = [{open}, {open}]
"""


def schema_stub(header: Sequence[str], *, name: str, target: str | None = None, file: Dialect | None = None) -> str:
    """A commented TOML stub for a table with these column names, in files of this dialect.

    Raises SchemaError for a header or a target that no schema can have.
    """
    checked_text(name, what="name")
    for column in header:
        checked_text(column, what="a column name")
    if len(set(header)) != len(header):
        raise SchemaError("two columns of the header have the same name. Give each its own.")
    if target is not None and target not in header:
        raise SchemaError(f"the header has no column {target!r}, the target.{did_you_mean(target, header)}")
    if not set(header) - {target}:
        raise SchemaError("the header needs at least one column besides the target.")
    column = toml_string(target) if target is not None else _OPEN
    person = next((one for one in header if one != target and _OF_IDS.search(one)), "person id")
    head = _HEAD.format(
        name=toml_string(name), target=column, person=toml_string(person), open=_OPEN, file=_file_table(Dialect() if file is None else file)
    )
    return head + "".join(_COLUMN.format(key=toml_key(one), open=_OPEN) for one in header if one != target)
