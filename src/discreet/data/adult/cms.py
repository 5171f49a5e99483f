"""Adult as Chaudhuri, Monteleoni and Sarwate (2011, section 7.1) prepared it: 45,222 rows, d = 105.

    x = (numbers / their maximum, one 1 a categorical column) / |(...)|_2,   y = +1 for more than 50,000 dollars

One 1 among the categories that adult.names declares, the empty Never-worked included; no intercept. A preparation for studies, not an encoding: rows
with a missing cell are dropped and the maxima are those of the table, so it is no function of one record at a time. Who trains on private records
uses a Schema.
"""

from dataclasses import replace
from typing import cast

import numpy as np
import polars as pl
from scipy import sparse

from discreet.core.arrays import Floats
from discreet.data.adult.table import adult_schema, load_adult
from discreet.data.cells import encode_labels
from discreet.data.columns import Target
from discreet.data.dialect import Dialect
from discreet.data.layout import encode_signs
from discreet.data.schema import Schema

MAXIMA = {"age": 90, "fnlwgt": 1_490_400, "education-num": 16, "capital-gain": 99_999, "capital-loss": 4_356, "hours-per-week": 99}
"""The largest value of each numeric column in the complete rows."""

SHAPE = (45_222, 105)


def adult_cms() -> tuple[sparse.csr_array, Floats]:
    """The rows, (45222, 105) of norm 1 in the order of `load_adult`, and their signs (45222,): numeric columns first, then one-hot columns."""
    complete = load_adult().filter(~pl.any_horizontal(pl.col(pl.String) == "?"))
    numbers = np.column_stack([complete.get_column(name).to_numpy() / largest for name, largest in MAXIMA.items()])
    columns = [np.broadcast_to(np.arange(len(MAXIMA), dtype=np.int32), numbers.shape)]
    features = len(MAXIMA)
    schema = _without_unknown(adult_schema())
    for column in schema.categorical:
        columns.append(features + encode_labels(complete.get_column(column.name), column, dialect=Dialect())[:, None])
        features += len(column.categories)
    values = np.column_stack([numbers, np.ones((len(numbers), len(schema.categorical)))])
    values /= np.linalg.norm(values, axis=1, keepdims=True)
    starts = values.shape[1] * np.arange(len(values) + 1, dtype=np.int32)
    rows = sparse.csr_array((values.ravel(), np.hstack(columns).ravel(), starts), shape=(len(values), features))
    rows.eliminate_zeros()
    if rows.shape != SHAPE:
        raise AssertionError(f"Adult as prepared in 2011 has the shape {SHAPE}; {rows.shape} came out. The embedded files do not belong together.")
    return rows, encode_signs(complete, cast(Target, schema.target), dialect=Dialect())  # the embedded schema declares two classes


def _without_unknown(schema: Schema) -> Schema:
    """The schema with the categories that adult.names declares and no others."""
    declared = [
        replace(column, categories=tuple(one for one in column.categories if one != column.missing), missing=None) for column in schema.categorical
    ]
    return replace(schema, categorical=tuple(declared))
