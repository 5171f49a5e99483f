"""What the examples of docstrings say is what comes out, and everybody who opens the page of a class that learns finds one."""

import doctest
import inspect
import io

import pytest

from tools.reference import homes_of_names, thing_named

THINGS = {home: thing_named(home) for home in sorted(set(homes_of_names().values()))}
EXAMPLES = [home for home, thing in THINGS.items() if (inspect.isclass(thing) or inspect.isroutine(thing)) and ">>> " in (thing.__doc__ or "")]
SLOW = {"GroupLasso", "LassoClassifier", "MatrixRegression", "SimplexRegression"}
"""Their calibrations take a second."""
LEARNING = [home for home, thing in THINGS.items() if inspect.isclass(thing) and callable(getattr(thing, "fit", None))]


@pytest.mark.parametrize("home", LEARNING)
def test_the_page_of_a_class_that_learns_has_an_example(home):
    assert home in EXAMPLES, f"{home}: its docstring needs a section Examples"


@pytest.mark.parametrize("home", [pytest.param(one, marks=pytest.mark.more if one.rpartition(".")[2] in SLOW else ()) for one in EXAMPLES])
def test_an_example_does_what_it_says(home, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = io.StringIO()
    (found,) = doctest.DocTestFinder(recurse=False).find(THINGS[home], home, globs={})
    outcome = doctest.DocTestRunner(verbose=False).run(found, out=said.write)
    assert outcome.attempted > 0
    assert outcome.failed == 0, said.getvalue()
