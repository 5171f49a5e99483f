"""A canary record goes through every command and every error: its digits appear in no output, no file, no log and no exception.

918273.645 stands in a numeric column, "canary-918273.645" in a categorical one and in the target.
"""

import logging
import re

import polars as pl
import pytest

from discreet.cli import program
from discreet.estimators import LinearSVC
from tests.cli.conftest import SCHEMA, csv_text, discreet, rows

MARKS = ("918273", "canary")


def shows_canary(text):
    """Whether a number begins as the canary does, or a word is it: among thousands of decimals of others its six digits stand by chance."""
    return re.search(r"(?<![\d.])918273|canary", text) is not None


COVERING = (
    SCHEMA.replace("upper = 100", 'upper = 100\noutside = "clip"')
    .replace('classes = ["no", "yes"]', 'classes = ["no", "yes"]\nother = "no"')
    .replace('name = "people"', 'name = "people"\nmissing_values = ["?"]')
)
"""Takes the canary in."""

REFUSING = {
    "number outside": COVERING.replace('upper = 100\noutside = "clip"', "upper = 100"),
    "undeclared category": COVERING.replace('other = "other"\n', ""),
    "undeclared class": COVERING.replace('other = "no"\n', ""),
    "text for a number": COVERING.replace("[numeric.hours]\nlower = 0\nupper = 80", "[numeric.city]\nlower = 0\nupper = 80").replace(
        '[categorical.city]\ncategories = ["north", "south", "other"]\nother = "other"\n', '[categorical.hours]\ncategories = ["1", "2"]\n'
    ),
    "column absent": COVERING.replace("[numeric.hours]", "[numeric.hour]"),
}
"""Each refuses it for another reason."""

CANARY = ("918273.645", "918273.645", "canary-918273.645", "canary-918273.645")


@pytest.fixture
def watched(folder, caplog):
    """The folder with the canary in its table, as CSV and Parquet, and a check of everything that was said and written."""
    caplog.set_level(logging.DEBUG)
    text = csv_text([*rows(60), CANARY, *rows(60)])
    (folder / "people.csv").write_text(text, encoding="utf-8")
    (folder / "ragged.csv").write_text(text + "918273.645,canary\n", encoding="utf-8")
    (folder / "quoted.csv").write_text(text + '918273.645,918273.645,n,"canary-918273.645,no\n', encoding="utf-8")
    (folder / "headless.csv").write_text(text.partition("\n")[2].split("\n")[60] + "\n" + text.partition("\n")[2], encoding="utf-8")
    (folder / "latin.csv").write_bytes(text.encode() + b"\xff918273.645\n")
    pl.DataFrame({name: [str(row[i]) for row in [*rows(60), CANARY]] for i, name in enumerate(("age", "hours", "city", "answer"))}).write_parquet(
        folder / "people.parquet"
    )
    (folder / "torn.parquet").write_bytes((folder / "people.parquet").read_bytes()[:-20])
    (folder / "people.toml").write_text(COVERING, encoding="utf-8")
    ours = set(folder.iterdir())

    def check(*said):
        for text in (*said, caplog.text):
            assert not any(mark in text for mark in MARKS), text
        for path in set(folder.rglob("*")) - ours:
            content = path.read_bytes()
            assert not any(mark.encode() in content for mark in MARKS), path

    return check


SPEND = ("--ledger", "team.ledger", "--data-set", "people")


def fit(table="people.csv", schema="people.toml", *more):
    return ("fit", table, "--schema", schema, "--epsilon", "1", "--out", "model.json", "--overwrite", *more)


@pytest.mark.at_most(1)
@pytest.mark.parametrize("table", ["people.csv", "people.parquet"])
@pytest.mark.parametrize("as_json", [(), ("--json",)])
def test_no_command_shows_it(watched, table, as_json):
    for line in (
        ("schema", "new", table),
        ("schema", "new", table, "--target", "answer", "--out", "stub.toml", "--overwrite"),
        ("schema", "check", "people.toml", table),
        fit(table),
        fit(table, "people.toml", "--neighbours", "add-remove", "--delta", "1e-6", "--seed", "1"),
        fit(table, "people.toml", "--epsilon", "inf"),
        fit(table, "people.toml", "--model", "linear-svc", "--mechanism", "output"),
        fit(table, "people.toml", "--no-intercept"),
        ("budget", "new", "team.ledger", "--data-set", "people", "--epsilon", "9"),
        fit(table, "people.toml", *SPEND),
        ("budget", "show", "team.ledger"),
        ("budget", "history", "team.ledger", "--data-set", "people", "--plot", "people.svg", "--overwrite"),
        ("budget", "plot", "team.ledger", "--data-set", "people", "--out", "people.svg", "--overwrite"),
        ("budget", "export", "team.ledger"),
        ("budget", "export", "team.ledger", "--out", "report.json", "--overwrite"),
        ("budget", "import", "team.ledger", "report.json"),
        ("show", "model.json"),
        fit(table, "people.toml", *SPEND, "--report", "page.html"),
        ("report", "model.json", "--out", "model.html", "--card", "card.md", "--ledger", "team.ledger", "--overwrite"),
        ("report", "team.ledger", "--out", "ledger.html", "--overwrite"),
        ("predict", "model.json", table),
        ("predict", "model.json", table, "--probabilities", "--out", "predictions.csv", "--overwrite"),
        ("evaluate", "model.json", table, "--data-is", "synthetic"),
        ("describe", table, "--schema", "people.toml", "--epsilon", "1", "--delta", "1e-6", "--report", "page.html", "--overwrite"),
    ):
        outcome = discreet(*line, *as_json)
        assert outcome.code == 0, (line, outcome)
        watched(outcome.out, outcome.err)


