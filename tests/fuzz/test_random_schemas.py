"""Whatever a schema says, in all of its grammar: what a budget pays for verifies and is read back, and what is refused is not paid for."""

import csv
import re
import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from discreet.data import Schema
from discreet.ledger import Ledger
from discreet.releases.synthetic import drawing, publish
from tests.cli.conftest import discreet
from tests.releases.synthetic.cases import by_hub
from tests.schemas import drawn_schema

ROWS = 80
pytestmark = pytest.mark.filterwarnings("ignore::discreet.core.errors.PrivacyWarning")  # the command line says them in its own words
BUDGET = ("--epsilon", "2", "--delta", "1e-6")
VERBS = {
    "describe": ("describe", "t.csv", "--out", "out"),
    "fit": ("fit", "t.csv", "--out", "out"),
    "fit in blocks": ("fit", "parts", "--out", "out"),
    "synthetic": ("release", "t.csv", "--method", "synthetic", "--out", "out"),
    "synthetic without target": ("release", "t.csv", "--method", "synthetic", "--target", "omitted", "--out", "out"),
    "synthetic, private cuts": ("release", "t.csv", "--method", "synthetic", "--cuts", "private", "--tables", "2", "--out", "out"),
    "synthetic in blocks": ("release", "parts", "--method", "synthetic", "--out", "out", "--neighbours", "add-remove"),
    "moments": ("release", "t.csv", "--method", "moments", "--out", "out"),
    "additive": ("release", "t.csv", "--method", "additive", "--target", "omitted", "--out", "out"),
    "sketch": ("release", "t.csv", "--method", "sketch", "--rows", "40", "--neighbours", "add-remove", "--out", "out"),
    "bounds": ("bounds", "t.csv", "--out", "closed.toml", "--overwrite", "--certificate", "out"),
    "tune": ("tune", "t.csv", "--grid", "alpha=0.1,1", "--out", "out"),
}


@pytest.fixture
def place(tmp_path, monkeypatch):
    """An empty folder to work in, and a fit of distributions that needs no package."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(drawing, "fitted", by_hub)
    monkeypatch.setattr(publish, "require_mbi", lambda: None)
    monkeypatch.setattr(drawing, "require_mbi", lambda: None)
    return tmp_path


def written(folder, seed):
    """The schema with this number, and a table of it, whole and in parts."""
    text, rows = drawn_schema(np.random.default_rng(seed))
    Path(folder, "s.toml").write_text(text, encoding="utf-8")
    Path(folder, "open.toml").write_text(without_bounds(text), encoding="utf-8")
    schema, table = Schema.from_toml(text), rows(ROWS)
    with Path(folder, "t.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(table)
        writer.writerows(zip(*table.values(), strict=True))
    shutil.rmtree(Path(folder, "parts"), ignore_errors=True)
    Path(folder, "parts").mkdir()
    frame = pl.DataFrame(table, schema=dict.fromkeys(table, pl.String))
    for number in range(2):
        frame[number * ROWS // 2 : (number + 1) * ROWS // 2].write_parquet(Path(folder, "parts", f"{number}.parquet"))
    return schema


def without_bounds(text):
    """The schema with its plain numeric columns left open."""
    tables = re.split(r"(?m)^(?=\[)", text)
    plain = [table.startswith("[numeric.") and not re.search("(?m)^(missing|encoding|released) ", table) for table in tables]
    return "".join(re.sub(r"(?m)^(lower|upper) = .*\n", "", table) if opened else table for table, opened in zip(tables, plain, strict=True))


def paid(schema, *words):
    """A run of a command against a new ledger: whether it paid, in which case what it wrote verifies; what it refuses is not paid for."""
    for one in ("l.ledger", "out"):
        shutil.rmtree(one, ignore_errors=True)
        Path(one).unlink(missing_ok=True)
    unit = "record" if schema.persons is None else "person"
    Ledger.create("l.ledger").declare("people", epsilon=99.0, delta=1e-3, unit=unit, neighbours=relation(words))
    said = discreet(*words, *BUDGET, "--ledger", "l.ledger")
    entries = Ledger("l.ledger").history("people")
    if said.code in (2, 3, 4):
        assert entries == (), said
        return False
    assert said.code == 0, said
    assert entries
    checked = discreet("verify", "out")
    assert checked.code == 0, checked
    for command in ("show", "report"):
        read = discreet(command, "out", *(["--out", "page.html", "--overwrite"] if command == "report" else []))
        assert read.code == 0, read
    return True


def relation(words):
    return words[words.index("--neighbours") + 1] if "--neighbours" in words else "replace-one"


def every_verb(folder, seed, verbs):
    """Of the schema with this number; the verbs that paid."""
    schema = written(folder, seed)
    assert discreet("schema", "check", "s.toml", "t.csv").code == 0
    done = []
    for name in verbs:
        if not paid(schema, *VERBS[name], "--schema", "open.toml" if name == "bounds" else "s.toml"):
            continue
        done.append(name)
        if name == "bounds":
            closed = discreet("schema", "check", "closed.toml", "t.csv")
            assert closed.code == 0, closed
        if name.startswith("fit"):
            shutil.copy("out", "m.json")
            predicted = discreet("predict", "m.json", "t.csv")
            assert predicted.code == 0, predicted
            for more in (("evaluate", "m.json", "t.csv"), ("intervals", "m.json", "t.csv")):
                done += [more[0]] * paid(schema, *more, "--out", "out")
        if name.startswith("synthetic"):
            rows = discreet("inspect", "out", "--csv", "rows.csv", "--overwrite")
            assert rows.code == 0, rows
            again = discreet("schema", "check", "s.toml", "rows.csv") if name == "synthetic" and schema.person is None else rows
            assert again.code == 0, again
    return done


def in_turn(seed, count):
    """So many of the verbs."""
    return [list(VERBS)[(count * seed + more) % len(VERBS)] for more in range(count)]


@pytest.mark.at_most(3)
@pytest.mark.parametrize("seed", range(6))
def test_what_is_paid_for_verifies_whatever_the_schema_says(place, seed):
    every_verb(place, seed, in_turn(seed, 2))


@pytest.mark.slow
@pytest.mark.parametrize("begin", range(1000, 3000, 10))
def test_what_is_paid_for_verifies_whatever_many_schemas_say(place, begin):
    """Ten at a time, about a minute: a turn of slow tests ends between them, and the next one begins with others."""
    for seed in range(begin, begin + 10):
        every_verb(place, seed, in_turn(seed, 3))
