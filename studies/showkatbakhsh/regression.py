"""Least squares on what was released: noisy rows and sketches, each by the published calibration and by the sound ones.

    additive     X + N, y in clear; sigma^2 = 1 / (2^{2 bits} - 1) (the paper's eq. 9, which is right)
    sketch       S X + sigma N, S y; sigma^2 published (eq. 13, not sound) or sound (ClearTargetSketch: k / (2^{2 bits} - 1) and
                 what hides rounding errors, nothing subtracted)
    secret       S [X, y] + sigma N with noise on all columns, S secret (InformationSketch): less noise where there are few columns

Consumers solve least squares on the release, as in the paper; "additive, corrected" is the exported consumer
`NoisyRidge`, which takes the known noise out.
Relative error: |X w - y|^2 over that of the least squares solution, minus 1.
"""

import math
from collections.abc import Iterator

import numpy as np

from discreet import REPLACE_ONE, SeededNoise
from discreet.consumers import NoisyRidge
from discreet.core.arrays import Floats
from discreet.data import Domain, Records
from discreet.matrices import as_matrix
from discreet.mechanisms.release import ClearTargetSketch, GaussianRelease, InformationSketch, PublishedSketch
from discreet.queries import Rows, SecondMoments, Target
from studies.base import Record, seed_of

SIZES = ("log", "linear", "full")


def sizes(records: int, unit: int) -> dict[str, int]:
    """n' of the three schemes, for n = unit k records."""
    k = records / unit
    return {"log": round(unit * (math.log(k) + 1.0)), "linear": round(unit * (k + 1.0) / 2.0), "full": records}


def additive_deviation(bits: float) -> float:
    """Eq. (9) with |X_ij| <= 1."""
    return 1.0 / math.sqrt(math.expm1(2.0 * bits * math.log(2.0)))


def uniform_rows(*, records: int, features: int, repeat: int) -> tuple[Floats, Floats]:
    """X uniform on [-1, 1]; y = signal + noise of the same variance, cut at three deviations (the paper does not say what y is)."""
    rng = np.random.default_rng(seed_of("showkatbakhsh", records, features, repeat))
    x = rng.uniform(-1.0, 1.0, (records, features))
    signal = x @ rng.standard_normal(features)
    y = signal / np.std(signal) + rng.standard_normal(records)
    return x, np.clip(y / (3.0 * math.sqrt(2.0)), -1.0, 1.0)


def relative_errors(x: Floats, y: Floats, *, bits: float, unit: int, seed: int) -> Iterator[Record]:
    """The relative error of every scheme, at the three sizes."""
    moments, cross = x.T @ x, x.T @ y
    best = np.linalg.solve(moments, cross)
    residual = float(np.sum((y - x @ best) ** 2))
    for method, size, weights in weights_of_all(x, y, bits=bits, unit=unit, seed=seed):
        apart = weights - best
        yield {"method": method, "size": size, "measure": "relative error", "value": float(apart @ moments @ apart) / residual}


def weights_of_all(x: Floats, y: Floats, *, bits: float, unit: int, seed: int) -> Iterator[tuple[str, str, Floats]]:
    """(method, size, weights) of every scheme."""
    records, features = x.shape
    domain = Domain(features=features, entry_bound=1.0, target_bound=1.0)
    data = Records(rows=as_matrix(x), targets=y, domain=domain)
    noise = SeededNoise(seed >> 12)
    rows = Rows(domain=domain, target=Target.CLEAR)
    additive = GaussianRelease.of_deviation(rows, deviation=additive_deviation(bits), epsilon=1.0, neighbours=REPLACE_ONE)
    released = additive.run(rows, data, noise).value
    noisy, targets = released[:, :-1], released[:, -1]
    gram, cross = noisy.T @ noisy, noisy.T @ targets
    yield "additive", "", np.asarray(np.linalg.solve(gram, cross), dtype=np.float64)
    yield "additive, corrected", "", NoisyRidge(feature_noise=additive.deviation**2, fit_intercept=False).fit(noisy, targets).coef_
    # n is public: bits are about single entries of replaced records.
    query = SecondMoments(domain=domain, target=Target.NOISY, most_records=records)
    for size, k in sizes(records, unit).items():
        yield "sketch, published", size, _least_squares(PublishedSketch(rows=k, claimed_bits=bits).run(query, data, noise).value)
        yield "sketch, sound", size, _least_squares(ClearTargetSketch.calibrate(query, rows=k, bits=bits).run(query, data, noise).value)
        yield "secret sketch, sound", size, _least_squares(InformationSketch.calibrate(query, rows=k, bits=bits).run(query, data, noise).value)


def _least_squares(drawn: Floats) -> Floats:
    """The weights of least norm; directions below 1e-12 of the largest count as none."""
    features, targets = drawn[:, :-1], drawn[:, -1]
    values, vectors = np.linalg.eigh(features.T @ features)
    kept = values > 1e-12 * values[-1]
    return np.asarray(vectors[:, kept] @ ((vectors[:, kept].T @ (features.T @ targets)) / values[kept]))
