"""The columns of a schema in public cells: which cell a record is in, and what value a cell becomes again.

    label     a cell a category, in the schema's order
    number    fine cells between the bounds, and bins made of them: those of the schema's encoding where it gives cuts, else 16 mixed steps; of whole
              numbers at most 24 apart, one bin each. Fine cells are where the equal steps and halvings of `mechanisms.cuts.grid` lie
    cut       the same fine cells, and as many bins, which the mechanism chooses from their noisy counts (`columns_to_cut`)
    missing   one more cell, the last, where the schema says that missing values have a feature of their own

Tables of several columns count bins; a number alone is counted finely as well, which says where in a bin values lie. A value goes back into its
bounds: uniform in its fine cell, whole where the column is; in a fine cell that is a speck of the bounds, the bound, or the edge, itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from itertools import accumulate
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput, quoted
from discreet.core.lazily import lazily
from discreet.data import NumberTargets, Schema, TimeTarget
from discreet.data import Target as ClassTarget
from discreet.data.columns import CategoricalColumn, DateColumn, NumberTarget, NumericColumn
from discreet.data.encodings import Bins, Bounds, Linear
from discreet.data.encodings.bins import PRIVATE
from discreet.data.labels import Label, label_array, of_one_type
from discreet.mechanisms.cuts.grid import ColumnCells
from discreet.mechanisms.margins.problem import Cut

if TYPE_CHECKING:
    from discreet.data import records as of_records
    from discreet.matrices import Matrix
else:
    of_records = lazily("discreet.data.records")

Codes: TypeAlias = npt.NDArray[np.int64]
BINS = Bins(count=16, steps="mixed")
_STEPS = 64
_SINGLE = 24
"""Whole numbers that have a bin each."""
_EACH = 1024
"""Whole numbers that have a fine cell each."""
_EXACT = 2.0**53
_NUDGE = 1e-12
"""Of the width: by how much a value that was encoded may have come back below an edge."""
_SPECK = 2.0**-14
"""Of the width of the bounds."""
_ROWS = 1 << 14
_DAY = 86.4e9
"""In microseconds."""
_ORIGIN = datetime(1970, 1, 1)  # noqa: DTZ001 - dates of tables have no zone


@dataclass(frozen=True, slots=True, kw_only=True)
class CellColumn:
    """One column of a synthetic table; public."""

    name: str
    labels: tuple[Label, ...] = ()
    """Of a column of labels."""
    edges: tuple[float, ...] = ()
    """Of the fine cells of a number, or of days since 1970-01-01, rising from bound to bound; of whole numbers to the one after the last."""
    starts: tuple[int, ...] = ()
    """The fine cell that each bin begins with."""
    gap: bool = False
    """Whether a last cell is for missing values."""
    whole: bool = False
    """Whether numbers are whole ones; days without a time of day are."""
    days: bool = False
    """Whether numbers are days."""
    moments: bool = False
    """Whether they have a time of day."""

    @property
    def bins(self) -> int:
        """Cells in tables of several columns."""
        return (len(self.labels) or len(self.starts)) + self.gap

    @property
    def fine(self) -> int:
        """Cells in its own table; 0 where these are the bins."""
        cells = max(0, len(self.edges) - 1)
        return cells + self.gap if cells > len(self.starts) else 0

    def fine_codes(self, values: Floats) -> Codes:
        """The fine cell (n,) of each value, NaN being a missing one."""
        found = np.searchsorted(np.asarray(self.edges[1:-1]), values, side="right")
        return np.where(np.isnan(values), len(self.edges) - 1, found).astype(np.int64)

    def bin_codes(self, fine: Codes) -> Codes:
        """The bin (n,) of each fine cell."""
        found = np.searchsorted(np.asarray(self.starts[1:]), fine, side="right")
        return np.where(fine == len(self.edges) - 1, len(self.starts), found).astype(np.int64)

    def within(self, place: int) -> slice:
        """The fine cells of a bin."""
        return slice(self.starts[place], self.starts[place + 1] if place + 1 < len(self.starts) else len(self.edges) - 1)

    @property
    def dtype(self) -> "pl.DataType":
        """The type of its values, whichever they are."""
        if self.labels:
            return {bool: pl.Boolean(), int: pl.Int64(), str: pl.String()}[of_one_type(self.labels)[0]]
        if self.days:
            return pl.Datetime("us") if self.moments else pl.Date()
        return pl.Int64() if self.whole else pl.Float64()

    def values(self, fine: Codes, uniform: Floats) -> pl.Series:
        """Cells, fine ones of numbers, as values of the column's own type; `uniform` (n,) in [0, 1) says where in a cell."""
        if self.labels:
            _, labels = of_one_type(self.labels)
            return pl.Series(self.name, [labels[code] for code in fine.tolist()], dtype=self.dtype)
        missing = fine == len(self.edges) - 1
        cells = np.where(missing, 0, fine)
        edges = np.asarray(self.edges)
        low, high = edges[cells], edges[cells + 1]
        if self.whole:
            numbers = low + np.floor(uniform * (high - low))
        else:
            speck = (high - low) < _SPECK * (edges[-1] - edges[0])
            numbers = np.where(speck, np.where(high == edges[-1], high, low), low + uniform * (high - low))
        if self.days:
            moments = [None if gone else _ORIGIN + timedelta(days=float(day)) for gone, day in zip(missing, numbers, strict=True)]
            days = moments if self.moments else [None if one is None else one.date() for one in moments]
            return pl.Series(self.name, days, dtype=self.dtype)
        series = pl.Series(self.name, numbers.astype(np.int64) if self.whole else numbers, dtype=self.dtype)
        return series.set(pl.Series(missing), None) if missing.any() else series

    def codes(self, series: pl.Series) -> Codes:
        """The bin (n,) of each value; of values that it `holds`."""
        if self.labels:
            _, labels = of_one_type(self.labels)
            return series.replace_strict(list(labels), list(range(len(labels))), return_dtype=pl.Int64).to_numpy()
        numbers = series.cast(pl.Datetime("us")).to_physical().cast(pl.Float64) / _DAY if self.days else series.cast(pl.Float64)
        return self.bin_codes(self.fine_codes(numbers.fill_null(np.nan).to_numpy()))

    def holds(self, series: pl.Series) -> bool:
        """Whether all values are such as `values` makes."""
        if series.dtype != self.dtype or (series.null_count() and not self.gap):
            return False
        present = series.drop_nulls()
        if self.labels:
            return set(present.unique().to_list()) <= set(of_one_type(self.labels)[1])
        if self.days:
            days = [(_moment(one) - _ORIGIN) / timedelta(days=1) for one in present.to_list()]
            return all(self.edges[0] - 1 <= day <= self.edges[-1] for day in days)
        return bool(((present >= self.edges[0]) & (present <= self.edges[-1])).all())


