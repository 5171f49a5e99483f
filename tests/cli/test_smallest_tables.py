"""Tables of no record and of one: the command answers where the estimators do, and refuses in one sentence where the number of records is public."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from discreet import LogisticRegression
from discreet.core.errors import InvalidInput
from discreet.ledger import Ledger
from tests.cli.conftest import discreet, rows

FIT = ["--schema", "people.toml", "--epsilon", "1", "--delta", "1e-6", "--out", "model.json", "--overwrite"]
COLUMNS = {"age": pl.Int64, "hours": pl.Int64, "city": pl.String, "answer": pl.String}


def table(count, ending):
    frame = pl.DataFrame(list(rows())[:count], schema=COLUMNS, orient="row")
    path = f"few.{ending}"
    frame.write_csv(path) if ending == "csv" else frame.write_parquet(path)
    return path


def estimator_answers(count, neighbours):
    model = LogisticRegression(epsilon=1.0, delta=1e-6, neighbours=neighbours, classes=["no", "yes"])
    try:
        model.fit(np.zeros((count, 5)), np.array(["no"] * count, dtype=str))
    except InvalidInput:
        return False
    return True


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
@pytest.mark.parametrize("count", [0, 1])
def test_the_command_answers_where_the_estimator_does(count, neighbours, ending):
    path = table(count, ending)
    Ledger.create("people.ledger").declare("people", epsilon=1.0, delta=1e-5, neighbours=neighbours)
    outcome = discreet("fit", path, *FIT, "--neighbours", neighbours, "--ledger", "people.ledger", "--data-set", "people")
    answered = estimator_answers(count, neighbours)
    assert answered is (count > 0 or neighbours == "add-remove")
    assert Ledger("people.ledger").spent("people").epsilon == pytest.approx(1.0 if answered else 0.0)
    if answered:
        assert outcome.code == 0, outcome.err
        assert len(json.loads(Path("model.json").read_text(encoding="utf-8"))["weights"]) > 0
        assert discreet("predict", "model.json", path, "--json").code == 0
    else:
        assert outcome.code == 3
        assert "records" in outcome.error
        assert "at least" in outcome.error
        assert not Path("model.json").exists()


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_private_measurement_of_no_record_answers_unless_their_number_is_public(ending):
    discreet("fit", "people.csv", *FIT)
    path = table(0, ending)
    assert discreet("evaluate", "model.json", path, "--epsilon", "1", "--neighbours", "add-remove").code == 0
    refused = discreet("evaluate", "model.json", path, "--epsilon", "1", "--neighbours", "replace-one")
    assert refused.code == 3
    assert "at least" in refused.error


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("epsilon", ["1e400", "1" + "0" * 400])
def test_a_number_beyond_float64_is_not_a_fit_without_privacy(epsilon):
    refused = discreet("fit", "people.csv", "--schema", "people.toml", "--epsilon", epsilon, "--out", "model.json")
    assert refused.code == 2
    assert "a number is too large" in refused.error
    assert not Path("model.json").exists()
    assert discreet("fit", "people.csv", "--schema", "people.toml", "--epsilon", "inf", "--out", "model.json").code == 0