@pytest.mark.parametrize("reason", REFUSING)
@pytest.mark.parametrize("table", ["people.csv", "people.parquet"])
def test_no_refusal_of_its_cells_shows_it(watched, folder, reason, table):
    assert REFUSING[reason] != COVERING
    assert discreet(*fit(table)).code == 0
    (folder / "strict.toml").write_text(REFUSING[reason], encoding="utf-8")
    for as_json in ((), ("--json",)):
        outcome = discreet(*fit(table, "strict.toml"), *as_json)
        assert outcome.code == 3
        watched(outcome.out, outcome.err)


@pytest.mark.parametrize("table", ["ragged.csv", "quoted.csv", "headless.csv", "latin.csv", "torn.parquet"])
def test_no_damage_of_its_file_shows_it(watched, table):
    assert discreet(*fit()).code == 0
    for line in (
        fit(table),
        ("predict", "model.json", table),
        ("evaluate", "model.json", table, "--data-is", "public"),
        ("schema", "check", "people.toml", table),
        ("schema", "new", table),
    ):
        outcome = discreet(*line)
        assert outcome.code in ((0, 3) if line[0] == "schema" else (3,)), (line, outcome)
        watched(outcome.out, outcome.err)


def test_no_mistake_of_the_caller_shows_it(watched):
    assert discreet(*fit()).code == 0
    assert discreet("budget", "new", "team.ledger", "--data-set", "people", "--epsilon", "0.5").code == 0
    for line in (
        fit("people.csv", "people.toml", *SPEND),
        fit("people.csv", "people.toml", "--ledger", "people.csv", "--data-set", "people"),
        ("budget", "show", "people.csv"),
        ("budget", "show", "people.parquet"),
        ("budget", "new", "people.csv", "--data-set", "people", "--epsilon", "1"),
        ("budget", "import", "team.ledger", "people.csv"),
        ("budget", "import", "team.ledger", "people.parquet"),
        fit("people.csv", "people.toml", "--epsilon", "0.01", "--alpha", "1e-12"),
        fit("people.csv", "people.csv"),
        ("show", "people.csv"),
        ("verify", "people.csv"),
        ("verify", "people.parquet"),
        ("predict", "people.csv", "model.json"),
        ("evaluate", "model.json", "people.csv"),
        ("schema", "check", "people.csv", "people.toml"),
        ("schema", "check", "people.parquet"),
    ):
        outcome = discreet(*line)
        assert outcome.code in (2, 3, 4, 7), (line, outcome)
        watched(outcome.out, outcome.err)


def test_an_unexpected_exception_that_quotes_it_is_not_shown(watched, monkeypatch):
    def fit_and_fail(self, *_, **__):
        raise RuntimeError("918273.645") from ValueError("could not convert string to float: 'canary-918273.645'")

    monkeypatch.setattr(LinearSVC, "fit", fit_and_fail)
    for as_json in ((), ("--json",)):
        outcome = discreet(*fit(), *as_json)
        assert outcome.code == 1
        watched(outcome.out, outcome.err)


def test_no_exception_carries_it(watched, folder):
    """Nor do causes, contexts and arguments of what a caller of the program's functions would catch."""
    (folder / "strict.toml").write_text(REFUSING["number outside"], encoding="utf-8")
    command = program.get_command(None, "fit")
    try:
        command.main(list(fit("people.csv", "strict.toml"))[1:], standalone_mode=False)
    except Exception as error:  # noqa: BLE001 - whatever it is
        chain = [error]
        while chain[-1].__cause__ or chain[-1].__context__:
            chain.append(chain[-1].__cause__ or chain[-1].__context__)
        watched(*(f"{one!r} {one} {one.args}" for one in chain))
    else:
        pytest.fail("the table was not refused")
