"""What a study found: one row a number, in columns part, settings, measure, value (tidy), and their summaries."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """All numbers of one run."""

    frame: pl.DataFrame
    """One row a number."""
    quick: bool
    missing: Mapping[str, tuple[str, ...]]
    """Parts of which cells were left out, each with the names of the tables that they needed."""

    def has(self, part: str) -> bool:
        """Whether any number of a part is there."""
        return "part" in self.frame.columns and bool((self.frame.get_column("part") == part).any())

    def part(self, part: str, **settings: object) -> pl.DataFrame:
        """Rows of a part, with columns equal to the given settings; columns that are empty in it are dropped."""
        rows = self.frame.filter(pl.col("part") == part)
        for name, value in settings.items():
            rows = rows.filter(pl.col(name) == value)
        return rows.select([column for column in rows.columns if not rows.get_column(column).is_null().all()])

    def value(self, part: str, **settings: object) -> float:
        """The mean of the values of a part with the given settings; NaN where there are none."""
        names = [name for name in settings if name not in self.frame.columns]
        if names or not self.has(part):
            return float("nan")
        rows = self.part(part, **settings)
        mean = rows.get_column("value").mean() if "value" in rows.columns else None
        return float(mean) if isinstance(mean, (int, float)) else float("nan")

    def error(self, part: str, **settings: object) -> float:
        """The standard error of `value` over repeats; NaN for fewer than two."""
        rows = self.part(part, **settings) if self.has(part) else pl.DataFrame()
        values = rows.get_column("value").drop_nulls() if "value" in rows.columns else pl.Series([], dtype=pl.Float64)
        spread = values.std() if len(values) > 1 else None
        return float(spread) / float(len(values)) ** 0.5 if isinstance(spread, (int, float)) else float("nan")


def summary(rows: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """Columns `by`, then mean, error (standard error of the mean; 0 for one value) and count of the values, sorted by `by`."""
    value = pl.col("value")
    return (
        rows.filter(value.is_not_null())
        .group_by(list(by))
        .agg(value.mean().alias("mean"), (value.std() / value.count().sqrt()).fill_null(0.0).alias("error"), value.count().alias("count"))
        .sort(list(by), nulls_last=True)
    )


def tidy(records: Iterable[Mapping[str, object]]) -> pl.DataFrame:
    """Records as a table; a column of numbers is of floating-point numbers if any of its values is, of text if any of its values is."""
    rows = list(records)
    names: dict[str, None] = {"part": None}
    for row in rows:
        names.update(dict.fromkeys(row))
    last = [name for name in ("measure", "value") if name in names]
    ordered = [name for name in names if name not in last] + last
    return pl.DataFrame({name: _column([row.get(name) for row in rows], name == "value") for name in ordered})


def _column(values: list[object], number: bool) -> pl.Series:  # noqa: FBT001 - one call
    kinds = {type(value) for value in values if value is not None}
    if number or (float in kinds and kinds <= {int, float}):
        return pl.Series([float(value) if isinstance(value, (int, float)) else None for value in values], dtype=pl.Float64)
    if kinds == {bool}:
        return pl.Series(values, dtype=pl.Boolean)
    if kinds == {int}:
        return pl.Series(values, dtype=pl.Int64)
    return pl.Series([None if value is None else str(value) for value in values], dtype=pl.String)
