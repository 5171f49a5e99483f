"""How fits grow: with records, columns, classes, draws, persons, columns of a schema, files, blocks and workers; and a fit of 10^10 rows on paper.

    python benchmarks/growth.py [--only records ...] [--seconds 60] [--page FILE]

Everything is generated. Each part is measured at sizes of about ten times each other, up to one that would take more than `--seconds`. Times are
seconds of processors of one run each, of this process (of workers in threads of it, where there are any), one BLAS thread, and seconds on the clock
beside them. The exponent is the slope of the logarithm between the last two sizes: 1 is as the size. About eight minutes on two quiet cores.
"""

import argparse
import math
import os
import re
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")  # before NumPy is imported

import numpy as np  # noqa: E402
import polars as pl  # noqa: E402
from scipy import sparse  # noqa: E402

from discreet import LinearSVC, LogisticRegression, Schema  # noqa: E402
from discreet.cluster import Cluster, DaskTable  # noqa: E402
from discreet.data import Block, FunctionTable, numeric_files  # noqa: E402
from discreet.matrices import DenseMatrix  # noqa: E402

BUDGET = {"epsilon": 1.0, "delta": 1e-6, "data_norm": 1.0, "random_state": 1}
FEATURES = 50
BLOCK = 1 << 16
PAPER_ROWS, PAPER_WORKERS, PAPER_PASSES = 1e10, 1_000, 8
PATIENT = {"distributed.comm.timeouts.connect": "600s", "distributed.comm.timeouts.tcp": "600s", "distributed.scheduler.worker-ttl": "3600s"}
"""Of a cluster whose workers share two processors with others: nobody is given up."""
PASSED = 8e-6 * PAPER_WORKERS * (FEATURES + 1)


PAPER = "## 10,000,000,000 rows on 1,000 workers, on paper"


class Point(NamedTuple):
    """What one size took."""

    size: int
    processors: float
    clock: float


Work = Callable[[], object]


def timed(size: int, work: Work) -> Point:
    """Once."""
    clock, processors = time.perf_counter(), time.process_time()
    work()
    return Point(size, time.process_time() - processors, time.perf_counter() - clock)


