"""Curves of models: contributions by hand, bands that hold what they say, and what has no curves."""

from dataclasses import replace

import numpy as np
import pytest

from discreet import LinearRegression, LinearSVC, LogisticRegression
from discreet.core.errors import InvalidInput
from discreet.data import Schema
from discreet.estimators import Model, release_uncertainty
from discreet.estimators.intervals.known_errors import AT_MOST, WHOLE
from discreet.estimators.intervals.uncertainty import noise_law, problem_of

SCHEMA = Schema.from_dict(
    {
        "format": "discreet-schema/1",
        "name": "people",
        "rows": "bound",
        "target": {"column": "rich", "classes": ["no", "yes"]},
        "numeric": [{"name": "age", "lower": 20, "upper": 70, "outside": "clip"}],
        "categorical": [{"name": "town", "categories": ["A", "B", "C"]}],
    }
)


def people(count=2000, seed=0):
    rng = np.random.default_rng(seed)
    age, town = rng.uniform(20, 70, count), rng.integers(0, 3, count)
    odds = 0.08 * (age - 45) + np.array([-1.0, 0.0, 1.5])[town]
    rich = np.where(rng.random(count) < 1.0 / (1.0 + np.exp(-odds)), "yes", "no")
    return {"age": age, "town": np.array(["A", "B", "C"])[town], "rich": rich}


def fitted(schema=SCHEMA, kind=LogisticRegression, table=None, **settings):
    table = people() if table is None else table
    estimator = kind(**({"epsilon": 1.0, "delta": 1e-6, "data_norm": schema.norm_bound, "random_state": 3} | settings))
    return Model.from_estimator(estimator.fit(schema.encode(table, target=True)), schema)


@pytest.mark.parametrize("rows", ["bound", "normalise"])
def test_contributions_are_the_differences_of_decisions(rows):
    schema = replace(SCHEMA, rows=rows)
    model = fitted(schema)
    curves = model.curves()
    towns = model.decision({"age": np.full(3, 20.0), "town": np.array(["A", "B", "C"])})
    by_town = curves["town"].contribution
    if rows == "normalise":  # at the lower bound of age the row has norm 1, where the curves are drawn for sqrt(2)
        towns = towns / np.sqrt(2.0)
    assert np.allclose(by_town - by_town.mean(), towns - towns.mean())
    assert abs(by_town.mean()) < 1e-12
    assert curves["town"].values == ("A", "B", "C")
    assert curves["age"].values.tolist() == [20.0, 70.0]


@pytest.mark.parametrize(
    "encoding",
    ["curve", {"name": "bins", "count": 5}, {"name": "curve", "knots": [30, 50], "values": [40]}, [{"name": "bins", "count": 4}, "linear"]],
    ids=["curve", "bins", "own value", "steps and a slope"],
)
def test_contributions_of_an_encoded_number_are_the_differences_of_decisions_everywhere(encoding):
    schema = Schema.from_dict(SCHEMA.to_dict() | {"numeric": [{"name": "age", "lower": 20, "upper": 70, "encoding": encoding}]})
    model = fitted(schema, mechanism="objective")
    age = model.curves()["age"]
    decisions = model.decision({"age": age.values, "town": np.repeat("A", len(age.values))})
    assert np.allclose(age.contribution, decisions - decisions.mean())
    between = 0.5 * (age.values[1:] + age.values[:-1])
    drawn = age.contribution[:-1] if age.stepped else np.interp(between, age.values, age.contribution)
    inside = model.decision({"age": between, "town": np.repeat("A", len(between))}) - decisions.mean()
    wide = np.diff(age.values) > 1e-6
    assert np.allclose(drawn[wide], inside[wide])


def test_the_most_important_column_comes_first():
    first, second = fitted(epsilon=np.inf, alpha=1e-4).curves().contributions
    assert first.importance >= second.importance
    assert first.importance == pytest.approx(np.std(first.contribution))


def test_the_band_of_the_noise_is_the_law_of_the_certificate_at_no_curvature():
    model = fitted(mechanism="objective")
    curves = model.curves(level=0.95)
    assert curves.band == AT_MOST
    problem = problem_of(model.certificate)
    law = noise_law(model.certificate)
    age = curves["age"]
    deviation = 0.5 * np.sqrt(law.variances[0] / (problem.ridge + law.extra_ridge) ** 2 + law.last_stage)
    assert np.allclose(age.high - age.contribution, 1.959964 * deviation, rtol=1e-5)


