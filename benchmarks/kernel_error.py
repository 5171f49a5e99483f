"""Test error of private kernel machines against epsilon, beside the linear machine and beside both without privacy, in one run.

    python benchmarks/kernel_error.py                                     two moons, drawn here (seconds)
    python benchmarks/kernel_error.py --kdd kddcup.data_10_percent.gz     and KDD Cup 1999 (a minute or two)

Replace-one, delta = 1 / n^2, softplus hinge, alpha by default and 1e-6 without privacy (epsilon inf); the best of nothing is taken. +- is the
standard deviation over draws of noise, and of the public frequencies: each draw has its own seed.

Two moons: 10,000 records for training and 10,000 for the test, two half circles of radius 1 around (0, 0) and (1, -0.5), with normal noise of 0.2.
The linear machine gets the two coordinates over 4, of norm at most 1 but for about one record in a million, and an intercept.

KDD Cup 1999 (UCI, the file of 494,021 connections): 70,000 of them, as many as Chaudhuri, Monteleoni and Sarwate (2011) take, drawn with replacement
and by the seed of the benchmark of Iyengar et al. (2019), so copies of a connection fall on both sides of the split; 56,000 for training. Numeric
columns are divided by their maximum over the whole file and symbolic ones become indicators (118 columns; taken as public here, as in those studies),
then each row is divided by its norm. Normal connections against attacks.
"""

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from discreet import KernelClassifier, LinearSVC
from discreet.core.arrays import Floats
from discreet.estimators.models.linear_classifier import LinearClassifier

EPSILONS = (0.1, 0.5, 1.0, 4.0, np.inf)


@dataclass(frozen=True, kw_only=True)
class Task:
    """A split table with the public scale of its kernel."""

    name: str
    train: Floats
    train_labels: Floats
    test: Floats
    test_labels: Floats
    gamma: float
    linear_scale: float
    intercept: bool
    features: tuple[int, ...]


def two_moons(records: int = 20_000) -> Task:
    """Two half circles, one in the arms of the other."""
    draw = np.random.default_rng(0)
    angles, labels = draw.uniform(0.0, np.pi, records), draw.integers(0, 2, records)
    upper, lower = np.column_stack((np.cos(angles), np.sin(angles))), np.column_stack((1.0 - np.cos(angles), 0.5 - np.sin(angles)))
    rows = np.where(labels[:, np.newaxis] == 1, upper, lower) + 0.2 * draw.standard_normal((records, 2))
    half = records // 2
    return Task(
        name="two moons",
        train=rows[:half],
        train_labels=labels[:half],
        test=rows[half:],
        test_labels=labels[half:],
        gamma=2.0,
        linear_scale=0.25,
        intercept=True,
        features=(20, 50, 200),
    )


def kdd(path: str, records: int = 70_000) -> Task:
    """Normal connections against attacks."""
    table = pl.read_csv(path, has_header=False)
    numeric = [name for name, kind in table.schema.items() if kind.is_numeric()]
    symbolic = [name for name in table.columns if name not in numeric and name != table.columns[-1]]
    chosen = np.random.RandomState(10000019).randint(0, len(table), records)  # the stream of that benchmark
    largest = table.select(pl.col(numeric).max()).to_numpy()[0].astype(float)
    parts = [table.select(numeric).to_numpy().astype(float)[chosen] / np.where(largest > 0, largest, 1.0)]
    for name in symbolic:
        column = table[name].to_numpy()
        parts.append((column[chosen, np.newaxis] == np.unique(column)).astype(float))
    rows = np.hstack(parts)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    labels = (table[table.columns[-1]].to_numpy()[chosen] == "normal.").astype(int)
    order = np.random.default_rng(5).permutation(records)
    test, train = order[: records // 5], order[records // 5 :]
    return Task(
        name=f"KDD Cup 1999, {rows.shape[1]} columns",
        train=rows[train],
        train_labels=labels[train],
        test=rows[test],
        test_labels=labels[test],
        gamma=4.0,
        linear_scale=1.0,
        intercept=False,
        features=(100, 400),
    )


def models(task: Task, epsilon: float, seed: int) -> Iterator[tuple[str, LinearClassifier]]:
    """The machines of one column of the table."""
    target = {"epsilon": epsilon, "delta": 1.0 / len(task.train) ** 2, "classes": [0, 1], "alpha": 1e-6 if np.isinf(epsilon) else None}
    yield "linear", LinearSVC(fit_intercept=task.intercept, **target)
    for features in task.features:
        yield f"gaussian kernel, {features} features", KernelClassifier(n_features=features, gamma=task.gamma, feature_seed=seed, **target)


def errors(task: Task, epsilon: float, draws: int) -> dict[str, list[float]]:
    """Test errors by machine, one a draw."""
    found: dict[str, list[float]] = {}
    for seed in range(draws):
        for name, model in models(task, epsilon, seed):
            scale = task.linear_scale if name == "linear" else 1.0
            model.fit(task.train * scale, task.train_labels)
            found.setdefault(name, []).append(1.0 - model.score(task.test * scale, task.test_labels))
    return found


def main() -> None:
    """Print a table a task."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kdd", metavar="FILE", help="kddcup.data_10_percent.gz")
    parser.add_argument("--draws", type=int, default=5)
    options = parser.parse_args()
    for task in [two_moons(), *([kdd(options.kdd)] if options.kdd else [])]:
        begin = time.perf_counter()
        columns = {epsilon: errors(task, epsilon, options.draws) for epsilon in EPSILONS}
        print(f"{task.name}: {len(task.train)} records, gamma {task.gamma:g}, {options.draws} draws, {time.perf_counter() - begin:.0f} s")
        print(f"{'epsilon':32s}" + "".join(f"{epsilon:>18g}" for epsilon in EPSILONS))
        for name in columns[EPSILONS[0]]:
            cells = [columns[epsilon][name] for epsilon in EPSILONS]
            print(f"{name:32s}" + "".join(f"{np.mean(cell):10.4f} +-{np.std(cell):6.4f}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
