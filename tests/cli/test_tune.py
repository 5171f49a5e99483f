"""`discreet tune`: what it writes, says, spends and refuses."""

import pytest

from discreet.estimators.files.model import Model
from tests.canary import assert_silent
from tests.cli.conftest import discreet
from tests.cli.test_goldens import compare, normalised

TUNE = ("tune", "people.csv", "--schema", "people.toml", "--grid", "alpha=0.05,0.5", "--epsilon", "2", "--delta", "1e-6", "--out", "tuned.json")


@pytest.fixture(autouse=True)
def a_terminal_of_100_columns(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")


def test_help():
    outcome = discreet("tune", "--help")
    assert outcome.code == 0
    compare("help-tune.txt", outcome.out)


def test_a_search_in_words(folder):
    outcome = discreet(*TUNE, "--seed", "1")
    assert outcome.code == 0, outcome.err
    compare("tune.txt", normalised(outcome.out))


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_a_search_in_numbers_is_one_model_that_verifies(folder, neighbours):
    document = discreet(*TUNE, "--json", "--neighbours", neighbours, "--public-records", "300").json
    model = Model.load(folder / "tuned.json")
    assert model.verify().ok
    assert document["verification"]["ok"]
    assert document["settings"] == 2
    assert document["kept"]["alpha"] in (0.05, 0.5)
    assert document["guarantee"] == {"private": True, "epsilon": 2.0, "delta": 1e-6, "neighbours": neighbours, "unit": "record"}
    assert 0.0 < document["score"] < 400.0
    assert discreet("verify", "tuned.json").code == 0
    assert discreet("show", "tuned.json").code == 0
    assert discreet("predict", "tuned.json", "people.csv", "--out", "predictions.csv").code == 0


def test_it_is_one_entry_in_the_ledger_and_the_second_is_refused(folder):
    assert discreet("budget", "new", "team.ledger", "--data-set", "people", "--epsilon", "3", "--delta", "1e-5").code == 0
    spend = ("--ledger", "team.ledger", "--data-set", "people")
    first = discreet(*TUNE, *spend)
    assert first.code == 0, first.err
    assert "Left         epsilon 1" in first.out
    assert discreet("budget", "history", "team.ledger", "--data-set", "people").out.count("random-stopping") == 1
    second = discreet(*TUNE[:-1], "other.json", *spend)
    assert second.code == 7
    assert not (folder / "other.json").exists()


@pytest.mark.parametrize("delta", ["1e-6", "0"])
def test_the_ledger_is_asked_before_the_table_is_opened(folder, delta):
    assert discreet("budget", "new", "team.ledger", "--data-set", "people", "--epsilon", "1", "--delta", "1e-5").code == 0
    (folder / "people.csv").unlink()
    spend = ("--delta", delta, "--ledger", "team.ledger", "--data-set", "people")
    assert discreet(*TUNE, *spend).code == 7
    other = discreet(*TUNE, *spend, "--epsilon", "0.5", "--neighbours", "add-remove")
    assert (other.code, "add-remove" in other.error) == (3, True), other
    within = discreet(*TUNE, *spend, "--epsilon", "0.5")
    assert (within.code, "there is no file" in within.error) == (3, True), within
    assert "random-stopping" not in discreet("budget", "history", "team.ledger", "--data-set", "people").out


def test_a_table_may_come_through_a_pipe(folder):
    piped = discreet("tune", "-", *TUNE[2:], stdin=(folder / "people.csv").read_text())
    assert piped.code == 0, piped.err


@pytest.mark.parametrize(
    ("change", "code", "says"),
    [
        (("--grid", "alhpa=1"), 2, "NAME one of"),
        (("--grid", "alpha=2"), 2, "twice"),
        (("--grid", "loss"), 2, "NAME=V1"),
        (("--grid", "intercept-scale=wide"), 2, "takes a finite number"),
        (("--epsilon", "-1"), 3, "epsilon"),
        (("--epsilon", "inf"), 3, "own search"),
        (("--expected-runs", "0.5"), 3, "expected number of runs"),
        (("--model", "logistic-regression", "--grid", "loss=huber-hinge"), 3, "LinearSVC"),
        (("--epsilon", "0.01"), 4, "leave this setting out"),
    ],
    ids=str,
)
def test_what_cannot_be_searched_is_refused(folder, change, code, says):
    outcome = discreet(*TUNE, *change)
    assert outcome.code == code, outcome
    assert says in outcome.error
    assert not (folder / "tuned.json").exists()
    assert_silent(outcome.out + outcome.err)


def test_a_search_of_persons_spends_on_a_ledger_of_persons(folder):
    schema = (folder / "people.toml").read_text().replace("rows =", "rows_per_person = 1\nrows =")
    (folder / "people.toml").write_text(schema)
    total = ("--unit", "person", "--epsilon", "4", "--delta", "1e-5")
    assert discreet("budget", "new", "ledger", "--data-set", "people", *total).code == 0
    spent = ("--epsilon", "2", "--delta", "1e-6", "--ledger", "ledger", "--data-set", "people")
    made = discreet("tune", "people.csv", "--schema", "people.toml", "--grid", "alpha=0.1,0.3", *spent, "--out", "best.json")
    assert made.code == 0, made.err
    assert "epsilon 2, delta" in discreet("budget", "show", "ledger").out
