"""`discreet release` of several files, of folders and on a cluster: the release of the same people, and errors before anything is spent."""

import logging
import re
import sys

import numpy as np
import polars as pl
import pytest

from discreet.ledger import Ledger
from discreet.releases import read_release
from tests.canary import CANARY, assert_silent
from tests.cli.conftest import SURVEY, UNREADABLE, discreet
from tests.parts import cluster_here

BUDGET = ("--epsilon", "1", "--delta", "1e-6")
RELEASE = ("--schema", "survey.toml", "--out", "out", "--overwrite", "--method")
ADDITIVE = (*RELEASE, "additive", *BUDGET)
SKETCH = (*RELEASE, "sketch", *BUDGET, "--rows", "20", "--most-records", "1000", "--seed", "1")


@pytest.fixture
def parts(parts):
    (parts / "survey.toml").write_text(SURVEY, encoding="utf-8")
    return parts


def values(*arguments):
    outcome = discreet("release", *arguments, "--json")
    assert outcome.code == 0, outcome
    return read_release("out").values()


TABLES = [["people"], ["people/*.parquet"], ["people/1.parquet", "people/2.parquet"], ["people.arrow"], ["people.a*w"]]


@pytest.mark.parametrize("tables", [*TABLES[::3], *(pytest.param(one, marks=pytest.mark.more) for one in (*TABLES[1:3], *TABLES[4:]))])
def test_files_read_in_blocks_give_the_sketch_of_the_table(parts, tables):
    np.testing.assert_array_equal(values(*tables, *SKETCH, "--jobs", "2"), values("people.csv", *SKETCH))


@pytest.mark.parametrize("tables", [["people"], ["people.arrow"]])
def test_files_read_in_blocks_give_one_row_a_record_in_order_for_any_number_of_threads(parts, tables):
    seeded = [values(*tables, *ADDITIVE, "--epsilon", "100", "--seed", "1", "--jobs", jobs) for jobs in ("1", "2")]
    np.testing.assert_array_equal(*seeded)
    table = pl.read_csv("people.csv")
    assert seeded[0].shape == (len(table), 2)
    noise = seeded[0][:, 0] - (table["age"].to_numpy() / 50.0 - 1.0)
    release = read_release("out")
    deviation = np.sqrt(release.noise_variance)
    assert abs(np.mean((noise / deviation) ** 2) - 1.0) < 7.0 * np.sqrt(2.0 / len(noise))
    assert discreet("release", *tables, *ADDITIVE, "--jobs", "2").code == 0
    assert discreet("verify", "out").code == 0


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_hidden_number_of_records_and_a_table_in_memory_take_threads_too(parts, jobs):
    hidden = ("--neighbours", "add-remove", "--slots", "400")
    assert len(values("people", *ADDITIVE, *hidden, "--jobs", jobs)) == 400
    assert discreet("verify", "out").code == 0
    one, other = (values("people.csv", *ADDITIVE, "--seed", "1", "--jobs", count) for count in ("1", jobs))
    np.testing.assert_array_equal(one, other)


def test_a_ledger_knows_the_people_again_whatever_file_they_are_in(parts):
    ledger = Ledger.create(parts / "ledger")
    ledger.declare("people", epsilon=3.0, delta=1e-4)
    account = ("--ledger", "ledger", "--data-set", "people")
    for table in ("people", "people.parquet"):
        outcome = discreet("release", table, *ADDITIVE, *account, "--jobs", "2", "--json")
        assert outcome.code == 0, outcome
    assert ledger.spent("people").epsilon == pytest.approx(2.0)
    assert discreet("release", "people", *ADDITIVE, "--epsilon", "2", *account).code != 0
    assert ledger.spent("people").epsilon == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("tables", "words"),
    [
        *UNREADABLE,
        (["people", "--out", "people"], "which this command reads"),
        (["people", "--method", "local"], "leave --jobs and --dask out|takes no epsilon"),
        (["people.csv", "people.csv", "--method", "local"], "leave --jobs and --dask out|takes no epsilon"),
        (["people.csv", "--dask", "local", "--method", "local"], "one by one"),
    ],
)
def test_what_cannot_be_read_in_blocks_is_refused_before_anything_is_spent(parts, tables, words):
    (parts / "empty").mkdir()
    ledger = Ledger.create(parts / "ledger")
    ledger.declare("people", epsilon=3.0, delta=1e-4)
    outcome = discreet("release", *ADDITIVE, "--out", "new", "--ledger", "ledger", "--data-set", "people", *tables)
    assert outcome.code != 0
    assert re.search(words, outcome.err)
    assert not (parts / "new").exists()
    assert ledger.spent("people").epsilon == 0.0


def test_a_file_with_a_wrong_column_or_cell_is_refused_without_telling_a_cell(parts):
    pl.DataFrame({"age": [30.0]}).write_parquet(parts / "people" / "3.parquet")
    assert "hours" in discreet("release", "people", *ADDITIVE).err
    pl.DataFrame({"age": [str(CANARY)], "hours": ["none"]}).write_parquet(parts / "people" / "3.parquet")
    outcome = discreet("release", "people", *ADDITIVE)
    assert outcome.code != 0
    assert_silent(outcome.out + outcome.err)
    assert not (parts / "out").exists()


def test_without_dask_its_option_says_what_to_install(parts, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert "pip install 'discreet[dask]'" in discreet("release", "people", *ADDITIVE, "--dask", "local").err


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_workers_of_a_cluster_give_the_same_release(parts):
    cluster_here()
    pytest.importorskip("distributed")
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    expected = values("people.csv", *SKETCH)
    np.testing.assert_array_equal(values(str(parts / "people"), *SKETCH, "--dask", "local", "--jobs", "2"), expected)
    assert len(values(str(parts / "people.parquet"), *ADDITIVE, "--dask", "local", "--jobs", "1")) == len(pl.read_csv("people.csv"))
    assert discreet("verify", "out").code == 0
    assert "no Dask cluster" in discreet("release", "people", *ADDITIVE, "--dask", "tls://nowhere").err
