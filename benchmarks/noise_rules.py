"""How consumers keep corrected second moments positive definite, and how classifiers are corrected: the rules that were tried, in simulation.

    python benchmarks/noise_rules.py [--runs 20] [--classes-only]

Regression, from rows with normal noise of deviation s and from sketches: squared relative error of predictions on the records, over designs with
equal, equally correlated and decaying spectra, d = 3, 10, 30.

    none      second moments minus noise, whatever comes out        fuller    the multiple of noise subtracted that Fuller (1987, 2.5.7) takes
    worst     ridge of the size nu of the noise: best in the worst case of noise of that size
    cp        the ridge that minimises Mallows' criterion with the noise's own covariance
    floor     eigenvalues raised to 3/4 of nu in their direction (what discreet.consumers does)
    oracle    the best single ridge, chosen with the records at hand

Classification, logistic, rows with noise: relative error of coefficients for normal, uniform, binary and skewed features.

    calibration     all rows moved by one map to the moments of the records (regression calibration)
    conditional     the conditional score of Stefanski and Carroll (1987), started from the former
    reconstruction  moment reconstruction by class (NoisyLinearSVC)
    both            then the conditional score where noise is weak (NoisyLogisticRegression)
"""

import argparse

import numpy as np
from scipy.linalg import eigh
from scipy.optimize import root
from scipy.special import expit, ndtr

from discreet.consumers import NoisyLogisticRegression, NoisyRidge, SketchRidge, reconstructed_rows
from discreet.consumers.corrected import spectrum

Array = np.ndarray
SPECTRA = ("equal", "correlated", "decaying")


def regression(draw: np.random.Generator, records: int, size: int, kind: str) -> tuple[Array, Array]:
    """Features of unit total variance and targets of a signal of 0.5 and errors of 0.2."""
    turned = np.linalg.qr(draw.standard_normal((size, size)))[0]
    scales = {"equal": np.ones(size), "correlated": np.append(np.full(size - 1, 0.5), 0.5 + 0.5 * size), "decaying": np.arange(1, size + 1) ** -2.0}[
        kind
    ]
    rows = draw.standard_normal((records, size)) * np.sqrt(scales / scales.sum()) @ turned.T
    signal = rows @ draw.standard_normal(size)
    return rows, 0.5 * signal / signal.std() + 0.2 * draw.standard_normal(records)


def rules(released: Array, removed: float, deviation: float) -> dict[str, Array]:
    """Coefficients by each rule from released rows (features, then target), noise of one size on all."""
    count, size = len(released), released.shape[1] - 1
    moments = released.T @ released
    corrected = moments - removed * deviation**2 * np.eye(size + 1)
    square, product = corrected[:-1, :-1], corrected[:-1, -1]
    values, vectors = np.linalg.eigh(square)
    along = vectors.T @ product
    size_of_noise = deviation**2 * (2 * np.sqrt(count * size) + size) + 2 * deviation * np.sqrt(size * max(values[-1], 0.0))
    best = (np.inf, np.zeros(size))
    for ridge in max(0.0, 0.5 * size_of_noise - values[0]) + size_of_noise * np.append(0.0, np.logspace(-4, 6, 41)):
        found = vectors @ (along / (values + ridge))
        residual = np.append(-found, 1.0)
        spread, left = deviation**2 * (residual @ residual), max(0.0, residual @ corrected @ residual)
        noise = spread * (values + count * deviation**2) + left * deviation**2 + count * deviation**4 * (vectors.T @ found) ** 2
        criterion = found @ square @ found - 2 * product @ found + 2 * np.sum(noise / (values + ridge))
        best = min(best, (criterion, found), key=lambda pair: pair[0])
    least = eigh(moments, count * deviation**2 * np.eye(size + 1), eigvals_only=True)[0]
    taken = (min(least, 1.0) if least < 1 + 1 / count else 1.0) - 4 / count
    kept = moments - taken * count * deviation**2 * np.eye(size + 1)
    return {
        "naive": np.linalg.solve(moments[:-1, :-1], moments[:-1, -1]),
        "none": vectors @ (along / values),
        "fuller": np.linalg.solve(kept[:-1, :-1], kept[:-1, -1]),
        "worst": vectors @ (along / np.maximum(values + size_of_noise, 1e-3 * size_of_noise)),
        "cp": best[1],
    }


