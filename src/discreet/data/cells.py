"""Cells to numbers: one column and its declaration in, one array out, every cell by itself.

A cell is missing when it is null, NaN, an empty or blank text, or one of the declared `missing_values` (as text; in a numeric column also as a
number). Texts are read as the table's file writes them (module `dialect`), which may say that what cannot be read is missing. Anything else that the
declaration does not cover raises InvalidInput with the name of the column and the line to add, never with the cell.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput, quietly
from discreet.core.frameless import frameless
from discreet.core.lazily import lazily
from discreet.data.clock import is_moment, moment_days, moment_texts, time_texts
from discreet.data.columns import CategoricalColumn, DateColumn, NumberTarget, NumericColumn, Target
from discreet.data.dialect import Dialect
from discreet.data.frames import object_texts
from discreet.data.labels import BLANKS, Label, canonical, spellings, texts_of
from discreet.data.piecewise import piecewise
from discreet.data.toml_text import toml_key

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazily("polars")

Codes: TypeAlias = npt.NDArray[np.int32]
"""Positions in a list of labels."""


def encode_numbers(series: "pl.Series", column: NumericColumn | NumberTarget, *, dialect: Dialect) -> Floats:
    """The column in [0, 1] or [-1, 1], shape (n,)."""
    return scaled(bounded_numbers(series, column, dialect=dialect), column)


def scaled(values: Floats, column: NumericColumn | NumberTarget) -> Floats:
    """`values` (n,) within the bounds as they are encoded linearly, changed in place."""
    values -= column.lower
    values /= column.upper - column.lower
    if column.scale == "symmetric":
        values *= 2.0
        values -= 1.0
    return values


def bounded_numbers(series: "pl.Series", column: NumericColumn | NumberTarget, *, dialect: Dialect) -> Floats:
    """The column in its own unit and within its bounds, shape (n,), an array of our own; NaN for missing values that have an indicator."""
    if isinstance(column, NumberTarget):
        table, otherwise = "[target]", "declare its classes under [target] instead of bounds if it has any"
    else:
        table, otherwise = f"[numeric.{toml_key(column.name)}]", f"declare the column under [categorical.{toml_key(column.name)}]"
    no_number = _no_number(column.where, dialect, otherwise)
    values = quietly(lambda: _numbers(series, dialect, no_number), no_number)
    gap = None if isinstance(column.missing, str) else column.missing
    return _within(values, column, (column.lower, column.upper), gap, table, "NUMBER", f"[{column.lower!r}, {column.upper!r}]")


def _within(
    values: Floats,
    column: NumericColumn | NumberTarget | DateColumn,
    bounds: tuple[float, float],
    gap: float | None,
    table: str,
    what: str,
    shown: str,
) -> Floats:
    """`values` (n,) between the bounds, changed in place: missing ones as `gap` or refused, those outside clipped or refused."""
    gaps, (lower, upper) = np.isnan(values), bounds
    if gap is not None:
        values[gaps] = gap
    elif column.missing is None and gaps.any():
        raise InvalidInput(f"{column.where} has a missing value. Add missing = {what} (between the bounds) under {table} to say how to treat it.")
    if column.outside is None and not np.all((values >= lower) & (values <= upper) | np.isnan(values)):
        raise InvalidInput(
            f"{column.where} has a value outside its bounds {shown}. "
            f'Add outside = "clip" under {table} to move it to the nearer bound, or widen the bounds if values beyond them are known to be possible.'
        )
    return np.clip(values, lower, upper, out=values)


def bounded_days(series: "pl.Series", column: DateColumn, *, dialect: Dialect) -> Floats:
    """Dates as days since 1970-01-01 within the bounds, shape (n,), an array of our own; NaN for missing ones that have an indicator."""
    table = f"[date.{toml_key(column.name)}]"
    no_date = InvalidInput(
        f'{column.where} must contain dates, or texts such as 1990-01-31; something else was found. List texts that mean "missing" in '
        'missing_values, or add unreadable = "missing" under [file] to count every such cell as missing.'
    )
    values = quietly(lambda: _days(series, dialect, no_date), no_date)
    return _within(values, column, (column.bounds.lower, column.bounds.upper), column.gap, table, "DATE", f"[{column.lower}, {column.upper}]")


def column_numbers(series: "pl.Series", *, dialect: Dialect) -> Floats:
    """The column as it is, shape (n,), NaN where a value is missing; for bounds that are still to be chosen."""
    name = series.name
    no_number = _no_number(f"numeric column {name!r}", dialect, "")
    return quietly(lambda: _numbers(series, dialect, no_number), no_number)


def encode_labels(series: "pl.Series", column: CategoricalColumn | Target, *, dialect: Dialect) -> Codes:
    """The position of each cell's label among the categories or classes, shape (n,)."""
    if isinstance(column, Target):
        labels, key, table, singular = column.classes, "classes", "[target]", "CLASS"
    else:
        labels, key, table, singular = column.categories, "categories", f"[categorical.{toml_key(column.name)}]", "CATEGORY"
    unreadable = InvalidInput(f"{column.where} must contain text, integers or booleans. Convert it first.")
    codes = quietly(lambda: _codes(series, labels, column, dialect), unreadable)
    _fill(
        codes,
        _MISSING,
        column.missing,
        labels,
        f"{column.where} has a missing value. Add missing = {singular} under {table} to say how to treat it.",
    )
    _fill(
        codes,
        _UNDECLARED,
        column.other,
        labels,
        f"{column.where} has a value that is not one of its declared {key}. Add other = {singular}"
        f" under {table} to say how to treat it, or complete {key} if possible ones are known to be absent there.",
    )
    return codes


