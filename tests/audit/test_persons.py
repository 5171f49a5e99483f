"""Audits of whole persons: exact ones of worst persons are below the claim and near it for equal rows, and those that run fits see what breaks it.

A statistical audit with R runs shows what events of some hundred occurrences can: at epsilon 1 and 1000 runs right fits give bounds of 0 to .6,
and the planted faults, which let a person count several times, bounds above 1 by more than five standard deviations (measured).
"""

from dataclasses import replace

import numpy as np
import pytest

from discreet import LinearSVC, LogisticRegression
from discreet.audit import Claim, audit
from discreet.audit.claim import Target
from discreet.audit.drawn.named import CATALOGUE
from discreet.audit.fits import many_fits
from discreet.audit.learning import exact_learning_audit
from discreet.audit.persons import ARRANGED, WorstPerson
from discreet.cli.audit_estimators import ESTIMATORS, pulled_tables
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE, Neighbours, Persons
from discreet.data import Block, FunctionTable
from discreet.losses import Logistic
from discreet.matrices import DenseMatrix
from discreet.mechanisms.learning import MARGIN, calibrate
from tests.mechanisms.learning.problems import problem

SURE = 1.0 - 1e-8


@pytest.mark.parametrize("lying", ARRANGED)
@pytest.mark.parametrize("rows", [1, 5, 50])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("mechanism", ["objective", "output"])
@pytest.mark.parametrize("neighbours", Neighbours)
def test_worst_persons_are_below_the_claim_and_equal_rows_within_five_percent_of_it(mechanism, delta, neighbours, rows, lying):
    found, half = exact(mechanism, delta, neighbours, rows, lying), exact(mechanism, delta, neighbours, rows, lying, weaker=0.5)
    assert not found.violated, str(found)
    if lying == "equal" or rows == 1:
        assert found.bound > 0.95 * found.claim.epsilon, str(found)
        assert half.violated, str(half)
    else:
        assert half.bound > 1.5 * found.bound


def exact(mechanism, delta, neighbours, rows, lying, *, weaker=1.0):
    """With `weaker` times the noise, at a lambda where one record's theorem has no slack; of a public n, so that the last stage has a small share."""
    asked = {"epsilon": 1.0, "delta": delta, "neighbours": neighbours}
    ridge = 1.02 * MARGIN.comfortable_ridge(problem(Logistic(), ridge=1.0, rows=rows), **asked)
    public = problem(Logistic(), ridge=ridge, rows=rows)
    made = calibrate(public, mechanism=mechanism, calibration="tight", **asked)
    claim = Claim.of(made.guarantee(public))
    size, factor = ("scale", weaker) if delta > 0 else ("rate", 1.0 / weaker)
    made = replace(made, **{size: getattr(made, size) * factor})  # not in place: calibrations are remembered
    return exact_learning_audit(public, made, claim=claim, person=WorstPerson(rule=Persons(rows=rows), lying=lying))


def fitted(model, tables, runs=1000):
    return audit(many_fits(model), tables, Claim(epsilon=1.0, delta=0.01), runs=runs, confidence=SURE, batch=True)


def estimator(kind, rule, neighbours, **settings):
    return kind(
        epsilon=1.0, delta=0.01, neighbours=str(neighbours), classes=[-1, 1], rows_per_person=rule.rows, person_weight=rule.weight, **settings
    )


@pytest.mark.parametrize("lying", ARRANGED)
@pytest.mark.parametrize("rule", [Persons(rows=1), Persons(rows=5), Persons(rows=50, weight="row")], ids=lambda rule: f"{rule.rows}-{rule.weight}")
@pytest.mark.parametrize("neighbours", Neighbours)
@pytest.mark.parametrize("name", ["logistic-regression", "linear-svc"])
def test_fits_of_persons_keep_their_promise(name, neighbours, rule, lying):
    person = WorstPerson(rule=rule, lying=lying)
    report = ESTIMATORS[name].report(Target(epsilon=1.0, delta=0.01, neighbours=neighbours, runs=500, confidence=SURE, person=person))
    assert not report.violated, str(report)
    assert "a person" in report.pair


def blocks(table, *, apart=False):
    """A table in five blocks, so that every person's rows are in all of them; `apart` where ids of one block say nothing in the others."""
    X, y, ids = table

    def block(number):
        some = slice(number, None, 5)
        return Block(DenseMatrix(X[some]), y[some], None, ids[some] + apart * number * 100_000)

    return FunctionTable(block, blocks=5, features=2)


@pytest.mark.parametrize("neighbours", Neighbours)
def test_a_person_scattered_over_blocks_is_hidden_and_one_who_counts_in_each_is_seen(neighbours):
    rule = Persons(rows=4)
    model = estimator(LogisticRegression, rule, neighbours, mechanism="output")
    ridge = float(model.plan(features=2, told_apart=True).problem["ridge"])
    tables, _ = pulled_tables(ridge, neighbours, WorstPerson(rule=rule))
    right = fitted(model, tuple(map(blocks, tables)))
    assert not right.violated, str(right)
    if neighbours is ADD_REMOVE:  # with other ids in every block n is not what it was
        wrong = fitted(model, tuple(blocks(table, apart=True) for table in tables))
        assert wrong.violated, str(wrong)
        assert wrong.bound > right.bound


def test_rows_that_are_not_said_to_be_one_persons_are_seen():
    rule = Persons(rows=5)
    model = estimator(LinearSVC, rule, ADD_REMOVE, mechanism="output")
    tables, _ = pulled_tables(float(model.plan(features=2, told_apart=True).problem["ridge"]), ADD_REMOVE, WorstPerson(rule=rule))
    assert not fitted(model, tables).violated
    unsaid = LinearSVC(epsilon=1.0, delta=0.01, neighbours="add-remove", classes=[-1, 1], mechanism="output")
    wrong = fitted(unsaid, tuple(table[:2] for table in tables))
    assert wrong.violated, str(wrong)


def test_what_knows_no_worst_person_says_so():
    target = Target(epsilon=1.0, delta=0.0, neighbours=REPLACE_ONE, person=WorstPerson(rule=Persons(rows=2)))
    for entry in (CATALOGUE["exponential"], ESTIMATORS["lasso"]):
        with pytest.raises(InvalidInput, match="about single rows"):
            entry.report(target)
    with pytest.raises(InvalidInput, match="equal, spread, cancelling; 'round' was given"):
        WorstPerson(rule=Persons(rows=2), lying="round")


@pytest.mark.parametrize("rows", [1, 2, 5])
def test_how_worst_persons_lie(rows):
    angles = {name: WorstPerson(rule=Persons(rows=rows), lying=name) for name in ARRANGED}
    assert len(angles["equal"].owned) == 2 * rows
    assert all(len(person.kept) == rows for person in angles.values())
    assert np.ptp(angles["spread"].kept) == pytest.approx(0.0 if rows == 1 else 2.0 * np.pi / 3.0)
    assert np.isclose(np.sum(np.cos(angles["cancelling"].kept)), rows % 2)
