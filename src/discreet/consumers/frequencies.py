"""Shares of categories, from reports that owners randomised themselves (mechanisms/release/categories.md).

    share_i = (c_i / n - q) / (p - q)

c_i of n reports have bit i, p is the probability of the own bit and q that of another one: without bias, below 0 or above 1 by chance. Where persons
are drawn independently from a population of which a share f is in the category, c_i is binomial with q + f (p - q), so the interval of Clopper and
Pearson (1934) for that probability, mapped and clipped to [0, 1], covers f with its level or more, however few the reports are. Each interval is
about one category; those of several are not wrong together with the same probability.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.short import short_repr
from discreet.core.told import Range, Tabled, Told
from discreet.core.validate import interval_level
from discreet.data import Schema
from discreet.data.labels import Label, canonical
from discreet.mechanisms.release.categories import unbiased, variance
from discreet.releases import Reports, read_reports
from discreet.sets import Simplex


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Frequencies(Tabled):
    """The shares of one column's categories among the persons who answered, and their intervals."""

    column: str
    categories: tuple[Label, ...]
    reports: int
    """n."""
    unbiased: Floats
    """(k,); may be below 0 or above 1."""
    lower: Floats
    """(k,), in [0, 1]: of the population that persons were drawn from."""
    upper: Floats
    level: float
    """Of each interval."""
    noise: float
    """Standard deviation of `unbiased` by the randomisation alone, for a rare category."""

    __repr__ = short_repr

    def told(self) -> Told:
        """The text shown by `print` and in notebooks."""
        ends = zip(map(canonical, self.categories), self.lower.tolist(), self.shares.tolist(), self.upper.tolist(), strict=True)
        found = [Range(name=name, low=low, middle=share, high=high) for name, low, share, high in ends]
        return Told(
            title=f"Shares of {self.column}",
            facts=[("Answers", f"{self.reports:,}"), ("Noise", f"moves the share of a rare category by about {self.noise:.3g}")],
            caption=f"Shares, with {100 * self.level:g} % intervals, each by itself",
            header=("Category", "Low", "Share", "High"),
            rows=[(one.name, *(f"{end:.4f}" for end in (one.low, one.middle, one.high))) for one in found],
            ranges=found,
        )

    @property
    def shares(self) -> Floats:
        """The nearest shares that are at least 0 and sum to 1, (k,): nicer to show, but biased towards each other."""
        return Simplex(dimension=len(self.unbiased)).project(self.unbiased)

    def rows(self) -> list[dict[str, object]]:
        """A plain table, one row per category: its column, label, share, unbiased share and the ends of its interval."""
        numbers = zip(self.categories, self.shares, self.unbiased, self.lower, self.upper, strict=True)
        keys = ("category", "share", "unbiased", "lower", "upper")
        return [{"column": self.column, **dict(zip(keys, (label, *map(float, rest)), strict=True))} for label, *rest in numbers]


def frequencies(reports: Reports | Iterable[str], schema: Schema | None = None, *, level: float = 0.95) -> dict[str, Frequencies]:
    """The shares of each column, by name, from lines of `discreet randomise --delta 0`; if the target was included, also of its classes.

    `reports` is the result of `read_reports`, or the lines themselves, which need the schema. Costs no privacy. Raises InvalidInput for an invalid
    level, and as `read_reports` does.
    """
    interval_level(level)
    if not isinstance(reports, Reports):
        if schema is None:
            raise InvalidInput("pass the schema that the owners of the lines used; none was given.")
        reports = read_reports(reports, schema)
    count = len(reports)
    made = {}
    for column in reports.columns:
        law, cells, odds, held = column.law, len(column.labels), column.odds, column.bits.sum(axis=0, dtype=np.float64)
        lower, upper = (np.clip(unbiased(law, cells, odds, bound), 0.0, 1.0) for bound in _clopper_pearson(held, count, level))
        made[column.name] = Frequencies(
            column=column.name,
            categories=column.labels,
            reports=count,
            unbiased=unbiased(law, cells, odds, held / count),
            lower=lower,
            upper=upper,
            level=level,
            noise=float(np.sqrt(variance(law, cells, odds) / count)),
        )
    return made


def _clopper_pearson(hits: Floats, trials: int, level: float) -> tuple[Floats, Floats]:
    """Clopper and Pearson's interval of a share, from a binomial count."""
    tail, misses = 0.5 * (1.0 - level), trials - hits
    lower = np.where(hits > 0, betaincinv(np.maximum(hits, 1.0), misses + 1.0, tail), 0.0)
    upper = np.where(misses > 0, betaincinv(hits + 1.0, np.maximum(misses, 1.0), 1.0 - tail), 1.0)
    return lower, upper
