"""The examples run, as scripts and as the notebooks beside them, and what they show is sound."""

import json
import warnings
from pathlib import Path

import pytest

from tests.display.reading import read
from tests.parts import can_run
from tools.notebooks import EXAMPLES, cells_of, notebook_of, run_cells

SLOW = {"statistician": "six commands, each a process", "tuning": "calibrations of a search"}
SCRIPTS = sorted(EXAMPLES.glob("*.py"))
RUN = [script for script in SCRIPTS if can_run(script.read_text(encoding="utf-8"))]


def named(script):
    return pytest.param(script, id=script.stem, marks=pytest.mark.more if script.stem in SLOW else ())


def test_every_example_has_its_notebook_and_stands_on_its_page():
    assert len(SCRIPTS) >= 5
    page = (EXAMPLES.parent / "docs" / "examples.md").read_text(encoding="utf-8")
    for script in SCRIPTS:
        text = script.read_text(encoding="utf-8")
        assert script.with_suffix(".ipynb").read_text(encoding="utf-8") == notebook_of(text), "python tools/notebooks.py"
        assert cells_of(text)[0].words, "an example begins with its title"
        assert f"`examples/{script.name}`" in page
        assert f"`examples/{script.stem}.ipynb`" in page
    assert {one.stem for one in EXAMPLES.glob("*.ipynb")} == {one.stem for one in SCRIPTS}


@pytest.mark.parametrize("script", [named(one) for one in RUN])
def test_an_example_runs_and_shows_what_a_notebook_can_draw(script, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    notebook = script.with_suffix(".ipynb").read_text(encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # estimators advise, as they do in a session
        shown = run_cells(notebook)
    for one in shown:
        if hasattr(one, "_repr_html_") and type(one).__module__.startswith("discreet") and not hasattr(one, "get_params"):
            read(one._repr_html_())
    printed = capsys.readouterr().out
    assert "Traceback" not in printed
    if script.stem == "statistician":
        assert "6 commands, 0 refusals" in printed
        assert all(Path(name).exists() for name in ("model.json", "measures.json", "report.html"))


def test_a_notebook_is_what_the_format_says():
    made = json.loads(notebook_of("# %% [markdown]\n# # A title\n#\n# words\n\n# %%\nx = 1\nx\n"))
    words, code = made["cells"]
    assert (words["cell_type"], "".join(words["source"])) == ("markdown", "# A title\n\nwords")
    assert ("".join(code["source"]), code["outputs"], code["execution_count"]) == ("x = 1\nx", [], None)
    assert (made["nbformat"], made["nbformat_minor"]) == (4, 5)
    assert run_cells(json.dumps(made)) == [1]
    with pytest.raises(ValueError, match="begins with a cell"):
        notebook_of("x = 1\n# %%\n")
