"""`discreet study`: what there is, and a run from the command line."""

from dataclasses import dataclass

import pytest

from discreet.studies import Cell, Page
from tests.cli.conftest import discreet


@dataclass
class Tiny:
    """Two cells; the second needs a table."""

    name: str = "tiny"
    title: str = "A tiny study"
    paper: str = "Nobody (2026)"

    def cells(self, *, quick):
        return [Cell(part="one"), Cell(part="two", needs=("mnist",))]

    def compute(self, cell, tables):
        yield {"measure": "m", "value": 1.0}

    def page(self, results):
        return Page(summary=["s"], comparisons=[], figures=[])


class Bare(Tiny):
    """Needs a table for everything."""

    def cells(self, *, quick):
        return [Cell(part="two", needs=("mnist",))]


@pytest.fixture(autouse=True)
def two_studies(monkeypatch):
    monkeypatch.delenv("DISCREET_DATA", raising=False)
    made = {"tiny": Tiny(), "bare": Bare(name="bare")}
    monkeypatch.setattr("discreet.studies.STUDIES", tuple(made))
    monkeypatch.setattr("discreet.studies.study_named", made.__getitem__)


def test_the_list_says_what_is_missing():
    outcome = discreet("study", "list", "--json")
    assert outcome.code == 0
    assert [(one["name"], one["tables"], one["missing"]) for one in outcome.json["studies"]] == [
        ("tiny", ["mnist"], ["mnist"]),
        ("bare", ["mnist"], ["mnist"]),
    ]
    assert "missing: mnist: it needs mnist/train-images-idx3-ubyte.gz" in discreet("study", "list").out


def test_a_run_writes_its_page_and_says_what_was_left_out(tmp_path):
    outcome = discreet("study", "run", "tiny", "--quick", "--out", tmp_path)
    assert outcome.code == 0
    assert (tmp_path / "tiny" / "index.html").exists()
    assert "two is left out: the table 'mnist' is missing" in outcome.out
    again = discreet("study", "run", "tiny", "--quick", "--out", tmp_path)
    assert again.code == 3
    assert "--resume goes on with them" in again.error
    resumed = discreet("study", "run", "tiny", "--quick", "--out", tmp_path, "--resume", "--json")
    assert resumed.json["studies"][0]["computed_now"] == 0


def test_a_study_without_data_is_an_error_alone_and_skipped_among_all(tmp_path):
    alone = discreet("study", "run", "bare", "--out", tmp_path)
    assert alone.code == 3
    assert "has no data to run on" in alone.error
    everything = discreet("study", "run", "all", "--out", tmp_path, "--json")
    assert everything.code == 0
    assert [(one["name"], one["skipped"]) for one in everything.json["studies"]] == [("tiny", False), ("bare", True)]


def test_keeping_and_dropping_results_is_a_contradiction(tmp_path):
    outcome = discreet("study", "run", "tiny", "--out", tmp_path, "--resume", "--overwrite")
    assert outcome.code == 3
    assert "give one of the two" in outcome.error


def test_a_folder_that_is_not_there(tmp_path):
    outcome = discreet("study", "list", "--data", tmp_path / "nowhere")
    assert outcome.code == 3
    assert "DISCREET_DATA in the environment" in outcome.error
