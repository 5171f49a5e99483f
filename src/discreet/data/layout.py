"""From the cells of columns to rows: where a record stands along each column, and the public table that says what these places become.

    x_i = A^T z_i,    z_i: a number as it is, one 1 a category, and for an encoded number 1 - f and f at the two nodes that it stands between

A has a block a column, in the order of the features (module `encodings`). Where every number enters linearly it is the identity and left out. Rows
are held by their places, a few numbers each, and never written out; every cell is placed by itself.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import sqrt
from typing import NamedTuple, TypeAlias

import numpy as np
import polars as pl
from scipy import sparse

from discreet.core.arrays import Floats
from discreet.data.cells import Codes, bounded_numbers, encode_labels, encode_numbers
from discreet.data.columns import INDICATOR, CategoricalColumn, NumericColumn
from discreet.data.encodings import Encoding
from discreet.matrices import MappedMatrix, Matrix, SparseMatrix, TabularMatrix
from discreet.matrices.sparse import CSR

Column: TypeAlias = NumericColumn | CategoricalColumn


class Part(NamedTuple):
    """What one encoding makes of a column, or the indicator of its missing values: public."""

    column: NumericColumn
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
        positions = self.encoding.positions(np.where(gaps, self.column.lower, values), self.column.bounds)
        if self.column.missing == INDICATOR:
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

    def squares(self, places: "Placed") -> Floats:
        """The squared norms of features at these places, (n,)."""
        own = np.einsum("ij,ij->i", self.table, self.table)
        codes, shares = places
        if shares is None:
            return np.asarray(own[codes])
        beside = np.einsum("ij,ij->i", self.table[:-1], self.table[1:])
        rest = 1.0 - shares
        return np.asarray(rest * rest * own[codes] + 2.0 * rest * shares * beside[codes] + shares * shares * own[codes + 1])


class Placed(NamedTuple):
    """Nodes (n,) and, unless all stand on one, shares (n,) of the way to the next."""

    codes: "np.ndarray[tuple[int], np.dtype[np.intp]]"
    shares: Floats | None


@lru_cache(maxsize=1024)
def parts_of(column: NumericColumn) -> tuple[Part, ...]:
    """The encodings of a column side by side, in the order of their features, and the indicator last."""
    found = []
    for encoding, names in zip(column.encoding, column.part_names, strict=False):
        table = encoding.table(column.bounds) / sqrt(len(column.encoding))
        if column.missing == INDICATOR:
            table = np.vstack((table, np.zeros(table.shape[1])))
        table.flags.writeable = False
        found.append(Part(column, encoding, table, names))
    if column.missing == INDICATOR:
        found.append(Part(column, None, np.array([[0.0], [1.0]]), column.part_names[-1]))
    return tuple(found)


def encoded_rows(
    frame: pl.DataFrame, *, numeric: Sequence[NumericColumn], categorical: Sequence[CategoricalColumn], markers: Sequence[str]
) -> Matrix:
    """The features (n, d) of every row of `frame`."""
    if all(column.plain for column in numeric):
        numbers, labels, sizes = plain_arrays(frame, numeric=numeric, categorical=categorical, markers=markers)
        return TabularMatrix(numbers, labels, sizes)
    squares = np.zeros(frame.height)
    pieces: list[tuple[int, Placed | Floats]] = []
    for column in numeric:
        series = frame.get_column(column.name)
        if column.plain:
            number = encode_numbers(series, column, markers=markers)
            squares += number * number
            pieces.append((1, number))
            continue
        values = bounded_numbers(series, column, markers=markers)
        for part in parts_of(column):
            places = part.placed(values)
            squares += part.squares(places)
            pieces.append((len(part.table), places))
    for one in categorical:
        codes = encode_labels(frame.get_column(one.name), one, markers=markers).astype(np.intp)
        squares += 1.0
        pieces.append((len(one.categories), Placed(codes, None)))
    columns = (*numeric, *categorical)
    return MappedMatrix(SparseMatrix(_rows(pieces, frame.height)), _table(columns), norms=np.sqrt(squares), reach=_reach(columns))


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


def stored_numbers(columns: Sequence[Column]) -> int:
    """How many numbers a row of these columns is held by, at most."""
    return sum(1 if isinstance(column, CategoricalColumn) or column.plain else 2 * len(parts_of(column)) for column in columns)


@lru_cache(maxsize=64)
def _table(columns: tuple[Column, ...]) -> CSR:
    """A."""
    blocks: list[object] = []
    for column in columns:
        if isinstance(column, CategoricalColumn) or column.plain:
            blocks.append(sparse.eye_array(len(column.categories) if isinstance(column, CategoricalColumn) else 1))
        else:
            blocks += [sparse.csr_array(part.table) for part in parts_of(column)]
    made: CSR = sparse.csr_array(sparse.block_diag(blocks, format="csr"), dtype=np.float64)
    return made


@lru_cache(maxsize=64)
def _reach(columns: tuple[Column, ...]) -> float:
    """A bound on sqrt(sum over columns of (sum_j |z_ij| |A_j|)^2)."""
    squares = 0.0
    for column in columns:
        if isinstance(column, CategoricalColumn) or column.plain:
            squares += 1.0
        else:
            squares += sum(float(np.max(np.einsum("ij,ij->i", part.table, part.table))) for part in parts_of(column))
    return sqrt(squares) * (1.0 + 1e-9)


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
