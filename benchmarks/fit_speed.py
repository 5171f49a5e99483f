"""Time of a fit, of many fits, and memory of a fit, side by side with scikit-learn in one run.

    python benchmarks/fit_speed.py [--quick] [--repeat 5] [--only adult] [--only dense] [--only many]

Every contestant minimises sum_i log(1 + exp(-y_i <x_i, w>)) + (ridge / 2) |w|^2, ridge = 1e-3 n, without intercept, on one BLAS thread.
scikit-learn's tolerance is lowered until the gradient norm, measured here in float64, is at most 1e-10 n; a solver that never gets there
says so. Repetitions are interleaved, and medians and ratios are printed with the load of the machine. Ours includes the certificate; rows are made
once, beforehand.
"""

import argparse
import os
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from discreet.core.arrays import Floats
from discreet.losses import Logistic
from discreet.matrices import AugmentedMatrix, DenseMatrix, Matrix, SparseMatrix, TabularMatrix
from discreet.objectives.objective import MarginObjective
from discreet.solvers import solve, solve_many

SIZES = (8, 16, 7, 14, 6, 5, 2, 41)
PRECISION = 1e-10
PEERS = ("newton-cholesky", "lbfgs", "newton-cg")


def adult_like(count: int) -> tuple[Matrix, Floats]:
    """Six numbers and eight skewed categories, 105 columns with 14 non-zeros a row, rows of norm 1; and signs from a logistic model."""
    rng = np.random.default_rng(0)
    codes = [rng.choice(size, count, p=rng.dirichlet(np.full(size, 0.5))) for size in SIZES]
    table = TabularMatrix(0.5 * rng.standard_normal((count, 6)), codes, SIZES)
    matrix = AugmentedMatrix(table, scale=1.0 / table.row_norms(), constant=0.0)
    return matrix, signs_for(matrix, rng)


def dense_table(count: int, columns: int) -> tuple[Matrix, Floats, Floats]:
    """Correlated numbers, made in place; the matrix, the array and signs."""
    rng = np.random.default_rng(0)
    rows = np.empty((count, columns))
    for start in range(0, count, 8192):
        block = rows[start : start + 8192]
        rng.standard_normal(out=block)
        block[:, 1:] += 0.5 * block[:, :1]
        block /= np.sqrt(columns)
    matrix = DenseMatrix(rows)
    return matrix, rows, signs_for(matrix, rng)


def signs_for(matrix: Matrix, rng: np.random.Generator) -> Floats:
    """Signs drawn from a logistic model."""
    scores = 2.0 * matrix.matvec(3.0 * rng.standard_normal(matrix.shape[1])) - 1.0
    return np.where(rng.random(len(scores)) < 1.0 / (1.0 + np.exp(-scores)), 1.0, -1.0)


def objective_for(matrix: Matrix, signs: Floats) -> MarginObjective:
    """The function that everybody minimises."""
    return MarginObjective(matrix=matrix, signs=signs, weights=None, loss=Logistic(), ridge=1e-3 * len(signs))


def interleaved(contestants: dict[str, Callable[[], object]], repeat: int) -> dict[str, float]:
    """Median seconds of each, one of each per round."""
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(repeat):
        for name, run in contestants.items():
            start = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - start)
    return {name: median(values) for name, values in times.items()}


def peer(rows: object, signs: Floats, solver: str) -> tuple[Callable[[], Floats], float]:
    """scikit-learn's fit at the first tolerance that reaches the precision (or at the last one tried), and the gradient norm it reaches over n."""
    count = len(signs)
    check = objective_for(rows if isinstance(rows, Matrix) else _as_matrix(rows), signs)

    def fit(tolerance: float) -> Floats:
        model = LogisticRegression(C=1.0 / check.ridge, fit_intercept=False, solver=solver, tol=tolerance, max_iter=10_000)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.asarray(model.fit(rows, signs).coef_[0])

    norm = np.inf
    tolerance = 1e-6
    for tolerance in (1e-6, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-14):
        weights = fit(tolerance)
        norm = float(np.linalg.norm(check.gradient(weights, check.margins(weights)))) / count
        if norm <= PRECISION:
            break
    return (lambda: fit(tolerance)), norm


