"""Fits of rows in an array of torch beside a plain torch script of the same fit, in one run: on a GPU where there is one, else on the processor.

    python benchmarks/gpu.py [--records 4000000] [--columns 500] [--seeds 200] [--repeat 3] [--device cuda] [--gram tf32] [--gram float32] ..
    python benchmarks/gpu.py --device cpu --records 200000 --columns 100 --seeds 20          (whether it runs; says nothing of a GPU)

Needs torch and `pip install 'discreet[gpu]'`. Minimises the mean of log(1 + exp(-y_i <x_i, w>)) + (1e-3 / 2) |w|^2 to a gradient norm of 1e-12, and
then with `--seeds` random linear terms at once. The plain script takes Newton steps from zero with a fresh Hessian each, and for many seeds steps of
one common factor, until the norms that torch computes are 1e-12: no certificate, no errors. Ours certifies what it returns. The bare products are
those that our fit took of the rows, once more and with nothing between them.

Printed beside the seconds: how many numbers travelled between processor and device in the fit, and how many in a pass. Targets at 4,000,000 x 500 on
one H100: at most 1.3 times 0.22 s (TF32), 0.49 s (float64) and 0.36 s (200 seeds), which a plain script took there.
"""

import argparse
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from unittest.mock import patch

import numpy as np
import torch

from discreet.data import Domain, Records
from discreet.device import DeviceMatrix, transfer
from discreet.losses import Logistic
from discreet.objectives import objective_of
from discreet.problems import RegularisedRisk
from discreet.solvers import solve, solve_many

PRECISION = 1e-12
ALPHA = 1e-3
CHUNK = 1 << 17
GRAMS = ("tf32", "float32", "float64")


def table(records: int, columns: int, device: str) -> tuple[torch.Tensor, torch.Tensor]:
    """Correlated numbers and signs +1 and -1 from a logistic model, both on the device."""
    torch.manual_seed(0)
    rows = torch.randn(records, columns, dtype=torch.float64, device=device) / columns**0.5
    rows[:, 1:] += 0.5 * rows[:, :1]
    scores = 4.0 * (rows @ torch.cos(torch.arange(columns, dtype=torch.float64, device=device)))
    positive = torch.rand(records, dtype=torch.float64, device=device) < torch.sigmoid(scores)
    return rows, 2.0 * positive.to(torch.float64) - 1.0


def plain_gram(rows: torch.Tensor, curvatures: torch.Tensor, gram: str) -> torch.Tensor:
    """sum_i h_i x_i x_i^T, a chunk at a time."""
    kind = torch.float64 if gram == "float64" else torch.float32
    total = torch.zeros(rows.shape[1], rows.shape[1], dtype=torch.float64, device=rows.device)
    roots = torch.sqrt(curvatures).to(kind)
    for start in range(0, len(rows), CHUNK):
        scaled = rows[start : start + CHUNK].to(kind) * roots[start : start + CHUNK, None]
        total += (scaled.T @ scaled).to(torch.float64)
    return total


def plain_fit(rows: torch.Tensor, signs: torch.Tensor, gram: str, precision: float = PRECISION) -> tuple[torch.Tensor, torch.Tensor, float]:
    """Newton's method from zero: the minimiser, the last factor, and the norm over n."""
    records, columns = rows.shape
    ridge = ALPHA * records
    point = torch.zeros(columns, dtype=torch.float64, device=rows.device)
    factor = torch.eye(columns, dtype=torch.float64, device=rows.device)
    norm = float("inf")
    for _ in range(50):
        slopes = torch.sigmoid(-signs * (rows @ point))
        gradient = ridge * point - rows.T @ (signs * slopes)
        norm = float(torch.linalg.vector_norm(gradient)) / records
        if norm <= precision:
            break
        hessian = plain_gram(rows, slopes * (1.0 - slopes), gram)
        hessian.diagonal().add_(ridge)
        factor = torch.linalg.cholesky(hessian)
        point = point - torch.cholesky_solve(gradient[:, None], factor)[:, 0]
    return point, factor, norm


def plain_seeds(rows: torch.Tensor, signs: torch.Tensor, linears: torch.Tensor, gram: str) -> float:
    """All columns at once by steps with one factor; the largest norm over n."""
    records = len(rows)
    common, factor, _ = plain_fit(rows, signs, gram, 1e-6)
    points = common[:, None] - torch.cholesky_solve(linears, factor)
    for _ in range(100):
        gradients = linears + ALPHA * records * points
        for start in range(0, records, CHUNK):
            part, sign = rows[start : start + CHUNK], signs[start : start + CHUNK, None]
            gradients -= part.T @ (sign * torch.sigmoid(-sign * (part @ points)))
        norm = float(torch.linalg.vector_norm(gradients, dim=0).max()) / records
        if norm <= PRECISION:
            break
        points = points - torch.cholesky_solve(gradients, factor)
    return norm


