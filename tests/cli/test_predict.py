"""`discreet predict`: answers by a threshold of public costs, of models of arrays, and of times."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from discreet import ArrayModel, LogisticRegression, Model
from tests.cli.conftest import discreet
from tests.schemas import schema_text


def test_a_threshold_answers_the_second_class_more_often_where_missing_it_costs_more(model):
    wanted = Model.load("model.json").predict(pl.read_csv("people.csv"), threshold=0.1).tolist()
    low, high = (discreet("predict", "model.json", "people.csv", "--threshold", at).out.splitlines()[1:] for at in ("0.1", "0.9"))
    assert low == wanted
    assert low.count("yes") > high.count("yes")


@pytest.mark.parametrize("threshold", ["0", "1", "nan"])
def test_a_threshold_lies_between_0_and_1(model, threshold):
    refused = discreet("predict", "model.json", "people.csv", "--threshold", threshold)
    assert refused.code == 3
    assert "between 0 and 1" in refused.err
    assert not refused.out


@pytest.fixture
def arrays(tmp_path, monkeypatch):
    """A model of arrays, with names of columns and without, in a folder with a table."""
    monkeypatch.chdir(tmp_path)
    draw = np.random.default_rng(0)
    frame = pl.DataFrame({"id": range(60), "b": draw.uniform(-1, 1, 60), "a": draw.uniform(-1, 1, 60)})
    frame.write_csv("table.csv")
    y = np.where(frame["a"].to_numpy() > 0, "yes", "no")
    for name, X in (("named", frame[["a", "b"]].to_pandas()), ("plain", frame[["b", "a"]].to_numpy())):
        LogisticRegression(epsilon=5.0, classes=["no", "yes"], data_norm=1.5).fit(X, y).save(f"{name}.json")
    return frame


@pytest.mark.parametrize("name", ["named", "plain"])
def test_a_model_of_arrays_answers_about_columns_by_their_names_or_in_their_order(arrays, name):
    told = discreet("predict", f"{name}.json", "table.csv", "--keep", "id", "--probabilities")
    assert told.code == 0, told.err
    found = pl.read_csv(told.out.encode())
    model = ArrayModel.load(f"{name}.json")
    X = arrays[["a", "b"] if name == "named" else ["b", "a"]].to_numpy()
    assert found["id"].to_list() == arrays["id"].to_list()
    assert found["prediction"].to_list() == model.predict(X).tolist()
    assert np.allclose(found["probability of yes"], model.probabilities(X)[:, 1])


def test_columns_that_a_model_of_arrays_does_not_know_are_refused(arrays):
    for words, more in (("fitted on 2 columns without names", ["plain.json", "table.csv"]), ("Give a file", ["plain.json", "-"])):
        refused = discreet("predict", *more)
        assert refused.code == 3
        assert words in refused.err
    arrays.rename({"a": "c"}).write_csv("other.csv")
    assert "'a'" in discreet("predict", "named.json", "other.csv").err


def test_commands_that_need_a_schema_say_so_of_a_model_of_arrays(arrays):
    refused = discreet("intervals", "plain.json", "table.csv", "--epsilon", "1", "--delta", "1e-4")
    assert refused.code == 3
    assert "was fitted on arrays, so it does not know the columns" in refused.err


def test_times_are_told_with_their_median_and_the_chance_of_a_longer_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    draw = np.random.default_rng(0)
    age = draw.uniform(0, 100, 2000)
    pl.DataFrame({"age": age, "months": draw.exponential(np.where(age > 50, 3.0, 30.0))}).write_csv("people.csv")
    target = {"column": "months", "ends": [3, 6, 12]}
    Path("people.toml").write_text(schema_text("people", target, {"age": (0, 100)}, rows="bound", rows_per_person=1), encoding="utf-8")
    assert discreet("fit", "people.csv", "--schema", "people.toml", "--epsilon", "8", "--out", "model.json").code == 0
    found = pl.read_csv(discreet("predict", "model.json", "people.csv", "--probabilities").out.encode())
    assert found.columns == ["prediction", "median time", "survival at 3", "survival at 6", "survival at 12"]
    old = age > 60
    assert found["prediction"].to_numpy()[old].mean() < found["prediction"].to_numpy()[~old].mean()
    assert np.array_equal(found["median time"].is_null(), found["survival at 12"].to_numpy() > 0.5)
    assert "is not a model of times, so it has no survival" not in discreet("show", "model.json").out