def measured(kind: str, size: int, deviation: float, *, sketched: bool, seed: int) -> dict[str, float]:
    """Squared relative errors of predictions on the records."""
    draw = np.random.default_rng(seed)
    rows, targets = regression(draw, 10_000, size, kind)
    table = np.column_stack((rows, targets))
    if sketched:
        factor = np.linalg.cholesky(table.T @ table + deviation**2 * np.eye(size + 1))
        released = draw.standard_normal((1000, size + 1)) @ factor.T
        made = SketchRidge(noise_variance=deviation**2)
    else:
        released = table + deviation * draw.standard_normal(table.shape)
        made = NoisyRidge(feature_noise=deviation**2, target_noise=deviation**2, fit_intercept=False)
    found = rules(released, float(len(released)), deviation)
    found["floor"] = made.fit(released[:, :-1], released[:, -1]).coef_
    gram = rows.T @ rows
    reference = np.linalg.solve(gram, rows.T @ targets)

    def error(coefficients: Array) -> float:
        away = coefficients - reference
        return float(away @ gram @ away / (reference @ gram @ reference))

    moments = released.T @ released - len(released) * deviation**2 * np.eye(size + 1)
    ridges = np.abs(np.linalg.eigvalsh(moments)).max() * np.append(0.0, np.logspace(-6, 4, 61))
    candidates = [np.linalg.solve(moments[:-1, :-1] + ridge * np.eye(size), moments[:-1, -1]) for ridge in ridges]
    return {name: error(one) for name, one in found.items()} | {"oracle": min(map(error, candidates))}


def features(draw: np.random.Generator, records: int, kind: str) -> Array:
    """Five correlated features."""
    normals = np.sqrt(0.5) * (draw.standard_normal((records, 5)) + draw.standard_normal((records, 1)))
    shapes = {"normal": normals, "uniform": np.sqrt(12) * (ndtr(normals) - 0.5), "binary": np.sign(normals), "skewed": np.exp(0.7 * normals) - 1.28}
    return shapes[kind]


def classified(kind: str, deviation: float, seed: int) -> dict[str, float]:
    """Relative errors of logistic coefficients."""
    draw = np.random.default_rng(seed)
    rows, slopes = features(draw, 20_000, kind), draw.standard_normal(5)
    slopes *= 2.0 / np.linalg.norm(slopes)
    labels = np.where(draw.random(len(rows)) < expit(rows @ slopes), 1.0, -1.0)
    released = rows + deviation * draw.standard_normal(rows.shape)
    reference = NoisyLogisticRegression().fit(rows, labels).coef_[0]
    centred = released - released.mean(axis=0)
    moments = centred.T @ centred
    kept = spectrum(moments, deviation**2 * np.eye(5), removed=len(rows) - 1.0, rows=len(rows)).matrix()
    calibrated = NoisyLogisticRegression().fit(centred @ np.linalg.solve(moments, kept), labels)
    hits = labels > 0

    def score(point: Array) -> Array:
        shifted = released + deviation**2 * np.outer(hits, point[:-1])
        rest = hits - expit(shifted @ point[:-1] + point[-1] - 0.5 * deviation**2 * point[:-1] @ point[:-1])
        return np.append(rest @ shifted, rest.sum()) / len(rows)

    start = np.append(calibrated.coef_[0], calibrated.intercept_[0])
    solved = root(score, start)
    moved, _ = reconstructed_rows(released, hits.astype(np.intp), deviation**2 * np.eye(5))
    found = {
        "naive": NoisyLogisticRegression().fit(released, labels).coef_[0],
        "calibration": start[:-1],
        "conditional": solved.x[:-1] if solved.success else start[:-1],
        "reconstruction": NoisyLogisticRegression().fit(moved, labels).coef_[0],
        "both": NoisyLogisticRegression(feature_noise=deviation**2).fit(released, labels).coef_[0],
    }
    return {name: float(np.linalg.norm(one - reference) / np.linalg.norm(reference)) for name, one in found.items()}


def show(title: str, found: list[dict[str, float]]) -> None:
    """One line of medians and one of means."""
    names = list(found[0])
    print(
        f"{title:22s}"
        + "".join(f" {name} {np.median([one[name] for one in found]):.3f} ({np.mean([one[name] for one in found]):.3f})" for name in names)
    )


def main() -> None:
    """Print the tables, medians and (means)."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--classes-only", action="store_true")
    given = parser.parse_args()
    runs = given.runs
    for sketched, deviations in () if given.classes_only else ((False, (0.1, 0.3, 1.0, 2.0, 4.0)), (True, (5.0, 10.0, 20.0, 40.0, 80.0))):
        for deviation in deviations:
            cases = [(kind, size, seed) for kind in SPECTRA for size in (3, 10, 30) for seed in range(runs)]
            found = [measured(kind, size, deviation, sketched=sketched, seed=seed) for kind, size, seed in cases]
            show(f"{'sketch' if sketched else 'rows'}, deviation {deviation:g}", found)
    for kind in ("normal", "uniform", "binary", "skewed"):
        for deviation in (0.3, 1.0, 2.0, 4.0):
            show(f"{kind}, deviation {deviation:g}", [classified(kind, deviation, seed) for seed in range(runs)])


if __name__ == "__main__":
    main()
