"""Every kind of model does everything, or says in one sentence why not, before anything is spent: the table of docs/models.md, cell by cell.

A cell is a command on a table of invented records, with a ledger where it could spend. After a change that is meant: DISCREET_UPDATE_GOLDENS=1.
"""

import os
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from discreet import Model
from discreet.cli.inputs import Records
from discreet.core.errors import DiscreetError
from discreet.data import Schema
from discreet.estimators.door.private_estimator import PrivateModel
from discreet.estimators.model_kinds import settings_of
from discreet.ledger import Ledger
from tests.cli.conftest import Outcome, discreet
from tests.parts import LACKING, cluster_here
from tests.schemas import schema_text

PAGE = Path(__file__).parents[2] / "docs" / "models.md"
KINDS = sorted(PrivateModel.models)
TARGETS = {
    "numbers": {"column": "answer", "lower": 0, "upper": 100},
    "several numbers": [{"column": "answer", "lower": 0, "upper": 100}, {"column": "other", "lower": -20, "upper": 20}],
    "counts": {"column": "answer", "lower": 0, "upper": 100, "counts": True},
    "two classes": {"column": "answer", "classes": ["no", "yes"]},
    "more classes": {"column": "answer", "classes": ["low", "middle", "high"]},
    "ordered classes": {"column": "answer", "classes": ["low", "middle", "high"], "ordered": True},
    "times": {"column": "answer", "event": "seen", "ends": [25, 50, 75]},
}
COLUMNS = {"age": (0, 100), "height": (0, 2), "city": ["north", "south"]}
SPENT = ("--epsilon", "2", "--delta", "1e-4", "--ledger", "ledger", "--data-set", "people")
ONE = {"several numbers": ("--target", "other")}
LABELS = {"more classes": ("--label", "low"), "several numbers": ("--label", "other")}
ROW = re.compile(r"^\| `([a-z-]+)`, ([a-z ]+?) \|(.*)\|$", re.MULTILINE)


def command(*words):
    return lambda kind, learnt: discreet(*words, *SPENT, "--out", "again.json", "--overwrite", *_asked(kind, learnt))


def _asked(kind, learnt):
    return ("--model", kind)


def tuned(kind, learnt):
    """Over the first setting that is a number, or a choice of mechanism."""
    known = settings_of(PrivateModel.models[kind])
    name = next((one.name for one in known.values() if one.name in ("alpha", "radius", "constraint")), "mechanism")
    values = {"alpha": "0.3,1", "radius": "1,2", "constraint": "l1-ball,l2-ball", "mechanism": "auto,objective"}[name]
    words = ("--grid", f"{name}={values}", *_asked(kind, learnt))
    return discreet("tune", "people.csv", "--schema", "people.toml", *SPENT, *words, "--out", "tuned.json")


def in_the_workbench(kind, learnt):
    """A point of its curves; the run itself is the command of the first column."""
    from discreet.workbench.invented import invented_trial
    from discreet.workbench.tradeoff import Budget, measured

    schema = Schema.load("people.toml")
    try:
        measured(kind, schema, invented_trial(schema, records=100, best=0.1), Budget(1.0, 1e-4, "replace-one"))
    except DiscreetError as error:
        return Outcome(error.exit_code, "", f"Error: {error}\n", asked=False)
    return Outcome(0, "", "", asked=False)


VERBS = {
    "fit": command("fit", "people.csv", "--schema", "people.toml"),
    "tune": tuned,
    "predict": lambda *_: discreet("predict", "model.json", "people.csv", "--out", "predictions.csv"),
    "evaluate": lambda _, learnt: discreet(
        "evaluate", "model.json", "people.csv", *SPENT, *(("--target", "other") if learnt == "several numbers" else ())
    ),
    "verify": lambda *_: discreet("verify", "model.json"),
    "report": lambda *_: discreet("report", "model.json", "--out", "page.html", "--card", "card.md"),
    "curves": lambda _, learnt: discreet("show", "model.json", "--plot", "curves.svg", *LABELS.get(learnt, ())),
    "coefficients": lambda *_: discreet("show", "model.json", "--coefficients", "coefficients.csv"),
    "intervals": lambda *_: discreet("intervals", "model.json", "people.csv", *SPENT, "--out", "intervals.json"),
    "blocks": command("fit", "first.parquet", "second.parquet", "--schema", "people.toml"),
    "persons": command("fit", "people.csv", "--schema", "persons.toml"),
    "cuts": command("fit", "people.csv", "--schema", "people.toml", "--cuts", "private"),
    "workbench": in_the_workbench,
}
"""Saving and loading are part of every cell: a command writes a model file, and another one reads it."""


@pytest.fixture
def world(tmp_path, monkeypatch):
    """A folder with a table, its schemas for one kind of target, a fitted model and a ledger with nothing on it."""
    monkeypatch.chdir(tmp_path)

    def made(kind, learnt):
        draw = np.random.default_rng(0)
        age, height = draw.uniform(0, 100, 300), draw.uniform(0, 2, 300)
        classes = [] if learnt == "several numbers" else TARGETS[learnt].get("classes", [])
        place = np.minimum((age / 100 + height / 2) / 2 * len(classes), 2.999).astype(int)
        answer = [classes[one] for one in place] if classes else (age * 0.5 + height * 25).tolist()
        ids = [f"p{one // 2}" for one in range(300)]
        columns = {"id": ids, "age": age, "height": height, "city": ["north", "south"] * 150, "answer": answer}
        frame = pl.DataFrame({**columns, "seen": [1, 1, 0] * 100, "other": 10 - age * 0.2})
        frame.write_csv("people.csv")
        frame[:150].write_parquet("first.parquet")
        frame[150:].write_parquet("second.parquet")
        for name, head in (("people", {}), ("persons", {"person": True})):
            text = schema_text("people", TARGETS[learnt], COLUMNS, rows="bound", **({} if head else {"rows_per_person": 1}))
            Path(f"{name}.toml").write_text(text + ('[person]\ncolumn = "id"\nrows = 2\n' if head else ""), encoding="utf-8")
        first = discreet(
            "fit", "people.csv", "--schema", "people.toml", "--epsilon", "2", "--delta", "1e-4", *_asked(kind, learnt), "--out", "model.json"
        )
        assert first.code == 0, first.err
        unit = ("--unit", "person", "--epsilon", "50", "--delta", "0.01")
        assert discreet("budget", "new", "ledger", "--data-set", "people", *unit).code == 0

    return made


