"""From the cells of columns to rows: where a record stands along each column, and the public table that says what these places become.

    x_i = A^T z_i,    z_i: a number as it is, one 1 a category, and for an encoded number 1 - f and f at the two nodes that it stands between

A has a block a column, in the order of the features (module `encodings`). Where every number enters linearly it is the identity and left out. Rows
are held by their places, a few numbers each, and never written out; every cell is placed by itself. Where rows are normalised, each is divided by its
own norm, x / |x|_2, and 0 stays 0; so does a row shorter than SHORTEST, whose squares may underflow: its norm would be stated too small, or its
reciprocal be infinite, and what came out would be longer than 1 or a warning that tells of one record.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import sqrt
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import sparse

from discreet.core.arrays import Floats
from discreet.core.errors import SchemaError, did_you_mean
from discreet.core.neighbours import Persons
from discreet.core.private import holds_records
from discreet.data.cells import Codes, bounded_days, bounded_numbers, encode_labels, encode_numbers, scaled
from discreet.data.coding import Coding
from discreet.data.columns import CategoricalColumn, Cross, DateColumn, NumberTarget, NumericColumn, Target, check_fits
from discreet.data.encodings import Encoding
from discreet.data.labels import Label, canonical
from discreet.matrices import AugmentedMatrix, MappedMatrix, Matrix, SparseMatrix, TabularMatrix
from discreet.matrices.sparse import CSR

Nodes: TypeAlias = npt.NDArray[np.intp]
MOST_PAIRS = 1 << 14
"""Of a cross."""
SHORTEST = 1e-30
"""The norm below which a row counts as one of zeros where rows are normalised: public, and the same for every table."""
Column: TypeAlias = NumericColumn | DateColumn | CategoricalColumn | Cross


class Columns(NamedTuple):
    """The columns of a schema in the order of their features; public."""

    numeric: tuple[NumericColumn, ...]
    date: tuple[DateColumn, ...]
    categorical: tuple[CategoricalColumn, ...]
    cross: tuple[Cross, ...]

    @property
    def every(self) -> tuple[Column, ...]:
        """One after the other."""
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
                f"{cross.where}: {cut} of its columns hold numbers or dates, and categories take no encoding. Leave out what is too much."
            )
        left = Side(first, None if isinstance(first, CategoricalColumn) else cross.encoding[0])
        right = Side(second, None if isinstance(second, CategoricalColumn) else cross.encoding[0 if left.encoding is None else -1])
        for side in (left, right):
            if side.encoding is not None:
                check_fits(side.encoding, side.column.bounds, where=f"{cross.where}: {side.column.where}")  # type: ignore[union-attr]
        if len(left.labels) * len(right.labels) > MOST_PAIRS:
            raise SchemaError(f"{cross.where}: more than {MOST_PAIRS} pairs. Take fewer bins.")
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


def encoded_rows(frame: pl.DataFrame, columns: Columns, *, markers: Sequence[str]) -> Matrix:
    """The features (n, d) of every row of `frame`."""
    if columns.plain:
        numbers, labels, sizes = plain_arrays(frame, numeric=columns.numeric, categorical=columns.categorical, markers=markers)
        return TabularMatrix(numbers, labels, sizes)
    squares, reaches = np.zeros(frame.height), np.zeros(frame.height)
    pieces: list[tuple[int, Placed | Floats]] = []
    for size, piece, square, reach in _pieces(frame, columns, markers):
        pieces.append((size, piece))
        squares += square
        reaches += reach
    longest = np.sqrt(reaches) * (1.0 + 1e-9)
    return MappedMatrix(SparseMatrix(_rows(pieces, frame.height)), _table(columns), norms=np.sqrt(squares), reach=longest)


def _pieces(frame: pl.DataFrame, columns: Columns, markers: Sequence[str]) -> Iterator[tuple[int, Placed | Floats, Floats | float, Floats | float]]:
    """Column by column the size of a part of the features, what is held of it, and what it adds to the squares of norms and of reaches."""
    crossed = {name for cross in columns.cross for name in cross.columns}
    read: dict[str, npt.NDArray[Any]] = {}
    for column in columns.every:
        if isinstance(column, Cross):
            first, second = columns.sides(column)
            codes = first.codes(read[first.column.name]) * len(second.labels) + second.codes(read[second.column.name])
            yield len(first.labels) * len(second.labels), Placed(codes, None), 1.0, 1.0
            continue
        series = frame.get_column(column.name)
        if isinstance(column, CategoricalColumn):
            found: npt.NDArray[Any] = encode_labels(series, column, markers=markers).astype(np.intp)
            yield len(column.categories), Placed(found, None), 1.0, 1.0
        else:
            found = _values(series, column, markers)
            yield from _pieces_of(column, found)
        if column.name in crossed:
            read[column.name] = found


def _pieces_of(column: NumericColumn | DateColumn, values: Floats) -> Iterator[tuple[int, Placed | Floats, Floats, Floats]]:
    """Those of a column whose values (n,) are these."""
    if column.plain and isinstance(column, NumericColumn):
        number = scaled(values.copy(), column)
        yield 1, number, number * number, number * number
        return
    for part in parts_of(column):
        if part.single:
            number = part.rows(values)[:, 0]
            yield 1, number, number * number, number * number
        else:
            places = part.placed(values)
            yield len(part.table), places, part.squares(places), part.reaches(places)


def _values(series: pl.Series, column: NumericColumn | DateColumn, markers: Sequence[str]) -> Floats:
    return bounded_days(series, column, markers=markers) if isinstance(column, DateColumn) else bounded_numbers(series, column, markers=markers)


def plain_arrays(
    frame: pl.DataFrame, *, numeric: Sequence[NumericColumn], categorical: Sequence[CategoricalColumn], markers: Sequence[str]
) -> tuple[Floats | None, list[Codes], list[int]]:
    """The linear numbers (n, p) or None, the codes (n,) of each categorical column, and their numbers of categories."""
    numbers: Floats | None = None
    if numeric:
        numbers = np.empty((frame.height, len(numeric)), order="F")
        for position, column in enumerate(numeric):
            numbers[:, position] = encode_numbers(frame.get_column(column.name), column, markers=markers)
    codes = [encode_labels(frame.get_column(column.name), column, markers=markers) for column in categorical]
    return numbers, codes, [len(column.categories) for column in categorical]


def stored_numbers(columns: Columns) -> int:
    """How many numbers a row of these columns is held by, at most."""
    several = (*columns.numeric, *columns.date)
    return len(columns.categorical) + len(columns.cross) + 2 * sum(len(parts_of(column)) for column in several)


@lru_cache(maxsize=64)
def _table(columns: Columns) -> CSR:
    """A."""
    blocks: list[object] = []
    for column, names in zip(columns.every, columns.names(), strict=True):
        if isinstance(column, CategoricalColumn | Cross) or (isinstance(column, NumericColumn) and column.plain):
            blocks.append(sparse.eye_array(len(names)))
        else:
            blocks += [sparse.eye_array(1) if part.single else sparse.csr_array(part.table) for part in parts_of(column)]
    made: CSR = sparse.csr_array(sparse.block_diag(blocks, format="csr"), dtype=np.float64)
    return made


def _rows(pieces: Sequence[tuple[int, Placed | Floats]], count: int) -> CSR:
    """Z: the pieces of every row side by side, each with its number of places."""
    total = sum(size for size, _ in pieces)
    width = sum(2 if isinstance(piece, Placed) and piece.shares is not None else 1 for _, piece in pieces)
    kind = np.int32 if max(count * width, total) < 2**31 else np.int64
    places, entries = np.empty((count, width), dtype=kind), np.empty((count, width))
    offset = at = 0
    for size, piece in pieces:
        if not isinstance(piece, Placed):
            places[:, at], entries[:, at] = offset, piece
        elif piece.shares is None:
            places[:, at], entries[:, at] = piece.codes + offset, 1.0
        else:
            places[:, at], entries[:, at] = piece.codes + offset, 1.0 - piece.shares
            at += 1
            places[:, at], entries[:, at] = piece.codes + (offset + 1), piece.shares
        at += 1
        offset += size
    starts = np.arange(count + 1, dtype=kind) * width
    made: CSR = sparse.csr_array((entries.ravel(), places.ravel(), starts), shape=(count, total))
    made.has_canonical_format = True
    return made


@holds_records
class EncodedTable:
    """Private rows (n, d) as a Matrix and, where asked for, their classes or numbers.

    Two classes are `signs` (n,) of +1.0 and -1.0, more are `codes` (n,), numbers from 0, and a target that is a number is `numbers` (n,) in [-1, 1];
    what was not asked for, or is another, is None. `classes` is empty for numbers. `rule` is what the schema says of whose rows are whose, or None;
    `persons` (n,) are ids, where persons are told apart.
    """

    __slots__ = ("categorical", "classes", "codes", "coding", "numbers", "numeric", "persons", "rows", "rule", "schema", "signs")

    def __init__(  # noqa: PLR0913 - what is public about a table, a thing each
        self,
        *,
        rows: Matrix,
        signs: Floats | None,
        codes: Codes | None = None,
        numbers: Floats | None = None,
        classes: tuple[Label, ...],
        schema: str,
        numeric: int,
        categorical: int,
        coding: Coding | None = None,
        rule: Persons | None = None,
        persons: pl.Series | None = None,
    ) -> None:
        """Hold them with what the schema makes public: classes, name and numbers of columns, and which features are dummies of one."""
        self.rows = rows
        self.signs = signs
        self.codes = codes
        self.numbers = numbers
        self.classes = classes
        self.schema = schema
        self.numeric = numeric
        self.categorical = categorical
        self.coding = Coding() if coding is None else coding
        self.rule = rule
        self.persons = persons

    def __repr__(self) -> str:
        """The schema only: not even the number of rows, which add-remove keeps private."""
        return f"EncodedTable(schema={self.schema!r}, numeric={self.numeric}, categorical={self.categorical})"


def encode_features(frame: pl.DataFrame, columns: Columns, *, markers: Sequence[str], normalise: bool) -> Matrix:
    """The features of every row; where `normalise`, divided by its norm, or zero where that is below SHORTEST."""
    table = encoded_rows(frame, columns, markers=markers)
    if not normalise:
        return table
    norms = table.ordered_row_norms()  # a row is a function of its record to the last bit, as a release of rows must have it
    return AugmentedMatrix(table, scale=np.divide(1.0, norms, out=np.zeros_like(norms), where=norms >= SHORTEST), constant=0.0)


def encode_codes(frame: pl.DataFrame, target: Target, *, markers: Sequence[str]) -> Codes:
    """Numbers of the classes, from 0, shape (n,)."""
    return encode_labels(frame.get_column(target.column), target, markers=markers)


def encode_signs(frame: pl.DataFrame, target: Target, *, markers: Sequence[str]) -> Floats:
    """+1 for classes[1] and -1 for classes[0], shape (n,)."""
    return np.where(encode_codes(frame, target, markers=markers) == 1, 1.0, -1.0)


def encode_target_numbers(frame: pl.DataFrame, target: NumberTarget, *, markers: Sequence[str]) -> Floats:
    """In [-1, 1], shape (n,)."""
    return encode_numbers(frame.get_column(target.column), target, markers=markers)
