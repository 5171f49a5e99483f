"""Running a study: cell after cell, or several at once, each written down as it is done; then the table of results and the page.

    OUT/NAME/cells.jsonl       what has been computed, cell by cell (module `journal`)
    OUT/NAME/results.parquet   all numbers, one row each
    OUT/NAME/index.html        the page

Settings of the machine (processes) change times only, never numbers.
"""

import math
import os
import platform
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy

from discreet.core.errors import InvalidInput
from discreet.core.version import VERSION
from studies.base import Cell, Study, checked
from studies.journal import Done, Journal
from studies.page import render
from studies.results import Results, tidy
from studies.tables import Tables

Progress = Callable[[int, int, Cell], None]
"""Called with the number of cells done, their total, and the last one."""


class Outcome(NamedTuple):
    """What a run left."""

    folder: Path
    results: Results
    computed: int
    """Cells computed now; the others were there."""
    left_out: tuple[str, ...]
    """Sentences about parts whose tables are missing."""
    seconds: float
    """Of computing all cells, those of earlier runs too."""


def left_out(study: Study, tables: Tables, *, quick: bool) -> tuple[list[Cell], dict[str, tuple[str, ...]]]:
    """The cells that can be computed, and for each part with others the tables that are missing."""
    ready: list[Cell] = []
    missing: dict[str, tuple[str, ...]] = {}
    for cell in study.cells(quick=quick):
        lacking = tables.missing(cell.needs)
        if lacking:
            missing[cell.part] = tuple(dict.fromkeys((*missing.get(cell.part, ()), *lacking)))
        else:
            ready.append(cell)
    return ready, missing


def run(
    study: Study,
    *,
    tables: Tables,
    out: Path,
    quick: bool,
    resume: bool = False,
    overwrite: bool = False,
    processes: int = 1,
    progress: Progress = lambda done, total, cell: None,  # noqa: ARG005 - shows nothing
) -> Outcome:
    """Compute what is not there yet, and write table and page. Raises InvalidInput where nothing can be computed: every table is missing."""
    cells, missing = left_out(study, tables, quick=quick)
    sentences = tuple(_sentence(part, names, tables) for part, names in missing.items())
    if not cells:
        raise InvalidInput(f"the study {study.name!r} has no data to run on. " + " ".join(sentences))
    if len({cell.key for cell in cells}) < len(cells):
        raise AssertionError(f"two cells of the study {study.name!r} have the same settings")
    folder = out / study.name
    journal = Journal(folder / "cells.jsonl", study, quick=quick, resume=resume, overwrite=overwrite)
    wanted = [cell for cell in cells if cell.key not in journal.done]
    before = len(cells) - len(wanted)
    for count, (cell, done) in enumerate(_computed(study, wanted, tables, processes), start=before + 1):
        journal.add(cell, done)
        progress(count, len(cells), cell)
    found = [journal.done[cell.key] for cell in cells]
    results = Results(frame=tidy(record for one in found for record in one.records), quick=quick, missing=missing)
    results.frame.write_parquet(folder / "results.parquet")
    seconds = sum(one.seconds for one in found)
    facts = _facts(study, len(cells), seconds, quick=quick)
    text = render(study.page(results), title=study.title, paper=study.paper, facts=facts, missing=sentences)
    (folder / "index.html").write_text(text, encoding="utf-8")
    return Outcome(folder, results, len(wanted), sentences, seconds)


def _computed(study: Study, cells: Sequence[Cell], tables: Tables, processes: int) -> Iterator[tuple[Cell, Done]]:
    if processes <= 1 or len(cells) <= 1:
        for cell in cells:
            yield cell, _one(study, cell, tables)
        return
    # Processes, not threads of the linear algebra: what one cell does is too small to share.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn"), initializer=_begin, initargs=(tables.folder, tables.download)) as pool:
        tasks = {pool.submit(_there, study, cell): cell for cell in cells}
        try:
            for task in as_completed(tasks):
                yield tasks[task], task.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


_tables: list[Tables] = []
"""Of a worker."""


def _begin(folder: Path | None, download: bool) -> None:  # noqa: FBT001 - the pool passes arguments by position
    _tables.append(Tables(folder, download=download))


def _there(study: Study, cell: Cell) -> Done:
    return _one(study, cell, _tables[0])


def _one(study: Study, cell: Cell, tables: Tables) -> Done:
    begin = time.perf_counter()
    try:
        records = [checked(record, cell) for record in study.compute(cell, tables)]
    except Exception as error:
        error.add_note(f"while computing the cell {cell.key} of the study {study.name!r}")
        raise
    if any(isinstance(record["value"], float) and not math.isfinite(record["value"]) for record in records):
        raise InvalidInput(f"a value of {cell.key} is not finite; a study writes None where there is no number.")
    return Done(records, time.perf_counter() - begin)


def _sentence(part: str, names: Sequence[str], tables: Tables) -> str:
    return " ".join(f"{part} is left out: the table {name!r} is missing; {tables.wanted(name)}" for name in names)


def _facts(study: Study, cells: int, seconds: float, *, quick: bool) -> dict[str, str]:
    settings = "quick settings: coarse grids and few repeats" if quick else "full settings"
    return {
        "command": f"python -m studies run {study.name}" + (" --quick" if quick else ""),
        "settings": f"{settings}, {cells} cells",
        "numbers": "results.parquet, one row each, in the same folder",
        "versions": f"discreet {VERSION}, Python {platform.python_version()}, NumPy {np.__version__}, SciPy {scipy.__version__}",
        "computing time": f"{seconds:.0f} s in all cells",
        "noise": "seeded, so that a run gives the same numbers again: nothing on this page protects anybody",
    }
