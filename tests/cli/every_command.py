"""One call of every command, each on the files of one folder, for laws over all commands: a new command is under them when it has its line here."""

from pathlib import Path
from typing import NamedTuple

import click
import polars as pl

from discreet.cli import program
from tests.cli.conftest import discreet
from tests.parts import has_command
from tests.schemas import OPEN, schema_text

SPENT = ("--epsilon", "1", "--delta", "1e-6")
CALLS: dict[str, tuple[str, ...]] = {
    "demo": ("--out", "demo"),
    "plan": ("--model", "linear-svc", "--schema", "people.toml", *SPENT),
    "schema check": ("people.toml", "people.csv"),
    "schema new": ("people.csv", "--out", "new.toml"),
    "bounds": ("people.csv", "--schema", "open.toml", "--epsilon", "50", "--out", "filled.toml"),
    "describe": ("people.csv", "--schema", "people.toml", "--epsilon", "1", "--out", "described.json"),
    "models": (),
    "fit": ("people.csv", "--schema", "people.toml", *SPENT, "--out", "fitted.json"),
    "tune": ("people.csv", "--schema", "people.toml", *SPENT, "--grid", "alpha=3,10", "--out", "tuned.json"),
    "predict": ("model.json", "people.csv", "--out", "predictions.csv"),
    "intervals": ("model.json", "people.csv", *SPENT, "--out", "intervals.json"),
    "evaluate": ("model.json", "people.csv", "--epsilon", "1", "--out", "evaluation.json"),
    "release": ("people.csv", "--schema", "plain.toml", "--method", "moments", *SPENT, "--out", "released"),
    "inspect": ("release",),
    "randomise": ("age=50", "city=north", "day=2020-01-31", "answer=no", "--schema", "people.toml", *SPENT),
    "frequencies": ("lines.jsonl", "--schema", "words.toml"),
    "verify": ("model.json",),
    "audit": ("model.json",),
    "show": ("model.json",),
    "report": ("model.json", "--out", "page.html"),
    "keygen": ("key",),
    "sign": ("model.json", "--key", "known.key"),
    "budget amend": ("team.ledger", "--data-set", "people", "--epsilon", "3", "--reason", "more"),
    "budget export": ("team.ledger", "--out", "exported.json"),
    "budget history": ("team.ledger", "--data-set", "people"),
    "budget import": ("team.ledger", "export.json"),
    "budget new": ("new.ledger", "--data-set", "people", "--epsilon", "2"),
    "budget plot": ("team.ledger", "--data-set", "people", "--out", "budget.svg"),
    "budget show": ("team.ledger",),
    "workbench": (),
}
COLUMNS = {
    "age": {"lower": 0, "upper": 100, "outside": "clip", "missing": 0},
    "city": {"categories": ["north", "south"], "other": "south", "missing": "south"},
}
DAY = '[date.day]\nlower = "2000-01-01"\nupper = "2030-01-01"\noutside = "clip"\nmissing = "2010-01-01"\n'
"""With a rule for every cell, as the others have."""
TARGET = {"column": "answer", "classes": ["no", "yes"], "other": "no", "missing": "no"}


class Command(NamedTuple):
    """A command, its parameters, and the words that call it."""

    name: str
    parameters: tuple[click.Parameter, ...]

    @property
    def words(self) -> tuple[str, ...]:
        return (*self.name.split(), *CALLS[self.name])

    @property
    def files(self) -> list[str]:
        """Parameters that are paths, by their names."""
        return [one.name for one in self.parameters if isinstance(one.type, click.Path)]

    @property
    def reads_a_table(self) -> bool:
        return "table" in self.files

    @property
    def reads_parts(self) -> bool:
        """Whether a table may be several files, or a folder of them."""
        return any(one.name == "table" and one.nargs == -1 for one in self.parameters)


CALLS = {name: words for name, words in CALLS.items() if has_command(name)}


def commands(group: click.Group = program, above: tuple[str, ...] = ()) -> list[Command]:
    """All that there are, of groups within groups too."""
    found, context = [], click.Context(group)
    for name in group.list_commands(context):
        one = group.get_command(context, name)
        path = (*above, name)
        found += (
            commands(one, path) if isinstance(one, click.Group) else [Command(" ".join(path), tuple(one.params))]
        )  # get_params would keep a help option of this context
    return found


def people(count: int = 40) -> dict[str, list[object]]:
    """Cells of a table whose columns say as much as any."""
    return {
        "age": [20 + 3 * (place % 21) for place in range(count)],
        "city": ["north" if place % 3 else "south" for place in range(count)],
        "day": [f"20{10 + place % 19}-01-31" for place in range(count)],
        "answer": ["yes" if place % 21 > 9 else "no" for place in range(count)],
        "who": [f"p{place // 2}" for place in range(count)],
    }


def world(persons: str = "") -> None:
    """The files that the calls name, made by the program in the current folder; `persons` ends every schema, else each person has one row."""
    pl.DataFrame(people()).write_csv("people.csv")
    rules = {"rows": "bound"} | ({} if persons else {"rows_per_person": 1})
    text = f'\n[file]\nunreadable = "missing"\n{DAY}{persons}'
    Path("people.toml").write_text(schema_text("people", TARGET, COLUMNS, **rules) + text)
    Path("plain.toml").write_text(schema_text("people", TARGET, COLUMNS, **rules) + text.replace(DAY, ""))
    Path("open.toml").write_text(schema_text("people", TARGET, COLUMNS | {"age": OPEN | {"outside": "clip", "missing": 0}}, **rules) + text)
    Path("words.toml").write_text(schema_text("people", TARGET, {"city": COLUMNS["city"]}, rows="bound", rows_per_person=1))
    for words in (
        ("fit", "people.csv", "--schema", "people.toml", *SPENT, "--model", "logistic-regression", "--out", "model.json"),
        ("release", "people.csv", "--schema", "plain.toml", "--method", "moments", *SPENT, "--out", "release"),
        ("budget", "new", "team.ledger", "--data-set", "people", "--epsilon", "100", "--delta", "0.01"),
        ("budget", "export", "team.ledger", "--out", "export.json"),
        ("keygen", "known"),
    ):
        made = discreet(*words)
        assert made.code == 0, (words, made.err)
    line = discreet("randomise", "city=north", "answer=no", "--schema", "words.toml", "--epsilon", "1", "--delta", "0")
    assert line.code == 0, line.err
    Path("lines.jsonl").write_text(line.out)