def cell(kind, learnt, verb):
    """What becomes of a command in the world of this model: "yes", or the sentence of its refusal, which spends nothing."""
    before = len(Ledger("ledger").history("people"))
    outcome = VERBS[verb](kind, learnt)
    if outcome.code == 0:
        return "yes"
    assert outcome.code in (2, 3, 4), outcome.err
    said = " ".join(outcome.error.split()).removeprefix("Error: ")
    assert 20 < len(said) < 400, said
    assert len(Ledger("ledger").history("people")) == before, "refused, and yet something was spent"
    return said


def table():
    """From the page: (kind, learnt) -> verb -> cell."""
    text = PAGE.read_text(encoding="utf-8")
    notes = dict(re.findall(r"^(\d+)\. (.*)$", text, re.MULTILINE))
    verbs = next(line for line in text.splitlines() if line.startswith("| model, target |")).split("|")[2:-1]
    found = {}
    for kind, learnt, rest in ROW.findall(text):
        cells = [one.strip() for one in rest.split("|")]
        found[kind, learnt] = {verb.strip(): one if one == "yes" else notes[one] for verb, one in zip(verbs, cells, strict=True)}
    return found


CASES = [(kind, learnt) for kind in KINDS for learnt in PrivateModel.models[kind].targets]


def test_the_table_has_a_row_for_every_model_and_target_and_a_column_for_every_verb():
    if os.environ.get("DISCREET_UPDATE_GOLDENS"):
        return
    found = table()
    assert sorted(found) == sorted(CASES)
    assert all(list(row) == list(VERBS) for row in found.values())


@pytest.mark.skipif("DISCREET_UPDATE_GOLDENS" in os.environ, reason="the table is written anew")
@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb not in LACKING])
@pytest.mark.parametrize(("kind", "learnt"), CASES)
def test_a_cell_is_what_the_table_says(request, world, kind, learnt, verb):
    """What the page promises works; `--all` compares every word."""
    world(kind, learnt)
    said, stated = cell(kind, learnt, verb), table()[kind, learnt][verb]
    if request.config.getoption("--all"):
        assert said == stated, "DISCREET_UPDATE_GOLDENS=1 writes the table of docs/models.md anew"
    assert said == "yes" or stated != "yes", said


@pytest.fixture(scope="module")
def cluster():
    """One for all models."""
    pytest.importorskip("distributed")
    cluster_here()
    from discreet.cluster import Cluster, local_cluster, quiet

    with quiet(), local_cluster(2) as client:
        yield Cluster(client=client)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "learnt"), CASES)
def test_a_fit_on_a_cluster_is_the_one_here(monkeypatch, cluster, world, kind, learnt):
    """The weights of a Dask table of the same blocks and the same noise; the sums of two workers may differ in their last bits."""
    world(kind, learnt)
    monkeypatch.setattr(Records, "cluster", lambda self: None if self.dask is None else cluster)
    files = (
        Path("first.parquet").resolve(),
        Path("second.parquet").resolve(),
        "--schema",
        "people.toml",
        "--epsilon",
        "2",
        "--delta",
        "1e-4",
        "--seed",
        "1",
        "--model",
        kind,
    )
    weights = []
    for name, where in (("here", ()), ("there", ("--dask", "local"))):
        outcome = discreet("fit", *files, *where, "--out", f"{name}.json")
        assert outcome.code == 0, outcome.err
        weights.append(Model.load(f"{name}.json").weights)
    np.testing.assert_allclose(*weights, atol=1e-5 * max(1.0, np.abs(weights[0]).max()))


@pytest.mark.skipif("DISCREET_UPDATE_GOLDENS" not in os.environ, reason="DISCREET_UPDATE_GOLDENS=1 writes the table anew")
def test_the_table_is_written_anew(world, tmp_path):
    text, notes, lines = PAGE.read_text(encoding="utf-8"), {}, []
    for number, (kind, learnt) in enumerate(CASES):
        row = []
        place = tmp_path / str(number)
        place.mkdir()
        os.chdir(place)
        world(kind, learnt)
        for verb in VERBS:
            said = cell(kind, learnt, verb)
            row.append(said if said == "yes" else str(notes.setdefault(said, len(notes) + 1)))
        lines.append(f"| `{kind}`, {learnt} | {' | '.join(row)} |")
    head = [f"| model, target | {' | '.join(VERBS)} |", f"|---|{'---|' * len(VERBS)}"]
    below = [f"{number}. {said}" for said, number in notes.items()]
    start, end = "<!-- table -->\n", "<!-- end of table -->"
    before, after = text.partition(start)[0], text.partition(end)[2]
    PAGE.write_text(before + start + "\n".join([*head, *lines, "", *below]) + "\n" + end + after, encoding="utf-8")
