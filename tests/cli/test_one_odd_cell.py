"""Tables that differ in one odd cell, through every command that reads a table: the same exit code, the same words, the same files.

Numbers are covered by noise and may differ; what a table of the same schema is told besides must not, for it would tell of the cell. Where every rule
of the schema is declared all are answered, but for a person without an id. A new command that reads a table is under this law by itself.
"""

import json
import re

import pytest

from tests.cli.conftest import discreet
from tests.cli.every_command import commands, people, world
from tests.data.test_odd_cells import missing_id
from tests.odd_cells import ODD_CELLS, Odd, odd_pair

PERSONS = '[person]\ncolumn = "who"\nrows = 2\n'
NUMBER = re.compile(r"[0-9a-f]{16,}|[-+]?(?:\d[\d,_]*(?:\.\d+)?|\.\d+)(?:e[-+]?\d+)?|\b(?:inf|infinity|nan|null|true|false)\b", re.IGNORECASE)
READING = [command for command in commands() if command.reads_a_table]
QUICK = [
    Odd(".csv", "1e999"),
    Odd(".csv", '"a\nb"'),
    Odd(".csv", "x" * 131_073),
    Odd(".parquet", "moment 9223372036854775807 us UTC"),
    Odd(".parquet", "date 2147483647"),
    Odd(".parquet", "number nan"),
    Odd(".parquet", "\x00"),
    Odd(".xlsx", "error #SPILL!"),
    Odd(".xlsx", "time 1e12"),
    Odd(".xlsx", "unknown type"),
]
"""One of each kind that was once refused, or is written in another way."""
NAMES_ALONE = {"predict", "evaluate", "intervals", "tune", "bounds", "schema new"}
"""Of what these write the names of files are compared: predictions are of each record, a new schema names its table, and in the others noise decides
besides which numbers can be told at all."""
DEAR = {"tune", "intervals"}
FEW = {"bounds"}
"""Refused for the number of records, which is public."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The files of all calls, each person with two rows."""
    here = tmp_path_factory.mktemp("odd")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(here)
        world(PERSONS)
    return here


def shape(document):
    """Of a JSON document what no noise covers: names, kinds and words."""
    match document:
        case dict():
            return {NUMBER.sub("#", name): shape(value) for name, value in document.items()}
        case list():
            return [shape(document[0])] if document else []
        case str():
            return NUMBER.sub("#", document)
        case _:
            return "#"


def shown(path):
    """Of a file."""
    if path.suffix == ".json":
        return shape(json.loads(path.read_text(encoding="utf-8")))
    return NUMBER.sub("#", path.read_text(encoding="utf-8", errors="replace")) if path.suffix in (".toml", ".csv") else ""


def told(command, table, folder):
    """The exit code, standard error, and the names and shapes of the files; numbers left out, and the name of the table."""
    before = set(folder.rglob("*"))
    words = [str(table) if word == "people.csv" else word for word in command.words]
    outcome = discreet(*words)
    made = sorted((path for path in set(folder.rglob("*")) - before if path.is_file()), reverse=True)
    files = {str(path.relative_to(folder)): "" if command.name in NAMES_ALONE else shown(path) for path in made}
    for path in sorted(set(folder.rglob("*")) - before, reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    said = NUMBER.sub("#", outcome.err).replace(str(table), "TABLE").replace(table.name, "TABLE")
    return outcome.code, said, files


def column_of(odd, column):
    """Ids cannot be missing: such a cell is tried as a number."""
    return "age" if column == "who" and missing_id(odd) else column


COLUMN = list(people())
OTHERS = [odd for odd in ODD_CELLS if odd not in QUICK]
CASES = [(odd, COLUMN[place % len(COLUMN)], command) for place, odd in enumerate(QUICK) for command in READING]
CASES += [(odd, COLUMN[place % len(COLUMN)], READING[place % len(READING)]) for place, odd in enumerate(OTHERS)]
"""Some cells through every command, and each of the others, in one of the columns, through one."""


def run_of(place, odd, column, command):
    """As a run of the test: of some the quick ones take each command once."""
    marks = [pytest.mark.slow] * (odd not in QUICK or command.name in DEAR) + [pytest.mark.more] * (place % (len(READING) + 1) > 0)
    return pytest.param(odd, column, command, marks=marks, id=f"{command.name} {column} {odd}"[:60])


@pytest.mark.parametrize(("odd", "column", "command"), [run_of(place, *case) for place, case in enumerate(CASES)])
def test_one_odd_cell_changes_nothing_that_is_told(folder, tmp_path, monkeypatch, odd, column, command):
    monkeypatch.chdir(folder)
    first, second = odd_pair(tmp_path, odd, people(), column_of(odd, column))
    usual = told(command, first, folder)
    assert usual[0] == (4 if command.name in FEW else 0), usual[1]
    assert told(command, second, folder) == usual


def test_every_quick_cell_is_one_of_all():
    assert set(QUICK) <= set(ODD_CELLS)
    assert len(ODD_CELLS) > 250
    assert {command.name for command in READING} > {"fit", "describe", "evaluate", "release", "bounds", "predict", "intervals", "tune"}
