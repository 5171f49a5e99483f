"""`discreet evaluate --epsilon`: numbers that may be published, with what they cost; and a clear line between these and exact ones."""

import xml.etree.ElementTree as ET

import pytest

from discreet.certificates import Certificate
from discreet.evaluation import private
from discreet.ledger import Ledger
from tests.cli.conftest import csv_text, discreet, rows
from tests.cli.test_canary import CANARY, COVERING, MARKS

EVALUATE = ("evaluate", "model.json", "people.csv")
CURVES = ("--metrics", "accuracy,log-loss,roc,calibration")


def test_it_says_that_its_numbers_are_protected_and_what_they_cost(model):
    outcome = discreet(*EVALUATE, "--epsilon", "0.5", "--delta", "1e-6")
    assert (outcome.code, outcome.err) == (0, "")
    assert "come from noisy counts, which protect these people" in outcome.out
    assert "Spent        epsilon 0.5, delta 0 for one record, replace-one." in outcome.out
    assert "Certificate  verified" in outcome.out
    assert "not protected" not in outcome.out
    assert "these numbers are exact and unprotected" in discreet(*EVALUATE, "--data-is", "public").out


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_the_document_holds_measures_certificate_and_verdict(model, neighbours):
    document = discreet(*EVALUATE, "--epsilon", "2", "--neighbours", neighbours, *CURVES, "--json").json
    assert document["private"] is True
    assert document["guarantee"] == {"private": True, "epsilon": pytest.approx(2.0), "delta": 0.0, "neighbours": neighbours, "unit": "record"}
    assert document["records"]["public"] is (neighbours == "replace-one")
    low, high = document["accuracy"]["interval"]
    assert 0.0 < low < document["accuracy"]["value"] < high <= 1.0
    assert document["verification"]["ok"]
    assert Certificate.from_dict(document["certificate"]).verify().ok
    assert "private" not in discreet(*EVALUATE, "--data-is", "public", "--json").json


def test_the_picture_is_written_whole_and_only_with_curves(model):
    outcome = discreet(*EVALUATE, "--epsilon", "2", *CURVES, "--plot", "curves.svg")
    assert outcome.code == 0, outcome
    assert "Curves       written to curves.svg" in outcome.out
    ET.fromstring((model / "curves.svg").read_text())  # noqa: S314 - it is ours
    assert discreet(*EVALUATE, "--epsilon", "2", *CURVES, "--plot", "curves.svg").code == 3
    assert discreet(*EVALUATE, "--epsilon", "2", *CURVES, "--plot", "curves.svg", "--overwrite").code == 0
    assert "add one of them to --metrics, or leave --plot out" in discreet(*EVALUATE, "--epsilon", "2", "--plot", "other.svg").error
    assert not (model / "other.svg").exists()


def test_what_is_spent_is_in_the_ledger_and_the_rest_is_refused_before_the_table_is_read(model):
    assert discreet("budget", "new", "team.ledger", "--data-set", "people", "--epsilon", "1").code == 0
    spend = ("--ledger", "team.ledger", "--data-set", "people")
    outcome = discreet(*EVALUATE, "--epsilon", "0.75", *spend)
    assert outcome.code == 0, outcome
    assert "Left         epsilon 0.25" in outcome.out
    (entry,) = Ledger("team.ledger").history("people")
    assert entry.id in outcome.out
    (model / "people.csv").unlink()
    assert discreet(*EVALUATE, "--epsilon", "0.75", *spend).code == 7


