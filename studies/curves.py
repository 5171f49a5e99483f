"""From results to lines: the mean over repeats, with its standard error, against one setting, a line a name."""

from collections.abc import Mapping

import polars as pl

from studies.figures import Line
from studies.results import summary


def curves(rows: pl.DataFrame, *, x: str, names: Mapping[str, str], by: str = "method", shift: float = 0.0) -> list[Line]:
    """Lines for the values of column `by` in `names` (value -> name in the legend), in that order; those without rows are left out.

    A name that ends in "*" is drawn dashed, without the star. `shift` is added to every mean (1 for "relative error" as a ratio).
    """
    made = []
    for value, name in names.items():
        found = summary(rows.filter(pl.col(by) == value), [x]) if by in rows.columns else pl.DataFrame()
        if len(found):
            made.append(
                Line(
                    name=name.removesuffix("*"),
                    dashed=name.endswith("*"),
                    x=[float(one) for one in found.get_column(x)],
                    y=[one + shift for one in found.get_column("mean")],
                    error=list(found.get_column("error")),
                )
            )
    return made


def level(name: str, value: float, lines: list[Line]) -> Line:
    """A dashed line at one value, as long as the others."""
    ends = [place for line in lines for place in line.x]
    return Line(name=name, x=[min(ends), max(ends)], y=[value, value], dashed=True, marked=False, colour="#222222")
