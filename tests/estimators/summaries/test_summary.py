"""Summaries of models: coefficients that give the decisions back, noise that is as large as stated, and the same in every form."""

import json

import numpy as np
import pytest

from discreet import KernelClassifier, LinearRegression, LinearSVC, LogisticRegression, PrivateSearchCV, estimators, release_uncertainty
from discreet.core.errors import InvalidInput
from discreet.data import Schema
from discreet.estimators import Model
from discreet.estimators.door.private_estimator import PrivateModel
from discreet.estimators.models.set_model import ConstrainedModel
from discreet.estimators.summaries.summarise import INTERCEPT

TABLE = {
    "format": "discreet-schema/1",
    "name": "people",
    "rows": "bound",
    "target": {"column": "rich", "classes": ["no", "yes"]},
    "numeric": [
        {"name": "age", "lower": 20, "upper": 70, "outside": "clip"},
        {"name": "height", "lower": -1, "upper": 3, "scale": "symmetric", "outside": "clip"},
    ],
    "categorical": [{"name": "town", "categories": ["A", "B", "C"]}],
}
NUMBER = {"column": "income", "lower": 0.0, "upper": 5000.0}


def people(count=1000, seed=0):
    rng = np.random.default_rng(seed)
    age, height, town = rng.uniform(20, 70, count), rng.uniform(-1, 3, count), rng.integers(0, 3, count)
    rich = np.where(age + 10.0 * height > 55.0, "yes", "no")
    return {"age": age, "height": height, "town": np.array(["A", "B", "C"])[town], "rich": rich, "income": 40.0 * age + 300.0 * height}


def answers(summary, table):
    """The decision by hand: the printed coefficients times the table's own numbers."""
    found = {line.name: line.coefficient for line in summary.parts[0].lines}
    towns = np.array([found[f"town={town}"] for town in table["town"]])
    return found[INTERCEPT] + found["age"] * table["age"] + found["height"] * table["height"] + towns


@pytest.mark.parametrize("target", [TABLE["target"], NUMBER], ids=["classes", "number"])
def test_coefficients_in_the_units_of_the_table_give_its_answers(target):
    schema, table = Schema.from_dict(TABLE | {"target": target}), people()
    kind = LogisticRegression if "classes" in target else LinearRegression
    model = Model.from_estimator(kind(data_norm=schema.norm_bound, random_state=0).fit(schema.encode(table, target=True)), schema)
    given = model.decision(table) if "classes" in target else model.predict(table)
    assert np.allclose(answers(model.summary(), table), given)


def fitted(name):
    kind = getattr(estimators, name)
    rng = np.random.default_rng(0)
    X = rng.uniform(-0.5, 0.5, (300, 4))
    steps = {"n_iter": 3} if issubclass(kind, ConstrainedModel) else {}
    known = kind().get_params()
    given = {name: value for name, value in (("classes", [0, 1]), ("target_bound", 1.0)) if name in known and not known[name]}
    model = kind(**given, **steps)
    of_classes = model.__sklearn_tags__().estimator_type == "classifier"
    return model.fit(X, (X[:, 0] > 0).astype(int) if of_classes else np.abs(X[:, 0]) + 0.1)


SINGLE = [
    name
    for name in estimators.__all__
    if isinstance(kind := getattr(estimators, name), type) and issubclass(kind, PrivateModel) and kind is not PrivateSearchCV
]


@pytest.mark.parametrize("name", SINGLE)
def test_every_estimator_has_a_summary_that_says_the_same_in_every_form(name):
    model = fitted(name)
    summary = model.summary()
    text, read = str(summary), json.loads(summary.to_json())
    assert read == summary.to_dict()
    assert "epsilon 1" in text
    assert model.certificate_.mechanism in text
    assert summary._repr_html_().count("<table") == 2 + len(summary.parts)
    assert summary.to_latex().count("tabular") == 2 * len(summary.parts)
    if name == "KernelClassifier":
        assert not summary.parts
        assert "random features" in text
        return
    (part,) = summary.parts
    coefficients = np.array([line.coefficient for line in part.lines if not line.name.startswith("(")])
    assert np.array_equal(coefficients, np.ravel(model.coef_))
    assert (summary.counted is None) == all(line.low is None for line in part.lines)
    for line in part.lines:
        assert f"{line.coefficient:.4g}" in text