def _as_matrix(rows: object) -> Matrix:
    return SparseMatrix(rows) if sparse.issparse(rows) else DenseMatrix(np.asarray(rows))


def report(title: str, times: dict[str, float], norms: dict[str, float]) -> None:
    """A line a contestant: milliseconds, ratio to the fastest scikit-learn solver that is precise enough, gradient norm."""
    reaching = [seconds for name, seconds in times.items() if name.startswith("sklearn") and norms[name] <= PRECISION]
    best = min(reaching, default=float("nan"))
    print(f"\n{title}")
    for name, seconds in times.items():
        verdict = "" if norms[name] <= PRECISION else "   DOES NOT REACH THE PRECISION"
        print(f"  {name:34s} {1e3 * seconds:9.1f} ms   {seconds / best:6.2f} x best peer   norm / n {norms[name]:.1e}{verdict}")


def ours(matrix: Matrix, signs: Floats) -> tuple[Callable[[], object], float]:
    """Our fit and its certified gradient norm over n."""
    tolerance = PRECISION * len(signs)
    first = solve(objective_for(matrix, signs), tolerance=tolerance)
    return (lambda: solve(objective_for(matrix, signs), tolerance=tolerance)), first.gradient_norm / len(signs)


def run_adult(count: int, repeat: int) -> None:
    """(a) One fit of the Adult-like table."""
    start = time.perf_counter()
    tabular, signs = adult_like(count)
    made = time.perf_counter() - start
    held_rows = explicit(tabular)
    dense = held_rows.toarray()
    runs, norms = {}, {}
    for name, matrix in (("ours, tabular", tabular), ("ours, CSR", SparseMatrix(held_rows)), ("ours, dense", DenseMatrix(dense))):
        runs[name], norms[name] = ours(matrix, signs)
    for solver in PEERS:
        for form, rows in (("dense", dense), ("CSR", sparse.csr_matrix(held_rows))):
            name = f"sklearn {solver}, {form}"
            runs[name], norms[name] = peer(rows, signs, solver)
    report(
        f"(a) Adult-like, {count} x {dense.shape[1]}, 14 non-zeros a row (table and signs made in {1e3 * made:.0f} ms)",
        interleaved(runs, repeat),
        norms,
    )


def explicit(matrix: Matrix) -> "sparse.csr_array":
    """The rows of a matrix, as CSR."""
    unit = np.eye(matrix.shape[1])
    return sparse.csr_array(sparse.vstack([sparse.csr_array(block.matvec(unit)) for _, block in matrix.blocks()], format="csr"))


def run_dense(count: int, columns: int, repeat: int) -> None:
    """(b) One fit of a long dense table, and its memory."""
    matrix, rows, signs = dense_table(count, columns)
    runs, norms = {}, {}
    runs["ours, dense"], norms["ours, dense"] = ours(matrix, signs)
    for solver in ("newton-cholesky", "lbfgs"):
        runs[f"sklearn {solver}"], norms[f"sklearn {solver}"] = peer(rows, signs, solver)
    report(f"(b) dense, {count} x {columns}", interleaved(runs, repeat), norms)
    del matrix, rows, signs, runs
    for who in ("ours", "sklearn"):
        shown = subprocess.run(  # noqa: S603 - this file, by this interpreter
            [sys.executable, __file__, "--memory", who, str(count), str(columns)], capture_output=True, text=True, check=True
        ).stdout
        print(f"  memory, {who:8s} {shown.strip()}")


