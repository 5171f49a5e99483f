"""The columns of a schema in the order of their features, and where a value stands along each: public, and known without any table.

A number stands at a node of its encoding, or between two; a category at one; a cross at the pair of two bins. Module `layout` makes rows of this.
"""

from functools import lru_cache
from math import sqrt
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.core.arrays import Floats
from discreet.core.errors import SchemaError, did_you_mean
from discreet.data.columns import CategoricalColumn, Cross, DateColumn, NumericColumn, check_fits
from discreet.data.encodings import Encoding
from discreet.data.labels import canonical

Nodes: TypeAlias = npt.NDArray[np.intp]
MOST_PAIRS = 1 << 14
"""Of a cross."""
Column: TypeAlias = NumericColumn | DateColumn | CategoricalColumn | Cross


class Columns(NamedTuple):
    """The columns of a schema in the order of their features; public."""

    numeric: tuple[NumericColumn, ...]
    date: tuple[DateColumn, ...]
    categorical: tuple[CategoricalColumn, ...]
    cross: tuple[Cross, ...]

    @property
    def every(self) -> tuple[Column, ...]:
        """All columns, one after the other."""
        return (*self.own, *self.cross)

    @property
    def own(self) -> tuple[NumericColumn | DateColumn | CategoricalColumn, ...]:
        """Those that the table has."""
        return (*self.numeric, *self.date, *self.categorical)

    @property
    def plain(self) -> bool:
        """Whether rows are linear numbers and categories, and nothing else."""
        return not self.date and not self.cross and all(column.plain for column in self.numeric)

    def names(self) -> tuple[tuple[str, ...], ...]:
        """Of the features of every column."""
        return tuple(self._names(column) for column in self.every)

    def norm(self) -> float:
        """A bound on the norm of a row."""
        return sqrt(sum(column.norm**2 for column in (*self.numeric, *self.date)) + len(self.categorical) + len(self.cross))

    def sides(self, cross: Cross) -> "tuple[Side, Side]":
        """The two columns of a cross, and what puts each into bins. Raises SchemaError where there are no such columns, or too many pairs."""
        known = {column.name: column for column in self.own}
        if absent := [name for name in cross.columns if name not in known]:
            raise SchemaError(f"{cross.where}: no column {absent[0]!r} is declared.{did_you_mean(absent[0], known)}")
        first, second = (known[name] for name in cross.columns)
        cut = sum(not isinstance(column, CategoricalColumn) for column in (first, second))
        if len(cross.encoding) > max(cut, 1) or (not cut and cross.encoding != Cross(name=cross.name, columns=cross.columns).encoding):
            raise SchemaError(
                f"{cross.where}: {cut} of its columns hold numbers or dates; give one encoding for each of those, and none for categories."
            )
        left = Side(first, None if isinstance(first, CategoricalColumn) else cross.encoding[0])
        right = Side(second, None if isinstance(second, CategoricalColumn) else cross.encoding[0 if left.encoding is None else -1])
        for side in (left, right):
            if side.encoding is not None:
                check_fits(side.encoding, side.column.bounds, where=f"{cross.where}: {side.column.where}")  # type: ignore[union-attr]
        if len(left.labels) * len(right.labels) > MOST_PAIRS:
            raise SchemaError(f"{cross.where}: more than {MOST_PAIRS} pairs. Use fewer bins.")
        return left, right

    def _names(self, column: Column) -> tuple[str, ...]:
        if isinstance(column, CategoricalColumn):
            return tuple(f"{column.name}={canonical(label)}" for label in column.categories)
        if not isinstance(column, Cross):
            return column.names
        left, right = self.sides(column)
        return tuple(f"{column.name}:{one},{other}" for one in left.labels for other in right.labels)


class Side(NamedTuple):
    """One of the two columns of a cross."""

    column: NumericColumn | DateColumn | CategoricalColumn
    encoding: Encoding | None
    """None for categories."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Of its bins or categories."""
        if isinstance(self.column, CategoricalColumn) or self.encoding is None:
            return tuple(f" {canonical(label)}" for label in self.column.categories)  # type: ignore[union-attr]
        labels = self.encoding.labels(self.column.bounds)
        return (*labels, " missing") if self.column.indicated else labels

    def codes(self, values: npt.NDArray[Any]) -> Nodes:
        """The bins (n,) of `values` (n,), or of categories' codes."""
        if isinstance(self.column, CategoricalColumn) or self.encoding is None:
            return values.astype(np.intp)
        gaps = np.isnan(values)
        found = self.encoding.positions(np.where(gaps, self.column.bounds.lower, values), self.column.bounds).astype(np.intp)
        found[gaps] = len(self.labels) - 1
        return found


