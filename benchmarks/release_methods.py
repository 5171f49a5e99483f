"""What a release is worth to those who learn from it: one table of release methods, beside the private fit and the fit without privacy.

    DISCREET_DATA=FOLDER python benchmarks/release_methods.py [--tables adult lending] [--epsilons 0.5 1 4] [--seeds 2] [--only METHOD ...]

Every release is of the training rows, add-remove, delta = 1 / n^2; what is trained on it is tested on the real test rows. A classifier answers the
table's target; a regression answers a column that is another feature of it (`NUMBERS`), from the same release where it has rows. Methods:
  synthetic   a synthetic table of discreet (`pip install .[synthetic]`), and logistic or least squares learners on 16 public bins of its rows
  mst, aim    the same learners on a synthetic table by dpmm of the same size, in the same bins; the number of records is given to it
  fit         no release: the private fit itself (LinearSVC, LinearRegression, on curves), for the whole budget each
  open        no privacy: the same learners as on synthetic rows, on the records

Errors, and mean squared errors over the variance, with the standard error over seeds of the noise; seconds of a release.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from plain_tables import PlainTable, plain_table, splits
from tabular_methods import SYNTHETIC, Task, frame, invented, ours, schema_of, unprotected

from discreet.data import Schema
from discreet.noise import SystemNoise
from discreet.releases import publish_synthetic

NUMBERS = {"adult": "hours-per-week", "lending": "int_rate"}
"""The column that a regression answers."""
Release = Callable[[Task], PlainTable]


def plain(table: PlainTable, found: dict[str, np.ndarray]) -> PlainTable:
    """Released rows in the place of the records."""
    target = found["target"].astype(str) == "1"
    numbers = {name: found[name].astype(float) for name in table.numbers}
    return replace(table, numbers=numbers, categories={name: found[name].astype(str) for name in table.categories}, target=target.astype(float))


def by_us(task: Task) -> PlainTable:
    """Our synthetic table."""
    schema = replace(schema_of(both(task), SYNTHETIC), rows_per_person=1)
    with tempfile.TemporaryDirectory() as folder:
        made = publish_synthetic(
            frame(task.train), Path(folder) / "out", SystemNoise(), schema=schema, epsilon=task.epsilon, delta=task.delta, neighbours=task.relation
        )
        rows = made.frame()
    return plain(task.train, {name: rows.get_column(name).to_numpy() for name in rows.columns})


def both(task: Task) -> PlainTable:
    """Bounds and categories are public for both parts."""
    return replace(task.train, categories={name: np.array(levels) for name, levels in task.levels.items()})


def regression(table: PlainTable, column: str) -> PlainTable:
    """The same rows with another target."""
    rest = {name: values for name, values in table.numbers.items() if name != column}
    categories = {**table.categories, "former target": np.where(table.target > 0, "1", "0")}
    bounds = {name: each for name, each in table.bounds.items() if name != column}
    return replace(table, numbers=rest, categories=categories, target=table.numbers[column], target_bounds=table.bounds[column], bounds=bounds)


def learnt(task: Task, rows: PlainTable, column: str) -> tuple[float, float]:
    """Error of the classifier, and relative squared error of the regression, that are trained on these rows."""
    classes = unprotected(replace(task, train=rows), schema_of(both(task), SYNTHETIC))[0]
    numbers = replace(task, train=regression(rows, column), test=regression(task.test, column))
    return float(classes), float(unprotected(numbers, _schema(task, column, SYNTHETIC))[0])


def fitted(task: Task, column: str) -> tuple[float, float]:
    """Of the private fits, each for the whole budget."""
    numbers = replace(task, train=regression(task.train, column), test=regression(task.test, column))
    return float(ours(task, schema_of(both(task), "curve"))[0]), float(ours(numbers, _schema(task, column, "curve"))[0])


def _schema(task: Task, column: str, encoding: object) -> Schema:
    return schema_of(regression(both(task), column), encoding)


RELEASES: dict[str, Release] = {
    "synthetic": by_us,
    "mst": lambda task: invented(task, "MST"),
    "aim": lambda task: invented(task, "AIM"),
    "open": lambda task: task.train,
}


def main() -> None:
    """The table."""
    parser = argparse.ArgumentParser(description="Release methods beside fits.")
    parser.add_argument("--tables", nargs="+", default=["adult"], choices=sorted(NUMBERS))
    parser.add_argument("--epsilons", nargs="+", type=float, default=[0.5, 1.0, 4.0])
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--relation", default="add-remove")
    parser.add_argument("--only", nargs="+", default=[*RELEASES, "fit"])
    given = parser.parse_args()
    print(f"{'table':<10}{'method':<11}{'epsilon':>8}{'error':>16}{'squared error':>18}{'seconds':>9}")
    for name in given.tables:
        train, test = splits(plain_table(name), 1)[0]
        for method in given.only:
            for epsilon in given.epsilons if method != "open" else [np.inf]:
                task = Task(train=train, test=test, epsilon=epsilon, relation=given.relation)
                found, seconds = [], []
                for _ in range(given.seeds if method != "open" else 1):
                    start = time.perf_counter()
                    rows = RELEASES[method](task) if method in RELEASES else None
                    seconds.append(time.perf_counter() - start)
                    found.append(fitted(task, NUMBERS[name]) if rows is None else learnt(task, rows, NUMBERS[name]))
                means, spread = np.mean(found, axis=0), np.std(found, axis=0, ddof=min(1, len(found) - 1)) / np.sqrt(len(found))
                said = "".join(f"{mean:>10.4f} +-{error:.4f}" for mean, error in zip(means, spread, strict=True))
                print(f"{name:<10}{method:<11}{epsilon:>8g}{said}{np.mean(seconds):>9.0f}", flush=True)


if __name__ == "__main__":
    main()
