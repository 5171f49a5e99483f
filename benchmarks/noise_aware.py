"""Consumers that know how the data were made against the same fits without that knowledge, on released rows and sketches.

    python benchmarks/noise_aware.py [--runs 5]

Invented records with correlated features. Every release comes from the mechanism itself: Gaussian noise on rows (replace-one, delta 1e-6, targets
noisy for regression and in clear for classes) and the Gaussian sketch (add-remove, 4000 rows, delta 1e-5). Errors are relative to the same fit on the
records:

    coefficients   |c - c*| / |c*|            prediction   |X (c - c*)| / |X c*| with features centred, on the records without noise
    naive          the fit as if there were no noise
    aware          discreet.consumers, from the release and its public numbers alone

Required where the bias of the naive fit dominates (marked *): both errors at most half of the naive ones.
"""

import argparse
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from discreet import ADD_REMOVE, REPLACE_ONE, SeededNoise
from discreet.consumers import NoisyLinearSVC, NoisyLogisticRegression, NoisyRidge, SketchRidge
from discreet.data import Domain, Records
from discreet.matrices import as_matrix
from discreet.mechanisms.release import FisherNoise, GaussianRelease, GaussianSketch
from discreet.queries import Rows, SecondMoments, WeightedRows

Array = np.ndarray
SLOPES = np.array([0.5, -0.3, 0.2, 0.0, 0.1])
REQUIRED = {("rows", 8.0), ("rows", 16.0), ("sketch", 0.5), ("sketch", 1.0), ("logistic", 8.0), ("logistic", 16.0), ("svm", 8.0), ("svm", 16.0)}


class Measured(NamedTuple):
    """Relative errors of one fit."""

    coefficients: float
    prediction: float


def features(draw: np.random.Generator, records: int) -> Array:
    """Entries in [-1, 1], uniform, with correlations of about 0.5."""
    size = len(SLOPES)
    normals = np.sqrt(0.5) * draw.standard_normal((records, size)) + np.sqrt(0.5) * draw.standard_normal((records, 1))
    return 2.0 * ndtr(normals) - 1.0


def measured(rows: Array, found: Array, reference: Array) -> Measured:
    """Of coefficients (d,) against the records' own."""
    centred = rows - rows.mean(axis=0)
    return Measured(
        float(np.linalg.norm(found - reference) / np.linalg.norm(reference)),
        float(np.linalg.norm(centred @ (found - reference)) / np.linalg.norm(centred @ reference)),
    )


def on_rows(epsilon: float, seed: int) -> tuple[float, Measured, Measured]:
    """Least squares."""
    draw = np.random.default_rng(seed)
    rows = features(draw, 300_000)
    targets = np.clip(rows @ SLOPES + 0.1 * draw.standard_normal(len(rows)), -1, 1)
    domain = Domain(features=rows.shape[1], entry_bound=1.0, target_bound=1.0)
    query = Rows(domain=domain, target="noisy")
    made = GaussianRelease.calibrate(query, epsilon=epsilon, delta=1e-6, neighbours=REPLACE_ONE)
    value = made.run(query, Records(rows=as_matrix(rows), targets=targets, domain=domain), SeededNoise(seed)).value
    variance, reference = made.deviation**2, NoisyRidge().fit(rows, targets).coef_
    naive = NoisyRidge().fit(value[:, :-1], value[:, -1]).coef_
    aware = NoisyRidge(feature_noise=variance, target_noise=variance).fit(value[:, :-1], value[:, -1]).coef_
    return made.deviation, measured(rows, naive, reference), measured(rows, aware, reference)


