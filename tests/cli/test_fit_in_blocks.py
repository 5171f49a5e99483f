"""`discreet fit` of several files, of folders and on a cluster: the model of the same people in one table, and errors before anything is spent."""

import gc
import json
import logging
import re
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from discreet.ledger import Ledger
from tests.canary import CANARY, assert_silent
from tests.cli.conftest import UNREADABLE, discreet, rows
from tests.parts import LACKING, cluster_here

FIT = ["--schema", "people.toml", "--epsilon", "1", "--delta", "1e-6", "--seed", "1", "--out", "model.json", "--overwrite"]

needs_device = pytest.mark.skipif("device" in LACKING, reason="this copy moves no rows")


def weights(*tables, **options):
    flags = [text for name, value in options.items() for text in (f"--{name}", str(value))]
    outcome = discreet("fit", *tables, *FIT, *flags, "--json")
    assert outcome.code == 0, outcome.err
    return np.array(json.loads(Path("model.json").read_text(encoding="utf-8"))["weights"])


@pytest.mark.parametrize("tables", [["people"], ["people/*.parquet"], ["people/1.parquet", "people/2.parquet"], ["people.arrow"], ["people.a*w"]])
@pytest.mark.parametrize("jobs", [1, 2])
def test_files_read_in_blocks_give_the_model_of_the_table(parts, tables, jobs):
    np.testing.assert_allclose(weights(*tables, jobs=jobs), weights("people.csv"), atol=1e-6)


def test_curves_and_crosses_of_files_give_the_model_of_the_table(parts):
    text = Path("people.toml").read_text(encoding="utf-8").replace("[numeric.age]", '[numeric.age]\nencoding = "curve"\nmissing = "indicator"')
    Path("people.toml").write_text(text + '\n[cross.both]\ncolumns = ["age", "city"]\n', encoding="utf-8")
    whole = weights("people.csv")
    assert len(whole) > 20
    for jobs in (1, 2):
        np.testing.assert_allclose(weights("people", jobs=jobs), whole, atol=1e-6)
    predicted = discreet("predict", "model.json", "people.csv")
    assert (predicted.code, len(predicted.out.splitlines())) == (0, 1 + len(list(rows())))
    assert "age curve" in discreet("schema", "check", "people.toml", "people.csv").out


def test_the_certificate_says_what_was_declared_as_for_one_table(parts):
    weights("people.csv")
    whole = json.loads((parts / "model.json").read_text())["certificate"]
    weights("people")
    assert json.loads((parts / "model.json").read_text())["certificate"]["declared"] == whole["declared"]
    assert discreet("fit", "people", *FIT[:-5], *FIT[-3:]).code == 0
    assert discreet("verify", "model.json").code == 0


@pytest.mark.parametrize(
    ("tables", "words"),
    [
        *UNREADABLE,
        (["people", "--out", "people/1.parquet"], "which this command reads"),
    ],
)
def test_what_cannot_be_read_in_blocks_is_refused_before_anything_is_spent(parts, tables, words):
    (parts / "empty").mkdir()
    ledger = Ledger.create(parts / "ledger")
    ledger.declare("people", epsilon=3.0, delta=1e-4)
    outcome = discreet("fit", *FIT[:-5], "--out", "new.json", "--ledger", "ledger", "--data-set", "people", *tables, "--overwrite")
    assert outcome.code != 0
    assert re.search(words, outcome.err)
    assert not (parts / "new.json").exists()
    assert ledger.spent("people").epsilon == 0.0


def test_a_file_with_a_wrong_column_or_cell_is_refused_without_telling_a_cell(parts):
    pl.DataFrame({"age": [30.0], "hours": [1.0], "city": ["north"]}).write_parquet(parts / "people" / "3.parquet")
    assert "answer" in discreet("fit", "people", *FIT).err
    cell = pl.DataFrame({"age": [CANARY], "hours": [1.0], "city": ["north"], "answer": ["yes"]})
    cell.write_parquet(parts / "people" / "3.parquet")
    outcome = discreet("fit", "people", *FIT)
    assert outcome.code != 0
    assert_silent(outcome.out + outcome.err)


