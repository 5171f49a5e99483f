"""Notebooks of `examples/`, made from the scripts beside them: `# %%` begins a cell, `# %% [markdown]` one of words.

    python tools/notebooks.py            write them
    python tools/notebooks.py --check    exit with 1 where one is not what its script makes

A notebook holds no outputs: it is what a reader runs. `run_cells` runs the cells as a notebook does, each after the other in one namespace, and shows
the value of a last expression.
"""

import ast
import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

EXAMPLES = Path(__file__).parents[1] / "examples"
_MARK = "# %%"


class Cell(NamedTuple):
    """Of words, or of code."""

    words: bool
    text: str


def cells_of(script: str) -> list[Cell]:
    """The cells of a script; raises ValueError for text in front of the first."""
    before, *parts = f"\n{script}".split(f"\n{_MARK}")
    if before.strip():
        raise ValueError("a script of examples begins with a cell: # %%")
    found = []
    for part in parts:
        head, _, text = part.partition("\n")
        words = head.strip() == "[markdown]"
        text = "\n".join(line.removeprefix("#").removeprefix(" ") for line in text.splitlines()) if words else text
        found.append(Cell(words, text.strip("\n")))
    return found


def notebook_of(script: str) -> str:
    """The file of a notebook, nbformat 4.5."""
    cells: list[dict[str, Any]] = []
    for number, cell in enumerate(cells_of(script)):
        common = {"id": f"cell-{number}", "metadata": {}, "source": cell.text.splitlines(keepends=True)}
        cells.append({"cell_type": "markdown", **common} if cell.words else {"cell_type": "code", "execution_count": None, "outputs": [], **common})
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}, "language_info": {"name": "python"}}
    return json.dumps({"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}, indent=1, ensure_ascii=False) + "\n"


def run_cells(notebook: str) -> list[object]:
    """Run the code of a notebook in one namespace; the values of the last expressions, which a notebook shows."""
    names: dict[str, Any] = {"__name__": "__main__"}
    shown: list[object] = []
    for cell in json.loads(notebook)["cells"]:
        if cell["cell_type"] != "code":
            continue
        body = ast.parse("".join(cell["source"])).body
        last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
        exec(compile(ast.Module(body, []), cell["id"], "exec"), names)  # noqa: S102 - our own examples
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), cell["id"], "eval"), names)  # noqa: S307 - as above
            shown += [] if value is None else [value]
    return shown


def main() -> int:
    """See module docstring."""
    wrong = 0
    for script in sorted(EXAMPLES.glob("*.py")):
        made, path = notebook_of(script.read_text(encoding="utf-8")), script.with_suffix(".ipynb")
        if "--check" not in sys.argv:
            path.write_text(made, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != made:
            wrong = 1
            sys.stderr.write(f"{path.name} is not what its script makes: python tools/notebooks.py\n")
    return wrong


if __name__ == "__main__":
    raise SystemExit(main())
