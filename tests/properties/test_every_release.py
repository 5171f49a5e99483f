"""Every method of release works everywhere, or says in one sentence why not, before anything is spent: the table of docs/release.md, cell by cell.

A cell is a command on a table of invented records, with a ledger where it could spend. After a change that is meant: DISCREET_UPDATE_GOLDENS=1.
"""

import os
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from discreet.cli.inputs import Records
from discreet.ledger import Ledger
from discreet.releases.methods import ALL_METHODS, METHODS
from discreet.releases.synthetic import drawing, publish
from tests.cli.conftest import discreet
from tests.parts import LACKING, cluster_here
from tests.releases.synthetic.cases import by_hub
from tests.schemas import schema_text

PAGE = Path(__file__).parents[2] / "docs" / "release.md"
BLOCKS, SLOTS, ORDER = ("first.parquet", "second.parquet"), ("--slots", "310"), ("--shuffle", "300")
CURVE, BITS = ("--epsilon", "2", "--delta", "1e-4"), ("--bits", "0.5")
SKETCHED = ("--rows", "20", "--most-records", "1000")
ASKED = {
    "moments": CURVE,
    "additive": CURVE,
    "laplace": ("--epsilon", "2"),
    "projection": (*CURVE, "--columns", "2"),
    "fresh-projection": (*CURVE, "--columns", "2"),
    "sketch": (*CURVE, *SKETCHED),
    "eigenvalue-sketch": (*CURVE, *SKETCHED),
    "information-sketch": (*BITS, *SKETCHED),
    "clear-target-sketch": (*BITS, *SKETCHED, "--target", "clear"),
    "fisher": (*CURVE, "--target", "clear"),
    "bounded": ("--epsilon", "2", "--half-width", "20"),
    "null-space": ("--variance", "1", "--target", "clear", "--calibration", "published"),
    "synthetic": CURVE,
    "local": (),
}
"""What each needs, as a user types it."""
UNVERIFIED = 6
ROW = re.compile(r"^\| `([a-z-]+)` \|(.*)\|$", re.MULTILINE)


ENTRIES = ("information-sketch", "clear-target-sketch", "fisher", "bounded", "null-space")
"""Their promises are of single numbers, which no ledger of persons adds up."""


def command(*words, table=("people.csv",), schema="people.toml", ledger=False):
    """A release."""

    def run(method):
        known = f"classes-{schema}" if method == "null-space" else schema
        spent = ("--ledger", "ledger") if ledger and method not in (*ENTRIES, "local") else ()
        beside = ("--delta", "1e-4") if method == "laplace" and ORDER[0] in words else ()
        own = (("lines.jsonl",) if table == ("people.csv",) else ("lines.jsonl", "more.jsonl")) if method == "local" else table
        given = [word for word in words if word not in SLOTS or takes_slots(method)]
        out = ("--out", method, "--overwrite")
        return discreet("release", *own, "--schema", known, "--method", method, *ASKED[method], *given, *beside, *spent, *out)

    return run


def takes_slots(method):
    """Whether rows are released, whose number would tell."""
    return method in METHODS and any(one.name == "slots" for way in METHODS[method].ways for one in way.takes)


def afterwards(*words):
    """What is done with a release that was made."""

    def run(method):
        made = command()(method)
        assert made.code == 0, made.err
        return discreet(words[0], method, *words[1:])

    return run


PLACES = {
    "file": command(ledger=True),
    "blocks": command(table=BLOCKS, ledger=True),
    "Dask": command("--dask", "local", table=BLOCKS, ledger=True),
    "persons": command(*SLOTS, schema="persons.toml", ledger=True),
    "add-remove": command("--neighbours", "add-remove", *SLOTS),
    "secret order": command(*ORDER, ledger=True),
    "dry run": command("--dry-run"),
    "verify": afterwards("verify"),
    "inspect": afterwards("inspect"),
    "report": afterwards("report", "--out", "page.html", "--overwrite"),
}


def near():
    """A cluster in this process, which makes blocks of files as a worker does."""
    from discreet.cluster import Cluster

    class Near(cluster_here().Here):
        def compute(self, blocks):
            return super().compute([block.compute(scheduler="synchronous") for block in blocks])

    return Cluster(client=Near())


