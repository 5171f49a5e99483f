"""Pieces of rounding-error bounds that every objective here uses: u = 2^-53, gamma_k = k u / (1 - k u)."""

from collections.abc import Iterator

import numpy as np

from discreet.core.arrays import Floats

UNIT = 2.0**-53
TINY = 2.0**-1022
CHUNK = 8192
"""Elementwise work is done on this many numbers at a time: fast in cache, and no temporary array as long as the table."""


def chunks(count: int, width: int = 1) -> Iterator[slice]:
    """Consecutive slices of `count` rows, about CHUNK numbers each when a row has `width`."""
    size = max(1, CHUNK // width)
    return (slice(start, min(start + size, count)) for start in range(0, count, size))


def gamma(terms: int) -> float:
    """gamma_k."""
    return terms * UNIT / (1 - terms * UNIT)


def norms_above(columns: Floats) -> Floats:
    """Upper bounds of the Euclidean norms of the columns (d, k): shape (k,)."""
    count = len(columns)
    norms: Floats = np.sqrt(np.einsum("ij,ij->j", columns, columns)) * (1 + 2 * gamma(count + 8)) + np.sqrt(count * TINY)
    return norms
