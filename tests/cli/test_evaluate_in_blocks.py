"""`discreet evaluate` of several files, of folders and on a cluster: the numbers of the same people in one table."""

import logging
import re

import polars as pl
import pytest

from discreet.ledger import Ledger
from tests.canary import CANARY, assert_silent
from tests.cli.conftest import UNREADABLE, discreet
from tests.parts import cluster_here

PRIVATE = ("--epsilon", "0.5", "--delta", "1e-6", "--seed", "1", "--metrics", "accuracy,log-loss,roc,calibration")


@pytest.fixture
def parts(model, parts):
    return parts


def numbers(*arguments):
    outcome = discreet("evaluate", "model.json", *arguments, "--json")
    assert outcome.code == 0, outcome
    return outcome.json


each_way = pytest.mark.parametrize("tables", [["people"], ["people/*.parquet"], ["people/1.parquet", "people/2.parquet"], ["people.arrow"]], ids=str)


@each_way
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_private_evaluation_of_files_is_that_of_the_table(parts, tables, jobs):
    assert numbers(*tables, *PRIVATE, "--jobs", jobs) == numbers("people.csv", *PRIVATE)


@each_way
@pytest.mark.parametrize("jobs", [1, 2])
def test_exact_measures_of_files_are_those_of_the_table(parts, tables, jobs):
    found, expected = (numbers(*one, "--data-is", "synthetic", "--jobs", jobs) for one in (tables, ["people.csv"]))
    assert found.pop("log_loss") == pytest.approx(expected.pop("log_loss"), rel=1e-13)
    assert found == expected


@pytest.mark.parametrize(
    ("tables", "words"),
    [
        *UNREADABLE,
        (["people", "--metrics", "roc", "--plot", "people/1.parquet", "--overwrite"], "which this command reads"),
        (["people", "--report", "people/1.parquet", "--overwrite"], "the report would overwrite"),
        (["nobody.parquet", "people/3.parquet"], "there are no records"),
    ],
)
def test_what_cannot_be_measured_is_refused_before_anything_is_spent(parts, tables, words):
    (parts / "empty").mkdir()
    pl.read_parquet(parts / "people.parquet")[:0].write_parquet(parts / "nobody.parquet")
    pl.read_parquet(parts / "people.parquet")[:0].write_parquet(parts / "people" / "3.parquet")
    ledger = Ledger.create(parts / "ledger")
    ledger.declare("people", epsilon=3.0, delta=1e-4)
    outcome = discreet("evaluate", "model.json", *tables, "--epsilon", "1", "--ledger", "ledger", "--data-set", "people")
    assert outcome.code != 0
    assert re.search(words, outcome.err)
    assert ledger.spent("people").epsilon == 0.0


def test_files_without_records_are_no_error_where_their_number_is_secret(parts):
    pl.read_parquet(parts / "people.parquet")[:0].write_parquet(parts / "nobody.parquet")
    assert numbers("nobody.parquet", "nobody.parquet", "--epsilon", "1", "--neighbours", "add-remove")["verification"]["ok"]
    assert "has no record" in discreet("evaluate", "model.json", "nobody.parquet", "nobody.parquet", "--data-is", "public").error


def test_a_ledger_counts_every_evaluation(parts):
    ledger = Ledger.create(parts / "ledger")
    ledger.declare("people", epsilon=3.0, delta=1e-4)
    for table in ("people", "people.arrow"):
        numbers(table, "--epsilon", "1", "--ledger", "ledger", "--data-set", "people")
    assert ledger.spent("people").epsilon == pytest.approx(2.0)


def test_a_cell_that_no_schema_allows_is_refused_without_telling_it(parts):
    pl.DataFrame({"age": [CANARY], "hours": [1.0], "city": ["north"], "answer": ["yes"]}).write_parquet(parts / "people" / "3.parquet")
    for way in (PRIVATE, ("--data-is", "public")):
        outcome = discreet("evaluate", "model.json", "people", *way)
        assert outcome.code != 0
        assert_silent(outcome.out + outcome.err)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_workers_of_a_cluster_give_the_same_numbers(parts):
    cluster_here()
    pytest.importorskip("distributed")
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    assert numbers(parts / "people", *PRIVATE, "--dask", "local", "--jobs", "2") == numbers("people.csv", *PRIVATE)
    exact = numbers(parts / "people", "--data-is", "public", "--dask", "local", "--jobs", "2")
    assert exact["confusion"] == numbers("people.csv", "--data-is", "public")["confusion"]
