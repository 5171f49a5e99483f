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

from discreet.core.arrays import Floats, is_finite
from discreet.core.errors import InvalidInput
from discreet.data import Schema
from discreet.data.labels import Label
from discreet.mechanisms.release.categories import columns_of, unbiased, variance
from discreet.queries import Target
from discreet.releases.local_categories import counted_reports, labels_of
from discreet.sets import Simplex


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Frequencies:
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
    noise: float
    """Standard deviation of `unbiased` by the randomisation alone, for a rare category."""

    @property
    def shares(self) -> Floats:
        """The nearest shares that are none below 0 and add up to 1, (k,): better to show, and biased towards each other."""
        return Simplex(dimension=len(self.unbiased)).project(self.unbiased)


def frequencies(lines: Iterable[str], schema: Schema, *, level: float = 0.95) -> dict[str, Frequencies]:
    """The shares of each column from lines of `discreet randomise --delta 0`, by its name, the target's classes among them where it was asked for.

    Blank lines are skipped. Each line is checked against its own certificate and the first. Costs no privacy. Raises InvalidInput for a level that is
    none and where there is no line, FileFormatError for a line that is damaged or was made otherwise.
    """
    if not (is_finite(level) and 0 < level < 1):
        raise InvalidInput(f"the level of an interval is between 0 and 1; {level!r} was given.")
    first, counts, reports = counted_reports(lines, schema)
    stated = first.certificate
    columns = list(columns_of(stated.parameters, stated.problem))
    target = Target.NOISY if len(columns) > len(schema.categorical) else Target.OMITTED
    made = {}
    ends = np.cumsum([cells for _, cells, _ in columns])
    for (name, labels), (law, cells, odds), held in zip(labels_of(schema, target), columns, np.split(counts, ends[:-1]), strict=True):
        lower, upper = (np.clip(unbiased(law, cells, odds, bound), 0.0, 1.0) for bound in _clopper_pearson(held, reports, level))
        made[name] = Frequencies(
            column=name,
            categories=labels,
            reports=reports,
            unbiased=unbiased(law, cells, odds, held / reports),
            lower=lower,
            upper=upper,
            noise=float(np.sqrt(variance(law, cells, odds) / reports)),
        )
    return made


def _clopper_pearson(hits: Floats, trials: int, level: float) -> tuple[Floats, Floats]:
    """Of binomial counts."""
    tail, misses = 0.5 * (1.0 - level), trials - hits
    lower = np.where(hits > 0, betaincinv(np.maximum(hits, 1.0), misses + 1.0, tail), 0.0)
    upper = np.where(misses > 0, betaincinv(hits + 1.0, np.maximum(misses, 1.0), 1.0 - tail), 1.0)
    return lower, upper
