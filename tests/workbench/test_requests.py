"""Malformed questions to the workbench: refused in a sentence, with no file left and no private value in it."""

import copy
import io
import json
import os
import shutil

import numpy as np
import pytest

from discreet.core.errors import DiscreetError
from discreet.workbench.command_jobs import CommandJobs
from discreet.workbench.desk import Desk
from discreet.workbench.wire import Refused, read_fields
from tests.canary import DIGITS
from tests.cli.test_deep_files import DEPTHS, nested
from tests.fuzz.cases import BOUND, GOOD, TABLE
from tests.fuzz.mutations import as_json, pick, spoiled, spoiled_csv, torn

QUICK = 100
MANY = 1000
pytestmark = pytest.mark.filterwarnings("ignore")

FORM = {
    "name": "people",
    "rows": "normalise",
    "missing_values": ["NA"],
    "persons": {"kind": "one", "column": "", "rows": "", "weight": "person"},
    "target": {"column": "answer", "kind": "classes", "classes": ["no", "yes"], "other": "", "missing": ""},
    "columns": [
        {"name": "age", "kind": "number", "lower": "0", "upper": "100", "clip": True, "missing": ""},
        {"name": "city", "kind": "category", "categories": ["north", "south", "other"], "other": "other", "missing": ""},
    ],
}
JOB = {"job": "fit", "chosen": "linear-svc", "options": {"--alpha": "0.1", "--intercept": "on"}}
BUDGET = {"epsilon": 1.0, "delta": 1e-6, "neighbours": "replace-one"}
QUESTIONS = {
    "state": {},
    "table": {"path": "people.csv"},
    "check": {"schema": FORM},
    "load": {"path": "bound.toml"},
    "save": {"schema": FORM, "path": "new.toml", "overwrite": False},
    "sheet": {"job": "fit", "chosen": "lasso"},
    "browse": {"path": ".", "kind": "table"},
    "point": {"schema": FORM, **JOB, "budget": BUDGET, "records": 200, "best": "easy", "sample": "", "table": "people.csv"},
    "foresee": {"schema": FORM, **JOB, "budget": BUDGET, "records": 200, "table": "people.csv", "ledger": "", "data_set": ""},
    "plan": {"schema": FORM, "what": "linear-svc", "budget": BUDGET, "records": 1000, "norm": 1.0, "excess": 0.1},
    "status": {"number": 1},
    "stop": {"number": 1},
    "ledger": {"path": "team.ledger"},
    "amend": {"path": "team.ledger", "data_set": "people", "epsilon": 2, "delta": 1e-6, "reason": "why"},
    "declare": {"path": "team.ledger", "data_set": "people", "unit": "person", **BUDGET},
}
"""One of each that is served; `run`, which starts a process, is left to tests/workbench."""


def question(random):
    """The name of a question and its body, spoiled."""
    name = pick(random, [*QUESTIONS, "check", "check", "save", "load"])
    asked = copy.deepcopy(QUESTIONS[name])
    if name == "point" and random.random() < 0.3:
        asked |= {"sample": pick(random, ["sample.csv", "people.csv", "absent.csv"])}
    if random.random() < 0.2:
        return name, torn(random, as_json(asked))
    return name, as_json(spoiled(random, asked))


def run_case(number, folder):
    """One question to a new desk in an empty folder that is the current one."""
    random = np.random.default_rng([7, number])
    (folder / "people.csv").write_text(TABLE)
    (folder / "sample.csv").write_bytes(spoiled_csv(random, TABLE) if random.random() < 0.7 else GOOD.encode())
    (folder / "bound.toml").write_text(BOUND)
    (folder / "uploads").mkdir()
    desk = Desk(jobs=CommandJobs(), folder=folder / "runs", uploads=folder / "uploads", ledger=None, data_set=None)
    before = {path for path in folder.rglob("*") if path.is_file()}
    upload = random.random() < 0.1
    name, body = ("upload", spoiled_csv(random, TABLE)) if upload else question(random)
    try:
        if upload:
            said = json.dumps(desk.upload("people.csv", len(body) + int(random.integers(-3, 3)), io.BytesIO(body)), allow_nan=False)
            said = ""  # column names are public, and a spoiled header may hold anything
        else:
            said = json.dumps(getattr(desk, name)(read_fields(body)), allow_nan=False)
        refused = False
    except (Refused, DiscreetError) as refusal:
        said, refused = getattr(refusal, "message", str(refusal)), True
        assert len(said.splitlines()) <= 1, said
    finally:
        desk.close()
    assert not any(digits in said for digits in DIGITS), said
    after = {path for path in folder.rglob("*") if path.is_file()}
    assert before <= after
    if refused:
        assert after == before, (name, said)


def run(numbers, base, monkeypatch):
    for number in numbers:
        folder = base / "case"
        folder.mkdir()
        monkeypatch.chdir(folder)
        try:
            run_case(number, folder)
        except Exception as fault:
            raise AssertionError(f"question {number}: {type(fault).__name__} {fault}") from fault
        finally:
            os.chdir(base)
            shutil.rmtree(folder)


def test_the_questions_are_served_as_they_are(tmp_path, monkeypatch):
    """Otherwise nothing would be tested but that they are refused."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(TABLE)
    (tmp_path / "bound.toml").write_text(BOUND)
    desk = Desk(jobs=CommandJobs(), folder=tmp_path / "runs", uploads=tmp_path, ledger=None, data_set=None)
    for name in ("state", "table", "sheet", "browse", "check", "load", "save", "foresee", "declare", "amend", "ledger"):
        assert getattr(desk, name)(read_fields(as_json(QUESTIONS[name])))


def test_malformed_questions_are_refused_in_a_sentence(tmp_path, monkeypatch):
    run(range(QUICK), tmp_path, monkeypatch)


@pytest.mark.slow
def test_many_malformed_questions_are_refused_in_a_sentence(tmp_path, monkeypatch):
    run(range(QUICK, QUICK + MANY), tmp_path, monkeypatch)


@pytest.mark.parametrize("kind", ["lists", "objects"])
@pytest.mark.parametrize("depth", DEPTHS)
def test_lists_in_lists_in_lists_are_refused(depth, kind):
    with pytest.raises(Refused):
        read_fields(nested(depth, kind).encode())
