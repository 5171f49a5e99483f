"""Whatever carries a certificate is written, verified, shown and reported from the command line; what is none, or was changed, is refused."""

import json
import math
import subprocess
import sys

import pytest

from discreet import Lasso
from discreet.cli.artefacts import KINDS, OTHERS
from discreet.ledger import Ledger
from tests.cli.conftest import FIT, SCHEMA, csv_text, discreet, rows
from tests.display.reading import read_page, said

BUDGET = ("--epsilon", "1", "--delta", "1e-6")
METRICS = ("--metrics", "accuracy,confusion,log-loss,roc,calibration")
WORDS = {
    "model": "Model: linear svc",
    "arraymodel": "Model of arrays: lasso, 2 features, a number",
    "certificate": "what was released is not in this file",
    "release": "method additive, 300 rows of 6 numbers",
    "evaluation": "Accuracy",
    "intervals": "city=north",
    "description": "Private description of a table",
    "record": "randomised by its owner",
}
"""What `show` says, among the rest."""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """One of each kind, by the program: kind -> its path; all of them are read only."""
    base = tmp_path_factory.mktemp("artefacts")
    (base / "people.csv").write_text(csv_text(rows()), encoding="utf-8")
    (base / "people.toml").write_text(SCHEMA, encoding="utf-8")
    (base / "bound.toml").write_text(SCHEMA.replace("normalise", "bound"), encoding="utf-8")
    table, model = base / "people.csv", base / "model.json"
    schema = ("--schema", base / "people.toml")
    for command in (
        ("fit", table, *schema, *BUDGET, "--out", model),
        ("evaluate", model, table, *BUDGET, *METRICS, "--out", base / "evaluation.json"),
        ("describe", table, *schema, *BUDGET, "--columns", "age", "--by", "city", "--out", base / "description.json"),
        ("intervals", model, table, *BUDGET, "--out", base / "intervals.json"),
        ("release", table, "--schema", base / "bound.toml", "--method", "additive", *BUDGET, "--out", base / "release"),
        ("budget", "new", base / "ledger", "--data-set", "people", *BUDGET),
        ("budget", "export", base / "ledger", "--out", base / "export.json"),
    ):
        assert discreet(*command).code == 0, command
    fitted = Lasso(epsilon=1.0, delta=1e-6, target_bound=1.0).fit([[0.5, -0.5], [0.1, 0.2]] * 50, [0.5, 0.1] * 50)
    fitted.save(base / "arraymodel.json")
    owner = discreet("randomise", "age=41", "hours=38", "city=north", "answer=yes", "--schema", base / "bound.toml", *BUDGET)
    (base / "record.json").write_text(owner.out, encoding="utf-8")
    (base / "certificate.json").write_text(json.dumps(json.loads(model.read_text())["certificate"]), encoding="utf-8")
    return {name: base / (name if name == "release" else f"{name}.json") for name in KINDS} | {
        "export": base / "export.json",
        "ledger": base / "ledger",
        "schema": base / "people.toml",
    }


def test_every_kind_of_the_table_is_made_here(made):
    assert set(WORDS) == set(KINDS)
    assert set(KINDS) <= set(made)


@pytest.mark.parametrize("kind", WORDS)
def test_each_kind_is_verified_shown_and_reported(made, kind, tmp_path):
    path = made[kind]
    verified = discreet("verify", path)
    assert (verified.code, verified.err) == (0, "")
    assert "Verified: every check passed.\n" in verified.out
    document = discreet("verify", path, "--json").json
    assert (document["ok"], document["kind"]) == (True, kind)
    shown = discreet("show", path)
    assert shown.code == 0
    assert WORDS[kind] in shown.out
    assert "Digest of the released value" in shown.out
    assert discreet("show", path, "--json").json["certificate"]["format"] == "discreet-certificate/2"
    assert discreet("report", path, "--out", tmp_path / "page.html").code == 0
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    read_page(text)
    assert f"discreet verify {path}" in said(text)


@pytest.mark.parametrize("kind", WORDS)
def test_what_verify_cannot_know_stands_where_its_answer_stands(made, kind):
    sentence = "Nothing is signed: verification shows that the file is consistent, not who wrote it or that the noise was really drawn."
    assert sentence in discreet("verify", made[kind]).out
    document = discreet("verify", made[kind], "--json").json
    assert sentence in document["limits"]
    assert any("Only the certificate was given" in line for line in document["limits"]) is (kind == "certificate")


def changes(document):
    """Each number and text of the measures, changed by a little; the certificates are the matter of other tests."""
    for name, value in document.items():
        if name not in {"certificate", "model_certificate", "format"}:
            yield from (({**document, name: other}, name) for other in changed(value))


