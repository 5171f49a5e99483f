"""`discreet release --method synthetic`: options, what it writes and refuses, in memory and in blocks."""

import polars as pl
import pytest

from discreet.core.errors import SolverFailure
from discreet.ledger import Ledger
from discreet.releases import read_synthetic
from discreet.releases.synthetic import drawing, publish
from tests.cli.conftest import SURVEY, csv_text, discreet, rows
from tests.releases.synthetic.cases import by_hub

RELEASE = ("release", "people.csv", "--schema", "survey.toml", "--out", "out", "--method", "synthetic")
BUDGET = ("--epsilon", "2", "--delta", "1e-6")


@pytest.fixture
def survey(folder, monkeypatch):
    """A schema of numbers, categories and a target; no package, and no process."""
    monkeypatch.setattr(drawing, "fitted", by_hub)
    monkeypatch.setattr(publish, "require_mbi", lambda: None)
    monkeypatch.setattr(drawing, "require_mbi", lambda: None)
    (folder / "survey.toml").write_text(SURVEY, encoding="utf-8")
    return folder


@pytest.mark.parametrize("more", ["", "--rows 77", "--neighbours add-remove --tables 2 --row-seed 4", "--workload age*hours"])
def test_it_is_written_verified_inspected_and_reported(survey, more):
    made = discreet(*RELEASE, *BUDGET, "--whole", "age", *more.split(), "--report", "page.html", "--json")
    assert (made.code, made.err) == (0, ""), made
    assert made.json["verification"]["ok"]
    assert made.json["method"] == "synthetic"
    assert made.json["tables"] == (2 if "tables" in more else 1)
    checked = discreet("verify", "out", "--json")
    assert (checked.code, checked.json["ok"]) == (0, True)
    assert "Single rows mean nothing" in discreet("inspect", "out").out
    assert "method synthetic" in discreet("show", "out").out
    page = (survey / "page.html").read_text(encoding="utf-8")
    assert "How far the rows are from the measured counts" in page
    assert discreet("report", "out", "--out", "again.html").code == 0
    assert len(read_synthetic("out").frame()) == (77 if "77" in more else made.json["shape"][0])
    assert discreet(*RELEASE, *BUDGET, "--overwrite").code == 0
    assert discreet(*RELEASE, *BUDGET).code != 0


@pytest.mark.parametrize("tables", [1, 2])
def test_rows_are_written_as_a_csv_file(survey, tables):
    assert discreet(*RELEASE, *BUDGET, "--tables", str(tables)).code == 0
    assert discreet("inspect", "out", "--csv", "rows.csv").code == 0
    found, frames = pl.read_csv("rows.csv", infer_schema_length=None), read_synthetic("out").frames()
    if tables > 1:
        assert found["table"].to_list() == [number for number, frame in enumerate(frames, start=1) for _ in range(len(frame))]
        found = found.drop("table")
    assert found.to_dict(as_series=False) == pl.concat(frames).to_dict(as_series=False)
    refused = discreet("inspect", "out", "--csv", "more.csv", "--within-bounds")
    assert refused.code == 2
    assert "is a synthetic table" in refused.err


def test_the_noise_is_said_before_anything_is_read(survey):
    (survey / "people.csv").unlink()
    tried = discreet(*RELEASE[:-4], "--method", "synthetic", *BUDGET, "--dry-run")
    assert tried.code == 0, tried
    assert "records on every count of a column with the target" in tried.out
    assert not (survey / "out").exists()


def test_files_in_blocks_are_released_too(survey):
    table = pl.read_csv("people.csv")
    table[:100].write_parquet("0.parquet")
    table[100:].write_parquet("1.parquet")
    assert discreet("release", "0.parquet", "1.parquet", *RELEASE[2:], *BUDGET, "--jobs", "2").code == 0
    assert len(read_synthetic("out").frame()) == len(table)


def test_a_ledger_is_charged_once(survey):
    assert discreet("budget", "new", "l", "--data-set", "people", "--epsilon", "3", "--delta", "1e-5").code == 0
    spend = ("--ledger", "l", "--data-set", "people")
    assert discreet(*RELEASE, *BUDGET, *spend).code == 0
    refused = discreet(*RELEASE, *BUDGET, *spend, "--overwrite")
    assert refused.code != 0
    assert "is left on" in refused.err


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("--epsilon 1", "needs --delta"),
        ("--epsilon 1 --delta 1e-6 --bits 0.5", "takes no bits"),
        ("--epsilon 1 --delta 1e-6 --calibration published", "takes no calibration"),
        ("--epsilon 1 --delta 1e-6 --target clear", "never releases the target as it is"),
        ("--epsilon 1 --delta 1e-6 --whole city", "cannot be whole"),
        ("--epsilon 1 --delta 1e-6 --workload age", "two or more columns"),
        ("--epsilon 1 --delta 1e-6 --workload age*weight", "which is not a column of the synthetic table"),
        ("--epsilon 1 --delta 1e-6 --rows 0", "rows"),
    ],
)
def test_what_it_does_not_take_is_refused_in_one_sentence(survey, wrong, words):
    refused = discreet(*RELEASE, *wrong.split())
    assert refused.code != 0
    assert words in refused.err
    assert not (survey / "out").exists()


def test_other_methods_do_not_take_its_options(survey):
    refused = discreet(*RELEASE[:-1], "additive", *BUDGET, "--tables", "2")
    assert refused.code != 0
    assert "--tables is for --method synthetic" in refused.err
    unknown = discreet(*RELEASE[:-1], "syntetic", *BUDGET)
    assert "'synthetic'" in unknown.err


def test_the_help_names_it(survey, folder):
    assert csv_text(rows(3))
    text = discreet("release", "--help").out
    assert "synthetic: invented rows" in text
    assert "--workload" in text


@pytest.mark.parametrize("form", [[], ["--json"]])
@pytest.mark.parametrize("error", [SolverFailure("the distribution could not be fitted."), KeyboardInterrupt(), MemoryError()], ids=repr)
def test_rows_that_could_not_be_drawn_are_drawn_by_the_same_command_later_and_paid_for_once(survey, monkeypatch, form, error):
    def fails(*_, **__):
        raise error

    Ledger.create("l.ledger").declare("people", epsilon=3.0, delta=1e-4)
    asked = (*RELEASE, *BUDGET, "--row-seed", "1", "--ledger", "l.ledger")
    with monkeypatch.context() as broken:
        broken.setattr(drawing, "fitted", fails)
        failed = discreet(*asked, *form)
    assert failed.code == {SolverFailure: 5, KeyboardInterrupt: 130, MemoryError: 1}[type(error)]
    said = failed.json["error"]["message"] if form else failed.err.splitlines()[-1]
    assert said.count("The budget (epsilon 2, delta 1e-06) counts as spent, and the noisy counts that it paid for are in 'out'.") == 1
    assert "the same command with --resume" in said
    assert discreet("verify", "out").code == 0
    assert "no rows were drawn yet" in discreet("inspect", "out").out
    assert discreet("show", "out").code == 0
    assert discreet("report", "out", "--out", "counts.html").code == 0
    (survey / "people.csv").unlink()
    other = discreet(*RELEASE, "--epsilon", "1", "--delta", "1e-6", "--resume")
    assert (other.code, "those of another release" in other.err) == (3, True)
    made = discreet(*asked, "--resume", "--json")
    assert made.code == 0, made
    assert made.json["verification"]["ok"]
    assert len(Ledger("l.ledger").history("people")) == 1
    again = discreet(*asked, "--resume")
    assert (again.code, "nothing to resume" in again.err) == (3, True)
