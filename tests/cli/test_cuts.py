"""`discreet fit --cuts private`: from a file, standard input and blocks, with one entry in the ledger, and errors before anything is spent."""

import json

import polars as pl
import pytest

from discreet import Model
from discreet.ledger import Ledger
from tests.cli.conftest import discreet, rows

FIT = ["--schema", "people.toml", "--epsilon", "4", "--delta", "1e-6", "--out", "model.json", "--overwrite", "--json"]


def said(*arguments, **given):
    outcome = discreet("fit", *arguments, **given)
    assert outcome.code == 0, outcome.err
    return json.loads(outcome.out)


def many(folder):
    """The people of people.csv, forty times: private cuts pay then."""
    frame = pl.DataFrame(list(rows()) * 40, schema=["age", "hours", "city", "answer"], orient="row")
    frame.write_csv(folder / "people.csv")
    return frame


def test_the_model_states_the_total_and_spends_it_once(folder):
    many(folder)
    Ledger.create("a.ledger").declare("people", epsilon=4.0, delta=1e-6)
    found = said("people.csv", *FIT, "--cuts", "private", "--ledger", "a.ledger", "--data-set", "people")
    assert found["spent"] == {"epsilon": 4.0, "delta": 1e-6}
    (entry,) = Ledger("a.ledger").history("people")
    assert entry.purpose == "linear-svc, model.json (cuts-then-fit)"
    assert discreet("verify", "model.json").code == 0
    assert discreet("predict", "model.json", "people.csv", "--out", "said.csv").code == 0
    assert discreet("fit", "people.csv", *FIT, "--cuts", "private", "--ledger", "a.ledger", "--data-set", "people").code == 7


@pytest.mark.more
def test_blocks_and_seeds_give_the_same_cuts(folder):
    frame = many(folder)
    (folder / "parts").mkdir()
    frame[:3000].write_parquet(folder / "parts" / "1.parquet")
    frame[3000:].write_parquet(folder / "parts" / "2.parquet")
    models = []
    for table in ("people.csv", "parts"):
        said(table, *FIT, "--cuts", "private", "--seed", "1", "--neighbours", "add-remove")
        models.append(json.loads((folder / "model.json").read_text()))
    assert models[0]["schema"] == models[1]["schema"]
    assert models[0]["weights"] == pytest.approx(models[1]["weights"], abs=1e-6)


def test_a_small_table_is_cut_at_equal_steps_and_says_so(folder):
    outcome = discreet("fit", "people.csv", *FIT[:2], "--epsilon", "0.1", *FIT[4:-1], "--cuts", "private")
    assert outcome.code == 0, outcome.err
    assert "with so few records, or so small an epsilon, private" in outcome.out


@pytest.mark.parametrize("share", ["0", "1", "-3"])
def test_a_share_that_is_none_costs_nothing(folder, share):
    many(folder)
    outcome = discreet("fit", "people.csv", *FIT, "--cuts", "private", "--cuts-share", share)
    assert outcome.code != 0
    assert "share" in outcome.err + outcome.out
    assert not (folder / "model.json").exists()


def test_a_calibrated_fit_of_cut_columns_says_both(folder):
    many(folder)
    outcome = discreet("fit", "people.csv", *FIT[:-1], "--cuts", "private", "--calibrate")
    stated = Model.load("model.json").certificate.guarantee
    assert (stated.epsilon, stated.delta_at_epsilon) == (4.0, 1e-6)
    assert discreet("verify", "model.json").code == 0
    assert "chosen privately with 0.1 of the budget" in outcome.out
    assert "by private counts: decisions times" in outcome.out
