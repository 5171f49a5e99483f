"""A run in Python: a script, and the same in the cells of a notebook.

Both start the command of the run, with its words as a list, and then look at what it made with the library: one list of options serves page, command
line, script and notebook. They write to a place of their own, since the first result has its place already.
"""

import json
from pathlib import Path
from typing import NamedTuple

from discreet.workbench.jobs import Job

_AGAIN = "Running it again is another release about the same people, and spends the budget again."
_FREE = "Predicting spends nothing. But predictions are about the people in the table, so protect them as you protect the table."


class _Look(NamedTuple):
    """Lines that read a result and show it."""

    imports: str
    lines: tuple[str, ...]


_MODEL = _Look("from discreet import Model", ("model = Model.load({out!r})", "model.verify().require()", "model"))
_RELEASE = _Look(
    "from discreet.releases import read_release",
    ("release = read_release({out!r})", "release.verify().require()", "release"),
)
_LOOKS = {
    "fit": _MODEL,
    "tune": _MODEL,
    "release": _RELEASE,
    "synthetic": _Look(
        "from discreet.releases.synthetic import read_synthetic", ("rows = read_synthetic({out!r})", "rows.verify().require()", "rows")
    ),
    "bounds": _Look("from discreet.data import Schema", ("schema = Schema.load({out!r})", "schema")),
    "predict": _Look("import polars", ("predictions = polars.read_csv({out!r})", "predictions.height")),
}
_DOCUMENT = _Look(
    "import json",
    ("with open({out!r}, encoding='utf-8') as file:", "    result = json.load(file)", "sorted(result)"),
)


def script(job: Job, words: list[str], out: Path) -> str:
    """Python that does what `discreet WORDS` does, and reads what was made."""
    imports, command, look = _cells(job, words, out)
    shown = "\n".join([*look[:-1], f"print({look[-1]})"])
    return f"# The run of the workbench, in Python. {_said(job)}\n{imports}\n\n{command}\n\n{shown}\n"


def notebook(job: Job, words: list[str], out: Path) -> str:
    """The same in the cells of a notebook (nbformat 4)."""
    imports, command, look = _cells(job, words, out)
    cells = [_cell("markdown", f"# {job.title}\n\nThe run of the workbench, in Python. {_said(job)}")]
    cells += [_cell("code", imports), _cell("code", command), _cell("code", "\n".join(look))]
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}, "language_info": {"name": "python"}}
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": kernel, "cells": cells}, indent=1, ensure_ascii=False) + "\n"


def _cells(job: Job, words: list[str], out: Path) -> tuple[str, str, list[str]]:
    found = _LOOKS.get(job.name, _DOCUMENT)
    imports = "\n".join(sorted(["import subprocess", "import sys", found.imports], key=lambda line: (line.startswith("from"), line)))
    listed = "".join(f"    {word!r},\n" for word in words)
    command = f'command = [\n    sys.executable, "-m", "discreet",\n{listed}]\nsubprocess.run(command, check=True)'
    return imports, command, [line.format(out=str(out)) for line in found.lines]


def _said(job: Job) -> str:
    return _AGAIN if job.spends else _FREE


def _cell(kind: str, text: str) -> dict[str, object]:
    source = {"cell_type": kind, "metadata": {}, "source": text.splitlines(keepends=True)}
    return source | ({"outputs": [], "execution_count": None} if kind == "code" else {})
