"""What every declaration of a mechanism must be, whichever it is: tables over SPECS."""

import json

import numpy as np
import pytest

from discreet.core.lazily import each_module
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE, Persons
from discreet.data import Domain
from discreet.estimators import LinearRegression, LinearSVC, LogisticRegression, QuantileRegression
from discreet.mechanisms.bounds_choice import BoundsChoice, BoundsGrid, OpenColumns
from discreet.mechanisms.counting import BoundedSum, GaussianCounting, Histogram, LaplaceCounting, Queries
from discreet.mechanisms.release import (
    BoundedColumns,
    BoundedNoise,
    ClearTargetSketch,
    EigenvalueSketch,
    FisherNoise,
    FreshProjection,
    GaussianMoments,
    GaussianRelease,
    GaussianSketch,
    InformationRelease,
    InformationSketch,
    LaplaceRelease,
    NullSpaceNoise,
    PublishedSketch,
    ShuffledGaussianRows,
    ShuffledLaplaceRows,
)
from discreet.queries import Rows, SecondMoments, WeightedRows
from discreet.statements.spec import SPECS
from discreet.words import words_of

BALL = Domain(features=2, norm_bound=1.0, target_bound=1.0, persons=Persons(rows=3, weight="row"))
BOX = Domain(features=2, entry_bound=1.0, target_bound=1.0)
ROWS, ENTRIES, CLEAR = Rows(domain=BALL), Rows(domain=BOX), Rows(domain=BOX, target="clear")
MOMENTS, COUNTED = (SecondMoments(domain=BALL, target="noisy", most_records=1000, counted=counted) for counted in (False, True))
OF_BOX = SecondMoments(domain=BOX, target="noisy", most_records=1000)
WEIGHTED = WeightedRows.of(BALL, weights=None, target="omitted")
QUERIES = Queries([Histogram(cells=4), BoundedSum(largest=8)])
COLUMNS = OpenColumns({"a": BoundsGrid(lower=(0.0, -1.0), upper=(0.0, 1.0))})
BUDGET = {"epsilon": 1.0, "delta": 1e-6}
SHUFFLED = {"neighbours": ADD_REMOVE, "slots": 500, "shuffled": 400}
DRAWN = {"release-eigenvalue-sketch": {"noisy_eigenvalue": 7, "variance": 1000}, "release-published-sketch": {"target_without_noise": True}}
"""What is known once the mechanism has drawn."""


def mechanisms():
    """A calibrated mechanism of each, with its problem."""
    yield GaussianRelease.calibrate(ROWS, **BUDGET, neighbours=ADD_REMOVE, slots=500), ROWS
    yield LaplaceRelease.calibrate(ENTRIES, epsilon=1.0, neighbours=REPLACE_ONE, local=True), ENTRIES
    yield FisherNoise.calibrate(WEIGHTED, **BUDGET, neighbours=REPLACE_ONE, slots=500), WEIGHTED
    yield FreshProjection.calibrate(ROWS, width=2, **BUDGET, neighbours=REPLACE_ONE, slots=500), ROWS
    yield InformationRelease.calibrate(ENTRIES, bits=0.5), ENTRIES
    yield ShuffledGaussianRows.calibrate(ROWS, **BUDGET, **SHUFFLED), ROWS
    yield ShuffledLaplaceRows.calibrate(ROWS, **BUDGET, **SHUFFLED), ROWS
    yield BoundedNoise(half_width=30.0, level=0.1, epsilon=1.0), ENTRIES
    yield BoundedColumns(below=(40.0, 90.0), above=(100.0, 60.0), epsilon=1.0), ENTRIES
    yield NullSpaceNoise(variance=0.5), CLEAR
    yield GaussianSketch.calibrate(MOMENTS, rows=50, **BUDGET, neighbours=ADD_REMOVE), MOMENTS
    yield EigenvalueSketch.calibrate(MOMENTS, rows=50, **BUDGET, neighbours=REPLACE_ONE), MOMENTS
    yield InformationSketch.calibrate(OF_BOX, rows=50, bits=0.5), OF_BOX
    yield ClearTargetSketch.calibrate(OF_BOX, rows=50, bits=0.5), OF_BOX
    yield PublishedSketch(rows=50, claimed_bits=0.5), OF_BOX
    yield GaussianMoments.calibrate(COUNTED, **BUDGET, neighbours=ADD_REMOVE), COUNTED
    yield LaplaceCounting.calibrate(QUERIES, epsilon=1.0, neighbours=ADD_REMOVE), QUERIES
    yield GaussianCounting.calibrate(QUERIES, **BUDGET, neighbours=REPLACE_ONE), QUERIES
    yield BoundsChoice.calibrate(COLUMNS, **BUDGET, neighbours=ADD_REMOVE), COLUMNS


