"""What is asked of a table, column by column: public, settled before a record is read, and a function of the schema.

    a column of categories      one cell each
    a column of numbers, dates  fine cells between the bounds (mechanisms/cuts/grid.py), and one of missing values where the schema tells these apart;
                                sums of the number and of its square
    a pair of categories        one cell for each pair

All of it in each group apart, where a column of categories says whose group a record is in. What the answers are weighed by, in shares of the
squared budget: 1 for the counts of a column or of a pair; of a number 4/3 for its fine cells (their levels alike), 2/3 for its two sums together.
"""

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

from discreet.core.errors import InvalidInput, did_you_mean, quoted
from discreet.core.neighbours import ADD_REMOVE, Neighbours, Persons
from discreet.core.short import short_repr
from discreet.data import CategoricalColumn, DateColumn, NumberTarget, NumericColumn, Schema, Target, TimeTarget
from discreet.data.labels import canonical
from discreet.data.metric import require_no_metric
from discreet.mechanisms.counting import Cells, Queries, Summary
from discreet.mechanisms.cuts import ColumnCells

Kind: TypeAlias = Literal["number", "date", "categories"]
_BRANCHES = 4
"""Runs of 1, 4, 16, .. cells are counted: prefixes of 256 cells are then known to 1.2 of the deviation that the best of all weights give."""
_SQUARES, _SQUARES_OF_PARTS = 2.0**19.5, 2.0**15.5
"""The l2 norm of what one record adds, about; where its rows count in parts, sums of 2^26 persons still fit 64 bits."""
_OF_CELLS = 4.0 / 3.0
"""Of the two shares of a number: quartiles gain more by it than means lose, beside what sampling leaves open."""
QUARTILES = (0.25, 0.5, 0.75)
MOST_CELLS = 1 << 12
"""Of a pair."""
MOST_WHOLE = 1 << 10
"""Whole numbers that have a cell each."""
BINS = 16
"""Of a histogram, at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column that is described."""

    name: str
    kind: Kind
    labels: tuple[str, ...] = ()
    """Of its categories; none of a number."""
    lower: float = 0.0
    upper: float = 1.0
    """Bounds of a number; of a date in days since 1970-01-01."""
    missing: bool = False
    """Whether missing values are told apart: they have the last cell."""
    whole: bool = False
    """Whether its numbers are declared to be whole: they have a cell each, unless they are more than MOST_WHOLE."""

    __repr__ = short_repr

    @property
    def numeric(self) -> bool:
        """Whether the column has fine cells and sums."""
        return self.kind != "categories"

    @property
    def one_each(self) -> bool:
        """Whether every number has its own cell."""
        return self.whole and self.upper - self.lower < MOST_WHOLE


