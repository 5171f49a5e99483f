"""Bounds of rounding errors that a public problem knows before there are records; the sums that keep them are in `discreet.objectives`.

u = 2^-53, gamma_k = k u / (1 - k u). The terms of `rounding_share` are those of the module docstring of `objectives/prediction_sum.py`.
"""

from discreet.matrices.base import BLOCK_ROWS

UNIT = 2.0**-53
SINGLE_PRODUCT = 1 << 18
"""Most records whose gradient is one matrix product: n gamma_n is then below 2^-17."""
MOST_BLOCKS = 1 << 20
"""Of a table in blocks: more are refused."""


def gamma(terms: int) -> float:
    """gamma_k = k u / (1 - k u), for k = `terms`."""
    return terms * UNIT / (1 - terms * UNIT)


def rounding_share(
    records: int, *, dimension: int, reach: float, target_bound: float, smoothness: float, slope_bound: float, single: int = SINGLE_PRODUCT
) -> float:
    """Bound of the error of a gradient over `records` records, in units of B R; `smoothness` is 0 for a loss with a kink.

    See the module docstring.
    """
    predictions = smoothness / slope_bound * (gamma(dimension + 8) * reach + 12 * UNIT * (1.0 + reach * max(1.0, target_bound)))
    return records * (predictions + 32 * UNIT + summing_share(records, single)) * (1.0 + 2.0**-10)


def summing_share(records: int, single: int = SINGLE_PRODUCT) -> float:
    """Of it, the product X^T s of one record and its sum."""
    if records <= single:
        return gamma(records + 8)
    return gamma(BLOCK_ROWS + 8) + 4 * UNIT + gamma(records // BLOCK_ROWS + 2) ** 2