@pytest.mark.at_most(2)
@pytest.mark.parametrize(
    ("kind", "mechanism", "classes", "delta"),
    [
        (LinearSVC, "output", 2, 1e-6),
        (LinearSVC, "output", 2, 0.0),
        (LogisticRegression, "objective", 2, 1e-6),
        (LogisticRegression, "objective", 2, 0.0),
        (LogisticRegression, "objective", 3, 0.0),
        (LinearSVC, "objective", 3, 0.0),
    ],
)
def test_the_noise_is_as_large_as_stated(kind, mechanism, classes, delta):
    """Many fits of the same records differ by their noise alone: exactly as stated where it is added to weights, by no more where it is not."""
    rng = np.random.default_rng(1)
    X = rng.uniform(-0.5, 0.5, (60, 3))
    y = np.arange(60) % classes
    model = kind(classes=list(range(classes)), mechanism=mechanism, delta=delta, random_state=2, epsilon=0.5)
    many = model.fit_many(X, y, count=400).coef.reshape(400, -1)
    stated = np.array([line.noise for part in model.fit(X, y).summary().parts for line in part.lines if not line.name.startswith("(")])
    ratio = many.std(axis=0) / stated
    assert np.all(ratio < 1.1)
    if mechanism == "output":
        assert np.all(ratio > 0.9)
    else:
        assert np.any(ratio > 0.7)  # of so few records the bound is nearly what there is


def test_bought_intervals_are_in_the_summary():
    rng = np.random.default_rng(0)
    X = rng.uniform(-0.5, 0.5, (2000, 3))
    y = (X[:, 0] + 0.2 * rng.standard_normal(2000) > 0).astype(int)
    model = LogisticRegression(classes=[0, 1], random_state=0).fit(X, y)
    bought = release_uncertainty(model, X, y, epsilon=2.0, delta=1e-6, random_state=1)
    summary, alone = model.summary(uncertainty=bought), model.summary()
    found, intercept = bought.coef_interval(), bought.intercept()
    lines = summary.parts[0].lines
    assert np.allclose([line.low for line in lines], np.append(intercept.low, found.low))
    assert np.allclose([line.high for line in lines], np.append(intercept.high, found.high))
    assert [line.odds_ratio for line in lines[1:]] == pytest.approx(np.exp(model.coef_[0]))
    assert summary.counted != alone.counted
    assert all(line.noise <= other.noise * (1.0 + 1e-9) for line, other in zip(lines, alone.parts[0].lines, strict=True))
    other = LogisticRegression(classes=[0, 1], random_state=5).fit(X, y)
    with pytest.raises(InvalidInput, match="another model"):
        other.summary(uncertainty=bought)


def test_of_long_lists_the_most_important_are_shown():
    rng = np.random.default_rng(0)
    X = rng.uniform(-0.2, 0.2, (500, 12))
    model = LinearSVC(classes=[0, 1], random_state=0).fit(X, (X[:, 5] > 0).astype(int))
    (part,) = model.summary(most=3).parts
    shown = {line.name for line in part.lines} - {INTERCEPT}
    assert part.left_out == 9
    assert shown == {f"x{place}" for place in np.argsort(-np.abs(model.coef_[0]))[:3]}


def test_names_cannot_command_a_terminal_a_browser_or_tex():
    rng = np.random.default_rng(0)
    X = rng.uniform(-0.5, 0.5, (100, 1))
    model = LogisticRegression(classes=["<b>%_\x1b[2J", r"\input{x}"], random_state=0)
    summary = model.fit(X, np.where(X[:, 0] > 0, model.classes[0], model.classes[1])).summary()
    assert "\x1b" not in str(summary)
    assert "<b>" not in summary._repr_html_()
    assert r"\textbackslash{}input\{x\}" in summary.to_latex()


def test_a_kernel_and_a_seed_and_no_privacy_are_said():
    rng = np.random.default_rng(0)
    X = rng.uniform(-0.5, 0.5, (100, 2))
    y = (X[:, 0] > 0).astype(int)
    assert "void" in str(LinearSVC(classes=[0, 1], random_state=0).fit(X, y).summary())
    assert "void" not in str(KernelClassifier(classes=[0, 1], n_features=4).fit(X, y).summary())
    exact = LogisticRegression(classes=[0, 1], epsilon=np.inf, alpha=0.1).fit(X, y).summary()
    assert exact.counted is None
    assert "no noise" in str(exact)
    with pytest.raises(InvalidInput, match="level"):
        LinearSVC(classes=[0, 1]).fit(X, y).summary(level=1.0)