def on_sketch(epsilon: float, seed: int) -> tuple[float, Measured, Measured]:
    """Least squares from a sketch of 3000 records."""
    draw = np.random.default_rng(seed)
    rows = features(draw, 3000) / np.sqrt(len(SLOPES))
    targets = np.clip(rows @ SLOPES * np.sqrt(len(SLOPES)) + 0.1 * draw.standard_normal(len(rows)), -1, 1)
    domain = Domain(features=rows.shape[1], norm_bound=1.0, target_bound=1.0)
    query = SecondMoments(domain=domain, most_records=100_000)
    made = GaussianSketch.calibrate(query, rows=4000, epsilon=epsilon, delta=1e-5, neighbours=ADD_REMOVE)
    value = made.run(query, Records(rows=as_matrix(rows), targets=targets, domain=domain), SeededNoise(seed)).value
    variance, reference = made.noise_variance(query), np.linalg.lstsq(rows, targets, rcond=None)[0]
    naive = SketchRidge(noise_variance=variance, debias=False).fit(value[:, :-1], value[:, -1]).coef_
    aware = SketchRidge(noise_variance=variance).fit(value[:, :-1], value[:, -1]).coef_
    return float(np.sqrt(variance)), measured(rows, naive, reference), measured(rows, aware, reference)


def on_classes(epsilon: float, seed: int, *, machine: bool) -> tuple[float, Measured, Measured]:
    """Logistic regression or a support vector machine on rows noised by Fisher information, labels in clear."""
    draw = np.random.default_rng(seed)
    rows = features(draw, 300_000)
    labels = np.where(draw.random(len(rows)) < 1.0 / (1.0 + np.exp(-6.0 * rows @ SLOPES)), 1.0, -1.0)
    domain = Domain(features=rows.shape[1], entry_bound=1.0, target_bound=1.0)
    query = WeightedRows.of(domain)
    made = FisherNoise.calibrate(query, epsilon=epsilon, delta=1e-6, neighbours=REPLACE_ONE)
    value = made.run(query, Records(rows=as_matrix(rows), targets=labels, domain=domain), SeededNoise(seed)).value
    kind = NoisyLinearSVC if machine else NoisyLogisticRegression
    reference = kind().fit(rows, labels).coef_[0]
    naive = kind().fit(value[:, :-1], value[:, -1]).coef_[0]
    aware = kind(feature_noise=made.inner.deviation**2).fit(value[:, :-1], value[:, -1]).coef_[0]
    return made.inner.deviation, measured(rows, naive, reference), measured(rows, aware, reference)


def cases() -> Iterator[tuple[str, float]]:
    """What is measured."""
    for name, epsilons in (("rows", (4.0, 8.0, 16.0, 32.0)), ("sketch", (0.25, 0.5, 1.0, 4.0))):
        yield from ((name, epsilon) for epsilon in epsilons)
    for name in ("logistic", "svm"):
        yield from ((name, epsilon) for epsilon in (4.0, 8.0, 16.0, 32.0))


def main() -> None:
    """Print the table, and fail where a requirement is not met."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    measure = {
        "rows": on_rows,
        "sketch": on_sketch,
        "logistic": lambda epsilon, seed: on_classes(epsilon, seed, machine=False),
        "svm": lambda epsilon, seed: on_classes(epsilon, seed, machine=True),
    }
    print("release   epsilon  noise sd   coefficients: naive  aware  ratio   prediction: naive  aware  ratio")
    missed = []
    for name, epsilon in cases():
        found = [measure[name](epsilon, seed) for seed in range(runs)]
        naive, aware = (np.mean([one[which] for one in found], axis=0) for which in (1, 2))
        ratios, mark = naive / aware, "*" if (name, epsilon) in REQUIRED else " "
        print(
            f"{name:9s} {epsilon:6g}{mark}  {found[0][0]:8.2f}  {naive[0]:19.3f} {aware[0]:6.3f} {ratios[0]:6.1f}"
            f"  {naive[1]:17.3f} {aware[1]:6.3f} {ratios[1]:6.1f}",
            flush=True,
        )
        if mark == "*" and min(ratios) < 2:
            missed.append((name, epsilon))
    if missed:
        raise SystemExit(f"the errors were not halved: {missed}")


if __name__ == "__main__":
    main()