def test_the_band_of_the_noise_holds_what_seeds_move_and_a_quarter_of_it_does_not():
    """Fits on the same records differ by the noise alone: a band of 95 % holds each one's distance from their mean."""
    table = people(40)
    models = [fitted(table=table, random_state=seed) for seed in range(40)]
    found = np.array([model.curves()["town"].contribution for model in models])
    half = models[0].curves()["town"].high - models[0].curves()["town"].contribution
    away = np.abs(found - found.mean(axis=0))
    assert np.mean(away <= half) >= 0.93
    assert np.mean(away <= 0.25 * half) < 0.93


def test_released_curvature_makes_the_band_count_the_sample():
    model = fitted()
    uncertainty = release_uncertainty(model, people(), epsilon=2.0, delta=1e-6, random_state=1)
    curves = model.curves(uncertainty=uncertainty)
    assert curves.band == WHOLE
    direction = np.array([[0.0, 2.0, -1.0, -1.0]]) / 3.0
    expected = uncertainty.along(direction)
    town = curves["town"]
    assert town.low[0] == pytest.approx(expected.low[0])
    assert town.high[0] == pytest.approx(expected.high[0])


def test_uncertainty_of_another_model_is_refused():
    uncertainty = release_uncertainty(fitted(), people(), epsilon=2.0, delta=1e-6, random_state=1)
    with pytest.raises(InvalidInput, match="another model"):
        fitted(random_state=4).curves(uncertainty=uncertainty)


def test_without_privacy_there_is_no_band():
    curves = fitted(epsilon=np.inf, alpha=1e-3).curves()
    assert curves.band is None
    assert curves["age"].low is None


def test_a_target_that_is_a_number_is_in_its_unit():
    schema = replace(SCHEMA, target=Schema.from_dict(SCHEMA.to_dict() | {"target": {"column": "income", "lower": 0, "upper": 100}}).target)
    table = people() | {"income": np.clip(people()["age"], 0, 100)}
    model = fitted(schema, LinearRegression, table)
    curves = model.curves()
    assert curves.towards == "a larger income"
    ends = model.predict({"age": np.array([20.0, 70.0]), "town": np.array(["A", "A"])})
    assert np.diff(curves["age"].contribution) == pytest.approx(np.diff(ends))


def test_more_than_two_classes_have_curves_of_each():
    schema = Schema.from_dict(SCHEMA.to_dict() | {"target": {"column": "rich", "classes": ["no", "yes", "perhaps"]}})
    model = fitted(schema)
    with pytest.raises(InvalidInput, match="pass label="):
        model.curves()
    each = [model.curves(label=label)["age"].contribution for label in model.classes]
    assert np.allclose(np.sum(each, axis=0), 0.0)


def test_a_label_of_two_classes_a_bad_level_and_a_strange_column_are_refused():
    model = fitted(kind=LinearSVC)
    for given in ({"label": "yes"}, {"level": 1.0}):
        with pytest.raises(InvalidInput):
            model.curves(**given)
    with pytest.raises(InvalidInput, match="the model does not use a column"):
        model.curves()["income"]


def test_every_encoding_that_is_no_curve_has_a_picture_of_its_own():
    hired = {"name": "hired", "lower": "2015-01-01", "upper": "2024-12-31", "encoding": ["curve", "month"], "missing": "indicator"}
    crosses = [{"name": "age", "columns": ["hired", "town"], "encoding": {"name": "bins", "cuts": [17000]}}]
    schema = Schema.from_dict(SCHEMA.to_dict() | {"date": [hired], "cross": crosses})
    days = np.datetime64("2015-01-01") + np.arange(2000)
    found = {one.column: one for one in fitted(schema, table=people() | {"hired": days}).curves().contributions}
    assert set(found) == {"age", "town", "hired", "hired: month", "hired missing", "age (2)"}
    assert found["hired"].dates
    assert found["hired: month"].values[:2] == ("Jan", "Feb")
    assert found["age (2)"].sides[0].labels == ("from 2015-01-01", "from 2016-07-18", "missing")
    assert found["age (2)"].values[:2] == ("from 2015-01-01, A", "from 2015-01-01, B")
