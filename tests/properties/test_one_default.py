"""One default of delta, wherever one is written (docs/defaults.md)."""

import ast
import re
from pathlib import Path

import discreet
from discreet.core.neighbours import DELTA

PACKAGE = Path(discreet.__file__).parent
SUMS = {"accountants.py": "Amount", "claim.py": "Claim"}
"""What is spent or claimed, and no target: nothing of it is 0."""


def defaults(tree):
    """(class around or "", default) of every argument or field that is called delta."""
    for holder in ast.walk(tree):
        if isinstance(holder, ast.FunctionDef):
            given = holder.args
            pairs = [*zip(given.args[::-1], given.defaults[::-1], strict=False), *zip(given.kwonlyargs, given.kw_defaults, strict=True)]
            yield from (("", default) for name, default in pairs if name.arg == "delta" and default is not None)
        elif isinstance(holder, ast.ClassDef):
            fields = [one for one in holder.body if isinstance(one, ast.AnnAssign) and ast.unparse(one.target) == "delta"]
            yield from ((holder.name, one.value) for one in fields if one.value is not None)


def test_there_is_one_default_of_delta_or_none_that_asks_elsewhere():
    texts = [(path.name, path.read_text("utf-8")) for path in PACKAGE.rglob("*.py")]
    # Of what is annotated, as everything here is: a quarter of the files would be parsed for calls otherwise.
    written = [(name, ast.parse(text)) for name, text in texts if re.search(r"\bdelta: [^\n=]*=", text)]
    found = {(name, place, ast.unparse(value)) for name, tree in written for place, value in defaults(tree)}
    assert {value for _, _, value in found} == {"DELTA", "None", "0.0"}
    assert {(name, place) for name, place, value in found if value == "0.0"} == set(SUMS.items())
    assert DELTA == 1e-6
    assert sum(value == "DELTA" for *_, value in found) > 12
