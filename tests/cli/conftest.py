"""An invented table of people with its schema, and a way to run the program on it."""

import json
import math
from pathlib import Path
from typing import NamedTuple

import polars as pl
import pytest
from click.testing import CliRunner

from discreet.cli import program

ASKED = "Warning: whether a person may have several rows is not stated"
GOLDEN = Path(__file__).parent / "golden"

SCHEMA = """\
format = "discreet-schema/1"
name = "people"
rows = "normalise"

[target]
column = "answer"
classes = ["no", "yes"]

[numeric.age]
lower = 0
upper = 100

[numeric.hours]
lower = 0
upper = 80
outside = "clip"

[categorical.city]
categories = ["north", "south", "other"]
other = "other"
"""

SURVEY = """\
format = "discreet-schema/1"
name = "survey"
rows = "bound"

[target]
column = "hours"
lower = 0
upper = 80

[numeric.age]
lower = 0
upper = 100
"""


FEW = ("Warning: 300 records are few for this budget: below about ", "Warning: 300 persons are few for this budget: below about ")


def without_few(said):
    """Without the word on what so few records are worth, which tests/cli/test_calibrate.py asks for."""
    return "".join(line for line in said.splitlines(keepends=True) if not line.startswith(FEW))


class Outcome(NamedTuple):
    """What a run of the program left behind."""

    code: int
    out: str
    err: str
    """Without the question whose rows are whose, which schemas that say nothing are asked."""
    asked: bool

    @property
    def more(self):
        """Standard error without the word on what so few records are worth."""
        return without_few(self.err)

    @property
    def json(self):
        """Standard output as one JSON document, strictly."""
        return json.loads(self.out, parse_constant=pytest.fail)

    @property
    def error(self):
        """The one line on standard error, or the message of the JSON error."""
        if self.out.startswith("{"):
            return self.json["error"]["message"]
        assert self.out == ""
        assert self.more.count("\n") == 1, self.err
        return self.more


def discreet(*arguments, stdin=None):
    """Run the program in this process."""
    result = CliRunner().invoke(program, [str(one) for one in arguments], input=stdin, prog_name="discreet")
    assert "Traceback" not in result.stdout + result.stderr
    lines = result.stderr.splitlines(keepends=True)
    told = [line for line in lines if not line.startswith(ASKED)]
    return Outcome(result.exit_code, result.stdout, "".join(told), asked=len(told) < len(lines))


def rows(count=300):
    """Invented people: (age, hours, city, answer), older and busier ones saying yes."""
    for i in range(count):
        age, hours = 20 + (i * 37) % 60, (i * 53) % 80
        city = ("north", "south", "east")[i % 3]
        yes = age / 80 + hours / 80 + 0.2 * math.sin(i) > 1.1
        yield age, hours, city, "yes" if yes else "no"


def csv_text(records):
    """With a column that the schema does not name."""
    return "age,hours,nickname,city,answer\n" + "".join(
        f"{age},{hours},n{i},{city},{answer}\n" for i, (age, hours, city, answer) in enumerate(records)
    )


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current directory, with people.csv and people.toml in it."""
    monkeypatch.chdir(tmp_path)
    for variable in ("DISCREET_DEBUG", "DISCREET_LEDGER", "DISCREET_DATA_SET"):
        monkeypatch.delenv(variable, raising=False)
    (tmp_path / "people.csv").write_text(csv_text(rows()), encoding="utf-8")
    (tmp_path / "people.toml").write_text(SCHEMA, encoding="utf-8")
    return tmp_path


@pytest.fixture
def parts(folder):
    """people/1.parquet, people/2.parquet with other columns first, people.arrow and people.parquet, of the people of people.csv."""
    frame = pl.DataFrame(list(rows()), schema=["age", "hours", "city", "answer"], orient="row")
    (folder / "people").mkdir()
    frame[:170].write_parquet(folder / "people" / "1.parquet", row_group_size=50)
    frame[170:].select("answer", "hours", "age", pl.lit("n").alias("nickname"), "city").write_parquet(folder / "people" / "2.parquet")
    frame.write_ipc(folder / "people.arrow")
    frame.write_parquet(folder / "people.parquet")
    return folder


UNREADABLE = [
    (["nothing/*.parquet"], "no file matches"),
    (["people.csv", "people.parquet"], r"must end in \.parquet"),
    (["people/1.parquet", "absent.parquet"], "no file 'absent.parquet'"),
    (["empty"], r"no \.parquet file"),
    (["people", "--jobs", "0"], "n_jobs must be"),
]
"""Of `parts` and an empty folder: arguments, and what is said of them."""
FIT = ("fit", "people.csv", "--schema", "people.toml", "--epsilon", "1", "--delta", "1e-6", "--out", "model.json")


@pytest.fixture(scope="session")
def fitted_model(tmp_path_factory):
    """The text of a model file fitted by the program."""
    base = tmp_path_factory.mktemp("fitted")
    (base / "people.csv").write_text(csv_text(rows()), encoding="utf-8")
    (base / "people.toml").write_text(SCHEMA, encoding="utf-8")
    outcome = discreet(
        "fit", base / "people.csv", "--schema", base / "people.toml", "--epsilon", "1", "--delta", "1e-6", "--out", base / "model.json"
    )
    assert outcome.code == 0, outcome.err
    return (base / "model.json").read_text(encoding="utf-8")


@pytest.fixture
def model(folder, fitted_model):
    """The folder with model.json in it."""
    (folder / "model.json").write_text(fitted_model, encoding="utf-8")
    return folder
