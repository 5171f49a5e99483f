"""A run in words: whatever its paths are called, it is one command, one script and one notebook, and nothing in a name becomes a part of any."""

import ast
import json
import re
import shlex
from pathlib import Path

import pytest

from discreet.workbench import runs
from discreet.workbench.command_jobs import CommandJobs
from discreet.workbench.runs import Recipe

JOBS = {job.name: job for job in CommandJobs().all()}
ODD = [
    "/a/people.csv",
    '/a b/it\'s "people".csv',
    "/a/$(touch x);`y`.csv",
    "/a/{schema}{0}.csv",
    "/a/--epsilon=9.csv",
    "/a/'''+exit()+'''.csv",
    "/ä/人.csv",
]


def recipe(name="fit", *, table="/a.csv", folder=Path("/b"), **more):
    job = JOBS[name]
    chosen = {"fit": "linear-svc", "tune": "lasso", "release": "additive"}.get(name, job.fixed)
    return Recipe(job=job, chosen=chosen, table=table, folder=folder, model="/m.json" if job.needs_model else None, **more)


def texts(source):
    return {node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant) and isinstance(node.value, str)}


@pytest.mark.parametrize("path", ODD)
@pytest.mark.parametrize("name", sorted(JOBS))
def test_names_stay_names(path, name):
    made = recipe(
        name,
        table=path,
        folder=Path(path).parent / "it's run-1",
        words=("--epsilon=0.1", "--slots=100"),
        ledger=f"{path}.ledger",
        data_set="--part=x 'y'",
    )
    words = shlex.split(made.command())
    before = [made.model] if made.model else []
    assert words[: 3 + len(before)] == ["discreet", made.job.command, *before, path]
    assert [word for word in words[3 + len(before) :] if not word.startswith("--")] == []
    assert f"--ledger={path}.ledger" in words
    assert "--data-set=--part=x 'y'" in words
    cells = json.loads(made.notebook())["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    for source in (made.script(), code):
        assert set(words[1:]) <= texts(source)  # every word of the command, and no other list of options
        called = {node.func.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
        assert called <= {"print", "open", "read_release", "read_synthetic", "sorted"}


@pytest.mark.parametrize("name", sorted(JOBS))
def test_the_same_again_is_written_beside_the_first_result(name):
    made = recipe(name)
    first, again = ([word for word in words if word.startswith("--out=")] for words in (made.arguments(), shlex.split(made.command())))
    assert first != again
    assert again[0].removeprefix("--out=") in made.script()
    assert Path(first[0].removeprefix("--out=")).parent == Path(again[0].removeprefix("--out=")).parent
    files = [word.partition("=")[2] for word in shlex.split(made.command()) if word.partition("=")[2].startswith("/b/")]
    assert not {Path(path).name for path in files} & set(made.job.files.values())


def test_predictions_are_no_file_that_the_page_serves():
    private = [job.name for job in JOBS.values() if job.private]
    assert private == ["predict"]


def test_whatever_the_page_looks_for_in_a_result_is_sent_to_it():
    looked_for = set(re.findall(r"\bresult\??\.(\w+)", (Path(runs.__file__).parent / "assets" / "results.js").read_text(encoding="utf-8")))
    assert {"guarantee", "mostly_noise", "verification"} <= looked_for
    assert looked_for <= runs._SHOWN
