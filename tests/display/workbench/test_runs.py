"""A run in words: whatever its paths are called, it is one command and one script, and nothing in a name becomes a part of either."""

import ast
import shlex
from pathlib import Path

import pytest

from discreet.display.workbench.runs import Recipe
from discreet.display.workbench.tradeoff import Budget

ODD = [
    "/a/people.csv",
    '/a b/it\'s "people".csv',
    "/a/$(touch x);`y`.csv",
    "/a/{schema}{0}.csv",
    "/a/--epsilon=9.csv",
    "/a/'''+exit()+'''.csv",
    "/ä/人.csv",
]


@pytest.mark.parametrize("path", ODD)
@pytest.mark.parametrize("what", ["linear-svc", "additive"])
def test_names_stay_names(path, what):
    recipe = Recipe(
        what=what,
        table=path,
        folder=Path(path).parent / "it's run-1",
        budget=Budget(0.1, 1e-6, "add-remove"),
        ledger=f"{path}.ledger",
        data_set="--part=x 'y'",
        slots=100 if what == "additive" else None,
    )
    words = shlex.split(recipe.command())
    assert words[:3] == ["discreet", "release" if what == "additive" else "fit", path]
    assert [word for word in words[3:] if not word.startswith("--")] == []
    assert f"--ledger={path}.ledger" in words
    assert "--data-set=--part=x 'y'" in words
    script = ast.parse(recipe.script())
    texts = {node.value for node in ast.walk(script) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    assert {path, f"{path}.ledger", "--part=x 'y'", "add-remove"} <= texts
    names = {node.func.id for node in ast.walk(script) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    assert names <= {
        "Account",
        "encoded_estimator",
        "read_table",
        "SystemNoise",
        "publish",
    }


def test_numbers_are_written_so_that_they_are_read_back_exactly():
    budget = Budget(0.1 + 0.2, 1e-07 / 3, "replace-one")
    words = Recipe(what="linear-svc", table="/a.csv", folder=Path("/b"), budget=budget).arguments()
    given = dict(word.split("=", 1) for word in words if "=" in word)
    assert (float(given["--epsilon"]), float(given["--delta"])) == (budget.epsilon, budget.delta)


def test_the_same_again_is_written_beside_the_first_result():
    for what in ("linear-svc", "additive"):
        recipe = Recipe(what=what, table="/a.csv", folder=Path("/b"), budget=Budget(1.0, 1e-6, "replace-one"))
        first = recipe.arguments()[-1].removeprefix("--out=")
        again = shlex.split(recipe.command())[-1].removeprefix("--out=")
        assert first != again
        assert again in recipe.script()
        assert Path(first).parent == Path(again).parent
