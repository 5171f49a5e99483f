"""The tuning-free default against full-batch private gradient descent that was tuned on the test data, side by side in one run.

    python benchmarks/rival_error.py adult
    python benchmarks/rival_error.py kdd FILE          kddcup.data_10_percent.gz
    python benchmarks/rival_error.py mnist49 FOLDER    the four IDX files of MNIST

Ours: `LinearSVC(epsilon=, delta=, neighbours=)` and `LogisticRegression(...)` as a new user would write them; nothing is chosen in view of the
data, and the intercept is fitted. The rival: w <- w - eta (gradient + noise), logistic loss, T steps with exact Gaussian composition, no
intercept; the best over T, eta and last iterate or average of the second half, by its *test* error, at no cost in privacy. Five folds, rows of
norm 1, delta = 1 / n^2. The +- is the standard error over folds.

With few draws the best of 56 settings is partly luck: the fewer draws the rival has, the more it flatters itself.
"""

import argparse
import os
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from tables import Table, adult, kdd_cup_99, mnist_4_against_9

from discreet import LinearSVC, LogisticRegression
from discreet.accounting import gaussian_mu

FOLDS = 5
STEPS = (10, 30, 100, 300)
RATES = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)


def gradient_descent(train: Table, test: Table, *, epsilon: float, delta: float, neighbours: str, steps: int, draws: int) -> npt.NDArray[np.float64]:
    """Test errors (2, rates): last iterate and average, each the mean over draws of noise."""
    rows, signs = train
    signed = (rows * signs[:, np.newaxis]).astype(np.float32)
    noise = np.sqrt(steps) * (1.0 if neighbours == "add-remove" else 2.0) / gaussian_mu(epsilon, delta)
    rate = np.repeat(RATES, draws) / len(signs)
    weights = np.zeros((rows.shape[1], len(rate)))
    average = np.zeros_like(weights)
    random = np.random.default_rng(steps)
    for step in range(steps):
        slopes = 1.0 / (1.0 + np.exp(np.clip(signed @ weights.astype(np.float32), -80.0, 80.0)))
        gradient = -(signed.T @ slopes) + random.normal(0.0, noise, weights.shape)
        weights -= rate * gradient
        if step >= steps // 2:
            average += weights / (steps - steps // 2)
    return np.array([[errors.mean() for errors in np.split(error(test, final), len(RATES))] for final in (weights, average)])


def error(test: Table, weights: npt.NDArray[np.float64], intercept: npt.NDArray[np.float64] | float = 0.0) -> npt.NDArray[np.float64]:
    """Error rates (models,) of columns of weights."""
    rows, signs = test
    found: npt.NDArray[np.float64] = np.mean(np.where(rows @ weights + intercept > 0, 1, -1) != signs[:, np.newaxis], axis=0)
    return found


def folds(table: Table) -> Sequence[tuple[Table, Table]]:
    """(train, test) five times."""
    rows, signs = table
    parts = np.array_split(np.random.default_rng(5).permutation(len(signs)), FOLDS)
    pairs = []
    for test in parts:
        train = np.setdiff1d(np.arange(len(signs)), test)
        pairs.append(((rows[train], signs[train]), (rows[test], signs[test])))
    return pairs


def compare(table: Table, *, epsilon: float, neighbours: str, draws: int, rival_draws: int) -> None:
    """One line."""
    ours: dict[str, list[float]] = {"svm": [], "logistic": []}
    rival: list[npt.NDArray[np.float64]] = []
    for train, test in folds(table):
        delta = 1.0 / len(train[1]) ** 2
        for name, model in (
            ("svm", LinearSVC(epsilon=epsilon, delta=delta, neighbours=neighbours, classes=[-1, 1])),
            ("logistic", LogisticRegression(epsilon=epsilon, delta=delta, neighbours=neighbours, classes=[-1, 1])),
        ):
            fits = model.fit_many(*train, count=draws)
            ours[name].append(float(error(test, fits.coef.T, fits.intercept).mean()))
        if rival_draws:
            arguments = {"epsilon": epsilon, "delta": delta, "neighbours": neighbours, "draws": rival_draws}
            rival.append(np.stack([gradient_descent(train, test, steps=steps, **arguments) for steps in STEPS]))
    told = "  ".join(f"{name} {np.mean(found):.4f} +- {np.std(found) / np.sqrt(FOLDS):.4f}" for name, found in ours.items())
    against = f"  gradient descent, tuned on the test data {np.mean(rival, axis=0).min():.4f}" if rival_draws else ""
    print(f"{neighbours:12s} epsilon {epsilon:3g}  {told}{against}", flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=["adult", "kdd", "mnist49"])
    parser.add_argument("source", nargs="?", help="file or folder of the table; Adult comes with the package")
    parser.add_argument("--draws", type=int, default=10, help="draws of noise a fold")
    parser.add_argument("--rival-draws", type=int, default=6, help="draws of noise a fold for gradient descent; 0 leaves it out")
    options = parser.parse_args()
    loaders = {"adult": lambda _: adult(), "kdd": kdd_cup_99, "mnist49": mnist_4_against_9}
    table = loaders[options.table](options.source)
    print(f"{options.table}: {table[0].shape[0]} x {table[0].shape[1]}, {FOLDS} folds, load average {os.getloadavg()[0]:.1f}")
    for neighbours in ("add-remove", "replace-one"):
        for epsilon in (0.1, 0.5, 1.0, 4.0):
            compare(table, epsilon=epsilon, neighbours=neighbours, draws=options.draws, rival_draws=options.rival_draws)


if __name__ == "__main__":
    main()
