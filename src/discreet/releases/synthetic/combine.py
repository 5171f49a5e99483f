"""Intervals from several synthetic tables of one release, which count both noises.

Each of m tables was drawn from counts with noise of the released law once more, row by row, and has about as many rows as there are records. So an
estimate varies between tables by what the noise, and by what the sampling of so many rows, makes it vary; and the mean q of m of them varies around
what the population has by the same once (the released counts themselves) and by an m-th of it:

    T = (1 + 1 / m) B,    B the variance between the tables' estimates;    q +- t_{m - 1} sqrt(T)

One variance more than in Reiter's rule for synthetic data (2003), which takes the variance within tables from each: here it is in B already.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from discreet.core.errors import InvalidInput
from discreet.core.validate import interval_level


class Combined(NamedTuple):
    """An estimate with its interval."""

    estimate: float
    low: float
    high: float


def combined(estimates: Sequence[float], *, level: float = 0.95) -> Combined:
    """Combine the same estimate on each of m >= 2 synthetic tables.

    Raises InvalidInput for fewer, for values that are not numbers, or for a level outside (0, 1).
    """
    values = np.asarray(estimates, dtype=np.float64)
    if values.ndim != 1 or len(values) < 2 or not np.all(np.isfinite(values)):
        raise InvalidInput(
            "an interval needs the same estimate from at least two synthetic tables, as finite numbers; release with tables=5 or more."
        )
    interval_level(level)
    count = len(values)
    middle, total = float(values.mean()), (1.0 + 1.0 / count) * float(values.var(ddof=1))
    half = float(stdtrit(count - 1, 0.5 + 0.5 * level)) * math.sqrt(total)
    return Combined(middle, middle - half, middle + half)
