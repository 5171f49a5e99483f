"""What the published sketch tells about one entry, exactly, on tables where columns or the target predict each other.

For entry (i, j), all others known: k rows N(0, B + z z') against k rows N(0, B + u u'), z and u the record with +1 and with -1 in place of the
entry, B the second moments of the other records plus the noise. Two generalised eigenvalues decide; bits for a fair coin and total variation by
simulation of the log likelihood ratio (standard error below 0.001). The entry is the one with the least Schur complement:
what the other columns do not predict.
"""

import math
from collections.abc import Iterator

import numpy as np
from scipy.linalg import eigh, solve_triangular

from discreet.core.arrays import Floats
from discreet.papers import showkatbakhsh_16
from studies.base import Record, seed_of
from studies.tables import Tables

TABLES = ("two equal columns", "target that fits", "breast cancer", "uniform")
_DRAWS = 400_000


def leak_records(tables: Tables, *, table: str, rows: int, bits: float) -> Iterator[Record]:
    """Bits and total variation at the published noise, and at the sound one."""
    x, y = _table(tables, table)
    scale = rows / math.expm1(2.0 * bits * math.log(2.0))
    lengths = float(np.min(np.sum(x**2, axis=0) - np.max(x**2, axis=0)))
    published = max(0.0, scale - lengths)
    for method, variance in (("sketch, published", published), ("sketch, sound", scale)):
        record, column = _worst(x, y, variance)
        coin, apart = _two_point(*_eigenvalues(x, y, variance, record, column), rows)
        yield {"method": method, "measure": "variance", "value": variance}
        yield {"method": method, "measure": "equation 16", "value": showkatbakhsh_16(rows, variance + lengths)}
        yield {"method": method, "measure": "bits", "value": coin}
        yield {"method": method, "measure": "total variation", "value": apart}


def _table(tables: Tables, name: str) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed_of("showkatbakhsh", "leak", name))
    if name == "two equal columns":
        first = rng.uniform(-1.0, 1.0, 420)
        return np.column_stack((first, np.clip(first + 1e-3 * rng.standard_normal(420), -1.0, 1.0))), rng.uniform(-1.0, 1.0, 420)
    if name == "target that fits":
        x = rng.uniform(-1.0, 1.0, (1000, 1))
        return x, 0.7 * x[:, 0] + 0.01 * rng.uniform(-1.0, 1.0, 1000)
    if name == "breast cancer":
        table = tables.load("breast-cancer")
        x = table.dense
        return 2.0 * (x - x.min(axis=0)) / np.ptp(x, axis=0) - 1.0, table.targets
    x = rng.uniform(-1.0, 1.0, (2000, 100))
    y = x @ rng.standard_normal(100)
    return x, np.clip((y / np.std(y) + rng.standard_normal(2000)) / (3.0 * math.sqrt(2.0)), -1.0, 1.0)


def _covariance(x: Floats, y: Floats, variance: float) -> Floats:
    whole = np.column_stack((x, y))
    return np.asarray(whole.T @ whole + np.diag(np.append(np.full(x.shape[1], variance), 0.0)))


def _worst(x: Floats, y: Floats, variance: float) -> tuple[int, int]:
    """The entry whose Schur complement 1 / [B_i^{-1}]_jj is least, without an inverse for each record."""
    whole = np.column_stack((x, y))
    inverse = np.linalg.inv(_covariance(x, y, variance))
    products = whole @ inverse
    leverage = np.sum(products * whole, axis=1)
    found = np.diag(inverse)[:-1] + products[:, :-1] ** 2 / np.maximum(1.0 - leverage, 1e-300)[:, np.newaxis]
    record, column = np.unravel_index(int(np.argmax(found)), found.shape)
    return int(record), int(column)


def _eigenvalues(x: Floats, y: Floats, variance: float, record: int, column: int) -> tuple[float, float]:
    """Of B + z z' relative to B + u u', but for those that are 1."""
    others = np.delete(np.arange(len(x)), record)
    factor = np.linalg.cholesky(_covariance(x[others], y[others], variance))
    both = np.tile(np.append(x[record], y[record]), (2, 1))
    both[0, column], both[1, column] = 1.0, -1.0
    moved = solve_triangular(factor, both.T, lower=True)
    basis, _ = np.linalg.qr(moved)
    first, second = basis.T @ moved[:, 0], basis.T @ moved[:, 1]
    values = eigh(np.eye(2) + np.outer(first, first), np.eye(2) + np.outer(second, second), eigvals_only=True)
    return float(values[0]), float(values[1])


def _two_point(low: float, high: float, rows: int) -> tuple[float, float]:
    """Mutual information with a fair coin, in bits, and total variation."""
    values = np.array([low, high])
    squares = np.random.default_rng(seed_of("showkatbakhsh", "two-point")).chisquare(rows, size=(_DRAWS, 2))
    constant, slope = -0.5 * rows * np.log(values).sum(), 0.5 * (1.0 - 1.0 / values)
    first, second = constant + (squares * values) @ slope, constant + squares @ slope
    coin = 1.0 - 0.5 * float(np.mean(np.logaddexp(0.0, -first)) + np.mean(np.logaddexp(0.0, second))) / math.log(2.0)
    return max(0.0, coin), max(0.0, float(np.mean(first > 0) - np.mean(second > 0)))
