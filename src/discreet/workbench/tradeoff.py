"""Trade-offs, from public rows alone: what a private fit would be worth, what the planner proves, and how large the noise of a release is.

    fit        share of errors over a few private fits and of one without privacy, and the spread of the private weights, relative to their length:
               sqrt(mean_k |w_k - w|^2) / |w|,  w their mean
               of a number the root mean square error, over half the range of the target, which is its unit in everything here
               of several that of all; of times the share of comparable pairs of records whose order is not that of the predicted mean times
    release    standard deviation of the noise on a number (rows) or on a mean square (sketch), beside numbers within the bound of the schema

Fits are tried out on rows of a sample that its owner declares public, or on rows invented from the schema (module `invented`). Nothing private is
read: calibrations need no rows at all. No ledger is spent on.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import DiscreetError, InvalidInput, quietly
from discreet.core.neighbours import Neighbours
from discreet.core.parts import module_of
from discreet.data import EncodedTable, Schema
from discreet.data import Target as ClassTarget
from discreet.data.labels import canonical
from discreet.data.targets import period_numbers
from discreet.estimators.model_kinds import check_learns, encoded_estimator, kind_named, learnt_from, settings_of
from discreet.estimators.prediction_rules import linear_decision
from discreet.ledger import without_ledger
from discreet.queries import Target
from discreet.releases import SETTINGS, About, Kind, Publication, Request
from discreet.releases.methods import ALL_METHODS
from discreet.releases.methods.columns import released_domain, released_schema
from discreet.workbench.invented import Codes, Trial, wrong_order
from discreet.workbench.wire import Fields

FITS, APART = 8, 4
PLANNED = ("linear-svc", "logistic-regression")
"""Kinds that the planner proves something about."""


class Budget(NamedTuple):
    """What a run may cost."""

    epsilon: float
    delta: float
    neighbours: str


class Measured(NamedTuple):
    """One point of the curves of a fit."""

    measure: str
    """What is measured, in the words of `_guessed`."""
    mean: float
    """Of the private fits."""
    low: float
    high: float
    without_privacy: float | None
    """None for a model that has no ordinary fit."""
    guessing: float
    """Of always answering the commonest class of the public rows, or their mean."""
    spread: float
    records: int


def measured(kind: str, schema: Schema, trial: Trial, budget: Budget, settings: Mapping[str, Any] = MappingProxyType({})) -> Measured:
    """Fit and measure on public rows, with these settings of the model. Raises what a fit raises."""
    made = encoded_for(kind, schema, budget, settings, seed=1)
    if kind not in PLANNED:
        return _each_fitted(kind, schema, trial, budget, settings)
    right = _codes(trial.tested)
    with without_ledger():
        private = made.fit_many(trial.fitted, count=FITS)
        plain = encoded_for(kind, schema, budget._replace(epsilon=math.inf, delta=0.0), settings, seed=1).fit_many(trial.fitted, count=1)
    errors = [_errors(schema, trial.tested, coef, intercept, right) for coef, intercept in zip(private.coef, private.intercept, strict=True)]
    weights = np.column_stack((private.coef.reshape(FITS, -1), private.intercept.reshape(FITS, -1)))
    return _point(trial, errors, _errors(schema, trial.tested, plain.coef[0], plain.intercept[0], right), weights)


def _each_fitted(kind: str, schema: Schema, trial: Trial, budget: Budget, settings: Mapping[str, Any]) -> Measured:
    """Of a kind without many fits at once: one after the other, and half as many."""
    plain = budget._replace(epsilon=math.inf)
    with without_ledger():
        made = [encoded_for(kind, schema, budget, settings, seed=seed).fit(trial.fitted) for seed in range(1, APART + 1)]
        try:
            ordinary = encoded_for(kind, schema, plain, settings, seed=1).fit(trial.fitted)
        except DiscreetError:
            ordinary = None  # of a loss that has no ordinary fit
    return measured_apart(made, ordinary, trial)


def measured_apart(made: Sequence[Any], ordinary: Any, trial: Trial) -> Measured:  # noqa: ANN401 - each kind has a fit of its own
    """Of several private models, and the one without privacy, if any; all fitted on the rows of a trial."""
    errors = [error_of(one, trial.tested) for one in made]
    return _point(trial, errors, None if ordinary is None else error_of(ordinary, trial.tested), np.array([one.weights_ for one in made]))


def _point(trial: Trial, errors: list[float], without_privacy: float | None, weights: Floats) -> Measured:
    """Of the private models' errors and weights (one row each)."""
    centre = weights.mean(axis=0)
    apart = math.sqrt(float(np.mean(np.sum((weights - centre) ** 2, axis=1))) * len(weights) / (len(weights) - 1))
    measure, guessing = _guessed(trial.tested)
    return Measured(
        measure=measure,
        mean=float(np.mean(errors)),
        low=min(errors),
        high=max(errors),
        without_privacy=without_privacy,
        guessing=guessing,
        spread=apart / max(float(np.linalg.norm(centre)), 1e-300),
        records=trial.fitted.rows.shape[0],
    )


def _guessed(tested: EncodedTable) -> tuple[str, float]:
    """What is measured on these rows, and what the same answer for everybody errs by: the commonest class, each target's mean."""
    if tested.times is not None:
        return "share of pairs in the wrong order", 0.5
    if tested.numbers is not None:
        return "root mean square error", math.sqrt(float(np.mean(np.var(tested.numbers, axis=0))))
    right = _codes(tested)
    return "share of errors", 1.0 - float(np.bincount(right).max()) / len(right)


