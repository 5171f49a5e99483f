"""A model as a plain estimator of scikit-learn, and its coefficients as CSV: the same answers, from what was released."""

import csv
import io

import numpy as np
import polars as pl
import pytest

from discreet import Model, Schema
from discreet.core.errors import InvalidInput
from discreet.estimators.door.private_estimator import PrivateModel
from discreet.estimators.model_kinds import encoded_estimator
from tests.schemas import schema_text

TARGETS = {
    "numbers": {"column": "answer", "lower": 20, "upper": 60},
    "two classes": {"column": "answer", "classes": ["no", "yes"]},
    "more classes": {"column": "answer", "classes": ["low", "middle", "high"]},
}
CASES = [(kind, learnt) for kind, made in sorted(PrivateModel.models.items()) for learnt in made.targets if learnt in TARGETS]


def fitted(kind, learnt, **settings):
    """A model on invented records, and rows that it has not seen."""
    schema = Schema.from_toml(schema_text("people", TARGETS[learnt], {"age": (0, 100), "height": (0, 2), "city": ["north", "south"]}, rows="bound"))
    draw = np.random.default_rng(0)
    age, height = draw.uniform(0, 100, 400), draw.uniform(0, 2, 400)
    place = np.minimum((age / 100 + height / 4) * len(TARGETS[learnt].get("classes", "xx")) / 1.6, len(TARGETS[learnt].get("classes", "xx")) - 0.01)
    answer = 20 + 0.4 * age if learnt == "numbers" else np.array(TARGETS[learnt]["classes"])[place.astype(int)]
    frame = pl.DataFrame({"age": age, "height": height, "city": ["north", "south"] * 200, "answer": answer})
    if learnt != "numbers" and kind == "constrained-erm":
        settings["loss"] = "logistic"
    made = encoded_estimator(kind, schema, {"epsilon": 50.0, "delta": 1e-3, "random_state": 1, **settings})
    return Model.from_estimator(made.fit(schema.encode(frame, target=True)), schema), schema, frame


@pytest.mark.at_most(8)
@pytest.mark.each_with_each
@pytest.mark.parametrize(("kind", "learnt"), CASES)
def test_scikit_learns_estimator_answers_as_the_model_does(kind, learnt):
    model, schema, frame = fitted(kind, learnt)
    if kind == "kernel-classifier":
        with pytest.raises(InvalidInput, match="linear in random features"):
            model.to_sklearn()
        return
    if model.linked:
        with pytest.raises(InvalidInput, match="through the link"):
            model.to_sklearn()
        return
    rows = schema.encode(frame, target=False).rows.entries(slice(None))
    plain = model.to_sklearn()
    if learnt == "numbers":
        np.testing.assert_allclose(plain.predict(rows), model.predict(frame), rtol=1e-12)
        return
    np.testing.assert_allclose(plain.decision_function(rows), model.decision(frame), rtol=1e-9, atol=1e-12)
    assert plain.predict(rows).tolist() == model.predict(frame).tolist()
    if hasattr(plain, "predict_proba"):
        np.testing.assert_allclose(plain.predict_proba(rows), model.probabilities(frame), rtol=1e-9)


def test_coefficients_as_csv_say_what_the_model_answers():
    model, _, frame = fitted("linear-regression", "numbers")
    lines = list(csv.DictReader(io.StringIO(model.summary(most=100).to_csv())))
    read = {line["name"]: float(line["coefficient"]) for line in lines}
    slope, other = read["age"], read["height"]
    city = {name: next(value for key, value in read.items() if name in key) for name in ("north", "south")}
    plain = frame.select("age", "height", "city").rows()
    wanted = [read["(intercept)"] + slope * age + other * height + city[where] for age, height, where in plain]
    np.testing.assert_allclose(wanted, model.predict(frame), rtol=1e-9)


def test_a_name_that_would_be_a_formula_is_a_text_in_the_file_for_spreadsheets_and_itself_in_any_other():
    text = schema_text("people", TARGETS["numbers"], {"=1+1": (0, 100)}, rows="bound")
    schema = Schema.from_toml(text)
    frame = pl.DataFrame({"=1+1": np.linspace(0, 100, 50), "answer": np.linspace(20, 60, 50)})
    made = encoded_estimator("linear-regression", schema, {"epsilon": 5.0, "delta": 1e-3, "random_state": 1})
    model = Model.from_estimator(made.fit(schema.encode(frame, target=True)), schema)
    assert ",=1+1,=1+1,0." in model.summary().to_csv()
    assert ",'=1+1,'=1+1,0." in model.summary().to_csv(for_spreadsheet=True)
