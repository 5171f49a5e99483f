"""Tables of every kind as one: the needed columns of a polars, pandas or pyarrow table, or of a mapping, as a polars DataFrame.

Only the needed columns are touched. pandas and pyarrow are never imported here: a table of theirs can only exist where its owner has imported them.
A column of Python objects (numbers, dates) is turned into text cell by cell (see `labels`), so that mixed columns read as they would from a CSV file.
Mistakes raise InvalidInput or one of its kinds with names of the schema; no message tells a cell, a row number or a count of rows.
"""

import math
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.core.errors import InvalidInput, InvalidType, SchemaError, quietly, quoted
from discreet.core.lazily import lazily
from discreet.data.labels import BLANKS, UNREADABLE

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazily("polars")

_NUMBERS = "biuf"
_OBJECTS = "OUT"
_MOMENTS = "M"
_FINE = frozenset({"us", "ns", "ps", "fs", "as"})
_FAR = 40_000_000
"""Days in which pandas knows the clock of a time zone."""
"""NumPy's kinds of dtype that can be read; raw bytes are neither numbers nor text nor dates."""

MIDNIGHT = re.compile(r"(T00:00:00)?\.000000$")
"""What the text of a moment leaves out (see `labels`)."""

Frame: TypeAlias = Any
"""polars DataFrame or LazyFrame, pandas DataFrame, pyarrow Table, or a mapping from names to sequences."""


def as_frame(frame: Frame, columns: Sequence[str]) -> "pl.DataFrame":
    """`columns` of `frame`, in this order.

    Raises SchemaError for absent or repeated columns, InvalidType for a kind of table not named above, InvalidInput where it cannot be read.
    """
    refusal = InvalidInput(
        "the table could not be read. To see why, convert it to a polars DataFrame yourself: the reason may quote records, so it is not shown here."
    )
    if isinstance(frame, pl.LazyFrame):
        lazy = frame
        check_present(quietly(lambda: lazy.collect_schema().names(), refusal), columns)
        return quietly(lambda: lazy.select(columns).collect(), refusal)
    if isinstance(frame, pl.DataFrame):
        check_present(frame.columns, columns)
        return frame.select(columns)
    if _is_a(frame, "pyarrow", "Table"):
        check_present(frame.column_names, columns)
        converted = quietly(lambda: pl.from_arrow(frame.select(list(columns))), refusal)
        return converted if isinstance(converted, pl.DataFrame) else converted.to_frame()
    if _is_a(frame, "pandas", "DataFrame") or isinstance(frame, Mapping):
        check_present(list(frame.keys()), columns)
        series = [_column(frame[name], name) for name in columns]
        if len({len(one) for one in series}) > 1:
            raise InvalidInput("the columns of a table must have the same length.")
        return pl.DataFrame(series)
    raise InvalidType(
        "a table must be a polars DataFrame or LazyFrame, a pandas DataFrame, a pyarrow Table or a mapping of columns; "
        f"{type(frame).__name__} was given."
    )


def check_present(present: Sequence[object], columns: Sequence[str], *, hint: str = "", source: str = "the table") -> None:
    """SchemaError, naming columns that were asked for only, unless `present` has each of `columns` once."""
    if absent := [name for name in columns if name not in present]:
        asked = f"{source} lacks the columns {quoted(absent)}, which the schema or an option names."
        raise SchemaError(f"{asked} Rename columns of the table, or change these.{hint}")
    if repeated := [name for name in columns if present.count(name) > 1]:
        raise SchemaError(f"{source} has more than one column named {quoted(repeated)}. Give each column its own name.")


def _is_a(frame: object, module: str, name: str) -> bool:
    """Whether `frame` is a `module.name`, without importing the module."""
    loaded = sys.modules.get(module)
    return loaded is not None and isinstance(frame, getattr(loaded, name))


def _column(values: Frame, name: str) -> "pl.Series":
    """One column of a mapping or of a pandas DataFrame."""
    refusal = InvalidInput(f"column {name!r} must hold numbers, text, booleans or dates.")
    return quietly(lambda: column_series(values, name), refusal)


