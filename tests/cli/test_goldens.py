"""What the program says, word for word. After a change that is meant: DISCREET_UPDATE_GOLDENS=1 pytest tests/cli, then read the difference."""

import os
import re
from pathlib import Path

import pytest

from discreet.cli.program import COMMANDS as LISTED
from discreet.estimators.files.model import Model
from discreet.noise import SeededNoise
from tests.cli.conftest import FIT, GOLDEN, SURVEY, discreet
from tests.parts import has_command

BUDGET = ["budget", *(f"budget {name}" for name in ("new", "show", "amend", "history", "plot", "export", "import"))]
COMMANDS = ["", "demo", "plan", "plan over", "schema", "schema new", "schema check", "fit", "predict", "evaluate", "verify", "audit", "show", *BUDGET]
COMMANDS += ["models", "release", "inspect", "randomise", "frequencies", "report", "keygen", "sign", "workbench"]
COMMANDS = [name for name in COMMANDS if has_command(name)]


def compare(name, text):
    path = GOLDEN / name
    if os.environ.get("DISCREET_UPDATE_GOLDENS"):
        path.write_text(text, encoding="utf-8")
    assert text == without_what_is_not_there(path.read_text(encoding="utf-8"))


def without_what_is_not_there(text):
    """The help of the program lists no command of a part that this copy lacks."""
    lacking = {name for name in LISTED if not has_command(name)}
    return "".join(line for line in text.splitlines(keepends=True) if not (line.startswith("  ") and lacking.intersection(line.split()[:1])))


def normalised(text):
    """Without what changes from run to run or from machine to machine."""
    text = re.sub(r"\d+\.\d s\b", "0.0 s", text)
    text = re.sub(r"^(Noise +).*", r"\1SOURCE", text, flags=re.MULTILINE)
    text = re.sub(r"\(\d+ checks", "(COUNT checks", text)
    text = re.sub(r"(NOT VALID: noise source: ).*", r"\1REASON", text)
    return re.sub(r"(?<!BY )-?\d+\.\d+(e[+-]?\d+)?|\d+e-\d+", "NUMBER", text)


