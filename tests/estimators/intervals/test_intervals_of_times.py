"""Intervals of models of times and of ordered classes: the formula, one budget with the fit, files, a schema, and what they cannot say."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import norm

from discreet import Model, OrdinalRegression, SurvivalModel, release_uncertainty
from discreet.core.errors import InvalidInput
from discreet.data import Schema
from discreet.estimators import IntervalFile, fit_with_intervals
from discreet.estimators.intervals.released_noise import noise_law
from discreet.estimators.intervals.uncertainty import problem_of
from discreet.estimators.prior import made_prior
from tests.schemas import schema_text


def data(kind, count=1500, seed=0):
    draw = np.random.default_rng(seed)
    X = draw.uniform(-0.5, 0.5, (count, 3))
    if kind is OrdinalRegression:
        return X, np.digitize(6.0 * X[:, 0] + draw.logistic(size=count), [-1.0, 1.0])
    events = draw.random((count, 3)) < expit(4.0 * X[:, :1] - 0.5)
    return X, np.where(events.any(axis=1), events.argmax(axis=1) + 0.5, 9.0)


def made(kind, **settings):
    own = {"ends": [1.0, 2.0, 3.0], "typical": 0.3} if kind is SurvivalModel else {"classes": [0, 1, 2]}
    return kind(**{"epsilon": 2.0, "delta": 1e-6, "data_norm": 1.0, "neighbours": "add-remove", "random_state": 0, **own, **settings})


KINDS = [SurvivalModel, OrdinalRegression]


@pytest.mark.parametrize("kind", KINDS)
def test_with_nearly_exact_curvature_the_intervals_are_those_of_the_formula(kind):
    X, y = data(kind)
    model = made(kind).fit(X, y)
    found = release_uncertainty(model, X, y, epsilon=100.0, delta=1e-3, random_state=1)
    held, problem, law = found.matrices, found.problem, noise_law(model.certificate_)
    inverse = np.linalg.inv(held.curvature + law.ridge * np.eye(len(found.weights)))
    variance = inverse @ (held.variation + law.variances.mean() * np.eye(len(found.weights))) @ inverse
    half = norm.ppf(0.975) * np.sqrt(np.diagonal(variance)[:3])
    one = found.coef_interval()
    assert one.estimate == pytest.approx(model.coef_)
    assert 0.5 * (one.high - one.low) == pytest.approx(half, rel=0.1)
    decisions, chances = found.decisions(X[:4]), found.probabilities(X[:4])
    rows = 3 if kind is SurvivalModel else 2
    assert decisions.low.shape == chances.low.shape == (4, rows)
    assert chances.high == pytest.approx(expit(decisions.high))
    assert chances.estimate == pytest.approx(
        model.predict_hazard(X[:4]) if kind is SurvivalModel else 1.0 - np.cumsum(model.predict_proba(X[:4]), axis=1)[:, :2]
    )
    levels = found.intercept()
    assert levels.estimate == pytest.approx(problem.made.levels(model.weights_))


@pytest.mark.parametrize("kind", KINDS)
def test_a_fit_with_intervals_promises_what_was_asked_for_and_its_file_is_read_back(kind):
    found = fit_with_intervals(made(kind), *data(kind))
    certificate = found.model.certificate_
    assert (certificate.guarantee.epsilon, certificate.guarantee.delta_at_epsilon) == (2.0, 1e-6)
    assert not {check.name for check in certificate.verify(found.model.weights_).checks if not check.ok} - {"noise source"}
    file = IntervalFile(uncertainty=found.uncertainty, names=("a", "b", "c"))
    read = IntervalFile.from_json(file.to_json())
    assert read.rows() == file.rows()
    assert len(file.rows()) == 3 + found.uncertainty.problem.made.rows
    assert not {check.name for check in file.verify().checks if not check.ok and "noise source" not in check.name}
    line = next(line for line in found.model.summary(uncertainty=found.uncertainty).parts[0].lines if line.name == "x0")
    assert line.high == pytest.approx(found.uncertainty.coef_interval().high[0])


def test_a_model_of_a_schema_has_the_intervals_of_its_table_and_bands():
    target = {"column": "months", "event": "seen", "ends": [1, 2, 3]}
    schema = Schema.from_toml(schema_text("people", target, {"age": (0, 100)}, rows="bound", rows_per_person=1))
    draw = np.random.default_rng(0)
    frame = {"age": draw.uniform(0, 100, 800), "months": draw.uniform(0, 5, 800), "seen": draw.integers(0, 2, 800)}
    table = schema.encode(frame, target=True)
    fitted = SurvivalModel(epsilon=2.0, delta=1e-6, data_norm=schema.norm_bound, rows_per_person=1, random_state=0).fit(table)
    model = Model.from_estimator(fitted, schema)
    again = [release_uncertainty(given, about, epsilon=50.0, delta=1e-3, random_state=1) for given, about in ((model, frame), (fitted, table))]
    assert np.array_equal(again[0].value, again[1].value)
    curve, ends = model.curves(uncertainty=again[0])["age"], again[0].coef_interval()
    assert (curve.high - curve.low).max() == pytest.approx(0.5 * (ends.high - ends.low)[0], rel=1e-6)


def test_the_prior_of_a_model_is_found_from_its_certificate_alone():
    for typical in (0.02, 0.5, 0.97):
        model = made(SurvivalModel, typical=typical, ends=[1.0], data_norm=3.7)
        stated = model.plan(features=5).problem["prior"]
        problem = problem_of(model.plan(features=5))
        assert made_prior(stated, problem).digest == stated["digest"]
    with pytest.raises(InvalidInput, match="another prior"):
        made_prior({**stated, "digest": "0" * 64}, problem)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_not_of_the_fit_is_refused_in_words(kind):
    X, y = data(kind, 200)
    model = made(kind).fit(X, y)
    spent = {"epsilon": 1.0, "delta": 1e-6, "random_state": 1}
    found = release_uncertainty(model, X, y, **spent)
    for words, call in {
        "not determined; ask for penalised": lambda: found.coef_interval(target="unpenalised"),
        "leave sample_weight out": lambda: release_uncertainty(model, X, y, sample_weight=np.ones(200), **spent),
        "leave prior out": lambda: release_uncertainty(model, X, y, prior=0.5, **spent),
        "one record per person": lambda: release_uncertainty(model, X, y, persons=np.arange(200), **spent),
    }.items():
        with pytest.raises(InvalidInput, match=words):
            call()
