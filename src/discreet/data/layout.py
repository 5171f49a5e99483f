"""From the cells of columns to rows: where a record stands along each column, and the public table that says what these places become.

    x_i = A^T z_i,    z_i: a number as it is, one 1 a category, and for an encoded number 1 - f and f at the two nodes that it stands between

A has a block a column, in the order of the features (module `encodings`). Where every number enters linearly it is the identity and left out. Rows
are held by their places, a few numbers each, and never written out; every cell is placed by itself. Where rows are normalised, each is divided by its
own norm, x / |x|_2, and 0 stays 0; so does a row shorter than SHORTEST, whose squares may underflow: its norm would be stated too small, or its
reciprocal be infinite, and what came out would be longer than 1 or a warning that tells of one record.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.lazily import lazily
from discreet.core.neighbours import Persons
from discreet.core.private import holds_records
from discreet.data.cells import Codes, bounded_days, bounded_numbers, encode_labels, encode_numbers, scaled
from discreet.data.coding import Coding
from discreet.data.columns import CategoricalColumn, Cross, DateColumn, NumberTarget, NumericColumn, Target
from discreet.data.dialect import Dialect
from discreet.data.labels import Label
from discreet.data.places import Columns, Placed, parts_of
from discreet.data.targets import period_numbers
from discreet.matrices import AugmentedMatrix, MappedMatrix, Matrix, SparseMatrix, TabularMatrix
from discreet.matrices.sparse import CSR, shared_ones

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazily("polars")

SHORTEST = 1e-30
"""The norm below which a row counts as one of zeros where rows are normalised: public, and the same for every table."""


def encoded_rows(frame: "pl.DataFrame", columns: Columns, *, dialect: Dialect) -> Matrix:
    """The features (n, d) of every row of `frame`."""
    if columns.plain:
        numbers, labels, sizes = plain_arrays(frame, numeric=columns.numeric, categorical=columns.categorical, dialect=dialect)
        return TabularMatrix(numbers, labels, sizes)
    squares, reaches = np.zeros(frame.height), np.zeros(frame.height)
    pieces: list[tuple[int, Placed | Floats]] = []
    for size, piece, square, reach in _pieces(frame, columns, dialect):
        pieces.append((size, piece))
        squares += square
        reaches += reach
    longest = np.sqrt(reaches) * (1.0 + 1e-9)
    return MappedMatrix(SparseMatrix(_rows(pieces, frame.height)), _table(columns), norms=np.sqrt(squares), reach=longest)


def _pieces(frame: "pl.DataFrame", columns: Columns, dialect: Dialect) -> Iterator[tuple[int, Placed | Floats, Floats | float, Floats | float]]:
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
            found: npt.NDArray[Any] = encode_labels(series, column, dialect=dialect).astype(np.intp)
            yield len(column.categories), Placed(found, None), 1.0, 1.0
        else:
            found = _values(series, column, dialect)
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


def _values(series: "pl.Series", column: NumericColumn | DateColumn, dialect: Dialect) -> Floats:
    return bounded_days(series, column, dialect=dialect) if isinstance(column, DateColumn) else bounded_numbers(series, column, dialect=dialect)


def plain_arrays(
    frame: "pl.DataFrame", *, numeric: Sequence[NumericColumn], categorical: Sequence[CategoricalColumn], dialect: Dialect
) -> tuple[Floats | None, list[Codes], list[int]]:
    """The linear numbers (n, p) or None, the codes (n,) of each categorical column, and their numbers of categories."""
    numbers: Floats | None = None
    if numeric:
        numbers = np.empty((frame.height, len(numeric)), order="F")
        for position, column in enumerate(numeric):
            numbers[:, position] = encode_numbers(frame.get_column(column.name), column, dialect=dialect)
    codes = [encode_labels(frame.get_column(column.name), column, dialect=dialect) for column in categorical]
    return numbers, codes, [len(column.categories) for column in categorical]


@lru_cache(maxsize=64)
def _table(columns: Columns) -> CSR:
    """The public table A of the module docstring, sparse."""
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
    places = np.empty((count, width), dtype=kind)
    # Rows of places alone, as bins and categories are, are ones: those of all blocks share them, two thirds of what a row would take.
    entries = shared_ones(count * width) if _places_alone(pieces) else np.empty(count * width)
    entries = entries.reshape(count, width)
    offset = at = 0
    for size, piece in pieces:
        if not isinstance(piece, Placed):
            places[:, at], entries[:, at] = offset, piece
        elif piece.shares is None:
            places[:, at] = piece.codes + offset
            if entries.flags.writeable:
                entries[:, at] = 1.0
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


def _places_alone(pieces: Sequence[tuple[int, Placed | Floats]]) -> bool:
    return all(isinstance(piece, Placed) and piece.shares is None for _, piece in pieces)


@holds_records
class EncodedTable:
    """Private rows (n, d) as a Matrix and, if requested, their classes or numbers.

    Two classes are `signs` (n,) of +1.0 and -1.0, more are `codes` (n,), numbers from 0, a target that is a number is `numbers` (n,) in [-1, 1],
    several are (n, m), and times are `times` (n, 2), with 1 where it happened then; what was not asked for, or is another, is None. `classes` is
    empty for all of these. `rule` is what the schema says of whose rows are whose, or None;
    `persons` (n,) are ids, where persons are told apart. `ends` are those of the periods of times, as the schema says, or empty.
    """

    __slots__ = ("categorical", "classes", "codes", "coding", "ends", "numbers", "numeric", "persons", "rows", "rule", "schema", "signs", "times")

    def __init__(  # noqa: PLR0913 - what is public about a table, a thing each
        self,
        *,
        rows: Matrix,
        signs: Floats | None,
        codes: Codes | None = None,
        numbers: Floats | None = None,
        times: Floats | None = None,
        classes: tuple[Label, ...],
        schema: str,
        numeric: int,
        categorical: int,
        coding: Coding | None = None,
        rule: Persons | None = None,
        persons: "pl.Series | None" = None,
        ends: tuple[float, ...] = (),
    ) -> None:
        """Hold them with what the schema makes public: classes, name and numbers of columns, and which features are dummies of one."""
        self.rows = rows
        self.signs = signs
        self.codes = codes
        self.numbers = numbers
        self.times = times
        self.classes = classes
        self.schema = schema
        self.numeric = numeric
        self.categorical = categorical
        self.coding = Coding() if coding is None else coding
        self.rule = rule
        self.persons = persons
        self.ends = ends

    @property
    def one_number(self) -> Floats | None:
        """`numbers` (n,), for methods with one target. Raises InvalidInput if there are several."""
        if self.numbers is not None and self.numbers.ndim > 1:
            raise InvalidInput(
                "the table was encoded with several targets, and only one is possible here. Encode it with a schema that has a single [target]."
            )
        return self.numbers

    def content(self) -> Iterator[bytes] | None:
        """Rows and targets as bytes, for a ledger's keyed digest, as a fit on this table tells them; None without targets.

        Of some columns alone, that two tables are alike would tell of one record in them: only what is the table is made a digest of.
        """
        known = next((one for one in (self.numbers, self.signs) if one is not None), None)
        if known is None and self.times is not None:
            known = period_numbers(self.times, ends=self.ends).astype(np.int64)
        elif known is None and self.codes is not None:
            known = self.codes.astype(np.int64)
        return None if known is None else chain(self.rows.content(), (known.tobytes(),))

    def __repr__(self) -> str:
        """The schema only: not even the number of rows, which add-remove keeps private."""
        return f"EncodedTable(schema={self.schema!r}, numeric={self.numeric}, categorical={self.categorical})"


def encode_features(frame: "pl.DataFrame", columns: Columns, *, dialect: Dialect, normalise: bool) -> Matrix:
    """The features of every row; where `normalise`, divided by its norm, or zero where that is below SHORTEST."""
    table = encoded_rows(frame, columns, dialect=dialect)
    if not normalise:
        return table
    norms = table.ordered_row_norms()  # a row is a function of its record to the last bit, as a release of rows must have it
    return AugmentedMatrix(table, scale=np.divide(1.0, norms, out=np.zeros_like(norms), where=norms >= SHORTEST), constant=0.0)


def encode_codes(frame: "pl.DataFrame", target: Target, *, dialect: Dialect) -> Codes:
    """Numbers of the classes, from 0, shape (n,)."""
    return encode_labels(frame.get_column(target.column), target, dialect=dialect)


def encode_signs(frame: "pl.DataFrame", target: Target, *, dialect: Dialect) -> Floats:
    """+1 for classes[1] and -1 for classes[0], shape (n,)."""
    return np.where(encode_codes(frame, target, dialect=dialect) == 1, 1.0, -1.0)


def encode_several_numbers(frame: "pl.DataFrame", targets: Sequence[NumberTarget], *, dialect: Dialect) -> Floats:
    """In [-1, 1], shape (n, m)."""
    return np.column_stack([encode_target_numbers(frame, target, dialect=dialect) for target in targets])


def encode_target_numbers(frame: "pl.DataFrame", target: NumberTarget, *, dialect: Dialect) -> Floats:
    """In [-1, 1], shape (n,)."""
    return encode_numbers(frame.get_column(target.column), target, dialect=dialect)