def column_series(values: Frame, name: str, *, text: Callable[[object], str | None] | None = None) -> "pl.Series":
    """One column of polars, pandas or pyarrow, an array or a list; objects by their `text`, that of `cell_text` unless another is given.

    Raises TypeError, or what their own library raises, for anything else.
    """
    if isinstance(values, pl.Series):
        return values.alias(name)
    if _is_a(values, "pyarrow", "Array") or _is_a(values, "pyarrow", "ChunkedArray"):
        return pl.Series(name, pl.from_arrow(values))
    if _is_a(values, "pandas", "Series"):
        values = _of_pandas(values)
    if isinstance(values, np.ndarray) and values.dtype.kind == _MOMENTS:
        values = _in_microseconds(values)
    if isinstance(values, np.ndarray) and not isinstance(values, np.ma.MaskedArray):
        if values.ndim != 1 or values.dtype.kind not in _NUMBERS + _OBJECTS + _MOMENTS:
            raise TypeError
        if values.dtype.kind == "f":
            return pl.Series(name, values.astype(np.float64, copy=False))
        if values.dtype.kind in _NUMBERS + _MOMENTS:
            return pl.Series(name, values)
    if isinstance(values, str | bytes):
        raise TypeError
    return object_texts(name, values.tolist() if isinstance(values, np.ndarray) else list(values), text=text or cell_text)


def _of_pandas(values: Frame) -> npt.NDArray[Any]:
    """The cells of a pandas Series (n,), objects with None for missing ones; moments by their own clock."""
    if getattr(values.dtype, "tz", None) is not None:
        everywhere = values.dt.tz_convert(None).to_numpy()
        far = ~np.isnat(everywhere) & (np.abs(everywhere.astype("datetime64[D]").astype(np.int64)) > _FAR)
        # pandas refuses the whole column for a moment beyond the clocks that it knows.
        return np.where(far, everywhere, values.mask(far).dt.tz_localize(None).to_numpy())
    cells: npt.NDArray[Any] = values.to_numpy()
    if cells.dtype.kind in _OBJECTS:
        cells = cells.astype(object)
        cells[values.isna().to_numpy(dtype=bool)] = None
    return cells


def _in_microseconds(moments: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Moments of any unit (n,); objects, where one cannot be read since its microseconds do not fit into 64 bits."""
    found = moments.astype("datetime64[us]")
    if np.datetime_data(moments.dtype)[0] in _FINE or not (lost := (found.astype(moments.dtype) != moments) & ~np.isnat(moments)).any():
        return found
    cells = np.empty(len(found), dtype=object)
    cells[:] = list(found)
    cells[lost] = UNREADABLE
    return cells


def cell_text(cell: object) -> str | None:  # noqa: PLR0911 - one line a type
    """The text of one cell (see `labels`). Raises TypeError for anything but None, text, numbers, booleans and dates."""
    match cell:
        case None:
            return None
        case str():
            return cell.strip(BLANKS)
        case bool() | np.bool_():
            return "true" if cell else "false"
        case int() | np.integer():
            return str(int(cell))
        case float() | np.floating() | Decimal():
            number = float(cell)
            return None if math.isnan(number) else str(int(number)) if number.is_integer() else repr(number)
        case np.datetime64() | date():
            return _date_text(cell)
        case time():
            return MIDNIGHT.sub("", cell.isoformat(timespec="microseconds"))
        case _:
            raise TypeError


def _date_text(cell: np.datetime64 | date) -> str | None:
    given = cell.astype("datetime64[us]").item() if isinstance(cell, np.datetime64) else cell
    if isinstance(given, datetime):
        there = given == given  # noqa: PLR0124 - pandas' NaT is a datetime
        return MIDNIGHT.sub("", given.replace(tzinfo=None).isoformat(timespec="microseconds")) if there else None
    if given is not None and not isinstance(given, date):
        raise TypeError  # NumPy has no date for it
    return None if given is None else given.isoformat()


def object_texts(name: str, cells: Sequence[object], *, text: Callable[[object], str | None] = cell_text) -> "pl.Series":
    """Python objects as text, None for missing ones, UNREADABLE for those that have none."""
    return pl.Series(name, [_text_of(cell, text) for cell in cells], dtype=pl.String)


def _text_of(cell: object, text: Callable[[object], str | None]) -> str | None:
    try:
        found = text(cell)
        return found if found is None or found.isascii() else found.encode().decode()  # half a surrogate pair is no text
    except Exception:  # noqa: BLE001 - whatever a type of the user's own raises is a matter of this cell
        return UNREADABLE
