"""Sparse wide tables: error, features found and time of the private sparse classifier.

    python benchmarks/sparse_lasso.py farm=farm_ads.svm.xz dorothea=dorothea_train.svm.xz news20=news20_multiclass.svm.xz@11
    python benchmarks/sparse_lasso.py --synthetic

Files are in LIBSVM's format, packed with xz or not. `@11` makes two groups of the classes: labels of at least 11 against the others. Entries are
clipped to 1 (word counts become occurrences). Of each table 80 % train and 20 % test, `--runs` times, with new splits and new noise.

Columns: error on the test part (share of the smaller class beside it); features with a weight; how many of these were drawn more than once; how
many of these are among the weights of the model without privacy; seconds for one step. --synthetic: d = 1,000,000 features, n = 20,000 records with
100 of them each, ten of which decide; the requirement is seconds for a fit.
"""

import argparse
import lzma
import math
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_svmlight_file
from sklearn.model_selection import train_test_split

from discreet import LassoClassifier

DELTA = 1e-6
EPSILONS = (0.5, 1.0, 2.0, 4.0, 8.0)


def main() -> None:
    """Print a table for each data set."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("tables", nargs="*", help="name=path or name=path@label")
    options.add_argument("--synthetic", action="store_true")
    options.add_argument("--runs", type=int, default=5)
    options.add_argument("--radius", type=float, default=10.0)
    options.add_argument("--neighbours", default="add-remove")
    given = options.parse_args()
    for table in given.tables:
        name, _, place = table.partition("=")
        path, _, label = place.partition("@")
        rows, labels = read(Path(path))
        report(name, rows, labels >= float(label or 1), given)
    if given.synthetic:
        report("synthetic", *synthetic(), given)


def read(path: Path) -> tuple[sp.csr_array, np.ndarray]:
    """Rows and labels of a LIBSVM file."""
    with lzma.open(path) if path.suffix == ".xz" else path.open("rb") as file:
        rows, labels = load_svmlight_file(file)
    return sp.csr_array(rows), labels


def synthetic() -> tuple[sp.csr_array, np.ndarray]:
    """A million features, of which the first twenty are common and the first ten decide."""
    draw = np.random.default_rng(0)
    records, features, entries = 20_000, 1_000_000, 100
    columns = draw.integers(20, features, size=(records, entries))
    common = draw.random((records, 20)) < 0.3
    rows = sp.coo_array((np.ones(records * entries), (np.repeat(np.arange(records), entries), columns.ravel())), shape=(records, features)).tocsr()
    rows.data[:] = 1.0
    deciding = common[:, :10] @ np.repeat([1.0, -1.0], 5)
    dense = sp.coo_array((common.astype(float)[common], np.nonzero(common)), shape=(records, features)).tocsr()
    return sp.csr_array(rows + dense), deciding + 0.5 * draw.normal(size=records) > 0.0


def report(name: str, rows: sp.csr_array, labels: np.ndarray, given: argparse.Namespace) -> None:
    """One table."""
    share = min(labels.mean(), 1.0 - labels.mean())
    print(f"\n{name}: {rows.shape[0]} x {rows.shape[1]}, {rows.nnz} entries, smaller class {share:.4f}; {given.neighbours}, radius {given.radius:g}")
    print(f"{'epsilon':>7} {'T':>4} {'test error':>18} {'features':>8} {'twice':>6} {'shared':>6} {'s/step':>8} {'s/fit':>7}")
    for epsilon in (math.inf, *EPSILONS):
        lines = [one(rows, labels, epsilon, seed, given) for seed in range(1 if epsilon == math.inf and name == "synthetic" else given.runs)]
        steps, errors, features, twice, shared, seconds = np.array(lines).T
        spread = np.std(errors, ddof=1) / math.sqrt(len(errors)) if len(errors) > 1 else math.nan
        print(
            f"{epsilon:7g} {steps[0]:4.0f} {errors.mean():9.4f} +- {spread:.4f} {features.mean():8.1f} {twice.mean():6.1f} {shared.mean():6.1f} "
            f"{(seconds / steps).mean():8.4f} {seconds.mean():7.2f}",
            flush=True,
        )


REFERENCE: dict[tuple[int, int], np.ndarray] = {}
"""Support of the model without privacy, by table and split."""


def one(rows: sp.csr_array, labels: np.ndarray, epsilon: float, seed: int, given: argparse.Namespace) -> tuple[float, ...]:
    """Steps, test error, features, those drawn twice, those shared with the model without privacy, seconds of the fit."""
    train, test, answers, truth = train_test_split(rows, labels, test_size=0.2, random_state=seed, stratify=labels)
    model = LassoClassifier(
        epsilon=epsilon,
        delta=DELTA,
        neighbours=given.neighbours,
        radius=given.radius,
        data_bound=1.0,
        classes=[False, True],
        public_records=train.shape[0],
        n_iter=300 if epsilon == math.inf else None,
    )
    start = time.perf_counter()
    model.fit(train, answers)
    seconds = time.perf_counter() - start
    steps = int(model.certificate_.parameters.get("steps", 0))
    error = float(np.mean(model.predict(test) != truth))
    weights = np.abs(model.coef_[0])
    if epsilon == math.inf:
        REFERENCE[rows.nnz, seed] = weights > 0
        return steps, error, float((weights > 0).sum()), math.nan, math.nan, seconds
    twice = weights > 1.5 * given.radius / steps
    reference = REFERENCE.get((rows.nnz, seed), REFERENCE[rows.nnz, 0])
    return steps, error, float((weights > 0).sum()), float(twice.sum()), float((twice & reference).sum()), seconds


if __name__ == "__main__":
    main()
