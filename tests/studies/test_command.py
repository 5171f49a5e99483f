"""`python -m studies`: what there is, and a run from the command line."""

import json
from dataclasses import dataclass

import pytest
from click.testing import CliRunner

from studies import Cell, Page
from studies.__main__ import program


def call(*arguments):
    """Run the command in this process."""
    return CliRunner().invoke(program, [str(one) for one in arguments])


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
    monkeypatch.setattr("studies.STUDIES", tuple(made))
    monkeypatch.setattr("studies.study_named", made.__getitem__)


def test_the_list_says_what_is_missing():
    outcome = call("list", "--json")
    assert outcome.exit_code == 0
    assert [(one["name"], one["tables"], one["missing"]) for one in json.loads(outcome.stdout)["studies"]] == [
        ("tiny", ["mnist"], ["mnist"]),
        ("bare", ["mnist"], ["mnist"]),
    ]
    assert "missing: mnist: it needs mnist/train-images-idx3-ubyte.gz" in call("list").output


def test_a_run_writes_its_page_and_says_what_was_left_out(tmp_path):
    outcome = call("run", "tiny", "--quick", "--out", tmp_path)
    assert outcome.exit_code == 0
    assert (tmp_path / "tiny" / "index.html").exists()
    assert "two is left out: the table 'mnist' is missing" in outcome.output
    again = call("run", "tiny", "--quick", "--out", tmp_path)
    assert again.exit_code == 3
    assert "--resume goes on with them" in again.output
    resumed = call("run", "tiny", "--quick", "--out", tmp_path, "--resume", "--json")
    assert json.loads(resumed.stdout)["studies"][0]["computed_now"] == 0


def test_a_study_without_data_is_an_error_alone_and_skipped_among_all(tmp_path):
    alone = call("run", "bare", "--out", tmp_path)
    assert alone.exit_code == 3
    assert "has no data to run on" in alone.output
    everything = call("run", "all", "--out", tmp_path, "--json")
    assert everything.exit_code == 0
    assert [(one["name"], one["skipped"]) for one in json.loads(everything.stdout)["studies"]] == [("tiny", False), ("bare", True)]


def test_keeping_and_dropping_results_is_a_contradiction(tmp_path):
    outcome = call("run", "tiny", "--out", tmp_path, "--resume", "--overwrite")
    assert outcome.exit_code == 3
    assert "give one of the two" in outcome.output


def test_a_folder_that_is_not_there(tmp_path):
    outcome = call("list", "--data", tmp_path / "nowhere")
    assert outcome.exit_code == 3
    assert "DISCREET_DATA in the environment" in outcome.output
