"""Time and memory of one fit: in memory, against a bare NumPy loop with as many passes; on a Dask cluster; from files; and of generated blocks.

    python benchmarks/blocks_speed.py [--records 5000000] [--columns 50] [--jobs 2] [--repeat 3] [--only memory] [--only dask] [--only files]
                                      [--only flat] [--longest 10000000] [--folder FOLDER]

Everybody minimises sum_i log(1 + exp(-y_i <x_i, w>)) + (ridge / 2) |w|^2, ridge = 1e-3 n, to a gradient norm of 1e-10 n, one BLAS thread a thread.
The bare loop knows the points of our fit in advance and does, for each, what the fit did there: the gradient, and the Gram matrix in single precision
where one was taken, of all records or of as large a sample, in blocks of 4096 rows, by the same number of threads; where ours certifies a gradient,
it takes a plain one. Repetitions are interleaved; medians and the load are printed, of seconds on the clock and of processor seconds, which other
work on the machine disturbs less. The memory of a fit from files is that of a process of its own: the peak of its resident size over what the imports
take. Tables of files keep up to a GiB of decoded blocks between passes, or as many GiB as the name says. The cluster is one of this machine, with a
worker of one thread for every thread of the fit in memory beside it; its start and the making of the blocks, which the workers remember, are not
counted; the processor time of its workers is. Both contestants begin with the pass that checks and counts.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np
import polars as pl
from scipy.linalg import blas
from threadpoolctl import threadpool_limits

from discreet.cluster import DaskTable, local_cluster
from discreet.core.arrays import Floats
from discreet.data import Block, BlockTable, Domain, FunctionTable, NpyTable, Records, numeric_files, streamed_records
from discreet.losses import Logistic
from discreet.matrices import DenseMatrix
from discreet.objectives import objective_of
from discreet.problems import RegularisedRisk
from discreet.solvers import solve

PRECISION = 1e-10
GENERATED_ROWS = 65536
BARE_ROWS = 4096
KEPT = ("1.85", "0")
"""GiB of decoded blocks that are kept between passes, besides what is kept without asking."""


class Call(NamedTuple):
    """Something that the solver asked for."""

    name: str
    point: Floats
    share: float
    """Of all records: less than 1 for a sample."""


class Counted:
    """An objective that writes down at which points its gradient and its Hessian were taken, and its samples', of which share of the records."""

    def __init__(self, inner: object, calls: list[Call] | None = None, share: float = 1.0) -> None:
        """Wrap it."""
        self.inner = inner
        self.calls: list[Call] = [] if calls is None else calls
        self.share = share

    def sample(self) -> "Counted | None":
        """The sample, wrapped too."""
        few = self.inner.sample()
        return None if few is None else Counted(few, self.calls, self.share * few.ridge / self.inner.ridge)

    def __getattr__(self, name: str) -> object:
        """The same, perhaps written down."""
        found = getattr(self.inner, name)
        if name not in {"gradient", "hessian", "certified_gradient_norm", "certified_gradients", "slope_along"}:
            return found

        def called(*arguments: object, **named: object) -> object:
            self.calls.append(Call(name, np.array(arguments[0]), self.share))
            return found(*arguments, **named)

        return called


def problem(records: int, columns: int) -> RegularisedRisk:
    """What is minimised, with rows that stay as they are."""
    domain = Domain(features=columns, norm_bound=1e6, records=records, classes=2)
    return RegularisedRisk(loss=Logistic(), ridge=1e-3 * records, domain=domain)


def made_rows(number: int, rows: int, columns: int) -> tuple[Floats, Floats]:
    """Correlated numbers and signs from a logistic model."""
    rng = np.random.default_rng(number)
    block = rng.standard_normal((rows, columns))
    block[:, 1:] += 0.5 * block[:, :1]
    block /= np.sqrt(columns)
    scores = 4.0 * block @ np.cos(np.arange(columns)) - 1.0
    return block, np.where(rng.random(rows) < 1.0 / (1.0 + np.exp(-scores)), 1.0, -1.0)


