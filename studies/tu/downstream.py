"""What released projections are good for: least squares on invented rows, nearest neighbours and distances on pictures of digits.

Regression: n rows x = A z + small noise with five factors z, |x| <= 1, y = <b, z> + noise, in clear. The consumer knows the covariance of the
noise and subtracts it: w = (Z'Z / n - (s^2 - r) I)^{-1} Z'y / n, with r = 2 s^2 sqrt(k / n) against what is left of the noise. Measure: 1 - R^2 on
new records. Neighbours: the nearest class mean, and the majority of the 15 nearest released rows, for new records under the same projection.
Distances: |u - v|^2 - 2 k s^2 of two released rows, an unbiased estimate of the squared distance of their records; measure: root mean square error
over the mean squared distance.
"""

import math
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from discreet import REPLACE_ONE, SeededNoise
from discreet.core.arrays import Floats
from discreet.data import Domain, Records
from discreet.matrices import as_matrix
from discreet.mechanisms.release import FreshProjection, GaussianRelease, tu_factor_1
from discreet.queries import Projection, Rows
from studies.base import Record, seed_of
from studies.tables import Tables

METHODS = ("theorem 1, printed", "fresh, exact", "fixed, exact", "no projection", "without noise")
DELTA = 1e-6
FEATURES = 100
_FACTORS = 5
_NEIGHBOURS = 15
_PAIRS = 4000
_MOST_NEW = 2000


def regression_records(*, method: str, records: int, width: int, epsilon: float, repeat: int) -> Iterator[Record]:
    """1 - R^2 on 10,000 new records."""
    x, y, new_x, new_y = _factor_rows(records, repeat)
    domain = Domain(features=FEATURES, norm_bound=1.0, target_bound=1.0)
    released, matrix, deviation = _released(x, y, domain, method, width, epsilon, repeat)
    moments = released.T @ released / len(x)
    room = 2.0 * deviation**2 * math.sqrt(len(moments) / len(x)) + 1e-9
    values, vectors = np.linalg.eigh(moments)
    kept = np.maximum(values - deviation**2, 0.0) + room
    weights = vectors @ ((vectors.T @ (released.T @ y / len(x))) / kept)
    residual = new_y - new_x @ matrix @ weights
    yield {"method": method, "measure": "1 - R^2", "value": float(np.mean(residual**2) / np.var(new_y))}


def neighbour_records(tables: Tables, *, name: str, method: str, width: int, epsilon: float, repeat: int) -> Iterator[Record]:
    """Error of the majority of neighbours and of the nearest class mean on new records, and of distances between two."""
    table = tables.load(name)
    x = table.dense / np.max(np.linalg.norm(table.dense, axis=1))
    order = np.random.default_rng(seed_of("tu", name, repeat)).permutation(len(x))
    share = min(len(x) // 3, _MOST_NEW)
    test, train = order[:share], order[share:]
    codes = np.unique(table.targets, return_inverse=True)[1]
    domain = Domain(features=x.shape[1], norm_bound=1.0, target_bound=1.0)
    released, matrix, deviation = _released(x[train], table.targets[train], domain, method, width, epsilon, repeat)
    means = np.stack([released[codes[train] == code].mean(axis=0) for code in range(codes.max() + 1)])
    nearest = np.argmin(_squared_distances(x[test] @ matrix, means), axis=1)
    yield {"method": method, "measure": "class means' error", "value": float(np.mean(nearest != codes[test]))}
    near = np.argpartition(_squared_distances(x[test] @ matrix, released), _NEIGHBOURS, axis=1)[:, :_NEIGHBOURS]
    votes = np.stack([np.sum(codes[train][near] == code, axis=1) for code in range(len(means))], axis=1)
    wrong = float(np.mean(np.argmax(votes, axis=1) != codes[test]))
    yield {"method": method, "measure": "neighbours' error", "value": wrong}
    first, second = np.random.default_rng(seed_of("tu", "pairs", repeat)).integers(len(train), size=(2, _PAIRS))
    apart = first != second
    true = np.sum((x[train][first] - x[train][second]) ** 2, axis=1)[apart]
    found = (np.sum((released[first] - released[second]) ** 2, axis=1) - 2.0 * released.shape[1] * deviation**2)[apart]
    error = float(np.sqrt(np.mean((found - true) ** 2)) / np.mean(true))
    yield {"method": method, "measure": "distances' error", "value": error}


def _released(x: Floats, y: Floats, domain: Domain, method: str, width: int, epsilon: float, repeat: int) -> tuple[Floats, Floats, float]:
    """Released rows, the matrix by which they came from records, and the standard deviation of their noise."""
    rows = Rows(domain=domain)
    data = Records(rows=as_matrix(x), targets=np.zeros(len(y)), domain=domain)
    features = domain.features
    noise = SeededNoise(seed_of("tu", method, features, width, epsilon, repeat) >> 12)
    if method == "no projection":
        plain = GaussianRelease.calibrate(rows, epsilon=epsilon, delta=DELTA, neighbours=REPLACE_ONE)
        return plain.run(rows, data, noise).value, np.eye(domain.features), plain.deviation
    if method == "without noise":
        matrix = Projection.from_public_seed(domain, width=width, seed=seed_of("tu", "matrix", repeat) >> 12).map.matrix
        return x @ matrix, matrix, 0.0
    if method == "fixed, exact":
        query = Projection.from_public_seed(domain, width=width, seed=seed_of("tu", "matrix", repeat) >> 12)
        fixed = GaussianRelease.calibrate(query, epsilon=epsilon, delta=DELTA, neighbours=REPLACE_ONE)
        return fixed.run(query, data, noise).value, query.map.matrix, fixed.deviation
    fresh = FreshProjection.calibrate(rows, width=width, epsilon=epsilon, delta=DELTA, neighbours=REPLACE_ONE)
    if method == "theorem 1, printed":
        deviation = 2.0 * tu_factor_1(epsilon, DELTA, width) / math.sqrt(width)
        fresh = FreshProjection(width=width, step=fresh.step, scale=deviation / fresh.step, neighbours=REPLACE_ONE, epsilon=epsilon)
    both = fresh.run(rows, data, noise).value
    return both[domain.features :], both[: domain.features], fresh.deviation


@lru_cache(maxsize=2)
def _factor_rows(records: int, repeat: int) -> tuple[Floats, Floats, Floats, Floats]:
    rng = np.random.default_rng(seed_of("tu", "factors", repeat))
    count = records + 10_000
    factors = rng.uniform(-1.0, 1.0, (count, _FACTORS))
    loadings = np.linalg.qr(rng.standard_normal((FEATURES, _FACTORS)))[0]
    x = factors @ loadings.T / math.sqrt(_FACTORS) + 0.02 * rng.standard_normal((count, FEATURES)) / math.sqrt(FEATURES)
    x /= np.maximum(1.0, np.linalg.norm(x, axis=1, keepdims=True))
    y = factors @ rng.standard_normal(_FACTORS) + 0.3 * rng.standard_normal(count)
    return x[:records], y[:records], x[records:], y[records:]


def _squared_distances(a: Floats, b: Floats) -> Floats:
    return np.asarray(np.sum(a**2, axis=1)[:, np.newaxis] + np.sum(b**2, axis=1) - 2.0 * a @ b.T)