def fits():
    """A fitted model for each mechanism of fits."""
    draw = np.random.default_rng(0)
    rows = draw.normal(size=(30, 2))
    signs, labels, targets = (rows[:, 0] > 0).astype(int), draw.integers(0, 3, 30), np.clip(rows[:, 0], -1.0, 1.0)
    given = {"epsilon": 1.0, "data_norm": 1.0, "neighbours": "replace-one"}
    for delta in (0.0, 1e-6):
        for mechanism in ("objective", "output"):
            yield LogisticRegression(**given, delta=delta, mechanism=mechanism, classes=[0, 1]).fit(rows, signs)
        for kind in (LogisticRegression, LinearSVC):
            yield kind(**given, delta=delta, classes=[0, 1, 2]).fit(rows, labels)
    for kind, answers in ((LinearRegression, targets), (QuantileRegression, targets), (LinearRegression, np.column_stack((targets, -targets)))):
        yield kind(**given, delta=1e-6, target_bound=1.0).fit(rows, answers)


RECORDS = {made.name: ({**made.parameters(), **DRAWN.get(made.name, {})}, problem.to_dict()) for made, problem in mechanisms()}
RECORDS |= {made.mechanism: (dict(made.parameters), dict(made.problem)) for made in (model.certificate_ for model in fits())}
ELSEWHERE = {"curvature-gaussian": "tests/mechanisms/curvature"}
"""Whose records are made of a fitted model, and where they are forged."""


@pytest.mark.parametrize("name", RECORDS)
def test_a_certificate_records_what_its_declaration_reads(name):
    parameters, problem = RECORDS[name]
    spec = SPECS[name].read(json.loads(json.dumps(parameters)))
    assert spec.parameters() == parameters
    assert spec.neighbours == parameters["neighbours"]
    words = words_of(name, parameters, problem)
    assert words is not None
    assert words.theorem.startswith(spec.theorem.partition("{")[0])


@pytest.mark.parametrize("name", RECORDS)
def test_a_field_that_is_missing_or_holds_anything_else_is_named(name):
    parameters, problem = RECORDS[name]
    for field in parameters:
        for wrong in ({key: value for key, value in parameters.items() if key != field}, {**parameters, field: {"x": 1}}):
            with pytest.raises(ValueError, match=f"parameters: '{field}'"):
                words_of(name, wrong, problem)
    with pytest.raises(ValueError, match="parameters: 'louder' is no field"):
        words_of(name, {**parameters, "louder": 1.0}, problem)


@pytest.mark.parametrize("name", RECORDS)
def test_a_problem_of_other_fields_is_refused(name):
    parameters, problem = RECORDS[name]
    for field in problem:
        if field != "persons":  # whose rows are whose, or nobody's: another problem
            with pytest.raises((ValueError, TypeError, KeyError)):
                words_of(name, parameters, {key: value for key, value in problem.items() if key != field})
    with pytest.raises((ValueError, TypeError, KeyError)):
        words_of(name, parameters, {**problem, "louder": 1.0})


def test_every_declaration_is_in_the_table_or_says_where_it_is():
    assert list(each_module("discreet.words"))
    assert set(SPECS) == {*RECORDS, *ELSEWHERE}