def cell_columns(schema: Schema, *, target: bool, whole: Sequence[str] = ()) -> tuple[CellColumn, ...]:
    """Those of a schema, in its order, then its target where that is asked for; `whole` names numbers that are whole ones, publicly.

    Raises InvalidInput for other names, and for bounds between which there is no whole number.
    """
    numbers: list[NumericColumn | NumberTarget] = list(schema.numeric)
    if target and isinstance(schema.target, NumberTarget):
        numbers.append(schema.target)
    known = {_named(column): column for column in numbers}
    if unknown := [name for name in whole if name not in known]:
        raise InvalidInput(f"{quoted(unknown)} cannot be whole; the columns of numbers are {quoted(known)}.")
    own: list[NumericColumn | DateColumn] = [*schema.numeric, *schema.date]
    found = [_of_number(column.name, column.bounds, _own_bins(column), column, whole=column.name in whole) for column in own]
    found += [CellColumn(name=column.name, labels=column.categories) for column in schema.categorical]
    if target:
        match schema.target:
            case NumberTarget() as number:
                bounds = Bounds(number.lower, number.upper)
                found.append(_of_number(number.column, bounds, BINS, number, whole=number.column in whole))
            case NumberTargets() as several:
                raise InvalidInput(
                    f"{several.where}: a release has at most one target. Leave the target out, or declare the others as numeric columns."
                )
            case TimeTarget() as time:
                raise InvalidInput(f"{time.where} is a time until an event, which is not a single column. Leave the target out.")
            case classes:
                found.append(CellColumn(name=classes.column, labels=classes.classes))
    return tuple(found)


def columns_to_cut(schema: Schema, columns: Sequence[CellColumn], *, every: bool) -> list[int]:
    """The columns whose cuts the schema calls private; or, where it calls none so and `every` is asked for, all that it gives no cuts of."""
    given: list[NumericColumn | DateColumn] = [*schema.numeric, *schema.date]
    own = {column.name: column for column in given}
    private = [column.name for column in schema.numeric if any(one.to_be_chosen for one in column.encoding)]
    open_ones = [column.name for column in columns if column.name not in own or _own_bins(own[column.name]) is BINS]
    chosen = private or (open_ones if every else [])
    return [place for place, column in enumerate(columns) if column.fine and column.name in chosen]


def cuts_asked(columns: Sequence[CellColumn], chosen: Sequence[int]) -> tuple[Cut, ...]:
    """Of these columns, as the mechanism takes them."""
    fine = fine_places(columns)
    return tuple(Cut(column=place, fine=fine[place], gap=columns[place].gap, starts=columns[place].starts) for place in chosen)


def cut_columns(columns: Sequence[CellColumn], cut: Sequence[Cut], begins: Sequence[tuple[int, ...]]) -> tuple[CellColumn, ...]:
    """The same columns, those that are cut with these bins."""
    chosen = {one.column: starts for one, starts in zip(cut, begins, strict=True)}
    return tuple(replace(column, starts=chosen.get(place, column.starts)) for place, column in enumerate(columns))


def fine_places(columns: Sequence[CellColumn]) -> dict[int, int]:
    """The number of the coded column that holds the fine cells of a column, where it has some."""
    with_fine = [place for place, column in enumerate(columns) if column.fine]
    return {place: len(columns) + number for number, place in enumerate(with_fine)}