@dataclass(frozen=True, kw_only=True)
class Asked:
    """All questions under one certificate. Raises InvalidInput for columns that are not in the schema, or that cannot be described in this way."""

    schema: Schema
    neighbours: Neighbours
    columns: tuple[str, ...] | None = None
    """Those that are described, in the order of the table; None for all."""
    by: str | None = None
    """The column of categories whose groups are described apart."""
    pairs: tuple[tuple[str, str], ...] = ()
    """Of columns of categories, whose tables are asked for too."""
    quantiles: tuple[float, ...] = QUARTILES
    whole: tuple[str, ...] = ()
    """Columns whose numbers are whole, as the caller knows without the records: their quantiles are whole, too."""
    steps: int = 256
    """Equal ones, in the fine cells of a number: a multiple of BINS."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """See class docstring."""
        require_no_metric(self.schema, "a description")
        known = self._known
        named = [*(self.columns or ()), *self.whole, *([self.by] if self.by is not None else []), *(name for pair in self.pairs for name in pair)]
        if unknown := [name for name in named if name not in known]:
            raise InvalidInput(f"the schema has no column {unknown[0]!r}.{did_you_mean(unknown[0], known)} Its columns are {quoted(known)}.")
        for name, what in ((self.by, "groups are"), *((name, "a pair is") for pair in self.pairs for name in pair)):
            if name is not None and known[name].numeric:
                raise InvalidInput(f"{what} made of columns of categories; {name!r} holds numbers or dates. Declare it as a column of categories.")
        self._check_pairs()
        if strange := [name for name in self.whole if known[name].kind != "number"]:
            raise InvalidInput(f"whole must name columns of numbers; {strange[0]!r} is something else. Leave it out.")
        if self.columns is not None and len(set(self.columns)) < len(self.columns):
            raise InvalidInput("columns names a column twice. Name each once.")
        if not all(0.0 < share < 1.0 for share in self.quantiles) or list(self.quantiles) != sorted(set(self.quantiles)):
            raise InvalidInput(f"quantiles must increase and lie between 0 and 1; {list(self.quantiles)!r} was given.")
        if self.steps < 1 or self.steps % BINS:
            raise InvalidInput(f"fine cells need a multiple of {BINS} equal steps; {self.steps} were given.")
        if not self.described:
            raise InvalidInput("columns must name at least one column besides that of the groups.")

    def _check_pairs(self) -> None:
        """Two columns each, once, and of not too many cells."""
        known = self._known
        for first, second in self.pairs:
            if first == second or self.by in (first, second) or self.pairs.count((first, second)) + self.pairs.count((second, first)) > 1:
                raise InvalidInput(
                    f"a pair must be two different columns, listed once, neither of them the column of the groups; {first}:{second} was given."
                )
            if len(known[first].labels) * len(known[second].labels) > MOST_CELLS:
                raise InvalidInput(f"the pair {first}:{second} has more than {MOST_CELLS} cells. Use columns with fewer categories.")

    @cached_property
    def _known(self) -> dict[str, Column]:
        """Every column of the schema, targets last; times are no column of it, since some are not seen to the end."""
        targets = [one for one in self.schema.targets if not isinstance(one, TimeTarget)]
        found = map(_column, (*self.schema.layout.own, *targets))
        return {column.name: replace(column, whole=column.name in self.whole) for column in found}

    @cached_property
    def described(self) -> tuple[Column, ...]:
        """The columns that are described; those of pairs, too."""
        inside = {name for pair in self.pairs for name in pair}
        chosen = self._known if self.columns is None else {*self.columns, *inside}
        return tuple(column for name, column in self._known.items() if name in chosen and name != self.by)

    @cached_property
    def group(self) -> Column | None:
        """The column whose values are the groups; None without groups."""
        return None if self.by is None else self._known[self.by]

    @property
    def groups(self) -> tuple[str, ...]:
        """The names of the groups; one without a name where there are none."""
        return ("",) if self.group is None else self.group.labels

    @property
    def numbers(self) -> tuple[Column, ...]:
        """The columns that have sums, in their order."""
        return tuple(column for column in self.described if column.numeric)

    @property
    def persons(self) -> Persons | None:
        """Whose rows are whose."""
        return self.schema.persons

    @property
    def by_rows(self) -> bool:
        """Whether rows of persons count alike: what is counted are the rows that are kept."""
        return self.persons is not None and self.persons.weight == "row"

    @property
    def public_total(self) -> bool:
        """Whether the number of records is public."""
        return self.neighbours is not ADD_REMOVE and not self.by_rows

    def cells_of(self, column: Column) -> ColumnCells:
        """The fine cells of a number; those of whole ones have them in their middles."""
        if column.one_each:
            first, last = math.floor(column.lower), math.ceil(column.upper)
            return ColumnCells(name=column.name, lower=first - 0.5, upper=last + 0.5, steps=last - first + 1, halvings=0)
        return ColumnCells(name=column.name, lower=column.lower, upper=column.upper, steps=self.steps)

    def bins_of(self, column: Column) -> tuple[float, ...]:
        """The edges of the histogram of a number, which are edges of fine cells."""
        cells = self.cells_of(column)
        if column.one_each:
            return (*cells.edges[: -1 : -(-cells.steps // BINS)], cells.edges[-1])
        return tuple(column.lower + (column.upper - column.lower) * place / BINS for place in range(BINS + 1))

    def pair_columns(self) -> list[tuple[Column, Column]]:
        """The columns of each pair."""
        return [(self._known[first], self._known[second]) for first, second in self.pairs]

    @cached_property
    def queries(self) -> Queries:
        """The query, with its weights."""
        several = self.persons is not None and self.persons.several
        norm, tables = _SQUARES_OF_PARTS if several else _SQUARES, [self._table(column) for column in self.described]
        unit = norm / math.sqrt(len(self.described) + len(self.numbers) + len(self.pairs))
        pairs = [(len(first.labels) * len(second.labels), [1], 1.0) for first, second in self.pair_columns()]
        cells = tuple(
            Cells(cells=size, levels=tuple((width, round(unit * math.sqrt(share / len(widths)))) for width in widths))
            for size, widths, share in (*tables, *pairs)
        )
        weight = round(unit * math.sqrt((2.0 - _OF_CELLS) / 2.0))
        return Queries(
            [Summary(groups=len(self.groups), tables=cells, sums=((weight, weight),) * len(self.numbers), asked=self.digest)], self.persons
        )

    @property
    def query(self) -> Summary:
        """The one query of `queries`."""
        (one,) = self.queries.each
        if not isinstance(one, Summary):
            raise TypeError("a description asks for a summary")
        return one

    def _table(self, column: Column) -> tuple[int, list[int], float]:
        """How many cells a column has, the widths of what is counted, and its share."""
        if not column.numeric:
            return len(column.labels), [1], 1.0
        size, widths = len(self.cells_of(column).edges) - 1 + column.missing, [1]
        while widths[-1] * _BRANCHES < size:
            widths.append(widths[-1] * _BRANCHES)
        return size, widths, _OF_CELLS

    @property
    def digest(self) -> str:
        """The SHA-256 of the schema and of what is asked of it."""
        text = json.dumps({"schema": self.schema.to_dict(), **self.to_dict()}, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()

    def to_dict(self) -> dict[str, object]:
        """For JSON: all but the schema."""
        return {
            "columns": None if self.columns is None else list(self.columns),
            "by": self.by,
            "pairs": [list(pair) for pair in self.pairs],
            "quantiles": list(self.quantiles),
            "whole": list(self.whole),
            "steps": self.steps,
        }

    @classmethod
    def from_dict(cls, schema: Schema, neighbours: Neighbours, stated: Mapping[str, Any]) -> "Asked":
        """As `to_dict` wrote it."""
        columns: Sequence[str] | None = stated["columns"]
        pairs: Iterable[Sequence[str]] = stated["pairs"]
        return cls(
            schema=schema,
            neighbours=neighbours,
            columns=None if columns is None else tuple(columns),
            by=stated["by"],
            pairs=tuple((first, second) for first, second in pairs),
            quantiles=tuple(float(share) for share in stated["quantiles"]),
            whole=tuple(stated["whole"]),
            steps=int(stated["steps"]),
        )


def _column(one: NumericColumn | DateColumn | CategoricalColumn | Target | NumberTarget) -> Column:
    match one:
        case NumericColumn(name=name):
            return Column(name=name, kind="number", lower=one.lower, upper=one.upper, missing=one.indicated)
        case DateColumn(name=name):
            return Column(name=name, kind="date", lower=one.bounds.lower, upper=one.bounds.upper, missing=one.indicated)
        case CategoricalColumn(name=name):
            return Column(name=name, kind="categories", labels=tuple(map(canonical, one.categories)))
        case Target(column=name):
            return Column(name=name, kind="categories", labels=tuple(map(canonical, one.classes)))
    return Column(name=one.column, kind="number", lower=one.lower, upper=one.upper)
