"""The embedded table and its schema, as a user would hold them.

The 14 columns of the repository under their names, `income` without the trailing dots of adult.test, and `test`, true for the rows of adult.test.
"?" is kept as it is: the schema says what it counts as.
"""

import io
from importlib import resources

import polars as pl

from discreet.data.schema import Schema


def load_adult() -> pl.DataFrame:
    """All 48,842 rows with 16 columns: first those of adult.data, then those of adult.test."""
    return pl.read_parquet(io.BytesIO(_file("adult.parquet")))


def adult_schema() -> Schema:
    """Bounds from the survey and categories from adult.names: d = 108."""
    return Schema.from_toml(_file("adult.toml").decode())


def _file(name: str) -> bytes:
    return resources.files("discreet.data.adult").joinpath(name).read_bytes()
