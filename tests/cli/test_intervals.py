"""`discreet intervals`: what a model's coefficients may be, from a release of its own; what it spends, writes and refuses."""

import json
from pathlib import Path

import pytest

from discreet.certificates import Certificate
from discreet.estimators.files.model import Model
from discreet.estimators.intervals.interval_file import IntervalFile
from discreet.ledger import Ledger
from tests.cli.conftest import csv_text, discreet, rows
from tests.cli.test_canary import CANARY, COVERING, shows_canary
from tests.cli.test_goldens import compare

INTERVALS = ("intervals", "model.json", "people.csv", "--epsilon", "1", "--delta", "1e-6")


def test_help(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    outcome = discreet("intervals", "--help")
    assert outcome.code == 0
    compare("help-intervals.txt", outcome.out)


def test_it_says_what_the_intervals_are_for_and_what_they_cost(model):
    outcome = discreet(*INTERVALS)
    assert (outcome.code, outcome.err) == (0, "")
    assert "Spent        epsilon 1, delta 1e-06 for one record, replace-one." in outcome.out
    assert "for the penalised weights of the population" in outcome.out
    assert "Certificate  verified" in outcome.out
    for name in (*Model.load("model.json").schema.feature_names, "(intercept)"):
        assert f"\n{name} " in "\n" + outcome.out


def test_the_document_and_the_file_hold_intervals_certificate_and_verdict(model):
    document = discreet(*INTERVALS, "--level", "0.9", "--out", "intervals.json", "--json").json
    held = json.loads((model / "intervals.json").read_text())
    assert held == {name: document[name] for name in held}
    assert held["format"] == "discreet-intervals/1"
    assert document["level"] == 0.9
    assert all(one["low"] < one["estimate"] < one["high"] for one in document["coefficients"])
    assert document["verification"]["ok"]
    assert Certificate.from_dict(document["certificate"]).verify().ok
    assert document["guarantee_with_the_model"]["epsilon"] == pytest.approx(2.0)
    wider = discreet(*INTERVALS, "--level", "0.99", "--json").json
    assert wider["level"] == 0.99
    assert discreet(*INTERVALS, "--out", "intervals.json").code == 3
    free = discreet(*INTERVALS, "--epsilon", "0.01", "--target", "unpenalised", "--seed", "1", "--json").json
    assert free["target"] == "unpenalised"
    assert free["covers"].endswith("without a penalty")
    assert any(one["high"] is None for one in free["coefficients"])  # so little is known that nothing is


def test_categories_are_relative_to_the_first_of_their_column(model):
    found = discreet(*INTERVALS, "--target", "unpenalised", "--json").json
    assert found["references"] == ["city=north"]
    (reference,) = [one for one in found["coefficients"] if one["name"] == "city=north"]
    assert reference["low"] == reference["high"] == 0.0
    assert "Reference    city=north: 0" in discreet(*INTERVALS, "--target", "unpenalised").out
    assert discreet(*INTERVALS, "--json").json["references"] == []


def test_what_is_spent_is_in_the_ledger_and_the_rest_is_refused_before_the_table_is_read(model):
    assert discreet("budget", "new", "team.ledger", "--data-set", "people", "--epsilon", "1.5", "--delta", "1e-5").code == 0
    spend = ("--ledger", "team.ledger", "--data-set", "people")
    outcome = discreet(*INTERVALS, *spend)
    assert outcome.code == 0, outcome
    (entry,) = Ledger("team.ledger").history("people")
    assert entry.id in outcome.out
    (model / "people.csv").unlink()
    assert discreet(*INTERVALS, *spend).code == 7


@pytest.mark.parametrize("more", [("--level", "1"), ("--epsilon", "-1"), ("--delta", "0"), ("--out", "model.json", "--overwrite")])
def test_what_makes_no_intervals_is_refused_before_the_table_is_read(model, more):
    (model / "people.csv").unlink()
    if "--out" in more:
        (model / "people.csv").write_text(csv_text(rows(5)))
    assert discreet(*INTERVALS, *more).code == 3


def test_a_seed_warns_and_is_not_valid(model):
    outcome = discreet(*INTERVALS, "--seed", "1")
    assert outcome.code == 0
    assert "protects nobody" in outcome.err
    assert "NOT VALID" in outcome.out


def test_no_record_is_shown_or_written(folder):
    (folder / "people.toml").write_text(COVERING, encoding="utf-8")
    (folder / "people.csv").write_text(csv_text([*rows(200), CANARY]), encoding="utf-8")
    assert discreet("fit", "people.csv", "--schema", "people.toml", "--epsilon", "1", "--delta", "1e-6", "--out", "model.json").code == 0
    for outcome in (discreet(*INTERVALS, "--out", "intervals.json"), discreet(*INTERVALS, "--json")):
        assert outcome.code == 0, outcome
        assert not shows_canary(outcome.out + outcome.err)
    assert not shows_canary((folder / "intervals.json").read_text())


def test_a_fit_releases_them_within_its_own_budget(folder):
    assert discreet("budget", "new", "team.ledger", "--data-set", "people", "--epsilon", "1", "--delta", "1e-5").code == 0
    fit = (
        "fit",
        "people.csv",
        "--schema",
        "people.toml",
        "--epsilon",
        "1",
        "--delta",
        "1e-6",
        "--out",
        "model.json",
        "--intervals",
        "intervals.json",
    )
    outcome = discreet(*fit, "--ledger", "team.ledger", "--data-set", "people")
    assert outcome.code == 0, outcome
    (entry,) = Ledger("team.ledger").history("people")
    model, held = Model.load("model.json"), IntervalFile.load("intervals.json")
    assert (model.certificate.guarantee.epsilon, model.certificate.ledger_entry) == (1.0, entry.id)
    assert held.uncertainty.guarantee.epsilon == 1.0
    assert discreet("verify", "model.json").code == discreet("verify", "intervals.json").code == 0
    assert discreet("report", "intervals.json", "--out", "page.md").code == 0


def test_a_model_with_its_intervals_is_shown_per_unit_of_its_columns(model):
    assert discreet(*INTERVALS, "--level", "0.9", "--out", "intervals.json").code == 0
    alone, both = (discreet("show", "model.json", *more, "--json").json["summary"] for more in ((), ("--intervals", "intervals.json")))
    assert "within" not in json.dumps(alone["paid"])
    assert len(both["paid"]) == len(alone["paid"]) + 1
    held = IntervalFile.load("intervals.json")
    expected = Model.load("model.json").summary(uncertainty=held.uncertainty, level=0.9)
    assert both == json.loads(expected.to_json())
    for line, (_, low, middle, high) in zip(both["parts"][0]["lines"][1:], held.rows(), strict=False):
        assert line["coefficient"] * (high - middle) == pytest.approx((line["high"] - line["coefficient"]) * middle)
        assert low < middle < high
    written = ("--coefficients", "c.csv", "--plot", "curves.svg")
    assert discreet("show", "model.json", "--intervals", "intervals.json", *written).code == 0
    assert (model / "c.csv").read_text() == expected.to_csv()
    assert "privacy noise and sampling error" in (model / "curves.svg").read_text()
    assert discreet("report", "model.json", "--intervals", "intervals.json", "--out", "page.md").code == 0
    assert "it counts privacy noise and sampling error" in (model / "page.md").read_text()
    assert "release_uncertainty" not in (model / "page.md").read_text()


def test_intervals_of_another_model_and_those_that_do_not_verify_are_refused(model):
    assert discreet(*INTERVALS, "--out", "intervals.json").code == 0
    assert discreet(*INTERVALS, "--seed", "1", "--out", "seeded.json").code == 0
    assert discreet("fit", "people.csv", "--schema", "people.toml", "--epsilon", "1", "--out", "other.json").code == 0
    for verb, more in (("show", ()), ("report", ("--out", "page.md"))):
        outcome = discreet(verb, "other.json", "--intervals", "intervals.json", *more)
        assert outcome.code == 3
        assert "released for another model" in outcome.err
        outcome = discreet(verb, "model.json", "--intervals", "other.json", *more)
        assert "--intervals takes a file of `discreet intervals`" in outcome.err
        assert outcome.code == 3
        outcome = discreet(verb, "intervals.json", "--intervals", "intervals.json", *more)
        assert "Leave --intervals out" in outcome.err
        assert outcome.code == 3
    assert discreet("report", "model.json", "--intervals", "seeded.json", "--out", "page.md").code == 6
    assert not (model / "page.md").exists()


@pytest.mark.parametrize(("broken", "lost"), [("model", {"model"}), ("intervals", {"interval file"}), ("both", {"model", "interval file"})])
def test_what_cannot_be_saved_follows_as_one_document_and_the_other_file_is_there(folder, monkeypatch, broken, lost):
    def full(*_arguments, **_settings):
        raise OSError(28, "No space left on device")

    for name, module in (("model", "files.model"), ("intervals", "intervals.interval_file")):
        if broken in {name, "both"}:
            monkeypatch.setattr(f"discreet.estimators.{module}.write_whole", full)
    words = "fit people.csv --schema people.toml --epsilon 1 --delta 1e-6 --out model.json --intervals intervals.json --json"
    fit = words.split()
    outcome = discreet(*fit)
    assert outcome.code != 0
    document = json.loads(outcome.out)
    assert set(document) == {"error", *lost}
    assert "The budget is spent" in document["error"]["message"]
    assert {Path("model.json").exists(), Path("intervals.json").exists()} == ({False} if broken == "both" else {True, False})
    for name in lost:
        Path("rescued.json").write_text(json.dumps(document[name]))
        assert discreet("verify", "rescued.json").code == 0


@pytest.mark.parametrize(
    ("option", "words"),
    [
        (("--model", "kernel-classifier"), "coefficients of random features mean nothing by"),
        (("--cuts", "private"), "Leave it out, and run `discreet intervals` on the"),
        (("--epsilon", "inf"), "a fit with intervals needs a finite epsilon and a positive delta"),
        (("--delta", "0"), "a fit with intervals needs a finite epsilon and a positive delta"),
        (("--intervals", "model.json"), "--intervals names the file of --out"),
    ],
)
def test_what_no_intervals_go_with_is_refused_before_the_table_is_read(folder, option, words):
    (folder / "people.csv").unlink()
    outcome = discreet("fit", "people.csv", "--schema", "people.toml", "--epsilon", "1", "--out", "model.json", "--intervals", "i.json", *option)
    assert outcome.code != 0
    assert words in outcome.error
    assert not (folder / "model.json").exists()