@pytest.fixture(autouse=True)
def a_terminal_of_100_columns(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")


@pytest.mark.parametrize("command", COMMANDS)
def test_help(command):
    outcome = discreet(*command.split(), "--help")
    assert (outcome.code, outcome.err) == (0, "")
    assert "Examples:\n    discreet " in outcome.out
    compare(f"help-{command.replace(' ', '-') or 'discreet'}.txt", outcome.out)


@pytest.mark.parametrize("command", ["", "schema", "budget"])
def test_a_group_without_a_command_shows_its_help(command):
    outcome = discreet(*command.split())
    assert outcome.code == 0
    assert outcome.out == discreet(*command.split(), "--help").out


def test_the_demonstration_in_words(folder):
    outcome = discreet("demo", "--seed", "1", "--out", folder / "adult.json")
    assert outcome.code == 0
    assert outcome.err == (
        "Warning: --seed makes the noise reproducible, so it protects nobody and the certificate is not valid. Leave it out to publish.\n"
    )
    text = outcome.out.replace(str(folder), "FOLDER")
    compare("demo.txt", re.sub(r"\d+\.\d %", "NUMBER %", normalised(text)))
    assert (folder / "adult.json").exists()


def test_the_demonstration_in_numbers():
    document = discreet("demo", "--seed", "1", "--json").json
    seconds, verification = document.pop("seconds"), document.pop("verification")
    error = document.pop("error")
    assert 0 < seconds < 30
    assert error["without_privacy"] == pytest.approx(0.1469, abs=0.002)
    assert error["private"] == pytest.approx(0.158, abs=0.008)
    assert error["always_commoner_class"] == 3846 / 16281
    assert [check["name"] for check in verification["checks"] if not check["ok"]] == ["noise source"]
    assert document.pop("guarantee") == {
        "private": False,
        "epsilon": pytest.approx(1.0),
        "delta": pytest.approx(1e-6, rel=1e-3),
        "neighbours": "replace-one",
        "unit": "person",
    }
    assert document == {
        "command": "demo",
        "data": {
            "name": "UCI Adult",
            "source": "Becker and Kohavi (1996), UCI Machine Learning Repository, doi 10.24432/C5XW20",
            "licence": "CC BY 4.0",
            "public": True,
            "trained_on": 32561,
            "tested_on": 16281,
        },
        "noise": SeededNoise(1).description,
        "commoner_class": "<=50K",
        "written": None,
    }


def test_the_demonstration_verifies_without_a_seed():
    document = discreet("demo", "--epsilon", "2", "--delta", "0", "--neighbours", "add-remove", "--json").json
    assert document["verification"]["ok"]
    assert document["guarantee"] == {"private": True, "epsilon": pytest.approx(2.0), "delta": 0.0, "neighbours": "add-remove", "unit": "person"}


def test_a_walk_through_all_commands(folder):
    said = []
    for line in (
        "schema new people.csv --target answer --out stub.toml",
        "schema check people.toml people.csv",
        " ".join(FIT),
        "verify model.json",
        "evaluate model.json people.csv --data-is synthetic",
        "predict model.json people.csv --out predictions.csv",
    ):
        outcome = discreet(*line.split())
        assert (outcome.code, outcome.more) == (0, ""), line
        said.append(f"$ discreet {line}\n{outcome.out}")
    text = re.sub(r"^(no|yes) +\d+ +\d+", r"\1 COUNTS", normalised("\n".join(said)), flags=re.MULTILINE)
    text = re.sub(r"no better than (?=always)|^It predicts .*\n", "", text, flags=re.MULTILINE)  # noise may make the model useless
    compare("walk.txt", re.sub(r"^(ok    [a-z ]+?)  .*", r"\1", text, flags=re.MULTILINE))  # what a check says is the certificate's
    assert (folder / "stub.toml").read_text(encoding="utf-8").startswith("# What is public about this table")


def test_a_walk_through_a_release(folder):
    (folder / "survey.toml").write_text(SURVEY, encoding="utf-8")
    said = []
    for line, code in (
        ("schema check survey.toml people.csv", 0),
        ("release people.csv --schema survey.toml --method additive --epsilon 1 --delta 1e-6 --out noisy", 0),
        ("release people.csv --schema survey.toml --method sketch --rows 50 --epsilon 1 --delta 1e-6 --neighbours add-remove --out sketched", 0),
        ("release people.csv --schema survey.toml --method information-sketch --rows 50 --bits 0.5 --out bits", 0),
        ("release people.csv --schema survey.toml --method null-space --variance 1 --target clear --out nothing", 3),
        ("inspect noisy", 0),
        ("inspect sketched", 0),
        ("verify sketched", 0),
    ):
        outcome = discreet(*line.split())
        assert outcome.code == code, (line, outcome)
        said.append(f"$ discreet {line}\n{outcome.out}{outcome.err}")
    text = normalised("\n".join(said))
    compare("walk-release.txt", re.sub(r"^(ok    [a-z ]+?)  .*", r"\1", text, flags=re.MULTILINE))


def test_a_walk_through_the_ledger(folder):
    said = []
    spend = "--ledger team.ledger --data-set people"
    for line, code in (
        ("budget new team.ledger --data-set people --epsilon 2.5 --delta 0.25", 0),
        ("budget new team.ledger --data-set people --epsilon 2.5 --delta 0.25", 0),
        ("budget new team.ledger --data-set people --epsilon 3", 3),
        ("budget history team.ledger --data-set people", 0),
        (f"{' '.join(FIT)} {spend}", 0),
        (f"{' '.join(FIT)} --overwrite --epsilon 2 {spend}", 7),
        ("budget show team.ledger", 0),
        ("budget history team.ledger --data-set people --plot people.svg", 0),
        ("budget export team.ledger --out report.json", 0),
        ("budget import team.ledger report.json", 0),
    ):
        outcome = discreet(*line.split())
        assert outcome.code == code, (line, outcome)
        said.append(f"$ discreet {line}\n{outcome.out}{outcome.err}")
    text = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "IDENTIFIER", "\n".join(said))
    text = re.sub(r"\d{4}-\d\d-\d\dT[0-9:.+]*", "TIME", text)
    compare("walk-ledger.txt", normalised(text))


def test_show_draws_the_curves_of_a_model(model):
    outcome = discreet("show", "model.json", "--plot", "curves.svg")
    assert outcome.code == 0
    assert "written to curves.svg" in outcome.out
    assert "what each column adds" in Path("curves.svg").read_text(encoding="utf-8")
    assert discreet("show", "model.json", "--plot", "curves.svg").code != 0


def test_show_prints_the_certificate(model):
    outcome = discreet("show", "model.json")
    assert outcome.code == 0
    first, _, certificate = outcome.out.partition("\n\n")
    first, summary = first.split("\n", 1)
    assert first == "Model: linear svc, 5 features and an intercept, classes 'no' (negative) and 'yes' (positive); schema 'people'"
    assert summary.startswith(str(Model.load("model.json").summary()).partition("\n\n")[0])
    assert "(intercept)" in certificate
    assert "Guarantee: epsilon = 1" in certificate
    assert Model.load("model.json").certificate.digest in outcome.out