def made_table(records: int, columns: int) -> tuple[Floats, Floats]:
    """The whole table."""
    rows, signs = np.empty((records, columns)), np.empty(records)
    for start in range(0, records, GENERATED_ROWS):
        part = slice(start, min(start + GENERATED_ROWS, records))
        rows[part], signs[part] = made_rows(start // GENERATED_ROWS, part.stop - part.start, columns)
    return rows, signs


def bare(rows: Floats, signs: Floats, calls: list[Call], jobs: int) -> None:
    """The same work at the same points, without the library."""
    count, columns = rows.shape
    spans = [range(start, min(start + 16 * BARE_ROWS, count), BARE_ROWS) for start in range(0, count, 16 * BARE_ROWS)]
    pieces = [range(start, min(start + BARE_ROWS, count), BARE_ROWS) for start in range(0, count, BARE_ROWS)]

    def gradient(point: Floats, span: range) -> Floats:
        total = np.zeros(columns)
        for start in span:
            block, sign = rows[start : start + BARE_ROWS], signs[start : start + BARE_ROWS]
            margins = (block @ point) * sign
            small = np.exp(-np.abs(margins))
            total -= block.T @ (sign * np.where(margins > 0, small, 1.0) / (1.0 + small))
        return total

    def gram(point: Floats, span: range) -> Floats:
        total = np.zeros((columns, columns), dtype=np.float32, order="F")
        for start in span:
            block = rows[start : start + BARE_ROWS]
            small = np.exp(-np.abs(block @ point))
            scaled = np.multiply(block, (np.sqrt(small) / (1.0 + small)).astype(np.float32)[:, np.newaxis], dtype=np.float32, casting="same_kind")
            total = blas.ssyrk(1.0, scaled.T, beta=1.0, c=total, overwrite_c=1, trans=0)
        return total

    with ThreadPoolExecutor(jobs) as pool:
        for name, point, share in calls:
            work = gram if name == "hessian" else gradient
            if point.size == columns:
                some = spans if share == 1.0 else pieces[:: round(1 / share)]
                sum(pool.map(partial(work, point.ravel()), some))


def fit(data: Records) -> tuple[list[Call], float]:
    """The fit, and the calls of the solver."""
    risk = problem(data.records, data.domain.features)
    counted = Counted(objective_of(risk, data))
    solution = solve(counted, tolerance=PRECISION * data.records)
    return counted.calls, solution.gradient_norm / data.records


def passes(calls: list[Call]) -> str:
    """How many of what, in words."""
    whole = [call.name for call in calls if call.share == 1.0]
    gradients, hessians = whole.count("gradient") + whole.count("slope_along"), whole.count("hessian")
    part = sum(call.share for call in calls if call.share < 1.0)
    return f"{gradients} gradients, {len(whole) - gradients - hessians} certified, {hessians} Hessians of all records; samples: {part:.2f} passes"


def interleaved(
    contestants: dict[str, Callable[[], object]], repeat: int, used: Callable[[], float] = time.process_time
) -> dict[str, list[tuple[float, float]]]:
    """Seconds on the clock and of the processors, as `used` counts them, one of each contestant a round."""
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in contestants}
    for _ in range(repeat):
        for name, run in contestants.items():
            start, busy = time.perf_counter(), used()
            run()
            times[name].append((time.perf_counter() - start, used() - busy))
    return times


def compared(name: str, runs: list[tuple[float, float]], base: list[tuple[float, float]], against: str) -> str:
    """Medians, and ratios of the same round."""
    clock = [one[0] / other[0] for one, other in zip(runs, base, strict=True)]
    busy = [one[1] / other[1] for one, other in zip(runs, base, strict=True)]
    return (
        f"  {name:24s} {median(run[0] for run in runs):7.2f} s {median(clock):5.2f} x {against} ({min(clock):.2f} to {max(clock):.2f})   "
        f"processors {median(run[1] for run in runs):7.2f} s {median(busy):5.2f} x"
    )


def run_memory(records: int, columns: int, jobs: int, repeat: int) -> None:
    """In memory, against the bare loop."""
    rows, signs = made_table(records, columns)
    codes = (signs > 0).astype(np.int64)
    domain = problem(records, columns).domain
    made = {name: Records(rows=DenseMatrix(rows), targets=codes, domain=domain, jobs=count) for name, count in (("one", 1), ("several", jobs))}
    calls, norm = fit(made["several"])
    print(f"\nin memory, {records} x {columns}: {passes(calls)}; norm / n {norm:.1e}")
    contestants: dict[str, Callable[[], object]] = {
        f"bare loop, {jobs} threads": lambda: bare(rows, signs, calls, jobs),
        f"ours, {jobs} threads": lambda: fit(made["several"]),
        "ours, 1 thread": lambda: fit(made["one"]),
    }
    times = interleaved(contestants, repeat)
    base = times[f"bare loop, {jobs} threads"]
    for name, runs in times.items():
        print(compared(name, runs, base, "the bare loop"))


