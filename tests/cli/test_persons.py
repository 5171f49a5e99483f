"""Whose rows are whose, on the command line: asked where nobody said, taken from the schema or the options, and kept in what is written."""

import json

import pytest

from discreet.estimators.files.model import Model
from tests.cli.conftest import ASKED, FIT, SCHEMA, discreet

PERSON = '\n[person]\ncolumn = "patient id"\nrows = 7\n'
ONE = SCHEMA.replace('name = "people"', 'name = "people"\nrows_per_person = 1')
CASES = {"silent": SCHEMA, "one": ONE, "several": SCHEMA + PERSON}


@pytest.fixture
def visits(folder):
    """people.csv, where six rows in a line are of one person."""
    header, *lines = (folder / "people.csv").read_text(encoding="utf-8").splitlines()
    rows = [f"{header},patient id", *(f"{line},p{place // 6}" for place, line in enumerate(lines))]
    (folder / "visits.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (folder / "visits.toml").write_text(SCHEMA + PERSON, encoding="utf-8")
    return folder


VISITS = ("fit", "visits.csv", "--schema", "visits.toml", *FIT[4:])


def problem(path="model.json"):
    model = Model.load(path)
    assert model.verify().ok
    return model.certificate.problem


@pytest.mark.parametrize("said", CASES)
def test_only_who_says_nothing_is_asked(visits, said):
    (visits / "people.toml").write_text(CASES[said], encoding="utf-8")
    commands = {
        "check": ("schema", "check", "people.toml"),
        "fit": ("fit", "visits.csv", *FIT[2:]),
    }
    for command in commands.values():
        outcome = discreet(*command)
        assert (outcome.code, outcome.more) == (0, "")
        assert outcome.asked == (said == "silent")


def test_the_question_names_the_two_lines_and_the_options(visits):
    from click.testing import CliRunner

    from discreet.cli import program

    shown = CliRunner().invoke(program, list(FIT), prog_name="discreet").output
    (told,) = (line for line in shown.splitlines() if line.startswith(ASKED))
    for words in ("rows_per_person = 1", "[person]", "people.toml", "--rows-per-person 1", "--person COLUMN --rows-per-person M"):
        assert words in told


def test_json_is_one_document_whoever_is_asked(folder):
    outcome = discreet(*FIT, "--json")
    assert outcome.asked
    assert outcome.json["guarantee"]["unit"] == "record"


def test_check_says_what_the_schema_says(visits):
    for name, words in {
        "silent": "not stated: single rows are protected",
        "one": "each person has one row",
        "several": "'patient id' holds the person ids",
    }.items():
        (visits / "people.toml").write_text(CASES[name], encoding="utf-8")
        assert words in discreet("schema", "check", "people.toml").out
    assert discreet("schema", "check", "visits.toml", "visits.csv", "--json").json["persons"] == {
        "column": "patient id",
        "rows": 7,
        "weight": "person",
    }
    refused = discreet("schema", "check", "visits.toml", "people.csv")
    assert refused.code == 3
    assert "'patient id'" in refused.error


def test_a_fit_of_visits_protects_persons(visits):
    outcome = discreet(*VISITS)
    assert (outcome.code, outcome.err, outcome.asked) == (0, "", False)
    assert "one person" in outcome.out
    assert problem()["persons"] == {"rows": 7, "weight": "person"}
    assert problem()["records"] == 50
    assert "p17" not in (visits / "model.json").read_text(encoding="utf-8")
    assert discreet("verify", "model.json").code == 0
    assert discreet("predict", "model.json", "people.csv").code == 0  # without ids


def test_the_options_say_it_for_one_run(visits):
    (visits / "visits.toml").write_text(SCHEMA, encoding="utf-8")
    assert not discreet(*VISITS, "--person", "patient id", "--rows-per-person", "7").asked
    assert problem()["persons"] == {"rows": 7, "weight": "person"}
    assert Model.load("model.json").schema.person.column == "patient id"
    assert not discreet(*VISITS, "--rows-per-person", "1", "--overwrite").asked
    assert problem()["persons"] == {"rows": 1, "weight": "declared"}
    assert discreet(*VISITS, "--overwrite").asked
    assert "persons" not in problem()


@pytest.mark.parametrize(
    ("schema", "options", "says"),
    [
        (SCHEMA, ("--person", "patient id"), "--person needs --rows-per-person"),
        (SCHEMA, ("--rows-per-person", "7"), "needs --person"),
        (SCHEMA, ("--person", "patient id", "--rows-per-person", "0"), "whole number from 1"),
        (SCHEMA, ("--person", "age", "--rows-per-person", "7"), "is a feature or the target too"),
        (SCHEMA, ("--person", "nobody", "--rows-per-person", "7"), "lacks the columns 'nobody'"),
        (ONE, ("--person", "patient id", "--rows-per-person", "7"), "Leave --person and --rows-per-person out"),
        (SCHEMA + PERSON, ("--rows-per-person", "1"), "at most 7 rows kept per person (each person counts once), and the options contradict it"),
        (SCHEMA + PERSON, ("--person", "patient id", "--rows-per-person", "6"), "Leave --person and --rows-per-person out"),
    ],
)
def test_what_does_not_go_together_is_refused_and_spends_nothing(visits, schema, options, says):
    (visits / "visits.toml").write_text(schema, encoding="utf-8")
    assert discreet("budget", "new", "team.ledger", "--data-set", "people", "--epsilon", "3", "--unit", "person").code == 0
    refused = discreet(*VISITS, *options, "--ledger", "team.ledger", "--data-set", "people", "--json")
    assert refused.code != 0
    assert says in refused.json["error"]["message"]
    assert not (visits / "model.json").exists()
    assert discreet("budget", "history", "team.ledger", "--data-set", "people", "--json").json["entries"] == []


def test_the_same_said_twice_is_no_contradiction(visits):
    assert discreet(*VISITS, "--person", "patient id", "--rows-per-person", "7").code == 0
    assert problem()["persons"] == {"rows": 7, "weight": "person"}


def test_a_missing_id_is_refused(visits):
    text = (visits / "visits.csv").read_text(encoding="utf-8").replace(",p3\n", ",\n", 1)
    (visits / "visits.csv").write_text(text, encoding="utf-8")
    refused = discreet(*VISITS)
    assert refused.code == 3
    assert "a person id is missing. Every row needs one: fill in" in refused.error


@pytest.mark.parametrize(("unit", "schema"), [("record", SCHEMA + PERSON), ("person", SCHEMA)], ids=["persons on records", "records on persons"])
def test_a_ledger_refuses_another_unit_and_says_what_to_do(visits, unit, schema):
    (visits / "visits.toml").write_text(schema, encoding="utf-8")
    assert discreet("budget", "new", "team.ledger", "--data-set", "people", "--epsilon", "3", "--delta", "1e-5", "--unit", unit).code == 0
    refused = discreet(*VISITS, "--ledger", "team.ledger", "--data-set", "people")
    assert refused.code != 0
    assert {"record": "--unit person", "person": "[person] in the schema"}[unit] in refused.error
    assert not (visits / "model.json").exists()


def test_a_ledger_of_persons_takes_a_fit_of_persons(visits):
    assert discreet("budget", "new", "team.ledger", "--data-set", "people", "--epsilon", "3", "--delta", "1e-5", "--unit", "person").code == 0
    assert discreet(*VISITS, "--ledger", "team.ledger", "--data-set", "people").code == 0
    shown = discreet("budget", "show", "team.ledger").out
    assert "one person" in shown


def test_a_stub_asks_and_what_it_proposes_is_read(visits):
    written = discreet("schema", "new", "visits.csv", "--target", "answer", "--out", "stub.toml")
    assert written.code == 0
    text = (visits / "stub.toml").read_text(encoding="utf-8")
    assert '# column = "patient id"' in text
    assert "# rows_per_person = 1" in text
    filled = (
        text.replace("# rows_per_person = 1", "rows_per_person = 1")
        .replace('classes = ["FILL IN", "FILL IN"]', 'classes = ["no", "yes"]')
        .split("\n[numeric.age]")[0]
        + "\n[numeric.age]\nlower = 0\nupper = 100\n"
    )
    (visits / "one.toml").write_text(filled, encoding="utf-8")
    assert discreet("schema", "check", "one.toml", "--json").json["persons"] == {"column": None, "rows": 1, "weight": "declared"}
    several = filled.replace("\nrows_per_person = 1", "\n# rows_per_person = 1")
    for line in ("[person]", 'column = "patient id"', "rows = 7"):
        several = several.replace(f"# {line}\n", f"{line}\n")
    (visits / "several.toml").write_text(several, encoding="utf-8")
    found = discreet("schema", "check", "several.toml", "visits.csv", "--json").json
    assert found["persons"] == {"column": "patient id", "rows": 7, "weight": "person"}
    assert "patient id" not in found["unused_columns"]


def test_files_in_blocks_and_other_commands_follow(visits):
    import polars as pl

    pl.read_csv("visits.csv").write_parquet("visits.arrow.parquet")
    folder = visits / "visits"
    folder.mkdir()
    pl.read_csv("visits.csv").write_parquet(folder / "one.parquet")
    assert discreet("fit", "visits", *VISITS[2:]).code == 0
    assert problem()["persons"] == {"rows": 7, "weight": "person"}
    told = discreet("intervals", "model.json", "visits.csv", "--epsilon", "1", "--delta", "1e-6", "--json")
    assert told.code == 0, told
    assert told.json["guarantee"]["unit"] == "person"
    public = discreet("evaluate", "model.json", "people.csv", "--data-is", "public")
    assert public.code == 0, public
    assert json.loads((visits / "model.json").read_text(encoding="utf-8"))["schema"]["person"] == {"column": "patient id", "rows": 7}


def test_bounds_of_visits_are_chosen_for_persons_and_the_finished_schema_keeps_them(visits):
    text = (visits / "visits.toml").read_text(encoding="utf-8")
    draft = text.replace("lower = 0\nupper = 100", 'lower = "FILL IN"\nupper = "FILL IN"')
    (visits / "draft.toml").write_text(draft, encoding="utf-8")
    bounds = ("bounds", "visits.csv", "--schema", "draft.toml", "--epsilon", "20")
    found = discreet(*bounds, "--out", "chosen.toml", "--json")
    assert (found.code, found.err, found.asked) == (0, "", False)
    assert found.json["guarantee"]["unit"] == "person"
    assert found.json["certificate"]["problem"]["persons"] == {"rows": 7, "weight": "person"}
    assert PERSON.strip() in (visits / "chosen.toml").read_text(encoding="utf-8")
    assert discreet("fit", "visits.csv", "--schema", "chosen.toml", *FIT[4:]).code == 0
    assert problem()["persons"] == {"rows": 7, "weight": "person"}
    (visits / "draft.toml").write_text(draft.replace(PERSON, ""), encoding="utf-8")
    silent = discreet(*bounds, "--out", "other.toml", "--json")
    assert silent.asked
    assert silent.json["guarantee"]["unit"] == "record"
