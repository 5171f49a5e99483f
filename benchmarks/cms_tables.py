"""Tables 1 and 2 of Chaudhuri, Monteleoni and Sarwate (2011), rerun at epsilon 0.1: their printed algorithms beside the tight ones, in one run.

    python benchmarks/cms_tables.py adult
    python benchmarks/cms_tables.py kdd FILE          kddcup.data_10_percent.gz, 70,000 records (theirs came from the full file)

Test error, mean over folds and draws of noise, for each Lambda of the paper (Lambda is alpha; n Lambda is lambda on the sum). No intercept, rows
of norm 1, half-width 0.5 for the Huber hinge. "infeasible": the theorem asks for a larger Lambda at this epsilon, whatever the noise. The last
lines are the tuning-free defaults: no Lambda is chosen.
"""

import argparse
import os
import time
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from tables import Table, adult, kdd_cup_99

from discreet import LinearSVC, LogisticRegression
from discreet.core.errors import InfeasibleTarget
from discreet.estimators.models.linear_classifier import LinearClassifier

EPSILON = 0.1
LAMBDAS = {
    "adult": (1e-10, 1e-7, 1e-4, 10**-3.5, 1e-3, 10**-2.5, 1e-2, 10**-1.5),
    "kdd": (1e-9, 1e-7, 1e-5, 10**-3.5, 1e-3, 10**-2.5, 1e-2, 10**-1.5),
}
NON_PRIVATE = {"epsilon": np.inf}
PUBLISHED = {"epsilon": EPSILON, "delta": 0.0, "calibration": "published"}
PURE = {"epsilon": EPSILON, "delta": 0.0}
APPROXIMATE = {"epsilon": EPSILON, "delta": 1e-6}
RELATION = {"neighbours": "add-remove"}


def methods() -> Iterator[tuple[str, dict[str, object]]]:
    """(name, parameters)."""
    yield "non-private", NON_PRIVATE
    yield "output, published", PUBLISHED | {"mechanism": "output"}
    yield "objective, published", PUBLISHED
    yield "output, tight", PURE | {"mechanism": "output"}
    yield "objective, tight", PURE
    yield "objective, tight, add-remove", PURE | RELATION
    yield "objective, tight, delta 1e-6", APPROXIMATE
    yield "objective, tight, delta 1e-6, add-remove", APPROXIMATE | RELATION


def folds(count: int, parts: int, used: int) -> list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
    """(train, test) of the first `used` of `parts` folds."""
    split = np.array_split(np.random.default_rng(5).permutation(count), parts)
    return [(np.setdiff1d(np.arange(count), test), test) for test in split[:used]]


def error(model: LinearClassifier, table: Table, parts: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]], draws: int) -> float:
    """Mean test error; NaN where no noise reaches the target."""
    rows, signs = table
    found = []
    for train, test in parts:
        model.set_params(public_records=len(train) if model.neighbours == "add-remove" else None)
        try:
            fits = model.fit_many(rows[train], signs[train], count=1 if np.isinf(model.epsilon) else draws)
        except InfeasibleTarget:
            return float("nan")
        predicted = np.where(rows[test] @ fits.coef.T + fits.intercept > 0, 1, -1)
        found.append(float(np.mean(predicted != signs[test][:, np.newaxis])))
    return float(np.mean(found))


def main() -> None:
    """Print both halves."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=list(LAMBDAS))
    parser.add_argument("source", nargs="?", help="the file of the table; Adult comes with the package")
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--folds", type=int, default=10, help="folds used, of ten")
    options = parser.parse_args()
    table = adult() if options.table == "adult" else kdd_cup_99(options.source)
    parts = folds(len(table[1]), 10, options.folds)
    lambdas = LAMBDAS[options.table]
    begin = time.perf_counter()
    print(f"{options.table}: {table[0].shape[0]} x {table[0].shape[1]}, {len(parts)} of 10 folds, {options.draws} draws each, epsilon {EPSILON}")
    for name, loss in (("logistic", "logistic"), ("Huber", "huber-hinge")):
        print(f"{name + ', Lambda':50s}" + " ".join(f"{value:8.1e}" for value in lambdas))
        for method, parameters in methods():
            model = LinearSVC(loss=loss, fit_intercept=False, classes=[-1, 1], **parameters)
            errors = [error(model.set_params(alpha=value), table, parts, options.draws) for value in lambdas]
            print(f"  {method:48s}" + " ".join("infeasib" if np.isnan(value) else f"{value:8.4f}" for value in errors), flush=True)
    print("tuning-free defaults, intercept fitted")
    for kind in (LogisticRegression, LinearSVC):
        for method, parameters in (
            ("pure", PURE),
            ("pure, add-remove", PURE | RELATION),
            ("delta 1e-6", APPROXIMATE),
            ("delta 1e-6, add-remove", APPROXIMATE | RELATION),
        ):
            print(f"  {kind.__name__ + ', ' + method:48s}{error(kind(classes=[-1, 1], **parameters), table, parts, options.draws):8.4f}", flush=True)
    print(f"{time.perf_counter() - begin:.0f} s, load average {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
