"""`discreet evaluate --target`: models of arrays are measured on a table, exactly or privately, as their estimators are in Python."""

import numpy as np
import polars as pl
import pytest

from discreet import ArrayModel, LinearRegression, LogisticRegression, OrdinalRegression, SurvivalModel
from tests.cli.conftest import discreet

DRAW = np.random.default_rng(0)
X = DRAW.uniform(-1, 1, (400, 2))
GRADE = np.digitize(X[:, 0], [-0.3, 0.3])
TARGETS = {
    "text": np.where(X[:, 0] > 0, " >50K", " <=50K"),
    "sign": np.where(X[:, 0] > 0, 1.0, -1.0),
    "flag": X[:, 0] > 0,
    "grade": GRADE,
    "number": X @ [2.0, -1.0],
    "months": DRAW.exponential(np.where(X[:, 0] > 0, 20.0, 3.0)),
}
LEARN = {"epsilon": 20.0, "delta": 1e-4, "data_norm": 1.5, "random_state": 0}


def saved(name):
    y = TARGETS[name]
    if name == "number":
        return LinearRegression(target_bound=4.0, **LEARN).fit(X, y)
    if name == "months":
        return SurvivalModel(ends=[2, 6, 12], rows_per_person=1, **LEARN).fit(X, y)
    if name == "grade":
        return OrdinalRegression(classes=[0, 1, 2], rows_per_person=1, **LEARN).fit(X, y)
    return LogisticRegression(classes=sorted(set(y.tolist())), **LEARN).fit(X, y)


@pytest.fixture
def arrays(tmp_path, monkeypatch):
    """A folder with a table of columns a and b, the targets, ids of persons and whether it happened."""
    monkeypatch.chdir(tmp_path)
    frame = pl.DataFrame({"a": X[:, 0], "b": X[:, 1], **TARGETS, "id": np.arange(400) // 2, "died": np.ones(400, dtype=int)})
    frame.write_csv("table.csv")
    return frame


@pytest.mark.parametrize("name", TARGETS)
def test_exact_measures_of_a_table_are_those_of_its_arrays(arrays, name):
    saved(name).save("model.json")
    arrays[["a", "b", name, "died"]].write_csv("few.csv")
    event = ("--event", "died") if name == "months" else ()
    more = ("--target", name, *event)
    table = "few.csv" if event else "plain.csv"
    arrays[["a", "b", name]].write_csv("plain.csv")
    told = discreet("evaluate", "model.json", table, *more, "--data-is", "synthetic", "--json")
    assert told.code == 0, told.err
    model, measures = ArrayModel.load("model.json"), told.json
    assert measures["records"] == 400
    if name == "number":
        assert measures["mse"] == pytest.approx(np.mean(np.square(model.predict(X) - TARGETS[name])))
    elif name == "months":
        assert measures["events"] == np.sum(TARGETS[name] <= 12)
        assert measures["concordance"] > 0.6
    else:
        assert measures["accuracy"] == pytest.approx(np.mean(model.predict(X) == TARGETS[name]))
        assert measures["accuracy"] > 0.7


@pytest.mark.parametrize("name", ["text", "number", "months"])
def test_a_private_measure_says_what_is_protected(arrays, name):
    saved(name).save("model.json")
    arrays[["a", "b", name, "id"]].write_csv("persons.csv")
    arrays[["a", "b", name]].write_csv("plain.csv")
    measure = ("--target", name, "--epsilon", "5", "--delta", "1e-4", "--json")
    alone = discreet("evaluate", "model.json", "plain.csv", *measure)
    assert alone.code == 0, alone.err
    assert alone.asked
    kept = "1" if name == "months" else "2"
    assert alone.json["guarantee"]["unit"] == "record"
    for table, more in (("plain.csv", ("--rows-per-person", "1")), ("persons.csv", ("--person", "id", "--rows-per-person", kept))):
        told = discreet("evaluate", "model.json", table, *measure, *more)
        assert (told.code, told.err, told.asked) == (0, "", False)
        assert told.json["guarantee"]["unit"] == "person"
        assert told.json["verification"]["ok"]


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("--data-is public", 2, "--target COLUMN is needed"),
        ("--target text --event died --epsilon 1", 2, "--event is for models of times"),
        ("--target text --person id --epsilon 1", 2, "--person needs --rows-per-person"),
        ("--target a --epsilon 1", 3, "a feature, the target, the event, the person id"),
        ("--target grade --epsilon 1 --rows-per-person 1", 3, "has a missing value, or one that is not a class of"),
        ("--target text --epsilon 1 --dask local", 3, "on one table in memory"),
    ],
)
def test_what_a_model_of_arrays_needs_is_said(arrays, line, code, message):
    y = TARGETS["text"]
    LogisticRegression(classes=sorted(set(y.tolist())), **LEARN).fit(arrays[["a", "b"]].to_pandas(), y).save("model.json")
    refused = discreet("evaluate", "model.json", "table.csv", *line.split())
    assert refused.code == code
    assert message in refused.error
    assert "0.63" not in refused.err


def test_gaps_and_options_of_the_other_kind_of_model_are_refused(arrays, model):
    assert "is for models fitted on arrays" in discreet("evaluate", "model.json", "people.csv", "--target", "a", "--epsilon", "1").error
    saved("number").save("numbers.json")
    arrays[["a", "b"]].with_columns(number=pl.Series([None, *TARGETS["number"][1:]])).write_csv("gap.csv")
    assert "'number' has a missing value" in discreet("evaluate", "numbers.json", "gap.csv", "--target", "number", "--epsilon", "1").error
    Y = np.column_stack((TARGETS["number"], TARGETS["number"]))
    LinearRegression(target_bound=4.0, **LEARN).fit(X, Y).save("two.json")
    assert "but only one can be measured" in discreet("evaluate", "two.json", "gap.csv", "--target", "number", "--epsilon", "1").error
