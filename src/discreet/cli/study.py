"""`discreet study`: the papers' tables and figures, run again beside our calibrations, on public data. Nothing here is private."""

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from discreet.cli.output import answer, examples, heading, json_option, styled
from discreet.errors import InvalidInput

if TYPE_CHECKING:
    from discreet.studies import Cell, Outcome, Study, Tables
    from discreet.studies.runner import Progress as Shown

_DATA = click.option(
    "--data", type=click.Path(), metavar="DIR", help="Folder of public tables; without it the one in the environment variable DISCREET_DATA."
)
_DOWNLOAD = click.option(
    "--download", is_flag=True, help="Fetch MNIST and KDD Cup 1999 over the network, by scikit-learn, where the folder lacks them."
)
_EVERY = 30.0
"""Seconds between lines of progress where standard error is no terminal."""


@click.group(
    short_help="Run the papers' tables and figures again.",
    invoke_without_command=True,
    subcommand_metavar="COMMAND [ARGS]...",
    epilog=examples("discreet study list", "discreet study run tu --quick", "discreet study run all --quick --data tables --out studies"),
)
@click.pass_context
def study(context: click.Context) -> None:
    """Run what the papers ran, with their calibrations and with ours, on public data, and lay the numbers beside the printed ones."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@study.command("list", short_help="Which there are, and what data they need.", epilog=examples("discreet study list --data tables"))
@_DATA
@_DOWNLOAD
@json_option
def show_all(*, data: str | None, download: bool, as_json: bool) -> None:
    """Show the studies, the tables that they need, and which of these are missing."""
    from discreet.studies import STUDIES, study_named  # noqa: PLC0415 - imports of the library wait until they are needed

    tables = _tables(data, download=download)
    entries, lines = [], []
    for name in STUDIES:
        one = study_named(name)
        needed = sorted({table for quick in (True, False) for cell in one.cells(quick=quick) for table in cell.needs})
        missing = list(tables.missing(needed))
        entries.append({"name": name, "title": one.title, "paper": one.paper, "tables": needed, "missing": missing})
        lines += [heading(name), f"  {one.title}", f"  {one.paper}", f"  tables: {', '.join(needed) or 'none'}"]
        lines += [f"  missing: {table}: {tables.wanted(table)}" for table in missing]
    answer({"command": "study list", "studies": entries}, lines, as_json=as_json)


@study.command(
    "run",
    short_help="Run one, or all.",
    epilog=examples("discreet study run farokhi --quick", "discreet study run all --data tables --out studies --resume"),
)
@click.argument("name", metavar="NAME|all")
@click.option("--quick", is_flag=True, help="Coarse grids and few repeats: minutes instead of hours.")
@_DATA
@_DOWNLOAD
@click.option("--out", type=click.Path(), default="studies", show_default=True, metavar="DIR", help="Results go to DIR/NAME.")
@click.option("--resume", is_flag=True, help="Go on with the results in DIR: what was computed is not computed again.")
@click.option("--overwrite", is_flag=True, help="Start again where DIR holds results.")
@click.option("--processes", type=click.IntRange(1, 256), default=1, show_default=True, help="Cells of the grid computed at the same time.")
@json_option
def run_one(  # noqa: PLR0913 - one argument an option
    *,
    name: str,
    quick: bool,
    data: str | None,
    download: bool,
    out: str,
    resume: bool,
    overwrite: bool,
    processes: int,
    as_json: bool,
) -> None:
    """Run a study: each cell of its grid is written down as it is done, so that an interrupted run goes on with --resume.

    Results are a Parquet file, one row a number, and a page (HTML) that needs no network.
    """
    from discreet.studies import STUDIES, run, study_named  # noqa: PLC0415 - imports of the library wait until they are needed
    from discreet.studies.runner import left_out  # noqa: PLC0415

    if resume and overwrite:
        raise InvalidInput("--resume keeps results and --overwrite drops them; give one of the two.")
    tables = _tables(data, download=download)
    entries: list[dict[str, object]] = []
    lines: list[str] = []
    for one in [study_named(each) for each in (STUDIES if name == "all" else (name,))]:
        if name == "all" and not left_out(one, tables, quick=quick)[0]:
            wanted = " ".join(tables.wanted(table) for table in sorted({table for cell in one.cells(quick=quick) for table in cell.needs}))
            entries.append({"name": one.name, "skipped": True, "reason": wanted})
            lines += [f"{one.name}: skipped, no data: {wanted}"]
            continue
        with _progress(one) as progress:
            done = run(one, tables=tables, out=Path(out), quick=quick, resume=resume, overwrite=overwrite, processes=processes, progress=progress)
        entries.append(_entry(one, done))
        lines += _lines(one, done)
    answer({"command": "study run", "quick": quick, "studies": entries}, lines, as_json=as_json)


def _tables(data: str | None, *, download: bool) -> "Tables":
    from discreet.studies import Tables  # noqa: PLC0415

    return Tables(data, download=download)


def _entry(one: "Study", done: "Outcome") -> dict[str, object]:
    return {
        "name": one.name,
        "skipped": False,
        "page": str(done.folder / "index.html"),
        "results": str(done.folder / "results.parquet"),
        "numbers": len(done.results.frame),
        "computed_now": done.computed,
        "seconds": round(done.seconds, 1),
        "left_out": list(done.left_out),
    }


def _lines(one: "Study", done: "Outcome") -> Sequence[str]:
    rows = f"{len(done.results.frame):,} numbers, {done.seconds:.1f} s of computing"
    return [heading(one.name), f"  page     {done.folder / 'index.html'}", f"  results  {done.folder / 'results.parquet'} ({rows})"] + [
        f"  {sentence}" for sentence in done.left_out
    ]


@contextmanager
def _progress(one: "Study") -> "Iterator[Shown]":
    """A bar on a terminal, a line now and then elsewhere; both on standard error."""
    if not sys.stderr.isatty():
        last = time.monotonic()

        def now_and_then(done: int, total: int, cell: "Cell") -> None:
            nonlocal last
            if time.monotonic() - last > _EVERY:
                last = time.monotonic()
                click.echo(f"{one.name}: {done} of {total} cells, last {cell.part}", err=True)

        yield now_and_then
        return
    from rich.console import Console  # noqa: PLC0415 - only a terminal needs it
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(styled(one.name, to_error=True), total=None)
        yield lambda done, total, cell: bar.update(task, completed=done, total=total, description=f"{one.name} {cell.part}")