def rows(count: int, columns: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of norm about a half, and a class of two."""
    made = np.random.default_rng(seed).standard_normal((count, columns)) * (0.5 / math.sqrt(columns))
    return made, (made[:, 0] > 0).astype(int)


@cache
def first_rows(count: int) -> np.ndarray:
    """Of a table whose other blocks are made of them: normal numbers cost ten times what a fit does."""
    return rows(count, FEATURES, 0)[0]


def made_block(number: int, *, count: int = BLOCK) -> Block:
    """One of a table that is never stored: columns have signs of their own in it, so that no two are alike."""
    made = first_rows(count) * np.random.default_rng(number).choice((-1.0, 1.0), FEATURES)
    return Block(DenseMatrix(made), (made[:, 0] > 0).astype(int))


def records(sizes: list[int]) -> Iterator[Point]:
    """n, 50 columns, made anew in every pass."""
    for size in sizes:
        table = FunctionTable(made_block, blocks=size // BLOCK, features=FEATURES)
        yield timed(size, lambda table=table: LogisticRegression(classes=[0, 1], **BUDGET).fit(table))


def columns(sizes: list[int]) -> Iterator[Point]:
    """d, 20,000 sparse rows with 50 numbers each."""
    for size in sizes:
        rng = np.random.default_rng(size)
        made = sparse.csr_array((np.full(1_000_000, 0.1), rng.integers(0, size, 1_000_000), np.arange(0, 1_000_001, 50)), shape=(20_000, size))
        made.sum_duplicates()
        label = (made @ rng.standard_normal(size) > 0).astype(int)
        yield timed(size, lambda made=made, label=label: LogisticRegression(classes=[0, 1], **BUDGET).fit(made, label))


def dense_columns(sizes: list[int]) -> Iterator[Point]:
    """d, 10,000 dense rows."""
    for size in sizes:
        made, label = rows(10_000, size, 1)
        yield timed(size, lambda made=made, label=label: LinearSVC(classes=[0, 1], **BUDGET).fit(made, label))


def classes(sizes: list[int]) -> Iterator[Point]:
    """K, 20,000 x 20."""
    made, _ = rows(20_000, 20, 1)
    for size in sizes:
        label = np.random.default_rng(size).integers(0, size, len(made))
        yield timed(size, lambda size=size, label=label: LogisticRegression(classes=list(range(size)), **BUDGET).fit(made, label))


def draws(sizes: list[int]) -> Iterator[Point]:
    """Private fits of the same 20,000 x 50 records with noise of their own (`fit_many`)."""
    made, label = rows(20_000, FEATURES, 1)
    for size in sizes:
        yield timed(size, lambda size=size: LogisticRegression(classes=[0, 1], **BUDGET).fit_many(made, label, count=size))


def persons(sizes: list[int]) -> Iterator[Point]:
    """Persons whose rows 200,000 x 20 are, at most ten of each kept."""
    made, label = rows(200_000, 20, 1)
    for size in sizes:
        ids = np.random.default_rng(size).integers(0, size, len(made))
        model = LogisticRegression(classes=[0, 1], rows_per_person=10, **BUDGET)
        yield timed(size, lambda model=model, ids=ids: model.fit(made, label, persons=ids))


def schema_columns(sizes: list[int]) -> Iterator[Point]:
    """Columns of numbers in a schema: read it, encode 1,000 rows."""
    for size in sizes:
        text = 'format = "discreet-schema/1"\nname = "wide"\n[target]\ncolumn = "y"\nclasses = ["no", "yes"]\n'
        text += "".join(f"[numeric.c{number}]\nlower = 0\nupper = 1\n" for number in range(size))
        table = pl.DataFrame({f"c{number}": np.full(1_000, 0.5) for number in range(size)} | {"y": ["no", "yes"] * 500})
        yield timed(size, lambda text=text, table=table: Schema.from_toml(text).encode(table, target=True))


def files(sizes: list[int]) -> Iterator[Point]:
    """Parquet files of 100 x 10 in a folder: a fit, decoded blocks kept."""
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            for number in range(size):
                made, label = rows(100, 10, number)
                names = {f"c{place}": column for place, column in enumerate(made.T)}
                pl.DataFrame(names | {"y": label}).write_parquet(Path(folder) / f"{number:05}.parquet")
            wanted = [f"c{place}" for place in range(10)]
            yield timed(size, lambda folder=folder, wanted=wanted: _fit_files(folder, wanted))


def _fit_files(folder: str, wanted: list[str]) -> None:
    LogisticRegression(classes=[0, 1], **BUDGET).fit(numeric_files(folder, features=wanted, target="y"))


def small_block(number: int) -> Block:
    """Ten rows: what a task costs beside its work."""
    return made_block(number, count=10)


def blocks(sizes: list[int]) -> Iterator[Point]:
    """Blocks of ten rows on two Dask workers, which remember them: graph, passes and sums."""
    for size in sizes:
        yield _on_workers(2, size, size)


def workers(sizes: list[int]) -> Iterator[Point]:
    """Dask workers with a thread each, all in this process, which share 64 blocks of ten rows: what scheduler and workers cost."""
    for size in sizes:
        yield _on_workers(size, 64, size)


def processes(sizes: list[int]) -> Iterator[Point]:
    """The same, each worker a process: processor time is that of this one, client and scheduler alone."""
    for size in sizes:
        yield _on_workers(size, 64, size, processes=True)


def _on_workers(count: int, parts: int, size: int, *, processes: bool = False) -> Point:
    import dask  # noqa: PLC0415 - an optional dependency
    from distributed import Client, LocalCluster  # noqa: PLC0415

    with (
        dask.config.set(PATIENT),
        # Without a limit: workers in one process would each take its memory for their own, and pause at their share of the machine's.
        LocalCluster(n_workers=count, threads_per_worker=1, processes=processes, dashboard_address=None, memory_limit=0) as cluster,
        Client(cluster) as client,
    ):
        client.wait_for_workers(count)
        table = DaskTable.from_function(Cluster(client=client, insecure=processes), small_block, blocks=parts, features=FEATURES)
        return timed(size, lambda: LogisticRegression(classes=[0, 1], **BUDGET).fit(table))


class Part(NamedTuple):
    """Something that grows."""

    grow: Callable[[list[int]], Iterator[Point]]
    title: str
    sizes: list[int]
    asked: int
    """The size that is wanted in the end: from the largest measured one by the exponent."""


PARTS = {
    "records": Part(records, "records (n), 50 columns, made anew in every pass", [BLOCK, 10 * BLOCK, 100 * BLOCK, 1526 * BLOCK], 100_000_000),
    "columns": Part(columns, "columns (d) of 20,000 sparse rows, 50 numbers a row", [100, 1_000, 10_000, 100_000], 100_000),
    "dense": Part(dense_columns, "columns (d) of 10,000 dense rows, LinearSVC", [30, 100, 300, 1_000, 3_000], 3_000),
    "classes": Part(classes, "classes of 20,000 x 20", [3, 10, 100, 300, 1_000], 1_000),
    "draws": Part(draws, "fits with noise of their own of 20,000 x 50 (fit_many)", [1, 10, 100, 1_000], 1_000),
    "persons": Part(persons, "persons of 200,000 x 20, at most ten rows of each", [1_000, 10_000, 100_000], 100_000),
    "schema": Part(schema_columns, "columns of a schema, 1,000 rows encoded", [10, 100, 1_000, 10_000], 10_000),
    "files": Part(files, "Parquet files of 100 x 10 in a folder", [10, 100, 1_000, 10_000], 10_000),
    "blocks": Part(blocks, "blocks of ten rows on two Dask workers", [10, 30, 100, 300, 1_000, 10_000], 10_000),
    "workers": Part(workers, "Dask workers in one process, 64 blocks of ten rows", [1, 4, 16, 64], 64),
    "processes": Part(
        processes,
        "Dask workers, each a process, 64 blocks of ten rows: processors of client and scheduler, clock with what all workers import",
        [1, 4, 16, 64],
        64,
    ),
}


def measured(part: Part, seconds: float) -> list[Point]:
    """Its sizes, up to one that would take longer."""
    points: list[Point] = []
    for size in part.sizes:
        if points and points[-1].processors * (size / points[-1].size) > seconds:
            break
        try:
            points += part.grow([size])
        except Exception as error:  # noqa: BLE001 - the other sizes and parts are worth having, and the page says what was not run
            print(f"{part.title}: size {size:,} failed ({type(error).__name__})", flush=True)
            break
    return points


def exponent(points: list[Point]) -> float:
    """Of the last two sizes."""
    before, last = points[-2:]
    return math.log(last.processors / before.processors) / math.log(last.size / before.size)


def table(part: Part, points: list[Point]) -> str:
    """Rows of the page."""
    power = exponent(points) if len(points) > 1 else math.nan
    lines = [f"{table_title(part)}\n", "| size | processors | clock |", "|---|---|---|"]
    lines += [f"| {point.size:,} | {point.processors:.3g} s | {point.clock:.3g} s |" for point in points]
    last = points[-1]
    if last.size < part.asked:
        said = last.processors * (part.asked / last.size) ** power
        lines.append(f"| {part.asked:,} | {said:.3g} s (extrapolated, not measured) | |")
    load = ", ".join(f"{number:.1f}" for number in os.getloadavg())
    return "\n".join(lines) + f"\n\nExponent between the last two sizes: {power:.2f}. Load of the machine: {load} on {os.cpu_count()} cores.\n"


def paper(found: dict[str, list[Point]]) -> str:
    """The fit of 10^10 rows, from what was measured."""
    if not {"records", "blocks"} <= found.keys():
        return ""
    last, graph = found["records"][-1], found["blocks"]
    row = last.processors / last.size
    task = (graph[-1].processors - graph[0].processors) / (graph[-1].size - graph[0].size)
    work, scheduling = PAPER_ROWS * row / PAPER_WORKERS, PAPER_WORKERS * task
    return f"""{PAPER}

Nobody ran it. A fit makes about {PAPER_PASSES} passes (counting, a sample's, four or five gradients, one with its certificate), and passes do not
grow with n, since a long table begins at the minimiser of a sixteenth of it. With one thread a worker:

| term | formula | measured here | 10^10 rows, 1,000 workers |
|---|---|---|---|
| work on rows, all passes, the rows made anew in each | n c / W | c = {1e6 * row:.2f} us a row and fit | {work:,.0f} s |
| scheduling, one block a worker | W t | t = {1e3 * task:.2f} ms a block: made, and its tasks in all passes | {scheduling:.1f} s |
| sums that come back, d + 1 numbers a task | 8 W (d + 1) bytes a pass | {FEATURES} columns | {PASSED:.1f} MB a pass |
| solver, noise, certificate | constant in n and W | d^3 / 3 once | below .1 s |
| **sum** | | | **{work + scheduling:,.0f} s** |

Left out, since one machine cannot tell: stragglers (a pass waits for its slowest worker), the network between machines, and reading from where the
rows are kept, at which a worker needs {8e-9 * PAPER_ROWS * FEATURES / PAPER_WORKERS:.0f} GB of its own rows a pass where it does not remember them.
Scheduling is as long as the work at about {math.sqrt(PAPER_ROWS * row / task):,.0f} workers: more than that make the fit slower.
"""


def main() -> None:
    """Parse the command line, measure, and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=list(PARTS), default=list(PARTS))
    parser.add_argument("--seconds", type=float, default=600.0, help="leave out sizes that would take more")
    parser.add_argument("--page", type=Path, metavar="FILE", help="write the page of results")
    options = parser.parse_args()
    found: dict[str, list[Point]] = {}
    written = earlier(options.page)
    LogisticRegression(classes=[0, 1], **BUDGET).fit(*rows(100, 3, 0))  # what the first fit of a process imports
    for name in options.only:
        part = PARTS[name]
        found[name] = measured(part, options.seconds)
        written[part.title] = table(part, found[name])
        print(written[part.title], flush=True)
        if options.page is not None:
            # After each part, so that a run that is cut short leaves what it found.
            options.page.write_text(page(written, paper(found) or written.get(PAPER, ""), options.seconds).rstrip() + "\n", encoding="utf-8")
    print(paper(found))


def earlier(path: Path | None) -> dict[str, str]:
    """Parts of a page that is there, by title, and what is on paper: they stay where a part is not run again."""
    text = path.read_text(encoding="utf-8") if path is not None and path.exists() else ""
    parts, _, last = text.partition(f"\n{PAPER}\n")
    titles = {table_title(part): part.title for part in PARTS.values()}
    blocks = re.split(r"^(\*\*.+\*\*)\n", parts, flags=re.MULTILINE)[1:]
    kept = {titles[head]: f"{head}\n{body.rstrip()}\n" for head, body in zip(blocks[::2], blocks[1::2], strict=True) if head in titles}
    return kept | ({PAPER: f"{PAPER}\n{last}"} if last else {})


def table_title(part: Part) -> str:
    """As the page has it."""
    return f"**{part.title[0].upper()}{part.title[1:]}**"


def page(written: dict[str, str], paper: str, seconds: float) -> str:
    """All of it."""
    text = f"""# How fits grow

This page shows how run time and memory grow with the size of a table. `python benchmarks/growth.py --page docs/growth.md` writes it, with `--only` a
part of it: one run each, generated tables, one thread, sizes up to one that would take more than {seconds:g} s. Processor time is what other work on
the machine disturbs least; its load stands with each part.
What was not run is extrapolated by the exponent, and says so; a fit of 100,000,000 records that was run, passes over files, and memory are in
[tables of every size](scale.md).

""" + "\n".join(written[part.title] for part in PARTS.values() if part.title in written)
    return text + "\n" + paper


if __name__ == "__main__":
    main()
