"""Studies use what other packages export, as a user would."""

import ast
import importlib
from pathlib import Path

import pytest

import studies
from discreet.core.errors import InvalidInput
from studies import STUDIES, Tables, study_named

FOLDER = Path(studies.__file__).parent
FILES = sorted(FOLDER.rglob("*.py"))
INNER = {
    "discreet.core.arrays",
    "discreet.core.errors",
    "discreet.core.files.reading",
    "discreet.core.neighbours",
    "discreet.core.version",
}
"""Modules beside the packages: all that they have without an underscore is public."""


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(FOLDER)))
def test_a_study_imports_exported_names_only(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "discreet" and not node.module.startswith("studies"):
            if node.module not in INNER:
                exported = importlib.import_module(node.module).__all__
                assert {alias.name for alias in node.names} <= set(exported), f"{node.module} does not export all of these"
        elif isinstance(node, ast.Import):
            assert not any(alias.name.startswith("discreet") for alias in node.names)


@pytest.mark.parametrize("name", STUDIES)
@pytest.mark.parametrize("quick", [True, False])
def test_a_grid_has_no_cell_twice_and_knows_its_tables(name, quick):
    study = study_named(name)
    cells = study.cells(quick=quick)
    assert study.name == name
    assert study.title
    assert study.paper
    assert len({cell.key for cell in cells}) == len(cells)
    Tables().missing([table for cell in cells for table in cell.needs])


@pytest.mark.parametrize("name", STUDIES)
def test_a_quick_grid_is_smaller(name):
    study = study_named(name)
    assert len(study.cells(quick=True)) < len(study.cells(quick=False))


def test_a_study_that_there_is_not():
    with pytest.raises(InvalidInput, match="there is no study 'nobody'; there are"):
        study_named("nobody")
