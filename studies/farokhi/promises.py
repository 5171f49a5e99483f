"""What theorem 2.5 promises, and what the same noise gives exactly.

printed   size (1 + sqrt(2 ln(1/delta))) <= epsilon,   size = lambda^{1/4} |Pi^{1/4}|_{inf,2}:  ranges of 1, whatever the data
exact     delta_G(epsilon; mu) <= delta,   mu = the distance of two records in the metric of the noise; for ranges of 1 it is `size`
"""

import math
from collections.abc import Iterator

import numpy as np

from discreet.accounting import gaussian_delta, gaussian_mu
from studies.base import Record
from studies.tables import Tables

DELTAS = tuple(10.0**-power for power in range(1, 10))


def printed_epsilon(size: float, delta: float) -> float:
    """Theorem 2.5."""
    return size * (1.0 + math.sqrt(2.0 * math.log(1.0 / delta)))


def exact_epsilon(mu: float, delta: float) -> float:
    """The least epsilon of a Gaussian mechanism of size mu at delta."""
    low, high = 0.0, 1.0
    while gaussian_delta(high, mu) > delta:
        high *= 2.0
    while high - low > 1e-9 * high:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if gaussian_delta(middle, mu) <= delta else (middle, high)
    return high


def region_records(*, size: float) -> Iterator[Record]:
    """Figure 1: the border of the region of (epsilon, delta), for ranges of 1."""
    for delta in DELTAS:
        yield {"method": "printed", "delta": delta, "measure": "epsilon", "value": printed_epsilon(size, delta)}
        yield {"method": "exact", "delta": delta, "measure": "epsilon", "value": exact_epsilon(size, delta)}


def error_records(*, delta: float) -> Iterator[Record]:
    """Figure 2: mean square error of unbiased estimators against epsilon, one number of range 1: what is printed, and what the least noise gives."""
    for epsilon in np.geomspace(0.1, 10.0, 13).tolist():
        yield {"method": "printed", "epsilon": epsilon, "measure": "error", "value": (printed_epsilon(1.0, delta) / epsilon) ** 2}
        yield {"method": "exact", "epsilon": epsilon, "measure": "error", "value": gaussian_mu(epsilon, delta) ** -2.0}


def breast_cancer_records(tables: Tables, *, level: float, delta: float) -> Iterator[Record]:
    """Epsilon of the features of a record of breast cancer: printed (ranges of 1), exact if ranges were 1, exact for the ranges that columns have."""
    rows = tables.load("breast-cancer").dense
    size = level**0.25 * math.sqrt(rows.shape[1])
    moved = level**0.25 * float(np.linalg.norm(np.ptp(rows, axis=0)))
    yield {"method": "printed", "measure": "epsilon", "value": printed_epsilon(size, delta)}
    yield {"method": "exact, ranges of 1", "measure": "epsilon", "value": exact_epsilon(size, delta)}
    yield {"method": "exact, raw ranges", "measure": "epsilon", "value": exact_epsilon(moved, delta)}