def test_when_the_picture_cannot_be_saved_the_numbers_are_not_lost(model, monkeypatch):
    monkeypatch.setattr("discreet.display.evaluation.svg", lambda *_, **__: (model / "curves.svg").mkdir(exist_ok=True) or "")
    for as_json in ((), ("--json",)):
        outcome = discreet(*EVALUATE, "--epsilon", "2", *CURVES, "--plot", "curves.svg", *as_json)
        assert outcome.code == 3
        assert "The numbers above are complete." in outcome.err
        assert outcome.json["plot"] is None if as_json else "Accuracy" in outcome.out
        (model / "curves.svg").rmdir()


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("", 2, "give --data-is"),
        ("--data-is public --epsilon 1", 2, "not both"),
        ("--data-is public --delta 1e-6", 2, "--delta is for private measurements"),
        ("--data-is public --plot a.svg", 2, "is for private measurements, which need --epsilon"),
        ("--data-is public --seed 1", 2, "--seed is for private"),
        ("--epsilon 0", 3, "epsilon must be positive"),
        ("--epsilon inf", 3, "epsilon must be positive"),
        ("--epsilon 1 --delta 1", 3, "delta must be"),
        ("--epsilon 1 --metrics acuracy", 3, "Did you mean 'accuracy'"),
        ("--epsilon 1 --metrics roc --bins 3", 3, "even"),
        ("--epsilon 1 --metrics log_loss --log-loss-bound 0", 3, "log_loss_bound"),
        ("--epsilon 1 --data-set people", 2, "--data-set needs --ledger"),
        ("--epsilon 1 --plot model.json --metrics roc --overwrite", 3, "which this command reads"),
    ],
)
def test_mistakes_are_found_before_the_table_is_read(model, line, code, message):
    (model / "people.csv").unlink()
    outcome = discreet(*EVALUATE, *line.split())
    assert outcome.code == code
    assert message in outcome.error


def test_a_ledger_in_the_environment_does_not_stop_an_exact_measurement(model, monkeypatch):
    monkeypatch.setenv("DISCREET_LEDGER", "team.ledger")
    monkeypatch.setenv("DISCREET_DATA_SET", "people")
    assert discreet(*EVALUATE, "--data-is", "public").code == 0


def test_an_empty_table_is_evaluated_only_where_the_number_of_records_is_secret(model):
    (model / "people.csv").write_text(csv_text([]), encoding="utf-8")
    assert "no records" in discreet(*EVALUATE, "--epsilon", "1").error
    assert discreet(*EVALUATE, "--epsilon", "1", "--neighbours", "add-remove").code == 0


def test_a_seed_is_warned_of_and_its_certificate_is_not_valid(model):
    outcomes = [discreet(*EVALUATE, "--epsilon", "1", "--seed", "3") for _ in range(2)]
    assert outcomes[0] == outcomes[1]
    assert "--seed makes the noise reproducible" in outcomes[0].err
    assert "NOT VALID" in outcomes[0].out


def test_a_canary_is_never_shown(model, caplog):
    (model / "people.toml").write_text(COVERING, encoding="utf-8")
    (model / "people.csv").write_text(csv_text([*rows(60), CANARY, *rows(60)]), encoding="utf-8")
    fit = ("fit", "people.csv", "--schema", "people.toml", "--epsilon", "1", "--out", "model.json", "--overwrite")
    assert discreet(*fit).code == 0
    for more in ((), ("--json",), (*CURVES, "--plot", "curves.svg", "--overwrite"), ("--neighbours", "add-remove", *CURVES, "--json")):
        outcome = discreet(*EVALUATE, "--epsilon", "1", *more)
        assert outcome.code == 0, outcome
        assert not any(mark in outcome.out + outcome.err + caplog.text for mark in MARKS)
    (model / "people.csv").write_text(csv_text([*rows(60), ("918273.645", "1", "north", "canary")]).replace("918273", "x918273"), encoding="utf-8")
    outcome = discreet(*EVALUATE, "--epsilon", "1")
    assert outcome.code == 3
    assert not any(mark in outcome.out + outcome.err for mark in MARKS)


def test_an_unexpected_exception_shows_its_type_only(model, monkeypatch):
    def fail(*_, **__):
        raise RuntimeError("918273.645")

    monkeypatch.setattr(private, "read_report", fail)
    outcome = discreet(*EVALUATE, "--epsilon", "1")
    assert outcome.code == 1
    assert "918273" not in outcome.out + outcome.err