@contextmanager
def counted(calls: list[tuple[str, tuple[object, ...], dict[str, object]]]) -> Iterator[None]:
    """Note every product that is taken of the rows, with its arguments."""
    with patch.multiple(DeviceMatrix, **{name: noted(getattr(DeviceMatrix, name), name, calls) for name in ("matvec", "block_sums", "gram")}):
        yield


def noted(method: Callable[..., object], name: str, calls: list[tuple[str, tuple[object, ...], dict[str, object]]]) -> Callable[..., object]:
    """The method, which notes its calls."""

    def noting(*arguments: object, **keywords: object) -> object:
        calls.append((name, arguments, keywords))
        return method(*arguments, **keywords)

    return noting


@contextmanager
def travelling(traffic: Counter[str]) -> Iterator[None]:
    """Count the numbers that pass between processor and device."""

    def counting(name: str) -> Callable[..., object]:
        passes = getattr(transfer, name)

        def count(values: torch.Tensor | np.ndarray, *rest: object) -> object:
            traffic["numbers"] += int(np.prod(values.shape))
            traffic["times"] += 1
            return passes(values, *rest)

        return count

    with patch.multiple(transfer, **{name: counting(name) for name in ("to_host", "to_device", "number_on_host")}):
        yield


def timed(run: Callable[[], object], device: str, repeat: int) -> float:
    """Median seconds, after one run that does not count."""
    seconds = []
    for _ in range(repeat + 1):
        start = time.perf_counter()
        run()
        if device != "cpu":
            torch.cuda.synchronize()
        seconds.append(time.perf_counter() - start)
    return median(seconds[1:])


def replayed(calls: list[tuple[str, tuple[object, ...], dict[str, object]]]) -> None:
    """The same products again, and nothing else."""
    for name, arguments, keywords in calls:
        getattr(DeviceMatrix, name)(*arguments, **keywords)


def report(what: str, run: Callable[[], object], plain: Callable[[], object], options: argparse.Namespace) -> None:
    """Seconds of both in turn, and what travelled."""
    calls: list[tuple[str, tuple[object, ...], dict[str, object]]] = []
    traffic: Counter[str] = Counter()
    with counted(calls), travelling(traffic):
        run()
    ours, script = timed(run, options.device, options.repeat), timed(plain, options.device, options.repeat)
    bare = timed(lambda: replayed(calls), options.device, options.repeat)
    kinds = Counter(name for name, _, _ in calls)
    print(f"  {what}: {ours:.3f} s; plain script {script:.3f} s, ratio {ours / script:.2f}; bare products {bare:.3f} s, ratio {ours / bare:.2f}")
    print(
        f"    products X w {kinds['matvec']}, X^T s {kinds['blocks']}, Gram {kinds['gram']} (of chunks and samples too); "
        f"{traffic['numbers']:,} numbers travelled in {traffic['times']} pieces, {traffic['numbers'] / options.records:.2f} a record"
    )


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=4_000_000)
    parser.add_argument("--columns", type=int, default=500)
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--gram", action="append", choices=GRAMS)
    options = parser.parse_args()
    rows, signs = table(options.records, options.columns, options.device)
    domain = Domain(features=options.columns, norm_bound=1e6, records=options.records, classes=2)
    problem = RegularisedRisk(loss=Logistic(), ridge=ALPHA * options.records, domain=domain)
    codes = (signs > 0).cpu().numpy().astype(np.int64)
    tolerance = PRECISION * options.records
    where = torch.cuda.get_device_name(options.device) if options.device != "cpu" else f"the processor, {torch.get_num_threads()} thread(s)"
    print(f"{options.records:,} x {options.columns} in float64 on {where}; torch {torch.__version__}")
    for gram in options.gram or GRAMS:
        torch.set_float32_matmul_precision("high" if gram == "tf32" else "highest")
        matrix = DeviceMatrix(rows, gram="float64" if gram == "float64" else "float32")
        data = Records(rows=matrix, targets=codes, domain=domain)
        objective = objective_of(problem, data)
        found = solve(objective, tolerance=tolerance)
        point, _, norm = plain_fit(rows, signs, gram)
        apart = float(np.abs(found.weights - point.cpu().numpy()).max())
        print(
            f"Gram in {gram}: certified norm / n {found.gradient_norm / options.records:.1e}, plain script's computed one {norm:.1e}, "
            f"weights apart by {apart:.1e}"
        )
        report("one fit", lambda at=objective: solve(at, tolerance=tolerance), lambda at=gram: plain_fit(rows, signs, at), options)
        linears = 0.01 * options.records**0.5 * np.random.default_rng(0).standard_normal((options.columns, options.seeds))
        terms = torch.asarray(linears, device=options.device)
        report(
            f"{options.seeds} fits at once",
            lambda at=objective, b=linears: solve_many(at, b, tolerance=tolerance),
            lambda at=gram, b=terms: plain_seeds(rows, signs, b, at),
            options,
        )


if __name__ == "__main__":
    main()