def made_block(number: int, records: int, columns: int) -> Block:
    """Some rows of `made_table`."""
    rows, signs = made_rows(number, min(GENERATED_ROWS, records - number * GENERATED_ROWS), columns)
    return Block(DenseMatrix(rows), signs)


def run_dask(records: int, columns: int, jobs: int, repeat: int) -> None:
    """On a cluster of `jobs` workers, against as many threads in memory."""
    try:
        import psutil  # noqa: PLC0415 - comes with distributed, which is optional
    except ImportError:
        print("\non a Dask cluster: skipped, since dask[distributed] is not installed")
        return
    rows, signs = made_table(records, columns)
    codes, domain = (signs > 0).astype(np.int64), problem(records, columns).domain
    with local_cluster(jobs) as client:
        workers = [psutil.Process(pid) for pid in client.run(os.getpid).values()]
        make = partial(made_block, records=records, columns=columns)
        table = DaskTable.from_function(client, make, blocks=-(-records // GENERATED_ROWS), features=columns)

        def used() -> float:
            return time.process_time() + sum(times.user + times.system for times in (worker.cpu_times() for worker in workers))

        def on_cluster() -> None:
            fit(streamed_records(table, domain=domain, classes=np.array([-1.0, 1.0])))

        on_cluster()
        memory = f"in memory, {jobs} threads"
        contestants: dict[str, Callable[[], object]] = {
            memory: lambda: fit(Records(rows=DenseMatrix(rows), targets=codes, domain=domain, jobs=jobs)),
            f"Dask, {jobs} workers": on_cluster,
        }
        print(f"\non a Dask cluster of this machine, {records} x {columns} (the pass that checks and counts included)")
        times = interleaved(contestants, repeat, used)
        for name, runs in times.items():
            print(compared(name, runs, times[memory], "memory"))


def run_files(records: int, columns: int, jobs: int, repeat: int, folder: Path) -> None:
    """From files, each fit in a process of its own, with the fit in memory for comparison."""
    names = [f"x{j}" for j in range(columns)]
    rows, signs = made_table(records, columns)
    np.save(folder / "rows.npy", rows)
    np.save(folder / "signs.npy", signs)
    frame = pl.DataFrame({name: rows[:, j] for j, name in enumerate(names)} | {"y": signs})
    frame.write_parquet(folder / "plain.parquet", row_group_size=65536, compression="uncompressed")
    frame.write_parquet(folder / "zstd.parquet", row_group_size=65536)
    frame.write_ipc(folder / "table.arrow", record_batch_size=65536)
    del rows, signs, frame
    read = ("table.arrow", "plain.parquet", "zstd.parquet")
    kinds = ("memory", "npy", *read, *(f"{name}:{kept}" for kept in KEPT for name in read))
    print(f"\nfrom files, {records} x {columns}, {jobs} threads (the pass that checks and counts included)")
    found: dict[str, list[tuple[float, float, float]]] = {kind: [] for kind in kinds}
    for _ in range(repeat):
        for kind in kinds:
            command = [sys.executable, __file__, "--one", kind, "--folder", str(folder), "--columns", str(columns), "--jobs", str(jobs)]
            shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()  # noqa: S603 - this file
            found[kind].append((float(shown[0]), float(shown[1]), float(shown[2])))
    base = [run[:2] for run in found["memory"]]
    for kind, runs in found.items():
        peak = max(run[2] for run in runs) / 2**30
        print(f"{compared(kind, [run[:2] for run in runs], base, 'memory')}   peak {peak:5.2f} GiB over the imports")


def run_one(kind: str, columns: int, jobs: int, folder: Path) -> None:
    """One fit, for `run_files`: seconds, processor seconds and peak memory."""
    _warm_up(columns, jobs)
    before = _peak()
    if kind == "memory":
        rows, codes = np.load(folder / "rows.npy"), (np.load(folder / "signs.npy") > 0).astype(np.int64)
        start, busy = time.perf_counter(), time.process_time()
        fit(Records(rows=DenseMatrix(rows), targets=codes, domain=problem(len(rows), columns).domain, jobs=jobs))
    else:
        names = [f"x{j}" for j in range(columns)]
        start, busy = time.perf_counter(), time.process_time()
        table: BlockTable
        if kind == "npy":
            table = NpyTable(folder / "rows.npy", folder / "signs.npy")
        else:
            name, _, kept = kind.partition(":")
            table = numeric_files(folder / name, features=names, target="y", **({"memory": int(float(kept) * 2**30)} if kept else {}))
        records = len(np.load(folder / "signs.npy", mmap_mode="r"))
        fit(streamed_records(table, domain=problem(records, columns).domain, classes=np.array([-1.0, 1.0]), jobs=jobs))
    print(time.perf_counter() - start, time.process_time() - busy, _peak() - before)


def run_flat(columns: int, jobs: int, longest: int) -> None:
    """Generated blocks, never stored: the cost of a row and the memory."""
    print(f"\ngenerated blocks x {columns}, {jobs} threads: made anew in every pass, and their making is timed apart")
    records = 100_000
    while records <= longest:
        blocks = -(-records // GENERATED_ROWS)

        visits: list[int] = []

        def make(number: int, blocks: int = blocks, records: int = records, visits: list[int] = visits) -> Block:
            visits.append(number)
            rows = GENERATED_ROWS if number < blocks - 1 else records - (blocks - 1) * GENERATED_ROWS
            block, signs = made_rows(number % 64, rows, columns)
            return Block(DenseMatrix(block), signs)

        table = FunctionTable(make, blocks=blocks, features=columns)
        busy = time.process_time()
        for _ in table.map(lambda _, block: block.rows.shape, jobs):
            pass
        making = time.process_time() - busy
        visits.clear()
        start, busy = time.perf_counter(), time.process_time()
        _, norm = fit(streamed_records(table, domain=problem(records, columns).domain, classes=np.array([-1.0, 1.0]), jobs=jobs))
        seconds, busy = time.perf_counter() - start, time.process_time() - busy
        taken = len(visits) / blocks
        print(
            f"  n = {records:>11,d}   {seconds:8.2f} s, {taken:.1f} passes; processor time of a row and pass {1e6 * busy / records / taken:6.3f} us, "
            f"of which {1e6 * making / records:6.3f} to make the row   peak {_peak() / 2**20:6.0f} MiB   norm / n {norm:.1e}"
        )
        records *= 10


def _warm_up(columns: int, jobs: int) -> None:
    block, signs = made_rows(0, 5000, columns)
    table = FunctionTable(lambda _: Block(DenseMatrix(block), signs), blocks=2, features=columns)
    fit(streamed_records(table, domain=problem(10_000, columns).domain, classes=np.array([-1.0, 1.0]), jobs=jobs))


def _peak() -> int:
    """Peak resident bytes of this process."""
    status = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return 1024 * int(next(line for line in status if line.startswith("VmHWM")).split()[1])


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=5_000_000)
    parser.add_argument("--columns", type=int, default=50)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--longest", type=int, default=10_000_000)
    parser.add_argument("--only", action="append", choices=("memory", "dask", "files", "flat"))
    parser.add_argument("--folder", type=Path, help="for the files, removed afterwards unless given")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    threadpool_limits(1)
    if options.one:
        run_one(options.one, options.columns, options.jobs, options.folder)
        return
    parts = options.only or ["memory", "dask", "files", "flat"]
    print(f"load average before: {os.getloadavg()[0]:.2f} on {os.cpu_count()} cores")
    if "memory" in parts:
        run_memory(options.records, options.columns, options.jobs, options.repeat)
    if "dask" in parts:
        run_dask(options.records, options.columns, options.jobs, options.repeat)
    if "files" in parts:
        with tempfile.TemporaryDirectory() as temporary:
            folder = options.folder or Path(temporary)
            run_files(options.records, options.columns, options.jobs, options.repeat, folder)
    if "flat" in parts:
        run_flat(options.columns, options.jobs, options.longest)
    print(f"\nload average after: {os.getloadavg()[0]:.2f}")


if __name__ == "__main__":
    main()