_TRUTHS = {text: canonical(label) for label in (False, True) for text in spellings(label)}
_MISSING = -1
_UNDECLARED = -2


def _fill(codes: Codes, mark: int, label: Label | None, labels: Sequence[Label], message: str) -> None:
    """Replace `mark` by the position of `label`, or refuse it."""
    marked = codes == mark
    if label is not None:
        codes[marked] = [canonical(one) for one in labels].index(canonical(label))
    elif marked.any():
        raise InvalidInput(message)


def _no_number(where: str, dialect: Dialect, otherwise: str) -> InvalidInput:
    remedies = ['List texts that mean "missing" in missing_values', 'add unreadable = "missing" under [file] to count every such cell as missing']
    if not dialect.numbers:
        remedies.append('add decimal = "," or thousands = "," under [file] if numbers are written so')
    elif not dialect.thousands:
        remedies.append('add thousands = "." under [file] if points group digits by three')
    *first, last = [*remedies, *([otherwise] if otherwise else [])]
    advice = f"{', '.join(first)}, or {last}" if first else last
    return InvalidInput(f"{where} must hold numbers{dialect.numbers}; something else was found. {advice}.")


def _numbers(series: "pl.Series", dialect: Dialect, no_number: InvalidInput) -> Floats:
    """Float64 with NaN for missing cells, in an array of our own."""
    if series.dtype.is_numeric() or series.dtype == pl.Null:
        values = series.cast(pl.Float64).to_numpy()
    else:
        texts = without_markers(cell_texts(series), dialect)
        parsed = dialect.plain_numbers(texts).cast(pl.Float64, strict=False)
        if dialect.unreadable == "refuse" and (parsed.is_null() & texts.is_not_null()).any():
            raise no_number
        values = parsed.to_numpy()
    values = np.array(values, dtype=np.float64)
    values[np.isin(values, marked_numbers(dialect))] = np.nan
    return values


def marked_numbers(dialect: Dialect) -> Floats:
    """Those that stand for a missing value, however they are written."""
    markers = pl.Series("", list(dialect.missing), dtype=pl.String)
    return np.asarray(dialect.plain_numbers(markers).cast(pl.Float64, strict=False).drop_nulls().to_numpy())


_FORMS = ("%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f")
_ZONE = r"(\d\d:\d\d.*?)(?:Z|[+-]\d\d:?\d\d)$"


