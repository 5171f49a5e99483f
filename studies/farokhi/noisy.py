"""Tables with noise of a given Fisher information, and what is trained on them (figures 3, 5, 6 and 7).

    Gaussian                N(0, lambda^{-1/2}), the optimal noise (theorem 2.4, Pi = I), from the mechanism FisherNoise
    Laplace, equal bound    scale lambda^{-1/4}: the same Fisher information, so the same Cramer-Rao number, and twice the variance
    Laplace, equal noise    scale lambda^{-1/4} / sqrt(2): the same variance

The paper compares at "the same privacy guarantee", which is the first Laplace (its scale is not printed).
"""

import math
from collections.abc import Iterator

import numpy as np

from discreet import SeededNoise
from discreet.consumers import NoisyRidge
from discreet.core.arrays import Floats
from discreet.data import Domain, Records
from discreet.matrices import as_matrix
from discreet.mechanisms.release import FisherNoise
from discreet.queries import WeightedRows
from studies.base import Record, seed_of
from studies.farokhi.machine import trained
from studies.tables import Tables

NOISES = ("Gaussian", "Laplace, equal bound", "Laplace, equal noise")
SIGMA = 1e-5
"""Of the ridge in figure 7."""


def noisy(x: Floats, *, noise: str, level: float, seed: int) -> Floats:
    """x (n, d) with noise."""
    if noise == "Gaussian":
        domain = Domain(features=x.shape[1], entry_bound=float(np.max(np.abs(x))), target_bound=1.0)
        query = WeightedRows.of(domain)
        data = Records(rows=as_matrix(x), targets=np.zeros(len(x)), domain=domain)
        released = FisherNoise.of_level(query, level=level, epsilon=1.0).run(query, data, SeededNoise(seed >> 12)).value
        return np.ascontiguousarray(released[:, :-1])
    scale = level**-0.25 / (1.0 if noise == "Laplace, equal bound" else math.sqrt(2.0))
    return x + np.random.default_rng(seed).laplace(scale=scale, size=x.shape)


def scaled(x: Floats, scaling: str) -> Floats:
    """Raw; "z" for mean 0 and variance 1; "maximum" for columns within [-1, 1]. The paper does not say which."""
    if scaling == "z":
        return np.asarray((x - x.mean(axis=0)) / x.std(axis=0))
    return x / np.max(np.abs(x), axis=0) if scaling == "maximum" else x


def machine_records(tables: Tables, *, table: str, scaling: str, level: float | None, repeats: int) -> Iterator[Record]:
    """Share of the original rows that a machine trained on noisy ones gets right."""
    given = tables.load(table)
    x, signs = scaled(given.dense, scaling), given.targets
    if level is None:
        yield {"method": "without noise", "measure": "success", "value": trained(x, signs).right(x, signs)}
        yield {"method": "always the commoner class", "measure": "success", "value": max(float(np.mean(signs > 0)), float(np.mean(signs < 0)))}
        return
    for noise in NOISES:
        for repeat in range(repeats):
            seed = seed_of("farokhi", table, scaling, noise, level, repeat)
            value = trained(noisy(x, noise=noise, level=level, seed=seed), signs).right(x, signs)
            yield {"method": noise, "repeat": repeat, "measure": "success", "value": value}


def regression_records(tables: Tables, *, scaling: str, level: float | None, repeats: int) -> Iterator[Record]:
    """The loss sigma |w|^2 + mean (y - <w, x>)^2 on the original rows, of weights from noisy ones; "corrected" is NoisyRidge, told the noise."""
    given = tables.load("lending-club")
    x, y = scaled(given.dense, scaling), given.targets
    if level is None:
        yield {"method": "without noise", "measure": "loss", "value": _loss(x, y, _ridge(x.T @ x / len(x), x.T @ y / len(x)))}
        yield {"method": "weights 0", "measure": "loss", "value": float(np.mean(y**2))}
        return
    for noise in NOISES:
        for repeat in range(repeats):
            rows = noisy(x, noise=noise, level=level, seed=seed_of("farokhi", "lending", scaling, noise, level, repeat))
            moments, cross = rows.T @ rows / len(x), rows.T @ y / len(x)
            yield {"method": noise, "repeat": repeat, "measure": "loss", "value": _loss(x, y, _ridge(moments, cross))}
            if noise == "Gaussian":
                knowing = NoisyRidge(feature_noise=level**-0.5, ridge=SIGMA * len(x), fit_intercept=False).fit(rows, y)
                yield {"method": "Gaussian, corrected", "repeat": repeat, "measure": "loss", "value": _loss(x, y, knowing.coef_)}


def _ridge(moments: Floats, cross: Floats) -> Floats:
    scales = np.sqrt(np.maximum(np.diag(moments), 1e-300))
    matrix = moments / np.outer(scales, scales) + np.diag(SIGMA / scales**2)
    return np.asarray(np.linalg.lstsq(matrix, cross / scales, rcond=1e-13)[0] / scales)


def _loss(x: Floats, y: Floats, weights: Floats) -> float:
    return float(SIGMA * weights @ weights + np.mean((y - x @ weights) ** 2))
