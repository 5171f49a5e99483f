"""Every cell that a schema does not cover, of every column at once: for the eyes of whoever holds the table, and for nothing else.

Everywhere else a table is refused at the first column with a cell that the schema does not cover, and the refusal tells no cell. What this module
says is private: it shows cells and counts of rows. It is printed on a screen and never written, sent or logged; and what it shows must not become a
bound or a category, but for what is publicly known without it.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.frameless import frameless
from discreet.core.lazily import lazily
from discreet.core.private import holds_records
from discreet.data.cells import as_labels, cell_texts, marked_days, marked_numbers, moments_of, without_markers
from discreet.data.columns import CategoricalColumn, DateColumn, NumberTarget, NumericColumn, Target
from discreet.data.frames import Frame, as_frame
from discreet.data.labels import UNREADABLE, spellings, texts_of
from discreet.data.schema import Schema
from discreet.data.targets import NumberTargets, TimeTarget

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazily("polars")

SHOWN = 5
"""Cells of a kind that are shown: the most frequent ones."""
_LONGEST = 40
_MISSING = "add a line missing = ... to say what they count as"
_UNREAD = 'describe under [file] how they are written, or add unreadable = "missing" there to count them as missing'
_COUNTED = "they count as missing, as [file] says; if there are many, check decimal, thousands and dates there"


@holds_records
class Trouble(NamedTuple):
    """Cells of one column that the schema does not cover; private."""

    column: str
    what: str
    """As in "not a number"."""
    rows: int
    cells: tuple[str, ...]
    """Some of them."""
    remedy: str
    """What to write where, if it is true without having looked."""
    refused: bool = True
    """Whether a table with such cells is refused."""


@frameless
def troubles(frame: Frame, schema: Schema) -> "list[Trouble]":
    """All of them, in the order of the schema. Raises SchemaError for absent columns, and as `Schema.encode` for another kind of table."""
    table = as_frame(frame, schema.columns(target=True))
    target, person = schema.target, schema.person
    columns = [*schema.numeric, *schema.date, *schema.categorical, *_targets(schema)]
    found = [trouble for column in columns for trouble in _of(table.get_column(_name(column)), column, schema)]
    if isinstance(target, TimeTarget):
        found += [trouble for name in target.columns for trouble in _of_times(table.get_column(name), target, schema)]
    if person is not None:
        ids = without_markers(as_labels(cell_texts(table.get_column(person.column))), schema.dialect)
        none = ids.is_null() | (ids == UNREADABLE).fill_null(value=False)
        found += _counted(person.column, "missing ids", none, ids, "these rows have no person id: leave them out")
    return found


def _targets(schema: Schema) -> Sequence[NumberTarget | Target]:
    """Those that are one column each."""
    match schema.target:
        case TimeTarget():
            return ()
        case NumberTargets(parts=parts):
            return parts
        case one:
            return (one,)


def _name(column: NumericColumn | DateColumn | CategoricalColumn | NumberTarget | Target) -> str:
    return column.column if isinstance(column, NumberTarget | Target) else column.name


def _of_times(series: "pl.Series", target: TimeTarget, schema: Schema) -> Iterator[Trouble]:
    texts = without_markers(cell_texts(series), schema.dialect)
    if series.name == target.column:
        read = schema.dialect.plain_numbers(texts).cast(pl.Float64, strict=False)
        missing = _missing(texts, read, marked_numbers(schema.dialect))
        yield from _counted(series.name, "missing", missing, texts, "leave such records out")
        none = texts.is_not_null() & (read.is_null() | read.is_infinite())
        yield from _counted(series.name, "not a number", none, texts, "leave such records out")
        if target.outside is None:
            below = (read < 0.0).fill_null(value=False) & ~missing
            yield from _counted(series.name, "below 0", below, texts, 'add outside = "clip", or leave such records out')
        return
    yield from _counted(series.name, "missing", texts.is_null(), texts, "leave such records out")
    if target.happened is None:
        known = [text for label in (1, True, 0, False) for text in spellings(label)]
        unknown = ~texts.is_in(known) & texts.is_not_null()
        yield from _counted(series.name, "neither 1 nor 0", unknown, texts, "add happened = ..., the value that means the event happened")


def _of(series: "pl.Series", column: NumericColumn | DateColumn | CategoricalColumn | NumberTarget | Target, schema: Schema) -> Iterator[Trouble]:
    if isinstance(column, CategoricalColumn | Target):
        yield from _labels(series, column, schema)
        return
    texts = without_markers(cell_texts(series), schema.dialect)
    if isinstance(column, DateColumn):
        places, what = moments_of(texts, schema.dialect).cast(pl.Float64) / 86_400e6, "not a date"
        lower, upper, markers = column.bounds.lower, column.bounds.upper, marked_days(schema.dialect)
    else:
        places, what = schema.dialect.plain_numbers(texts).cast(pl.Float64, strict=False), "not a number"
        lower, upper, markers = column.lower, column.upper, marked_numbers(schema.dialect)
    missing = _missing(texts, places, markers)
    unread, counted = places.is_null() & texts.is_not_null(), schema.dialect.unreadable == "missing"
    if column.missing is None:
        yield from _counted(series.name, "missing", missing | unread if counted else missing, texts, _MISSING)
    yield from _counted(series.name, what, unread, texts, _COUNTED if counted else _UNREAD, refused=not counted)
    if column.outside is None:
        beyond = ((places < lower) | (places > upper)) & ~missing
        yield from _counted(
            series.name,
            "outside the bounds",
            beyond.fill_null(value=False),
            texts,
            'add outside = "clip", or widen the bounds if such values are known to be possible',
        )


def _missing(texts: "pl.Series", places: "pl.Series", markers: Floats) -> "pl.Series":
    """Cells without a text, no number of whatever spelling (NaN), and numbers or days that stand for a missing value."""
    values = places.fill_null(0.0).to_numpy()
    known = np.isnan(values) | np.isin(values, markers)
    return texts.is_null() | (places.is_not_null() & pl.Series(known))


def _labels(series: "pl.Series", column: CategoricalColumn | Target, schema: Schema) -> Iterator[Trouble]:
    dialect = schema.dialect
    labels = column.classes if isinstance(column, Target) else column.categories
    texts = without_markers(cell_texts(series), dialect)
    if column.missing is None:
        yield from _counted(series.name, "missing", texts.is_null(), texts, _MISSING)
    if column.other is None:
        known = [dialect.folded(text) for each in texts_of(labels, column.aliases) for text in each]
        seen = dialect.folded_cells(texts)
        unknown = ~seen.is_in(known) & seen.is_not_null()
        yield from _counted(
            series.name, "not a declared label", unknown, texts, "add aliases, or a line other = ...; declare them if they are known to be possible"
        )


def _counted(name: str, what: str, which: "pl.Series", texts: "pl.Series", remedy: str, *, refused: bool = True) -> Iterator[Trouble]:
    if count := int(which.sum()):
        cells = texts.filter(which).drop_nulls().value_counts(sort=True).get_column(texts.name).head(SHOWN).to_list()
        yield Trouble(name, what, count, tuple(cell if len(cell) <= _LONGEST else cell[: _LONGEST - 3] + "..." for cell in cells), remedy, refused)