@pytest.fixture
def world(tmp_path, monkeypatch):
    """A folder with a table, its schemas and a ledger with nothing on it; a cluster in this process, and a fit without mbi."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(drawing, "fitted", by_hub)
    monkeypatch.setattr(publish, "require_mbi", lambda: None)
    monkeypatch.setattr(drawing, "require_mbi", lambda: None)
    monkeypatch.setattr(Records, "cluster", lambda self: None if self.dask is None else near())
    draw = np.random.default_rng(0)
    age, height = draw.uniform(0, 100, 300), draw.uniform(0, 2, 300)
    frame = pl.DataFrame(
        {"id": [f"p{one // 2}" for one in range(300)], "age": age, "height": height, "answer": age * 0.5 + height * 25, "sick": ["no", "yes"] * 150}
    )
    frame.write_csv("people.csv")
    frame[:150].write_parquet("first.parquet")
    frame[150:].write_parquet("second.parquet")
    number, classes = {"column": "answer", "lower": 0, "upper": 100}, {"column": "sick", "classes": ["no", "yes"]}
    for name, target in (("people", number), ("classes-people", classes), ("persons", number), ("classes-persons", classes)):
        persons = name.endswith("persons")
        stated = {} if persons else {"rows_per_person": 1}
        text = schema_text("people", target, {"age": (0, 100), "height": (0, 2)}, rows="bound", **stated)
        Path(f"{name}.toml").write_text(text + ('[person]\ncolumn = "id"\nrows = 2\n' if persons else ""), encoding="utf-8")
    lines = [discreet("randomise", "age=41", "height=1", f"answer={one}", "--schema", "people.toml", *CURVE).out for one in (20, 60)]
    for name in ("lines.jsonl", "more.jsonl"):
        Path(name).write_text("".join(lines), encoding="utf-8")
    assert discreet("budget", "new", "ledger", "--data-set", "people", "--unit", "person", "--epsilon", "500", "--delta", "0.1").code == 0


def cell(method, place):
    """What becomes of a command: "yes", or the sentence of its refusal, which spends nothing."""
    before = len(Ledger("ledger").history("people"))
    outcome = PLACES[place](method)
    if outcome.code == 0:
        return "yes"
    if outcome.code == UNVERIFIED:
        return next(line.split(maxsplit=2)[-1] for line in outcome.out.splitlines() if line and not line.startswith("ok "))
    assert outcome.code in (2, 3, 4), outcome.err
    said = outcome.err.strip().splitlines()[-1].removeprefix("Error: ")
    said = re.sub(r" It takes .*?\. ", " ", said.replace(f"--method {method}", "this method").replace(f"method {method!r}", "this method"))
    assert 20 < len(said) < 400, said
    assert len(Ledger("ledger").history("people")) == before, "refused, and yet something was spent"
    return said


def table():
    """From the page: method -> place -> cell."""
    text = PAGE.read_text(encoding="utf-8").partition("<!-- methods -->")[2].partition("<!-- end of methods -->")[0]
    notes = dict(re.findall(r"^(\d+)\. (.*)$", text, re.MULTILINE))
    found = {}
    for method, rest in ROW.findall(text):
        cells = [one.strip() for one in rest.split("|")]
        found[method] = {place: one if one == "yes" else notes[one] for place, one in zip(PLACES, cells, strict=True)}
    return found


def test_every_method_has_a_row():
    assert set(ASKED) == {*ALL_METHODS, "synthetic"}
    assert "DISCREET_UPDATE_GOLDENS" in os.environ or list(table()) == list(ASKED)


@pytest.mark.skipif("DISCREET_UPDATE_GOLDENS" in os.environ, reason="the table is written anew")
@pytest.mark.parametrize("place", [place for place in PLACES if place != "Dask" or "cluster" not in LACKING])
@pytest.mark.parametrize("method", ASKED)
def test_a_cell_is_what_the_table_says(request, world, method, place):
    """What the page promises works; `--all` compares every word."""
    said, stated = cell(method, place), table()[method][place]
    if request.config.getoption("--all"):
        assert said == stated, "DISCREET_UPDATE_GOLDENS=1 writes the table of docs/release.md anew"
    assert (said == "yes") is (stated == "yes"), said


@pytest.mark.skipif("DISCREET_UPDATE_GOLDENS" not in os.environ, reason="DISCREET_UPDATE_GOLDENS=1 writes the table anew")
def test_the_table_is_written_anew(world):
    text, notes, lines = PAGE.read_text(encoding="utf-8"), {}, []
    for method in ASKED:
        found = [cell(method, place) for place in PLACES]
        lines.append(f"| `{method}` | {' | '.join(one if one == 'yes' else str(notes.setdefault(one, len(notes) + 1)) for one in found)} |")
    head = [f"| method | {' | '.join(PLACES)} |", f"|---|{'---|' * len(PLACES)}"]
    start, end = "<!-- methods -->\n", "<!-- end of methods -->"
    before, after = text.partition(start)[0], text.partition(end)[2]
    below = [f"{number}. {said}" for said, number in notes.items()]
    PAGE.write_text(before + start + "\n".join([*head, *lines, "", *below]) + "\n" + end + after, encoding="utf-8")
