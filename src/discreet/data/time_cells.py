"""Cells of a target that is a time: module `targets` says what they mean."""

from typing import TYPE_CHECKING

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput, quietly
from discreet.core.lazily import lazily
from discreet.data.cells import cell_texts, column_numbers, without_markers
from discreet.data.dialect import Dialect
from discreet.data.labels import spellings
from discreet.data.targets import TimeTarget

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazily("polars")


def encode_times(frame: "pl.DataFrame", target: TimeTarget, *, dialect: Dialect) -> Floats:
    """Times, and 1 where it happened then or 0 where a record was not seen any longer, shape (n, 2). Raises InvalidInput for other cells."""
    no_number = InvalidInput(f"{target.where} must contain numbers; something else was found, or a value is missing. Leave such records out.")
    times = quietly(lambda: column_numbers(frame.get_column(target.column), dialect=dialect), no_number)
    if not np.all(np.isfinite(times)):
        raise no_number
    if target.outside is None and np.any(times < 0.0):
        raise InvalidInput(f'{target.where} has a time below 0. Add outside = "clip" under [target] to count it as 0, or leave such records out.')
    happened = np.ones(len(times)) if target.event is None else _happened(frame.get_column(target.event), target, dialect)
    return np.column_stack((np.maximum(times, 0.0), happened))


def _happened(series: "pl.Series", target: TimeTarget, dialect: Dialect) -> Floats:
    column = f"target column {series.name!r}"
    texts = quietly(lambda: without_markers(cell_texts(series), dialect), InvalidInput(f"{column} must hold text, integers or booleans."))
    if texts.is_null().any():
        raise InvalidInput(f"{column} has a missing value, which does not say whether the event happened. Leave such records out.")
    if target.happened is not None:
        return dialect.folded_cells(texts).is_in([dialect.folded(text) for text in spellings(target.happened)]).to_numpy().astype(np.float64)
    yes = [*spellings(1), *spellings(True)]
    no = [*spellings(0), *spellings(False)]
    if not texts.is_in([*yes, *no]).all():
        raise InvalidInput(
            f"{column} must contain 1 or true, and 0 or false; something else was found. Add happened = VALUE under [target] to say which "
            "value means that the event happened."
        )
    return texts.is_in(yes).to_numpy().astype(np.float64)
