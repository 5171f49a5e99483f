"""`discreet bounds`: open bounds chosen privately, from a draft to a model; what it spends, writes and refuses."""

import json

import pytest

from discreet.certificates import Certificate
from discreet.data import Schema
from discreet.ledger import Ledger
from tests.cli.conftest import SCHEMA, csv_text, discreet, rows
from tests.cli.test_canary import CANARY, MARKS
from tests.cli.test_goldens import compare

DRAFT = SCHEMA.replace("lower = 0\nupper = 100", 'lower = "FILL IN"\nupper = "FILL IN"').replace(
    'lower = 0\nupper = 80\noutside = "clip"', "grid = [0, 10, 20, 40, 80, 160]"
)
BOUNDS = ("bounds", "people.csv", "--schema", "draft.toml", "--out", "chosen.toml")


@pytest.fixture
def drafted(folder):
    (folder / "draft.toml").write_text(DRAFT, encoding="utf-8")
    (folder / "people.csv").write_text(csv_text(rows(600)), encoding="utf-8")
    return folder


def test_help(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    outcome = discreet("bounds", "--help")
    assert outcome.code == 0
    compare("help-bounds.txt", outcome.out)


@pytest.mark.at_most(2)
@pytest.mark.parametrize("more", [(), ("--delta", "1e-6"), ("--neighbours", "add-remove"), ("--grid", "powers-of-ten")])
def test_from_a_draft_to_a_model(drafted, more):
    outcome = discreet(*BOUNDS, "--epsilon", "1", *more)
    assert outcome.code == 0, outcome
    assert ("how many there are is private" in outcome.err) == ("add-remove" in more)
    assert "records are mostly noise" in outcome.out
    assert "Spent        epsilon 1" in outcome.out
    assert "Certificate  verified" in outcome.out
    certificate = Certificate.from_dict(json.loads((drafted / "chosen.toml.certificate.json").read_text()))
    assert certificate.verify().ok
    schema = Schema.load("chosen.toml")
    assert [column.released for column in schema.numeric] == [certificate.digest] * 2
    assert {schema.numeric[1].lower, schema.numeric[1].upper} <= {0.0, 10.0, 20.0, 40.0, 80.0, 160.0}
    assert discreet("schema", "check", "chosen.toml", "people.csv").code == 0
    assert discreet("fit", "people.csv", "--schema", "chosen.toml", "--epsilon", "1", "--out", "own.json").code == 0
    assert discreet("verify", "own.json").code == 0


def test_the_document_holds_bounds_certificate_and_verdict(drafted):
    document = discreet(*BOUNDS, "--epsilon", "1", "--json").json
    assert set(document["bounds"]) == {"age", "hours"}
    assert document["guarantee"] == {
        "private": True,
        "epsilon": pytest.approx(1.0),
        "delta": pytest.approx(1e-6),
        "neighbours": "replace-one",
        "unit": "record",
    }
    assert document["verification"]["ok"]
    assert Schema.from_toml(document["schema"]) == Schema.load("chosen.toml")


def test_what_is_spent_is_in_the_ledger_and_the_rest_is_refused_before_the_table_is_read(drafted):
    assert discreet("budget", "new", "team.ledger", "--data-set", "people", "--epsilon", "1").code == 0
    spend = ("--ledger", "team.ledger", "--data-set", "people")
    outcome = discreet(*BOUNDS, "--epsilon", "0.75", *spend)
    assert outcome.code == 0, outcome
    assert "Left         epsilon 0.25" in outcome.out
    assert len(Ledger("team.ledger").history("people")) == 1
    (drafted / "people.csv").unlink()
    assert discreet(*BOUNDS, "--epsilon", "0.75", *spend, "--overwrite").code == 7


def test_nothing_is_overwritten_and_nothing_spent_for_a_file_that_cannot_be(drafted):
    assert discreet("budget", "new", "team.ledger", "--data-set", "people", "--epsilon", "1").code == 0
    (drafted / "chosen.toml.certificate.json").write_text("mine")
    assert discreet(*BOUNDS, "--epsilon", "0.5", "--ledger", "team.ledger", "--data-set", "people").code == 3
    assert discreet(*BOUNDS, "--epsilon", "0.5", "--certificate", "chosen.toml").code == 3
    assert discreet("bounds", "people.csv", "--schema", "draft.toml", "--out", "draft.toml", "--epsilon", "1", "--overwrite").code == 3
    assert len(Ledger("team.ledger").history("people")) == 0
    assert not (drafted / "chosen.toml").exists()
    assert (drafted / "draft.toml").read_text() == DRAFT


def test_a_seed_warns_and_is_not_valid(drafted):
    outcome = discreet(*BOUNDS, "--epsilon", "1", "--seed", "1")
    assert outcome.code == 0
    assert "protects nobody" in outcome.err
    assert "NOT VALID" in outcome.out


@pytest.mark.parametrize("text", [SCHEMA, DRAFT.replace("grid = [0, 10,", 'grid = ["0",'), "name = 3", DRAFT.replace('"answer"', '"FILL IN"')])
def test_a_schema_without_open_bounds_or_with_mistakes_is_refused(drafted, text):
    (drafted / "draft.toml").write_text(text, encoding="utf-8")
    assert discreet(*BOUNDS, "--epsilon", "1").code == 3
    assert not (drafted / "chosen.toml").exists()


def test_no_record_is_shown_or_written(drafted):
    (drafted / "people.csv").write_text(csv_text([*rows(200), CANARY]), encoding="utf-8")
    ours = set(drafted.iterdir())
    for outcome in (
        discreet(*BOUNDS, "--epsilon", "1"),
        discreet(*BOUNDS, "--epsilon", "1", "--overwrite", "--json"),
        discreet(*BOUNDS, "--epsilon", "-1", "--overwrite"),
    ):
        assert not any(mark in outcome.out + outcome.err for mark in MARKS)
    for path in set(drafted.iterdir()) - ours:
        assert not any(mark in path.read_text() for mark in MARKS), path
    (drafted / "draft.toml").write_text(DRAFT.replace("[numeric.hours]", "[numeric.city]").replace("[categorical.city]", "[categorical.hours]"))
    refused = discreet(*BOUNDS, "--epsilon", "1", "--overwrite")
    assert refused.code == 3
    assert not any(mark in refused.err for mark in (*MARKS, "north"))


def test_two_spellings_of_one_path_are_one_file(drafted):
    refused = discreet("bounds", "people.csv", "--schema", "draft.toml", "--epsilon", "1", "--out", "b.toml", "--certificate", "./b.toml")
    assert refused.code == 3
    assert "name the same file" in refused.error
    assert not (drafted / "b.toml").exists()


def test_a_table_with_too_few_records_is_refused_before_anything_is_spent(drafted):
    (drafted / "people.csv").write_text(csv_text(rows(20)), encoding="utf-8")
    outcome = discreet(*BOUNDS, "--epsilon", "0.1")
    assert (outcome.code, outcome.out) == (4, "")
    assert "there are 20: it would be mostly noise" in outcome.error
    assert not (drafted / "chosen.toml").exists()