def run_memory(who: str, count: int, columns: int) -> None:
    """In a fresh process: growth of the peak resident size over the imports, with the data and with the fit, over the size of the data."""
    warm, warm_rows, warm_signs = dense_table(2000, columns)
    solve(objective_for(warm, warm_signs), tolerance=1e-6)
    LogisticRegression(solver="newton-cholesky").fit(warm_rows, warm_signs)
    baseline = _peak()
    matrix, rows, signs = dense_table(count, columns)
    data = _peak() - baseline
    if who == "ours":
        solve(objective_for(matrix, signs), tolerance=PRECISION * count)
    else:
        LogisticRegression(C=1e3 / count, fit_intercept=False, solver="newton-cholesky", tol=PRECISION).fit(rows, signs)
    print(f"peak with data {data / rows.nbytes:.2f} x, with the fit {(_peak() - baseline) / rows.nbytes:.2f} x the size of the data")


def _peak() -> int:
    """Peak resident bytes of this process. Linux's ru_maxrss survives exec, and so would count the parent; VmHWM does not."""
    status = Path("/proc/self/status")
    if status.exists():
        return 1024 * int(next(line for line in status.read_text().splitlines() if line.startswith("VmHWM")).split()[1])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def run_many(count: int, models: int, cold: int) -> None:
    """(c) Many linear terms: one call against cold single fits, of which only a sample is run."""
    tabular, signs = adult_like(count)
    held_rows = explicit(tabular)
    forms = {"tabular": tabular, "CSR": SparseMatrix(held_rows), "dense": DenseMatrix(held_rows.toarray())}
    tolerance = PRECISION * count
    print(f"\n(c) {models} linear terms, Adult-like {count} x {held_rows.shape[1]}; cold fits extrapolated from {cold}")
    for epsilon in (1.0, 0.3, 0.1):
        rng = np.random.default_rng(3)
        linears = rng.standard_normal((held_rows.shape[1], models))
        linears *= rng.gamma(held_rows.shape[1], 2.0 / epsilon, models) / np.linalg.norm(linears, axis=0)
        for name, matrix in forms.items():
            singles, calls, worst = [], [], 0.0
            for j in range(cold):  # interleaved: a batch call in the middle of each third of the single fits
                start = time.perf_counter()
                solve(objective_for(matrix, signs).with_linear(linears[:, j].copy()), tolerance=tolerance)
                singles.append(time.perf_counter() - start)
                if j % max(1, cold // 3) == cold // 6:
                    start = time.perf_counter()
                    _, norms = solve_many(objective_for(matrix, signs), linears, tolerance=tolerance)
                    calls.append(time.perf_counter() - start)
                    worst = float(norms.max()) / count
            each, together = median(singles), median(calls)
            print(
                f"  epsilon {epsilon:3.1f} {name:8s} one by one {each * models:7.2f} s, together {together:6.2f} s   {each * models / together:5.1f}x"
                f"   {models / together:6.0f} fits a second   norm / n {worst:.1e}"
            )


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the records, fewer repetitions")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--only", action="append", choices=("adult", "dense", "many"))
    parser.add_argument("--memory", nargs=3, metavar=("WHO", "COUNT", "COLUMNS"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.memory:
        run_memory(options.memory[0], int(options.memory[1]), int(options.memory[2]))
        return
    threadpool_limits(1)
    parts = options.only or ["adult", "dense", "many"]
    shrink = 10 if options.quick else 1
    repeat = 2 if options.quick else options.repeat
    print(f"load average before: {os.getloadavg()[0]:.2f} on {os.cpu_count()} cores, one BLAS thread")
    if "adult" in parts:
        run_adult(45_222 // shrink, repeat)
    if "dense" in parts:
        run_dense(1_000_000 // shrink, 50, min(repeat, 3))
    if "many" in parts:
        run_many(45_222 // shrink, 500 // shrink, 20 // (2 if options.quick else 1))
    print(f"\nload average after: {os.getloadavg()[0]:.2f}")


if __name__ == "__main__":
    main()
