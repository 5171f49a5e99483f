"""Questions whose answers are a schema: from the header alone, each answer checked where it is given."""

import pytest

from discreet import Schema
from discreet.cli.interview import KINDS, _number, proposal
from discreet.core.errors import SchemaError
from discreet.data import Dialect
from tests.cli.conftest import discreet
from tests.cli.test_messy_files import spreadsheet

ANSWERS = [
    *("", "", "nein, j = ja", ""),  # the last column, classes, and rows without an answer are refused
    *("", "2"),  # a person, by its name
    *("", "abc", "1.000,5", "250", "50", "2_500"),  # what is not a number, then bounds that bound nothing
    *("", "2010-01-01", "2025-12-31"),
    *("", "weiblich, männlich, w = weiblich, M, m = MÄNNLICH", "weiblich, männlich, w = Weiblich, m = männlich"),
    "1.2",
    "day.m",
]


def asked(folder, answers, *more):
    (folder / "p.csv").write_bytes(spreadsheet())
    return discreet("schema", "new", "p.csv", "--interview", "--out", "p.toml", *more, stdin="\n".join(answers) + "\n")


def test_the_answers_make_a_schema_that_a_model_is_fitted_with(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = asked(tmp_path, ANSWERS)
    assert made.code == 0, made.err
    assert "'abc' is not a number" in made.err
    assert "lower" in made.err
    found = Schema.load(tmp_path / "p.toml")
    assert (found.target.classes, found.target.aliases, found.target.missing) == (("nein", "ja"), (("j", "ja"),), None)
    assert (found.person.column, found.person.rows) == ("Patient", 2)
    (number,), (day,), (label,) = found.numeric, found.date, found.categorical
    assert (number.lower, number.upper, number.outside, number.missing) == (50.0, 2500.0, "clip", "indicator")
    assert (day.lower, found.file.dates, found.file.decimal, found.file.separator) == ("2010-01-01", "day.month.year", ",", ";")
    assert (found.file.thousands, found.file.unreadable) == (".", "missing")
    assert "schema check p.toml p.csv --local" in made.out
    assert (label.categories, label.other, label.missing) == (("weiblich", "männlich", "other"), "other", "other")
    assert label.aliases == (("w", "weiblich"), ("m", "männlich"))
    fitted = discreet("fit", "p.csv", "--schema", "p.toml", "--epsilon", "1", "--out", "m.json")
    assert fitted.code == 0, fitted.err


def test_questions_that_end_too_soon_write_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for count in (0, 3, len(ANSWERS) - 1):
        ended = asked(tmp_path, ANSWERS[:count])
        assert ended.code == 3
        assert "Nothing was written" in ended.err
        assert not (tmp_path / "p.toml").exists()
    assert discreet("schema", "new", "-", "--interview", stdin="a,b\n").code == 2


def test_a_number_to_predict_and_rows_of_nobody(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    answers = ["Gr", "num", "100", "200", "150", "skip", "skip", "skip", "cat", "Ja, ja", "ja, nein, Other", "y", ""]
    made = asked(tmp_path, answers)
    assert made.code == 0, made.err
    found = Schema.load(tmp_path / "p.toml")
    assert (found.target.lower, found.target.upper, found.target.missing, found.persons) == (100.0, 200.0, 150.0, None)
    assert [(one.categories, one.other) for one in found.categorical] == [(("ja", "nein", "Other"), "Other")]
    made = asked(tmp_path, ["Gr", "count", "250", "", *answers[5:]], "--overwrite")
    assert made.code == 0, made.err
    counted = Schema.load(tmp_path / "p.toml").target
    assert (counted.lower, counted.upper, counted.counts, counted.missing) == (0.0, 250.0, True, None)
    again = asked(tmp_path, [*answers[:-2], "n", ""], "--overwrite")
    assert again.code == 0
    assert Schema.load(tmp_path / "p.toml").rows_per_person == 1


@pytest.mark.parametrize(
    ("typed", "decimal", "number"), [("1.234,5", ",", 1234.5), ("0.125", ",", 0.125), ("-0,125", ",", -0.125), ("1,234", ".", 1234.0)]
)
def test_a_number_that_begins_with_0_has_no_marks_of_thousands(typed, decimal, number):
    assert _number(typed, Dialect(decimal=decimal)) == number
    with pytest.raises(SchemaError, match="is not a number"):
        _number("0,125", Dialect())


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("age", "number"),
        ("Age at admission", "number"),
        ("patient_id", "person"),
        ("Kundennr", "number"),
        ("sex", "categories"),
        ("birth date", "date"),
        ("email", "skip"),
        ("wage", "number"),
        ("capital-gain", "number"),
        ("marital-status", "categories"),
        ("zip", "skip"),
        ("Station", "categories"),
        ("Diagnose", "categories"),
        ("Start", "number"),
    ],
)
def test_a_name_suggests_a_kind(name, kind):
    assert proposal(name).kind == kind
    assert kind in KINDS
