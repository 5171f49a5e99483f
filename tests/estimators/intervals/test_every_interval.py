"""Intervals of regressions and of many classes: the formula by hand, one budget, persons, files, summaries and curves, and that they cover."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import softmax
from scipy.stats import norm

from benchmarks.model_intervals import CASES, RELATIONS, coverage, records
from discreet import KernelClassifier, LinearRegression, LogisticRegression, Model, PoissonRegression, release_uncertainty
from discreet.core.errors import InvalidInput
from discreet.data import Schema
from discreet.estimators import IntervalFile, fit_with_intervals
from discreet.estimators.intervals.uncertainty import problem_of
from discreet.estimators.two_part.fit_with_intervals import interval_labels
from discreet.losses.predictions import LogCosh, Poisson
from discreet.mechanisms.curvature import CurvatureQuery
from discreet.problems import PredictionRisk
from tests.chance import fewest, highest
from tests.schemas import schema_text


def data(name, count=3000, seed=0):
    return records(CASES[name], count, np.random.default_rng(seed))


def made(name, **settings):
    return CASES[name].make(**({"epsilon": 1.0, "delta": 1e-6, "random_state": 0} | settings))


def by_hand(model, rows, targets, curvature, variation, *, level=0.95):
    """Half widths for all weights from the matrices of the records themselves."""
    parameters = model.certificate_.parameters
    ridge = parameters.get("ridge", model.certificate_.problem.get("ridge"))
    pull = ridge * model.weights_
    inverse = np.linalg.inv(curvature + ridge * np.eye(len(pull)))
    sampled = variation - np.outer(pull, pull) / len(rows) + parameters["scale"] ** 2 * np.eye(len(pull))
    variance = np.diagonal(inverse @ sampled @ inverse) + (parameters["grid_step"] * parameters["grid_scale"]) ** 2
    return norm.ppf(0.5 + 0.5 * level) * np.sqrt(variance)


def lengthened(model, rows):
    return np.column_stack((rows, np.full(len(rows), model.certificate_.problem["intercept_scale"])))


def of_predictions(model, rows, targets):
    """Of a regression, rows and targets within their bounds."""
    parameters = model.certificate_.parameters
    loss = LogCosh(width=parameters["width"]) if isinstance(model, LinearRegression) else Poisson(**model.certificate_.problem["loss_parameters"])
    numbers = targets if isinstance(model, LinearRegression) else 2.0 * np.clip(targets / 10.0, 0.0, 1.0) - 1.0
    whole = lengthened(model, rows)
    bend, steep = loss.curvature(whole @ model.weights_, numbers), loss.slope(whole @ model.weights_, numbers)
    return (whole * bend[:, np.newaxis]).T @ whole, (whole * steep[:, np.newaxis] ** 2).T @ whole


def of_softmax(model, rows, targets):
    whole = lengthened(model, rows)
    shares = softmax(whole @ model.weights_.reshape(3, -1).T, axis=1)
    off = shares - (targets[:, np.newaxis] == np.arange(3))
    bend = np.einsum("ij,jk->ijk", shares, np.eye(3)) - np.einsum("ij,ik->ijk", shares, shares)
    size = len(model.weights_)
    found = (np.einsum("nab,nj,nk->ajbk", part, whole, whole).reshape(size, size) for part in (bend, np.einsum("ij,ik->ijk", off, off)))
    return tuple(found)


@pytest.mark.parametrize(
    ("name", "matrices"), [("linear", of_predictions), ("poisson", of_predictions), pytest.param("multinomial", of_softmax, marks=pytest.mark.more)]
)
def test_with_nearly_exact_curvature_the_intervals_are_those_of_the_formula(name, matrices):
    rows, targets = data(name)
    model = made(name).fit(rows, targets)
    found = release_uncertainty(model, rows, targets, epsilon=100.0, delta=1e-3, random_state=1)
    expected = by_hand(model, rows, targets, *matrices(model, rows, targets)).reshape(found.functions, -1)
    one = found.coef_interval()
    assert one.estimate.shape == np.shape(model.coef_)
    assert one.estimate == pytest.approx(model.coef_)
    assert (one.high - one.low).reshape(found.functions, -1) / 2 == pytest.approx(expected[:, :3], rel=0.05)
    decisions = found.decisions(np.eye(3)[:2] * 0.5)
    assert decisions.estimate.shape == ((2, 3) if found.functions > 1 else (2,))
    assert np.all(decisions.low < decisions.estimate)


def test_what_all_classes_share_is_known_to_be_seen_by_the_ridge_alone():
    rows, targets = data("multinomial")
    model = made("multinomial").fit(rows, targets)
    shared = np.tile(np.eye(4)[0], 3)[np.newaxis] / np.sqrt(3.0)
    half = norm.ppf(0.975) * model.certificate_.parameters["scale"] / model.certificate_.problem["ridge"]
    for epsilon in (0.05, 1.0, 100.0):
        found = release_uncertainty(model, rows, targets, epsilon=epsilon, delta=1e-3, random_state=1).of_weights(shared)
        assert (found.high - found.low)[0] / 2 == pytest.approx(half, rel=1e-3)


def test_classes_against_the_rest_have_the_intervals_of_their_own_problem():
    rows, targets = data("one against the rest")
    model = made("one against the rest").fit(rows, targets)
    found = release_uncertainty(model, rows, targets, epsilon=100.0, delta=1e-3, random_state=1)
    held = found.matrices
    assert not np.any(held.curvature[:4, 4:])
    problem, parameters = model.certificate_.problem, model.certificate_.parameters
    for code, place in enumerate((slice(0, 4), slice(4, 8), slice(8, 12))):
        ridge = problem["ridge"]
        inverse = np.linalg.inv(held.curvature[place, place] + ridge * np.eye(4))
        pull = ridge * model.weights_[place]
        sampled = held.variation[place, place] - np.outer(pull, pull) / len(rows) + parameters["scale"] ** 2 * np.eye(4)
        half = norm.ppf(0.975) * np.sqrt(np.diagonal(inverse @ sampled @ inverse))[:3]
        assert (found.coef_interval().high - found.coef_interval().low)[code] / 2 == pytest.approx(half, rel=0.03)
    spanning = np.concatenate((np.eye(4)[0], -np.eye(4)[0], np.zeros(4)))[np.newaxis]
    both = found.of_weights(spanning)
    alone = found.coef_interval()
    assert (both.high - both.low)[0] == pytest.approx((alone.high - alone.low)[:2, 0].sum())


HARDEST = {"several targets", "quantile .9", "gamma", "multinomial", "one against the rest"}


@pytest.mark.at_most(2)
@pytest.mark.parametrize("name", [name if name in HARDEST else pytest.param(name, marks=pytest.mark.more) for name in CASES])
def test_a_fit_with_intervals_promises_what_was_asked_for_and_verifies(name):
    rows, targets = data(name, 1500)
    found = fit_with_intervals(made(name, neighbours="add-remove"), rows, targets)
    certificate = found.model.certificate_
    assert (certificate.guarantee.epsilon, certificate.guarantee.delta_at_epsilon) == (1.0, 1e-6)
    assert not {check.name for check in certificate.verify(found.model.weights_).checks if not check.ok} - {"noise source"}
    labels = ("low", "middle", "high")[: found.uncertainty.functions] if found.uncertainty.functions > 1 else ()
    file = IntervalFile(uncertainty=found.uncertainty, names=("a", "b", "c"), labels=labels)
    assert IntervalFile.from_json(file.to_json()).rows() == file.rows()
    assert not {check.name for check in file.verify().checks if not check.ok and "noise source" not in check.name}
    lines = found.model.summary(uncertainty=found.uncertainty).parts[-1].lines
    half = 0.5 * (found.uncertainty.coef_interval().high - found.uncertainty.coef_interval().low).reshape(-1, 3)[-1]
    named = {line.name: line for line in lines}
    assert named["x0"].high - named["x0"].coefficient == pytest.approx(half[0])


def test_a_regression_whose_certificate_names_another_width_than_its_curvature_is_refused():
    found = fit_with_intervals(made("linear"), *data("linear", 500)).model.certificate_
    part = found.parameters["curvature"]
    other = {**part, "problem": {**part["problem"], "loss_parameters": {"width": 0.5 * part["problem"]["loss_parameters"]["width"]}}}
    lie = {**found.to_dict(), "parameters": {**found.parameters, "curvature": other}}
    checks = {check.name for check in type(found).from_dict(lie).verify().checks if not check.ok}
    assert "question" in checks


def test_a_certificate_that_says_more_of_its_problem_than_is_known_here_has_no_intervals():
    certificate = made("linear").fit(*data("linear", 500)).certificate_
    assert problem_of(certificate).loss.name == "log-cosh"
    with pytest.raises(InvalidInput, match="the distribution of the noise in single weights is"):
        problem_of(replace(certificate, problem={**certificate.problem, "weights": 2.0}))


@pytest.mark.more
def test_persons_of_a_regression_are_those_of_both():
    rows, targets = data("poisson", 600)
    whose = np.arange(600) // 3
    found = fit_with_intervals(made("poisson", rows_per_person=2), rows, targets, persons=whose)
    assert not {check.name for check in found.model.certificate_.verify(found.model.weights_).checks if not check.ok} - {"noise source"}
    assert found.uncertainty.problem.persons.rows == 2


def test_decisions_of_a_kernel_have_intervals_at_its_random_features():
    rows, targets = data("two classes")
    model = KernelClassifier(n_features=6, gamma=1.0, epsilon=4.0, delta=1e-6, classes=[0, 1], random_state=0).fit(rows, targets)
    found = release_uncertainty(model, rows, targets, epsilon=4.0, delta=1e-6, random_state=1)
    some = found.decisions(model.random_features(rows[:5]))
    assert some.estimate == pytest.approx(model.decision_function(rows[:5]))
    assert np.all(np.isfinite(some.high))


@pytest.mark.more
def test_a_schema_of_counts_has_summaries_and_curves_of_three_classes_have_bands():
    text = schema_text("people", {"column": "kind", "classes": ["a", "b", "c"]}, {"age": (0, 100)}, rows="bound", rows_per_person=1)
    schema, draw = Schema.from_toml(text), np.random.default_rng(0)
    age = draw.uniform(0, 100, 2000)
    kinds = np.array(["a", "b", "c"])[np.minimum((age / 34).astype(int), 2)]
    table = schema.encode({"age": age, "kind": kinds}, target=True)
    both = fit_with_intervals(LogisticRegression(epsilon=2.0, data_norm=schema.norm_bound, random_state=0), table)
    model = Model.from_estimator(both.model, schema)
    banded = model.curves(uncertainty=both.uncertainty, label="b")["age"]
    assert np.all(banded.high >= banded.contribution)
    assert np.any(banded.high > banded.contribution + 0.01)
    with pytest.raises(InvalidInput, match="only differences"):
        both.uncertainty.coef_interval(target="unpenalised")
    with pytest.raises(InvalidInput, match="ask for decisions"):
        both.uncertainty.probabilities(table)


def test_a_question_about_a_regression_is_that_of_its_loss():
    rows, targets = data("poisson", 500)
    model = PoissonRegression(target_bound=10.0, random_state=0).fit(rows, targets)
    found = release_uncertainty(model, rows, targets, epsilon=1.0, delta=1e-6)
    assert isinstance(found.problem, PredictionRisk)
    assert CurvatureQuery(problem=found.problem, weights=found.weights).to_dict() == dict(found.certificate.problem)


def test_a_schema_of_several_targets_has_names_in_its_file_and_bands_for_each(tmp_path):
    declared = [{"column": "rent", "lower": 0, "upper": 10}, {"column": "heat", "lower": 0, "upper": 4}]
    schema, draw = Schema.from_toml(schema_text("flats", declared, {"size": (0, 1)}, rows="bound", rows_per_person=1)), np.random.default_rng(0)
    size = draw.uniform(0, 1, 2000)
    frame = {"size": size, "rent": 10 * size, "heat": 4 - 3 * size}
    both = fit_with_intervals(LinearRegression(data_norm=schema.norm_bound, random_state=0), schema.encode(frame, target=True))
    model = Model.from_estimator(both.model, schema)
    held = IntervalFile(uncertainty=both.uncertainty, names=tuple(schema.feature_names), labels=interval_labels(model))
    assert [name for name, *_ in held.rows()] == ["rent: size", "rent: (intercept)", "heat: size", "heat: (intercept)"]
    bought = release_uncertainty(model, frame, epsilon=50.0, delta=1e-3, random_state=1)
    ends, curve = bought.coef_interval(), model.curves(uncertainty=bought, label="heat")["size"]
    assert (curve.high - curve.low).max() == pytest.approx(4.0 * 0.5 * 0.5 * (ends.high - ends.low)[1, 0], rel=1e-6)
    line = next(line for line in model.summary(uncertainty=bought).parts[1].lines if line.name == "size")
    assert line.high - line.low == pytest.approx(4.0 * 0.5 * (ends.high - ends.low)[1, 0])


@pytest.mark.slow
@pytest.mark.each_with_each
@pytest.mark.parametrize("neighbours", RELATIONS)
@pytest.mark.parametrize("name", CASES)
def test_intervals_cover_every_coefficient_of_every_model(name, neighbours):
    """Of 400 tables of 3,000, all coefficients together and each of them: one point below 95 % would be a fault."""
    hits, widths = coverage(name, neighbours, count=3000, fits=400, jobs=2)
    assert highest(hits.mean(axis=1)) >= 0.94
    assert hits.sum(axis=0).min() >= fewest(400, 0.94, looks=hits.shape[1])
    assert np.all(np.isfinite(widths))