def test_without_dask_its_option_says_what_to_install(parts, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert "pip install 'discreet[dask]'" in discreet("fit", "people", *FIT, "--dask", "local").err


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_workers_of_a_cluster_give_the_same_model(parts):
    cluster_here()
    distributed = pytest.importorskip("distributed")
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    expected = weights("people.csv")
    np.testing.assert_allclose(weights(parts / "people", dask="local", jobs=2), expected, atol=1e-6)
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address="127.0.0.1:0") as cluster:
        outcome = discreet("fit", parts / "people.parquet", *FIT, "--dask", cluster.scheduler_address)
        assert "not encrypted" in outcome.err
        outcome = discreet("fit", parts / "people.parquet", *FIT, "--dask", cluster.scheduler_address, "--dask-insecure")
        assert outcome.code == 0, outcome.err
        np.testing.assert_allclose(json.loads(Path("model.json").read_text(encoding="utf-8"))["weights"], expected, atol=1e-6)
    assert "no Dask cluster" in discreet("fit", "people", *FIT, "--dask", "tls://nowhere").err


@pytest.mark.filterwarnings("ignore")  # of Dask, at the end of its threads
def test_an_encrypted_cluster_is_spoken_to_with_the_certificates_of_dasks_configuration(parts):
    """Workers are threads of this process; what they say to each other is what processes on many machines do."""
    cluster_here()
    dask, distributed = pytest.importorskip("dask"), pytest.importorskip("distributed")
    from tests.cluster.test_own_cluster import on_disk

    security, files = on_disk(parts)
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, host="127.0.0.1", protocol="tls://", security=security, dashboard_address="127.0.0.1:0"
    ) as cluster:
        command = ["fit", "people", *FIT, "--dask", cluster.scheduler_address]
        assert cluster.scheduler_address.startswith("tls://")
        assert "no Dask cluster" in discreet(*command).err
        gc.collect()  # the client that did not come to be: its end in the middle of another one's beginning would wait for that one
        comm = {"distributed.comm.tls.ca-file": files["ca"], "distributed.comm.tls.client.cert": files["cert"]}
        with dask.config.set(comm | {"distributed.comm.tls.client.key": files["key"]}):
            assert discreet(*command).code == 0
            found = json.loads(Path("model.json").read_text(encoding="utf-8"))["weights"]
            assert "not encrypted" in discreet(*command[:-1], cluster.scheduler_address.replace("tls", "tcp")).err
    gc.collect()  # what Dask leaves open, while its warnings are ignored
    np.testing.assert_allclose(found, weights("people.csv"), atol=1e-6)


def test_a_cluster_that_lets_in_everyone_is_refused_before_anything_is_asked_of_it(parts):
    cluster_here()
    pytest.importorskip("distributed")
    for address in ("tcp://127.0.0.1:9", "127.0.0.1:9", "scheduler"):
        assert "--dask-insecure" in discreet("fit", "people", *FIT, "--dask", address).err
    assert "--dask-deadline" in discreet("fit", "people", *FIT, "--dask", "local", "--dask-deadline", "0").error


@needs_device
@pytest.mark.parametrize("table", ["people.csv", "people"])
def test_rows_may_be_moved_to_a_device(parts, table):
    pytest.importorskip("torch")
    np.testing.assert_allclose(weights(table, device="cpu"), weights("people.csv"), atol=1e-6)


@needs_device
def test_a_device_that_is_not_there_is_an_error_before_the_table_is_read(parts, monkeypatch):
    outcome = discreet("fit", "absent.csv", *FIT, "--device", "mps")
    assert outcome.code != 0
    assert "no float64" in outcome.err