def error_of(estimator: Any, tested: EncodedTable) -> float:  # noqa: ANN401 - as above
    """The share of wrong classes, the root mean square error of numbers, or the share of pairs of times in the wrong order."""
    found = estimator.predict(tested)
    if tested.times is not None:
        return wrong_order(period_numbers(tested.times, ends=tested.ends), found, periods=len(tested.ends))
    if tested.numbers is not None:
        return math.sqrt(float(np.mean((found - tested.numbers) ** 2)))
    return float(np.mean(np.asarray(estimator.classes_)[_codes(tested)] != found))


def planned(kind: str, schema: Schema, budget: Budget, *, records: int, norm: float, excess: float) -> dict[str, object]:
    """What is proved: the excess loss at this number of records, and the records for an excess; None where nothing is."""
    plan = module_of("planning").Plan(
        epsilon=budget.epsilon,
        delta=budget.delta,
        neighbours=Neighbours(budget.neighbours),
        features=schema.features,
        norm=norm,
        data_norm=schema.norm_bound,
        loss="logistic" if kind == "logistic-regression" else "softplus-hinge",
        rows_per_person=None if schema.persons is None else schema.persons.rows,
    )
    bound = plan.bound(records)
    try:
        needed: int | None = plan.records_for(excess).records
    except DiscreetError:
        needed = None
    return {
        "excess": bound.excess,
        "without_privacy": bound.without_privacy,
        "records": records,
        "norm": norm,
        "wanted": excess,
        "needed": needed,
        "needed_without_privacy": plan.records_without_privacy(excess),
    }


def planned_release(schema: Schema, method: str, budget: Budget, given: Fields) -> Publication:
    """A calibrated release; no table is read. `given` are its numbers by their options. Raises as `Publication.planned` does."""
    released = released_schema(schema)
    numbers: dict[str, Any] = {}
    needed = {one.name for way in ALL_METHODS[method].ways for one in (*way.needs, *way.takes)}
    for one in SETTINGS.values():
        if text := given.text(one.option):
            numbers[one.name] = quietly(partial(one.read, text), InvalidInput(f"{one.option} must be {one.form}; {text!r} was given."))
    numbers |= {name: getattr(budget, name) for name in ("epsilon", "delta") if name in needed and "bits" not in numbers}
    request = Request(
        domain=released_domain(released),
        target=Target(given.text("--target") or "noisy"),
        neighbours=Neighbours(budget.neighbours),
        schema=released,
        **numbers,
    )
    return Publication.planned(method, request, calibration="tight", schema=released, about=About())


def read_settings(kind: str, schema: Schema, given: Fields) -> dict[str, Any]:
    """Settings of a model by their options, as `discreet fit` reads them."""
    found: dict[str, Any] = {}
    for name, one in settings_of(kind_named(kind)).items():
        if text := given.text(f"--{name.removeprefix('fit_').replace('_', '-')}"):
            found[name] = text == "on" if one.spelling == "FLAG" else one.read(text)
    if "class_weight" in found and isinstance(schema.target, ClassTarget):
        labels = {canonical(label): label for label in schema.target.classes}
        found["class_weight"] = {labels.get(label, label): weight for label, weight in found["class_weight"].items()}
    return found


def noise_of_release(made: Publication, records: int) -> dict[str, object]:
    """How large the noise is, beside what it hides, and what can be said of a release of so many records."""
    query, mechanism = made.plan
    covariance = made.method.noise_covariance(mechanism.name, mechanism.parameters(), query, columns=len(made.columns))
    if covariance is None:
        raise InvalidInput("the noise of this release is not public, so it cannot be shown in advance.")
    kind, diagonal = made.method.kind, np.diag(covariance)
    largest = float(np.max(diagonal))
    return {
        "what": "numbers" if kind is Kind.ROWS else "second moments",
        "noise": {Kind.ROWS: math.sqrt(largest), Kind.MOMENTS: math.sqrt(2.0) * float(diagonal[-1])}.get(kind, largest),
        "said": [list(line) for line in made.outlook(records).lines()],
        "bound": made.request.domain.largest_entry,
        "columns": len(made.columns),
    }


def encoded_for(kind: str, schema: Schema, budget: Budget, further: Mapping[str, Any], *, seed: int | None) -> Any:  # noqa: ANN401 - each kind has a fit of its own
    """On rows: what somebody says of persons is for the run. Raises InvalidInput for a target that this kind does not learn."""
    whose = replace(schema, person=None, rows_per_person=None)
    settings: dict[str, Any] = {"epsilon": budget.epsilon, "delta": budget.delta, "neighbours": budget.neighbours, "random_state": seed}
    learnt = learnt_from(schema)
    if learnt in ("ordered classes", "times") and learnt in kind_named(kind).targets:
        settings["rows_per_person"] = 1  # as these ask to be told
    made = encoded_estimator(kind, whose, settings | dict(further))
    check_learns(made, schema)
    return made


def _codes(table: EncodedTable) -> Codes:
    found = table.codes if table.signs is None else table.signs > 0
    return np.asarray(found, dtype=np.intp)


def _errors(schema: Schema, table: EncodedTable, coef: Floats, intercept: Floats, right: Codes) -> float:
    many = len(schema.one_target.classes) > 2
    constant = intercept if many else float(intercept)
    decision = linear_decision(table.rows, weights=coef.T if many else coef, intercept=constant, data_norm=schema.norm_bound)
    chosen = decision.argmax(axis=1) if many else (decision > 0).astype(np.intp)
    return float(np.mean(chosen != right))
