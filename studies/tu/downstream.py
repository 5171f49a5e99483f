"""What released projections are good for: least squares on invented rows, nearest neighbours and distances on pictures of digits.

Regression: n rows x = A z + small noise with five factors z, |x| <= 1, y = <b, z> + noise, in clear. Measure: 1 - R^2 on new records. Neighbours: the
nearest class mean, and the majority of the 15 nearest released rows, for new records under the same projection. Distances: all pairs of 500 released
rows; measure: root mean square error over the mean squared distance. Whoever learns from released rows knows the noise and takes it out, by the
exported consumers `ProjectedRidge`, `ProjectedNearestMeans` and `ProjectedRows`.
"""

import math
from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from scipy.spatial.distance import pdist

from discreet import REPLACE_ONE, SeededNoise
from discreet.consumers import ProjectedNearestMeans, ProjectedRidge, ProjectedRows
from discreet.core.arrays import Floats
from discreet.data import Domain, Records
from discreet.matrices import as_matrix
from discreet.mechanisms.release import FreshProjection, GaussianRelease
from discreet.papers import tu_factor_1
from discreet.queries import Projection, Rows
from studies.base import Record, seed_of
from studies.tables import Tables

METHODS = ("theorem 1, printed", "fresh, exact", "fixed, exact", "no projection", "without noise")
DELTA = 1e-6
FEATURES = 100
_FACTORS = 5
_NEIGHBOURS = 15
_APART = 500
_MOST_NEW = 2000


def regression_records(*, method: str, records: int, width: int, epsilon: float, repeat: int) -> Iterator[Record]:
    """1 - R^2 on 10,000 new records."""
    x, y, new_x, new_y = _factor_rows(records, repeat)
    domain = Domain(features=FEATURES, norm_bound=1.0, target_bound=1.0)
    released, matrix, deviation = _released(x, y, domain, method, width, epsilon, repeat)
    line = ProjectedRidge(projection=matrix, noise_variance=deviation**2, fit_intercept=False).fit(released, y)
    residual = new_y - line.predict(new_x)
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
    means = ProjectedNearestMeans(projection=matrix, noise_variance=deviation**2).fit(released, codes[train])
    yield {"method": method, "measure": "class means' error", "value": float(np.mean(means.predict(x[test]) != codes[test]))}
    near = ProjectedRows(values=released, projection=matrix, noise_variance=deviation**2).nearest(x[test], neighbours=_NEIGHBOURS)
    votes = np.stack([np.sum(codes[train][near] == code, axis=1) for code in range(codes.max() + 1)], axis=1)
    wrong = float(np.mean(np.argmax(votes, axis=1) != codes[test]))
    yield {"method": method, "measure": "neighbours' error", "value": wrong}
    chosen = np.random.default_rng(seed_of("tu", "pairs", repeat)).permutation(len(train))[:_APART]
    found = ProjectedRows(values=released[chosen], projection=matrix, noise_variance=deviation**2).squared_distances()
    pairs = np.triu_indices(len(chosen), 1)
    true = pdist(x[train][chosen], "sqeuclidean")
    error = float(np.sqrt(np.mean((found[pairs] - true) ** 2)) / np.mean(true))
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
