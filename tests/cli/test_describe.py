"""`discreet describe`: a table for a paper, what it costs, and what is refused before a record is read."""

import csv
import json
import xml.etree.ElementTree as ET

import pytest

from discreet.descriptions import read_description
from tests.cli.conftest import discreet

DESCRIBE = ("describe", "people.csv", "--schema", "people.toml")
BUDGET = ("--epsilon", "2", "--delta", "1e-6")


def test_one_command_gives_table_pictures_page_and_file(folder):
    files = ("--out", "description.json", "--csv", "table.csv", "--plot", "pictures.svg", "--report", "page.html")
    outcome = discreet(*DESCRIBE, *BUDGET, "--by", "city", "--whole", "age,hours", *files, "--rows-per-person", "1")
    assert outcome.code == 0
    assert outcome.err.startswith("Noise        standard deviation")
    for words in ("age, mean (SD)", "hours, median [quartiles]", "answer", "  yes", "Certificate  verified", "Spent        epsilon 2, delta 1e-06"):
        assert words in outcome.out
    table = list(csv.reader((folder / "table.csv").read_text(encoding="utf-8").splitlines()))
    assert table[0] == ["", "north", "95 % interval", "south", "95 % interval", "other", "95 % interval", "All", "95 % interval"]
    assert len({len(row) for row in table}) == 1
    ET.fromstring((folder / "pictures.svg").read_text(encoding="utf-8"))  # noqa: S314 - it is ours
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert "description of people" in page
    assert "most often" in page
    found = read_description(folder / "description.json")
    assert sum(part.records.count for part in found.parts[:-1]) == found.whole.records.count == found.records
    assert discreet(*DESCRIBE, *BUDGET, *files).code == 3


def test_a_dry_run_says_how_large_the_noise_would_be_and_reads_nothing(folder):
    (folder / "people.csv").write_text("no table", encoding="utf-8")
    before = sorted(folder.iterdir())
    dry = (*DESCRIBE, *BUDGET, "--by", "city", "--out", "d.json", "--dry-run")
    outcome = discreet(*dry, "--public-records", "300")
    assert outcome.code == 0, outcome
    for words in ("on every count of a category in each of 3 groups", "Mean         of 300 records", "age ", "Nothing was spent."):
        assert words in outcome.out
    found = discreet(*dry, "--json").json
    assert (found["outlook"]["records"], found["outlook"]["records_public"], found["guarantee"]["epsilon"]) == (10_000, False, 2.0)
    refused = discreet(*dry, "--public-records", "0")
    assert (refused.code, refused.err.count("--public-records must be an integer of at least 1")) == (3, 1)
    assert sorted(folder.iterdir()) == before


def test_the_document_is_that_of_the_file(folder):
    outcome = discreet(*DESCRIBE, *BUDGET, "--columns", "age", "--pairs", "city:answer", "--quantiles", "0.1,0.9", "--out", "d.json", "--json")
    document = outcome.json
    stated = json.loads((folder / "d.json").read_text(encoding="utf-8"))
    assert stated == {name: document[name] for name in stated}
    assert document["verification"]["ok"]
    assert [one["columns"] for one in document["parts"][0]["pairs"]] == [["city", "answer"]]
    assert len(document["parts"][0]["numbers"]["age"]["quantiles"]) == 2
    assert "city by answer" in discreet("show", "d.json").out


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("--by", "age"), 3, "numbers or dates"),
        (("--by", "town"), 3, "no column 'town'"),
        (("--pairs", "city"), 2, "with a colon"),
        (("--quantiles", "half"), 2, "numbers with commas"),
        (("--out", "same", "--csv", "same"), 3, "same file"),
        (("--csv", "people.csv"), 3, "which this command reads"),
        (("--delta", "2"), 3, "delta must be"),
    ],
)
def test_mistakes_are_refused_before_the_table_is_read(folder, options, code, words):
    (folder / "people.csv").write_text("no table", encoding="utf-8")
    outcome = discreet(*DESCRIBE, *BUDGET, *options)
    assert outcome.code == code
    assert words in outcome.err


def test_what_is_left_decides_before_the_table_is_read(folder):
    spend = ("--ledger", "team.ledger", "--data-set", "people")
    assert discreet("budget", "new", "team.ledger", "--data-set", "people", *BUDGET).code == 0
    assert discreet(*DESCRIBE, *BUDGET, *spend).code == 0
    (folder / "people.csv").unlink()
    assert discreet(*DESCRIBE, *BUDGET, *spend).code == 7
