"""`discreet tune` of several files, of folders and on a cluster: the search over the same people in one table."""

import json
import logging
from pathlib import Path

import numpy as np
import pytest

from discreet.ledger import Ledger
from tests.cli.conftest import discreet
from tests.parts import cluster_here

TUNE = ["--schema", "people.toml", "--grid", "alpha=0.05,0.5", "--epsilon", "2", "--delta", "1e-6", "--out", "tuned.json", "--overwrite"]


def tuned(*tables, seed=("--seed", "1"), **options):
    flags = [text for name, value in options.items() for text in (f"--{name}", str(value))]
    outcome = discreet("tune", *tables, *TUNE, *seed, *flags, "--json")
    assert outcome.code == 0, outcome.err
    return json.loads(Path("tuned.json").read_text(encoding="utf-8"))


@pytest.mark.more
@pytest.mark.usefixtures("parts")
@pytest.mark.parametrize(
    ("tables", "jobs"),
    [
        (["people"], 1),
        (["people/*.parquet"], 2),
        pytest.param(["people.arrow"], 1, marks=pytest.mark.more),
        pytest.param(["people.csv"], 2, marks=pytest.mark.more),
    ],
)
def test_files_read_in_blocks_give_the_search_of_the_table(tables, jobs):
    found, expected = tuned(*tables, jobs=jobs), tuned("people.csv")
    np.testing.assert_allclose(found["weights"], expected["weights"], atol=1e-6)
    for name in ("declared", "guarantee", "parameters"):
        assert found["certificate"][name] == expected["certificate"][name]


@pytest.mark.usefixtures("parts")
def test_it_is_one_entry_in_the_ledger_and_the_certificate_holds(tmp_path):
    ledger = Ledger.create(tmp_path / "team.ledger")
    ledger.declare("people", epsilon=3.0, delta=1e-5)
    tuned("people", seed=(), ledger=tmp_path / "team.ledger", **{"data-set": "people"})
    assert discreet("verify", "tuned.json").code == 0
    assert len(ledger.history("people")) == 1
    assert discreet("tune", "people", *TUNE, "--ledger", str(tmp_path / "team.ledger"), "--data-set", "people").code == 7


@pytest.mark.usefixtures("parts")
@pytest.mark.parametrize(("tables", "words"), [(["nothing/*.parquet"], "no file matches"), (["people", "--jobs", "0"], "n_jobs must be")])
def test_what_cannot_be_read_in_blocks_is_refused(tables, words):
    outcome = discreet("tune", *tables, *TUNE)
    assert outcome.code != 0
    assert words in outcome.err


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("parts")
def test_workers_of_a_cluster_give_the_same_search(tmp_path):
    cluster_here()
    pytest.importorskip("distributed")
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    expected = tuned("people.csv")
    found = tuned(Path("people").absolute(), dask="local", jobs=2)
    np.testing.assert_allclose(found["weights"], expected["weights"], atol=1e-6)
    assert found["certificate"]["parameters"] == expected["certificate"]["parameters"]
    del tmp_path
