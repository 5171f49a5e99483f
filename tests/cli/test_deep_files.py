"""Lists in lists in lists: every reader of JSON or TOML refuses them in a sentence, however deep, before anything walks through them."""

import json
from pathlib import Path

import pytest

from discreet.core.errors import DiscreetError, FileFormatError
from discreet.core.files.strict_json import DEEPEST, read_object
from discreet.ledger import Ledger
from tests.cli.conftest import FIT, SCHEMA, discreet

DEPTHS = [DEEPEST + 1, 300, 480, 700, 990, 5_000, 200_000]
"""About what Python's stack takes, divided by the frames that a walk needs a level, and beyond."""
LOCAL = ["--method", "local", "--schema", "people.toml", "--out", "out"]


def nested(depth, kind):
    """An object with something of this depth in it."""
    return '{"x": ' + ("[" * depth + "]" * depth if kind == "lists" else '{"a": ' * depth + "1" + "}" * depth) + "}"


READERS = {
    "show": ["show", "deep.json"],
    "verify": ["verify", "deep.json"],
    "predict": ["predict", "deep.json", "people.csv"],
    "evaluate": ["evaluate", "deep.json", "people.csv", "--data-is", "public"],
    "report": ["report", "deep.json", "--out", "page.html"],
    "audit": ["audit", "deep.json"],
    "budget import": ["budget", "import", "ledger", "deep.json"],
    "release of lines": ["release", "deep.json", *LOCAL],
    "inspect": ["inspect", "release"],
    "verify of a release": ["verify", "release"],
}


@pytest.mark.parametrize("kind", ["lists", "objects"])
@pytest.mark.parametrize("depth", DEPTHS)
def test_every_command_that_reads_json_refuses_it_in_a_sentence(folder, depth, kind):
    Path("deep.json").write_text(nested(depth, kind))
    Path("release").mkdir()
    Path("release/manifest.json").write_text(nested(depth, kind))
    Ledger.create("ledger")
    for arguments in READERS.values():
        outcome = discreet(*arguments)
        assert outcome.code in {3, 6}, arguments
        assert "unexpected" not in outcome.error, arguments
    outcome = discreet("randomise", "--schema", "people.toml", "--epsilon", "4", "--delta", "1e-6", stdin=nested(depth, kind))
    assert outcome.code == 3
    assert "one record is needed" in outcome.error


@pytest.mark.parametrize("depth", DEPTHS)
def test_so_does_every_reader_of_a_schema(folder, depth):
    Path("people.toml").write_text(SCHEMA.replace('name = "people"', f'name = "people"\nx = {"[" * depth + "]" * depth}'))
    for arguments in (FIT, ["schema", "check", "people.toml"], ["release", "people.csv", *LOCAL]):
        outcome = discreet(*arguments)
        assert outcome.code == 3
        assert "unexpected" not in outcome.error


def test_a_model_with_something_deep_in_any_of_its_fields_is_refused(folder):
    discreet(*FIT)
    model = json.loads(Path("model.json").read_text(encoding="utf-8"))
    for field in model:
        for depth in (2, DEEPEST + 1, 480, 990):
            text = json.dumps(model | {field: "HERE"}).replace('"HERE"', "[" * depth + "]" * depth)
            Path("deep.json").write_text(text, encoding="utf-8")
            outcome = discreet("verify", "deep.json")
            assert outcome.code in {3, 6}
            assert "unexpected" not in outcome.err + outcome.out


def test_what_is_as_deep_as_it_may_be_is_read():
    assert read_object(nested(DEEPEST - 1, "lists"), what="a test")
    assert read_object(nested(DEEPEST - 2, "objects"), what="a test")
    for depth in DEPTHS:
        with pytest.raises(FileFormatError, match="deep"):
            read_object(nested(depth, "lists"), what="a test")
    with pytest.raises(DiscreetError, match="is a JSON object; a list was found"):
        read_object("[[1]]", what="a test")