def counting_schema(schema: Schema) -> Schema:
    """The same columns, numbers in [0, 1] and nothing beside them."""
    numeric = tuple(replace(column, encoding=(Linear(),), scale="unit") for column in schema.numeric)
    dates = tuple(replace(column, encoding=(Linear(),)) for column in schema.date)
    return replace(schema, numeric=numeric, date=dates, cross=(), rows="bound")


class Coder:
    """From rows of a counting schema to cells; holds what is public."""

    def __init__(self, schema: Schema, columns: Sequence[CellColumn]) -> None:
        """For tables that this counting schema encoded, with these columns."""
        self.schema = schema
        self.columns = tuple(columns)
        lengths = [len(names) for names in schema.layout.names()]
        self._begins = [0, *accumulate(lengths)]

    def bins_and_fine(self, rows: "Matrix", targets: npt.NDArray[np.generic] | None) -> list[Codes]:
        """(n,) each: the bins of every column, then the fine cells of those that have some. Private."""
        parts = [self._some(rows.entries(slice(start, start + _ROWS))) for start in range(0, rows.shape[0], _ROWS)]
        own = self.schema.layout.own
        cells = [np.concatenate([part[place] for part in parts]) if parts else np.zeros(0, dtype=np.int64) for place in range(len(own))]
        if targets is not None:
            cells.append(self._of_targets(targets))
        fine = [code for column, code in zip(self.columns, cells, strict=True) if column.fine]
        return [*(code if column.labels else column.bin_codes(code) for column, code in zip(self.columns, cells, strict=True)), *fine]

    def _some(self, numbers: Floats) -> list[Codes]:
        found: list[Codes] = []
        for place, column in enumerate(self.schema.layout.own):
            part = numbers[:, self._begins[place] : self._begins[place + 1]]
            if isinstance(column, CategoricalColumn):
                found.append(np.argmax(part, axis=1).astype(np.int64))
                continue
            bounds = column.bounds
            values = bounds.lower + (part[:, 0] + _NUDGE) * (bounds.upper - bounds.lower)
            if column.indicated:
                values[part[:, -1] > 0] = np.nan
            found.append(self.columns[place].fine_codes(values))
        return found

    def _of_targets(self, targets: npt.NDArray[np.generic]) -> Codes:
        target = self.schema.target
        if isinstance(target, ClassTarget):
            return of_records.class_codes(targets, label_array(target.classes)).astype(np.int64)
        assert isinstance(target, NumberTarget)  # noqa: S101 - times are no column
        share = 0.5 * (targets.astype(np.float64) + 1.0)
        return self.columns[-1].fine_codes(target.lower + (share + _NUDGE) * (target.upper - target.lower))


def _named(column: NumericColumn | NumberTarget) -> str:
    return column.column if isinstance(column, NumberTarget) else column.name


def _own_bins(column: NumericColumn | DateColumn) -> Bins:
    """Those of the schema, where it gives cuts."""
    for one in column.encoding:
        if isinstance(one, Bins) and one.cuts != PRIVATE and (one.cuts is not None or one.values):
            return one
    return BINS


def _of_number(name: str, bounds: Bounds, bins: Bins, column: NumericColumn | DateColumn | NumberTarget, *, whole: bool) -> CellColumn:
    moments = isinstance(column, DateColumn) and "T" in f"{column.lower}{column.upper}"
    whole = whole or (isinstance(column, DateColumn) and not moments)
    grid = np.asarray(ColumnCells(name=name, lower=bounds.lower, upper=bounds.upper, steps=_STEPS).edges)
    begins = bins.points(bounds)
    ends = np.array([bounds.lower, bounds.upper])
    if whole:
        if max(abs(bounds.lower), abs(bounds.upper)) > _EXACT:
            raise InvalidInput(f"{column.where} cannot be whole: it has a bound beyond 2^53, where float64 cannot hold every whole number.")
        first, last = np.ceil(bounds.lower), np.floor(bounds.upper)
        if first >= last:
            raise InvalidInput(f"{column.where} cannot be whole: there are not two whole numbers between its bounds.")
        every, ends = np.arange(first, min(last, first + _EACH) + 1.0), np.array([first, last + 1.0])
        grid = every if last - first < _EACH else np.clip(np.ceil(grid), first, last)
        begins = every if last - first < _SINGLE else np.clip(np.ceil(begins), first, last)
    edges = np.unique(np.concatenate((grid, begins, ends)))
    starts = np.searchsorted(edges, np.unique(begins))
    starts = starts[starts < len(edges) - 1]
    return CellColumn(
        name=name,
        edges=tuple(edges.tolist()),
        starts=tuple(starts.tolist()),
        gap=not isinstance(column, NumberTarget) and column.indicated,
        whole=whole,
        days=isinstance(column, DateColumn),
        moments=moments,
    )


def _moment(value: date) -> datetime:
    return value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)  # noqa: DTZ001 - as above
