"""From cells to rows: numbers and dates as their encodings say, then one-hot columns and crosses; each row by itself.

    x = (numbers and dates, each column of norm 1 at most, one 1 a categorical column or cross), then x / |x|_2 where rows are normalised

The result is held as numbers and codes, never as a table of zeros and ones; see `discreet.matrices`.
"""

from collections.abc import Sequence

import numpy as np
import polars as pl

from discreet.core.arrays import Floats
from discreet.core.private import holds_records
from discreet.data.cells import Codes, encode_labels, encode_numbers
from discreet.data.coding import Coding
from discreet.data.columns import NumberTarget, Target
from discreet.data.labels import Label
from discreet.data.layout import Columns, encoded_rows
from discreet.matrices import AugmentedMatrix, Matrix


@holds_records
class EncodedTable:
    """Private rows (n, d) as a Matrix and, where asked for, their classes or numbers.

    Two classes are `signs` (n,) of +1.0 and -1.0, more are `codes` (n,), numbers from 0, and a target that is a number is `numbers` (n,) in [-1, 1];
    what was not asked for, or is another, is None. `classes` is empty for numbers.
    """

    __slots__ = ("categorical", "classes", "codes", "coding", "numbers", "numeric", "rows", "schema", "signs")

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

    def __repr__(self) -> str:
        """The schema only: not even the number of rows, which add-remove keeps private."""
        return f"EncodedTable(schema={self.schema!r}, numeric={self.numeric}, categorical={self.categorical})"


def encode_features(frame: pl.DataFrame, columns: Columns, *, markers: Sequence[str], normalise: bool) -> Matrix:
    """The features of every row, divided by the row's norm where `normalise`."""
    table = encoded_rows(frame, columns, markers=markers)
    if not normalise:
        return table
    norms = table.row_norms()
    return AugmentedMatrix(table, scale=np.divide(1.0, norms, out=np.ones_like(norms), where=norms > 0.0), constant=0.0)


def encode_codes(frame: pl.DataFrame, target: Target, *, markers: Sequence[str]) -> Codes:
    """Numbers of the classes, from 0, shape (n,)."""
    return encode_labels(frame.get_column(target.column), target, markers=markers)


def encode_signs(frame: pl.DataFrame, target: Target, *, markers: Sequence[str]) -> Floats:
    """+1 for classes[1] and -1 for classes[0], shape (n,)."""
    return np.where(encode_codes(frame, target, markers=markers) == 1, 1.0, -1.0)


def encode_target_numbers(frame: pl.DataFrame, target: NumberTarget, *, markers: Sequence[str]) -> Floats:
    """In [-1, 1], shape (n,)."""
    return encode_numbers(frame.get_column(target.column), target, markers=markers)