def changed(value):
    match value:
        case bool():
            yield not value
        case int():
            yield value + 1
        case float():
            yield value * 1.001 + math.copysign(1e-3, value)  # away from 0, so that no number comes out as it was
        case str():
            yield f"{value}x"
        case list():
            for place in {0, len(value) // 2, len(value) - 1} if value else ():
                yield from ([*value[:place], other, *value[place + 1 :]] for other in changed(value[place]))
        case dict():
            for name, inner in value.items():
                yield from ({**value, name: other} for other in changed(inner))
        case None:
            yield 1


@pytest.mark.parametrize("kind", ["evaluation", "intervals"])
def test_a_measurement_in_which_any_number_or_word_was_changed_is_not_verified(made, kind, tmp_path):
    document = json.loads(made[kind].read_text())
    path, tried = tmp_path / "forged.json", 0
    for forged, name in changes(document):
        path.write_text(json.dumps(forged))
        outcome = discreet("verify", path)
        if kind == "intervals" and name == "coefficients" and outcome.code == 0:
            # Names of coefficients are the one thing that nothing in the file proves.
            assert [row["name"] for row in forged[name]] != [row["name"] for row in document[name]]
            continue
        if name == "classes" and outcome.code == 0:
            assert forged[name] != document[name]  # nor are the names of the classes
            continue
        assert outcome.code in {3, 6}, (name, outcome.out)
        tried += 1
    assert tried > 20


@pytest.mark.parametrize("kind", sorted(set(WORDS) - {"release"}))
@pytest.mark.parametrize("command", [("verify",), ("show",), ("report", "--out", "page.html")])
def test_a_file_that_is_cut_off_or_holds_more_is_refused_in_one_line(made, kind, command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = made[kind].read_text()
    for content in (text[: len(text) // 2], text.replace(f"discreet-{kind}/", f"discreet-{kind}/9"), "[]", '{"format": "discreet-other/1"}', "{}"):
        (tmp_path / "thing.json").write_text(content)
        outcome = discreet(command[0], "thing.json", *command[1:])
        assert outcome.code == 3
        assert "'thing.json'" in outcome.error
        assert not (tmp_path / "page.html").exists()


@pytest.mark.parametrize(("name", "remedy"), [("export", "budget import"), ("schema", "schema check"), ("ledger", "budget show")])
def test_what_carries_no_certificate_names_what_reads_it(made, name, remedy):
    for command in ("verify", "show"):
        outcome = discreet(command, made[name])
        assert outcome.code == 3
        assert remedy in outcome.error
        assert "has no certificate" in outcome.error


def test_exact_measures_are_written_and_are_no_release(model):
    exact = ("evaluate", "model.json", "people.csv", "--data-is", "synthetic")
    document = discreet(*exact, "--out", "exact.json", "--json").json
    held = json.loads((model / "exact.json").read_text())
    assert held == {name: document[name] for name in held}
    assert {name for name in document if name not in held} == {"command", "written"}
    assert "Written to   exact.json" in discreet(*exact, "--out", "exact.json", "--overwrite").out
    assert "exists already" in discreet(*exact, "--out", "exact.json").error
    assert discreet(*exact, "--out", "people.csv", "--overwrite").code == 3
    assert discreet(*exact, "--overwrite").code == 2
    for command in ("verify", "show"):
        assert "declared to need no protection" in discreet(command, "exact.json").error


def test_an_unknown_kind_names_those_that_are_known(folder):
    (folder / "thing.json").write_text('{"format": "discreet-thing/1"}')
    error = discreet("verify", "thing.json").error
    assert "states the format 'discreet-thing/1'" in error
    assert all(kind.what in error for kind in KINDS.values())
    assert not set(KINDS) & set(OTHERS)


def test_a_certificate_alone_is_verified_by_a_program_that_has_done_nothing_else(folder):
    (folder / "open.toml").write_text(SCHEMA.replace("lower = 0\nupper = 100\n", ""), encoding="utf-8")
    chosen = discreet("bounds", "people.csv", "--schema", "open.toml", "--epsilon", "1", "--out", "chosen.toml")
    assert chosen.code == 0, chosen
    outcome = subprocess.run(
        [sys.executable, "-m", "discreet", "verify", "chosen.toml.certificate.json"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert outcome.returncode == 0, outcome


def test_what_a_budget_was_spent_on_is_never_lost(model, monkeypatch):
    """The file cannot be written any more once the budget is spent: its content is on standard output, and verifies from there."""
    assert discreet("budget", "new", "team.ledger", "--data-set", "people", "--epsilon", "4", "--delta", "1e-5").code == 0
    spend = ("--ledger", "team.ledger", "--data-set", "people")

    def full(*_arguments, **_settings):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr("discreet.evaluation.report.write_whole", full)
        broken.setattr("discreet.estimators.intervals.interval_file.write_whole", full)
        evaluated = discreet("evaluate", "model.json", "people.csv", *BUDGET, *spend, "--out", "evaluation.json")
        measured = discreet("intervals", "model.json", "people.csv", *BUDGET, *spend, "--out", "intervals.json", "--json")
    assert evaluated.code != 0
    assert measured.code != 0
    assert "The budget is spent; the evaluation follows on standard output: save it from there." in evaluated.err
    (model / "rescued.json").write_text(evaluated.out)
    assert discreet("verify", "rescued.json").code == 0
    (model / "rescued.json").write_text(json.dumps(measured.json["interval file"]))
    assert discreet("verify", "rescued.json").code == 0
    assert len(Ledger("team.ledger").history("people")) == 2
    assert not (model / "evaluation.json").exists()


def test_a_file_that_cannot_be_written_is_refused_before_anything_is_spent(model):
    assert discreet("budget", "new", "team.ledger", "--data-set", "people", "--epsilon", "4", "--delta", "1e-5").code == 0
    spend = ("--ledger", "team.ledger", "--data-set", "people")
    for out in ("people.csv", "model.json", "team.ledger", "no/such/folder.json"):
        assert discreet("evaluate", "model.json", "people.csv", *BUDGET, *spend, "--out", out, "--overwrite").code == 3, out
    roc = ("--metrics", "roc")
    assert discreet("evaluate", "model.json", "people.csv", *BUDGET, *spend, *roc, "--out", "same", "--plot", "./same").code == 3
    assert discreet("evaluate", "model.json", "people.csv", *BUDGET, *spend, "--out", "same", "--report", "./same").code == 3
    assert Ledger("team.ledger").history("people") == ()
    assert discreet(*FIT, "--overwrite").code == 0
