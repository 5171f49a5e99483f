"""`python -m studies`: the papers' tables and figures, run again beside our calibrations, on public data. Nothing here is private."""

import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

import studies
from discreet.core.errors import DiscreetError, InvalidInput
from studies import Cell, Outcome, Study, Tables, run
from studies.runner import Progress as Shown
from studies.runner import left_out

_DATA = click.option(
    "--data", type=click.Path(), metavar="DIR", help="Folder of public tables; without it the one in the environment variable DISCREET_DATA."
)
_DOWNLOAD = click.option(
    "--download", is_flag=True, help="Fetch MNIST and KDD Cup 1999 over the network, by scikit-learn, where the folder lacks them."
)
_EVERY = 30.0
"""Seconds between lines of progress where standard error is no terminal."""


_JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")


class Program(click.Group):
    """A group of commands whose refusals are one line and an exit code, those of `discreet`."""

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - click's signature
        """Run the command; what the library refuses ends here."""
        try:
            return super().invoke(ctx)
        except DiscreetError as error:
            click.echo(f"Error: {error}", err=True)
            ctx.exit(error.exit_code)


def examples(*lines: str) -> str:
    """The end of a help text; click keeps its line breaks."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


@click.group(
    cls=Program,
    invoke_without_command=True,
    subcommand_metavar="COMMAND [ARGS]...",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=examples(
        "python -m studies list", "python -m studies run tu --quick", "python -m studies run all --quick --data tables --out study-results"
    ),
)
@click.pass_context
def program(context: click.Context) -> None:
    """Run what the papers ran, with their calibrations and with ours, on public data, and lay the numbers beside the printed ones."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@program.command("list", short_help="Which there are, and what data they need.", epilog=examples("python -m studies list --data tables"))
@_DATA
@_DOWNLOAD
@_JSON
def show_all(*, data: str | None, download: bool, as_json: bool) -> None:
    """Show the studies, the tables that they need, and which of these are missing."""
    tables = _tables(data, download=download)
    entries, lines = [], []
    for name in studies.STUDIES:
        one = studies.study_named(name)
        needed = sorted({table for quick in (True, False) for cell in one.cells(quick=quick) for table in cell.needs})
        missing = list(tables.missing(needed))
        entries.append({"name": name, "title": one.title, "paper": one.paper, "tables": needed, "missing": missing})
        lines += [click.style(name, bold=True), f"  {one.title}", f"  {one.paper}", f"  tables: {', '.join(needed) or 'none'}"]
        lines += [f"  missing: {table}: {tables.wanted(table)}" for table in missing]
    _answer({"command": "study list", "studies": entries}, lines, as_json=as_json)


@program.command(
    "run",
    short_help="Run one, or all.",
    epilog=examples("python -m studies run farokhi --quick", "python -m studies run all --data tables --out study-results --resume"),
)
@click.argument("name", metavar="NAME|all")
@click.option("--quick", is_flag=True, help="Coarse grids and few repeats: minutes instead of hours.")
@_DATA
@_DOWNLOAD
@click.option("--out", type=click.Path(), default="study-results", show_default=True, metavar="DIR", help="Results go to DIR/NAME.")
@click.option("--resume", is_flag=True, help="Go on with the results in DIR: what was computed is not computed again.")
@click.option("--overwrite", is_flag=True, help="Start again where DIR holds results.")
@click.option("--processes", type=click.IntRange(1, 256), default=1, show_default=True, help="Cells of the grid computed at the same time.")
@_JSON
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
    if resume and overwrite:
        raise InvalidInput("--resume keeps results and --overwrite drops them; give one of the two.")
    tables = _tables(data, download=download)
    entries: list[dict[str, object]] = []
    lines: list[str] = []
    for one in [studies.study_named(each) for each in (studies.STUDIES if name == "all" else (name,))]:
        if name == "all" and not left_out(one, tables, quick=quick)[0]:
            wanted = " ".join(tables.wanted(table) for table in sorted({table for cell in one.cells(quick=quick) for table in cell.needs}))
            entries.append({"name": one.name, "skipped": True, "reason": wanted})
            lines += [f"{one.name}: skipped, no data: {wanted}"]
            continue
        with _progress(one) as progress:
            done = run(one, tables=tables, out=Path(out), quick=quick, resume=resume, overwrite=overwrite, processes=processes, progress=progress)
        entries.append(_entry(one, done))
        lines += _lines(one, done)
    _answer({"command": "study run", "quick": quick, "studies": entries}, lines, as_json=as_json)


def _answer(document: Mapping[str, object], lines: Sequence[str], *, as_json: bool) -> None:
    click.echo(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) if as_json else "\n".join(lines))


def _tables(data: str | None, *, download: bool) -> Tables:
    return Tables(data, download=download)


def _entry(one: Study, done: Outcome) -> dict[str, object]:
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


def _lines(one: Study, done: Outcome) -> Sequence[str]:
    rows = f"{len(done.results.frame):,} numbers, {done.seconds:.1f} s of computing"
    return [
        click.style(one.name, bold=True),
        f"  page     {done.folder / 'index.html'}",
        f"  results  {done.folder / 'results.parquet'} ({rows})",
    ] + [f"  {sentence}" for sentence in done.left_out]


@contextmanager
def _progress(one: Study) -> Iterator[Shown]:
    """A bar on a terminal, a line now and then elsewhere; both on standard error."""
    if not sys.stderr.isatty():
        last = time.monotonic()

        def now_and_then(done: int, total: int, cell: Cell) -> None:
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
        task = bar.add_task(one.name, total=None)
        yield lambda done, total, cell: bar.update(task, completed=done, total=total, description=f"{one.name} {cell.part}")


if __name__ == "__main__":
    program(prog_name="python -m studies")
