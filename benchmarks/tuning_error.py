"""Private tuning against not tuning, at the same total epsilon and delta, in one run.

    python benchmarks/tuning_error.py adult
    python benchmarks/tuning_error.py kdd FILE          kddcup.data_10_percent.gz
    python benchmarks/tuning_error.py ... --relation replace-one --folds 5 --repeats 2

    default             LinearSVC(epsilon=, delta=, neighbours=): alpha from public numbers, no search
    random stopping     PrivateSearchCV over four alphas, law geometric, eight runs expected
    algorithm 4         the same settings, the records cut into five parts (Chaudhuri, Monteleoni, Sarwate 2011), with our fits
    best in hindsight   the smallest error on the test folds among fits of these settings with the whole epsilon: not private, its choice is free

The settings are lambda = alpha n = {5, 10, 20, 40} / epsilon, public numbers. Rows of norm 1, delta = 1 / n^2, error on test folds; the +- is the
standard error over folds. "inner epsilon" is what the search leaves to one fit.
"""

import argparse
import os
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from tables import Table, kdd_cup_99

from discreet import LinearSVC
from discreet.data.adult import adult_cms
from discreet.estimators import PrivateSearchCV

EPSILONS = (0.1, 0.5, 1.0)
RIDGES = (5.0, 10.0, 20.0, 40.0)
ALL_FOLDS = 5


def adult_table() -> Table:
    """Adult as Chaudhuri, Monteleoni and Sarwate (2011) prepared it, 45,222 x 105."""
    rows, signs = adult_cms()
    return rows.toarray(), signs.astype(np.int64)


def folds(table: Table, count: int) -> Sequence[tuple[Table, Table]]:
    """(train, test) for the first `count` of five folds."""
    rows, signs = table
    parts = np.array_split(np.random.default_rng(5).permutation(len(signs)), ALL_FOLDS)
    pairs = []
    for test in parts[:count]:
        train = np.setdiff1d(np.arange(len(signs)), test)
        pairs.append(((rows[train], signs[train]), (rows[test], signs[test])))
    return pairs


def methods(*, epsilon: float, records: int, relation: str) -> dict[str, Callable[[], Any]]:
    """What is compared, each a maker of an unfitted model that spends (epsilon, 1 / records^2)."""
    delta = 1.0 / records**2
    public = {"public_records": records} if relation == "add-remove" else {}
    ridges = [ridge / epsilon for ridge in RIDGES]
    inner = LinearSVC(neighbours=relation, classes=[-1, 1], **public)
    parts = len(ridges) + 1

    def search(method: str, share: int) -> PrivateSearchCV:
        grid = {"alpha": [ridge * share / records for ridge in ridges]}
        return PrivateSearchCV(inner, grid, epsilon=epsilon, delta=delta, method=method)

    return {
        "default": lambda: LinearSVC(epsilon=epsilon, delta=delta, neighbours=relation, classes=[-1, 1]),
        "random stopping": lambda: search("random-stopping", 1),
        "algorithm 4": lambda: search("algorithm-4", parts),
    } | {
        f"lambda {ridge:.3g}": lambda ridge=ridge: LinearSVC(
            epsilon=epsilon, delta=delta, neighbours=relation, classes=[-1, 1], alpha=ridge / records, **public
        )
        for ridge in ridges
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=["adult", "kdd"])
    parser.add_argument("file", nargs="?")
    parser.add_argument("--relation", action="append", choices=["replace-one", "add-remove"])
    parser.add_argument("--folds", type=int, default=ALL_FOLDS)
    parser.add_argument("--repeats", type=int, default=2)
    chosen = parser.parse_args()
    table = adult_table() if chosen.table == "adult" else kdd_cup_99(chosen.file)
    print(f"{chosen.table}, {len(table[1])} records, {chosen.folds} folds, {chosen.repeats} repeats, load average {os.getloadavg()[0]:.1f}")
    for relation in chosen.relation or ["replace-one", "add-remove"]:
        for epsilon in EPSILONS:
            compare(table, epsilon=epsilon, relation=relation, count=chosen.folds, repeats=chosen.repeats)


def compare(table: Table, *, epsilon: float, relation: str, count: int, repeats: int) -> None:
    """One line a method."""
    pairs = folds(table, count)
    found: dict[str, list[float]] = {}
    for train, test in pairs:
        for name, make in methods(epsilon=epsilon, records=len(train[1]), relation=relation).items():
            begin = time.perf_counter()
            models = [make().fit(*train) for _ in range(repeats)]
            found.setdefault(name, []).append(float(np.mean([1.0 - model.score(*test) for model in models])))
            found.setdefault(f"seconds {name}", []).append((time.perf_counter() - begin) / repeats)
            if name == "random stopping":
                found.setdefault("inner", []).append(models[0].certificate_.parameters["fit_epsilon"])
            total = models[0].certificate_.guarantee
            if (total.epsilon, total.delta(total.epsilon)) > (epsilon * (1 + 1e-9), 1.0 / len(train[1]) ** 2 * (1 + 1e-9)):
                raise SystemExit(f"{name} spends more than it may: {total}")
    hindsight = min((float(np.mean(errors)), name) for name, errors in found.items() if name.startswith("lambda"))
    for name in ("default", "random stopping", "algorithm 4"):
        errors = found[name]
        more = f"   inner epsilon {np.mean(found['inner']):.3f}" if name == "random stopping" else ""
        spread = np.std(errors) / np.sqrt(len(errors))
        seconds = np.mean(found[f"seconds {name}"])
        print(f"{relation:12s} epsilon {epsilon:<4g} {name:16s} {np.mean(errors):.4f} +- {spread:.4f}   {seconds:5.1f} s{more}", flush=True)
    print(f"{relation:12s} epsilon {epsilon:<4g} {'best in hindsight':16s} {hindsight[0]:.4f} ({hindsight[1]})", flush=True)


if __name__ == "__main__":
    main()