class Part(NamedTuple):
    """What one encoding makes of a column, or the indicator of its missing values: public."""

    column: NumericColumn | DateColumn
    encoding: Encoding | None
    """None for the indicator."""
    table: Floats
    """(nodes, features), its share of the column's norm taken; with an indicator, the last row is that of missing values."""
    names: tuple[str, ...]

    def placed(self, values: Floats) -> "Placed":
        """Where `values` (n,) within the bounds stand, NaN for missing ones."""
        last = len(self.table) - 1
        gaps = np.isnan(values)
        if self.encoding is None:
            return Placed(gaps.astype(np.intp), None)
        positions = self.encoding.positions(np.where(gaps, self.column.bounds.lower, values), self.column.bounds)
        if self.column.indicated:
            positions[gaps] = last
        if self.encoding.stepped:
            return Placed(positions.astype(np.intp), None)
        codes = np.minimum(positions.astype(np.intp), last - 1)
        return Placed(codes, positions - codes)

    def rows(self, values: Floats) -> Floats:
        """The features (n, k) of `values` (n,), written out: for pictures."""
        codes, shares = self.placed(values)
        if shares is None:
            return np.asarray(self.table[codes])
        return np.asarray((1.0 - shares)[:, np.newaxis] * self.table[codes] + shares[:, np.newaxis] * self.table[codes + 1])

    @property
    def single(self) -> bool:
        """Whether it is one feature: then it is held as the number that it is, which terms of opposite sign would lose digits of."""
        return self.table.shape[1] == 1

    def squares(self, places: "Placed") -> Floats:
        """Upper bounds of the squared norms of features at these places, (n,): above them by rounding errors, for products of so many numbers."""
        own = np.einsum("ij,ij->i", self.table, self.table)
        own += (self.table.shape[1] + 16) * 2.0**-52 * own.max()
        codes, shares = places
        if shares is None:
            return np.asarray(own[codes])
        beside = np.einsum("ij,ij->i", self.table[:-1], self.table[1:])
        rest = 1.0 - shares
        return np.maximum(rest * rest * own[codes] + 2.0 * rest * shares * beside[codes] + shares * shares * own[codes + 1], 0.0)

    def reaches(self, places: "Placed") -> Floats:
        """Squares (n,) of the sums of the lengths of what features at these places are put together from: see `MappedMatrix`."""
        lengths = np.sqrt(np.einsum("ij,ij->i", self.table, self.table))
        codes, shares = places
        found = lengths[codes] if shares is None else (1.0 - shares) * lengths[codes] + shares * lengths[codes + 1]
        return np.asarray(found * found)


class Placed(NamedTuple):
    """Nodes (n,) and, unless all stand on one, shares (n,) of the way to the next."""

    codes: Nodes
    shares: Floats | None


@lru_cache(maxsize=1024)
def parts_of(column: NumericColumn | DateColumn) -> tuple[Part, ...]:
    """The encodings of a column side by side, in the order of their features, and the indicator last."""
    found = []
    for encoding, names in zip(column.encoding, column.part_names, strict=False):
        table = encoding.table(column.bounds) / sqrt(len(column.encoding))
        if column.indicated:
            table = np.vstack((table, np.zeros(table.shape[1])))
        table.flags.writeable = False
        found.append(Part(column, encoding, table, names))
    if column.indicated:
        found.append(Part(column, None, np.array([[0.0], [1.0]]), column.part_names[-1]))
    return tuple(found)


def stored_bytes(columns: Columns) -> int:
    """How many bytes the places of a row of these columns take, and their entries where these are not all 1, at most."""
    parts = [part for column in (*columns.numeric, *columns.date) for part in parts_of(column)]
    alone = [part.encoding is None or (part.encoding.stepped and not part.single) for part in parts]
    plain = any(column.plain for column in columns.numeric)
    places = len(columns.categorical) + len(columns.cross) + sum(1 if one else 2 for one in alone)
    return places * (4 if all(alone) and not plain else 12)