def _days(series: "pl.Series", dialect: Dialect, no_date: InvalidInput) -> Floats:
    """Days since 1970-01-01 with NaN for missing cells, in an array of our own; moments with a time zone count by their own clock."""
    if is_moment(series):
        values = moment_days(series)
    else:
        texts = without_markers(cell_texts(series), dialect)
        moments = moments_of(texts, dialect)
        if dialect.unreadable == "refuse" and (moments.is_null() & texts.is_not_null()).any():
            raise no_date
        values = _in_days(moments)
    values[np.isin(values, marked_days(dialect))] = np.nan
    return values


def marked_days(dialect: Dialect) -> Floats:
    """Days since 1970-01-01 that stand for a missing value, however they are written."""
    return _in_days(moments_of(pl.Series("", list(dialect.missing), dtype=pl.String), dialect).drop_nulls())


def moments_of(texts: "pl.Series", dialect: Dialect) -> "pl.Series":
    """Microseconds since 1970-01-01, null for what is neither ISO 8601 text nor as the file writes dates; a time zone behind a time is left out."""
    return piecewise(lambda part: _moments_of(part, dialect), texts, pl.Int64)


def _moments_of(texts: "pl.Series", dialect: Dialect) -> "pl.Series":
    texts = texts.str.replace(_ZONE, "$1")
    moments = pl.Series(texts.name, [None] * len(texts), dtype=pl.Int64)
    for form in (*_FORMS, *dialect.date_forms):
        kind = pl.Datetime("us") if "%H" in form else pl.Date
        read = texts.str.strptime(kind, form, strict=False).cast(pl.Datetime("us")).dt.timestamp("us")
        moments = pl.select(pl.coalesce(moments, read)).to_series()
    return moments


def _in_days(moments: "pl.Series") -> Floats:
    """Microseconds as days, in an array of our own, NaN for null."""
    return np.array(moments.cast(pl.Float64).to_numpy(), dtype=np.float64) / 86_400e6


def _codes(series: "pl.Series", labels: Sequence[Label], column: CategoricalColumn | Target, dialect: Dialect) -> Codes:
    """Positions among the labels, with the two marks for cells that have none."""
    texts = dialect.folded_cells(without_markers(cell_texts(series), dialect))
    known = {dialect.folded(text): code for code, texts_of in enumerate(texts_of(labels, column.aliases)) for text in texts_of}
    codes = texts.replace_strict(list(known), list(known.values()), default=_UNDECLARED, return_dtype=pl.Int32)
    missing = texts.is_null().to_numpy()
    return np.where(missing, _MISSING, codes.fill_null(_MISSING).to_numpy()).astype(np.int32, copy=False)


def cell_texts(series: "pl.Series") -> "pl.Series":
    """The text of every cell (see `labels`), null for missing ones."""
    dtype = series.dtype
    if dtype == pl.String or dtype in (pl.Categorical, pl.Enum):
        return series.cast(pl.String).str.strip_chars(BLANKS)
    if dtype.is_integer() or dtype in (pl.Boolean, pl.Null):
        return series.cast(pl.String)
    if is_moment(series):
        return moment_texts(series)
    if dtype == pl.Time:
        return time_texts(series)
    if dtype.is_numeric() or dtype == pl.Object:
        return object_texts(series.name, series.to_list())
    raise TypeError


def as_labels(texts: "pl.Series") -> "pl.Series":
    """Texts, of those that match the same integer or boolean label the first one."""
    return texts.str.replace(r"^(0|-?[1-9][0-9]*)\.0$", "${1}").replace(_TRUTHS)


def without_markers(texts: "pl.Series", dialect: Dialect) -> "pl.Series":
    """Null for the empty text and for the declared texts of a missing value."""
    gap = dialect.folded_cells(texts).is_in(["", *map(dialect.folded, dialect.missing)])
    return texts.set(gap.fill_null(value=True), None)


@frameless
def number_rows(frame: "pl.DataFrame", columns: Sequence[str]) -> Floats:
    """Columns of numbers as they are, (n, d), NaN where a value is missing. Raises InvalidInput, with a column's name, for other cells."""
    rows = np.empty((frame.height, len(columns)))
    for place, name in enumerate(columns):
        rows[:, place] = column_numbers(frame.get_column(name), dialect=Dialect())
    return rows
