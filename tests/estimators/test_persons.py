"""Persons at the door of a fit: what is declared, what is refused, and which rows count how much."""

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from benchmarks.person_noise import prices
from discreet import KernelClassifier, Lasso, LassoClassifier, LinearRegression, LinearSVC, LogisticRegression, release_uncertainty
from discreet.accounting import Unit
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Persons
from discreet.data import Block, FunctionTable
from discreet.ledger import Ledger
from discreet.matrices import DenseMatrix
from discreet.mechanisms.persons import declared_rule, owners_of
from discreet.noise import SeededNoise
from tests.parts import LACKING, table_elsewhere

DRAW = np.random.default_rng(0)
ROWS = DRAW.uniform(-0.5, 0.5, (300, 3))
LABELS = (ROWS[:, 0] + 0.1 * DRAW.normal(size=300) > 0).astype(int)
OWNERS = np.arange(300)
CLASSES = {"classes": [0, 1]}


@pytest.mark.parametrize(
    ("settings", "persons", "says"),
    [
        ({}, OWNERS, "person ids were given, but not the number of rows to"),
        ({"rows_per_person": 3}, None, "If each person has one row, pass rows_per_person=1"),
        ({"rows_per_person": 0}, OWNERS, "a whole number from 1"),
        ({"rows_per_person": 2.5}, OWNERS, "must be a whole number or None"),
        ({"rows_per_person": True}, None, "must be a whole number or None"),
        ({"rows_per_person": 2, "person_weight": "visit"}, OWNERS, "person_weight must be"),
        ({"person_weight": "declared"}, None, "person_weight must be"),
        ({"rows_per_person": 2}, OWNERS[1:], "one id for each row"),
        ({"rows_per_person": 2}, [None, *OWNERS[1:].tolist()], "a person id is missing. Every row needs one: fill in"),
    ],
)
@pytest.mark.parametrize("kind", [LinearSVC, LogisticRegression, KernelClassifier])
def test_what_is_no_declaration_of_persons_is_refused_before_anything_is_spent(account, kind, settings, persons, says):
    with pytest.raises(InvalidInput, match=says):
        kind(ledger=account, **CLASSES, **settings).fit(ROWS, LABELS, persons=persons)
    assert not Ledger(account.path).history("people")


def test_a_table_in_blocks_brings_its_own_ids():
    table = FunctionTable(lambda _: Block(DenseMatrix(ROWS), LABELS), blocks=1, features=3)
    with pytest.raises(InvalidInput, match="leave persons out"):
        LinearSVC(rows_per_person=2, **CLASSES).fit(table, persons=OWNERS)
    declared = LinearSVC(rows_per_person=1, random_state=0, **CLASSES).fit(table)
    assert declared.certificate_.problem["persons"] == {"rows": 1, "weight": "declared"}


def scattered(persons, rows=ROWS, targets=LABELS):
    """A table of three blocks, with the rows of a person in several of them."""

    def block(number):
        some = slice(100 * number, 100 * (number + 1))
        return Block(DenseMatrix(rows[some]), targets[some], None, None if persons is None else persons[some])

    return FunctionTable(block, blocks=3, features=rows.shape[1])


@pytest.mark.parametrize("weight", ["person", "row"])
@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(class_weight={1: 2.0}, **CLASSES),
        LinearSVC(neighbours="add-remove", delta=1e-6, **CLASSES),
        KernelClassifier(n_features=8, **CLASSES),
        Lasso(n_iter=5, target_bound=1.0),
        LassoClassifier(n_iter=5, **CLASSES),
        LinearRegression(mechanism="moments", target_bound=1.0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_model_of_blocks_is_that_of_the_array_wherever_the_rows_of_a_person_lie(model, weight):
    persons = DRAW.integers(0, 60, 300)
    model = clone(model).set_params(rows_per_person=3, person_weight=weight, random_state=5)
    held = clone(model).fit(ROWS, LABELS, persons=persons)
    streamed = clone(model).fit(scattered(persons))
    np.testing.assert_allclose(streamed.weights_, held.weights_, atol=5e-6)
    for same in ("problem", "parameters", "guarantee"):
        assert getattr(streamed.certificate_, same) == getattr(held.certificate_, same)


def test_a_model_of_blocks_elsewhere_is_that_of_the_array():
    persons = DRAW.integers(0, 60, 300)
    blocks = [Block(DenseMatrix(ROWS[part]), LABELS[part], None, persons[part]) for part in (slice(0, 120), slice(120, 180), slice(180, 300))]
    model = LogisticRegression(rows_per_person=3, random_state=5, **CLASSES)
    elsewhere = clone(model).fit(table_elsewhere(blocks, features=3))
    held = clone(model).fit(ROWS, LABELS, persons=persons)
    np.testing.assert_allclose(elsewhere.weights_, held.weights_, atol=1e-6)
    assert elsewhere.certificate_.guarantee == held.certificate_.guarantee


@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
@pytest.mark.parametrize("weights", [np.zeros(300), np.arange(300) % 3 * 1.0], ids=["none", "some"])
def test_rows_whose_own_weight_is_zero_are_no_reason_to_refuse_blocks(neighbours, weights):
    """Whether there is such a row would be told by the refusal."""
    persons = np.arange(300) // 5
    model = LogisticRegression(rows_per_person=3, max_sample_weight=2.0, neighbours=neighbours, random_state=5, **CLASSES)

    def block(number):
        some = slice(100 * number, 100 * (number + 1))
        return Block(DenseMatrix(ROWS[some]), LABELS[some], weights[some], persons[some])

    streamed = clone(model).fit(FunctionTable(block, blocks=3, features=3))
    held = clone(model).fit(ROWS, LABELS, weights, persons=persons)
    np.testing.assert_allclose(streamed.weights_, held.weights_, atol=1e-6)
    assert streamed.certificate_.problem == held.certificate_.problem


def test_ids_in_blocks_are_needed_and_used():
    with pytest.raises(InvalidInput, match="the table needs a column of person ids; it has none"):
        LinearSVC(rows_per_person=2, **CLASSES).fit(scattered(None))
    with pytest.raises(InvalidInput, match="Declare the persons"):
        LinearSVC(**CLASSES).fit(scattered(OWNERS))
    told = LinearSVC(rows_per_person=1, random_state=0, **CLASSES).fit(scattered(OWNERS // 2))
    assert told.certificate_.problem["persons"] == {"rows": 1, "weight": "person"}
    assert told.certificate_.problem["records"] == 150


def test_the_unit_is_that_of_the_declaration():
    by_rows = LinearSVC(random_state=0, **CLASSES).fit(ROWS, LABELS)
    declared = LinearSVC(random_state=0, rows_per_person=1, **CLASSES).fit(ROWS, LABELS)
    told = LinearSVC(random_state=0, rows_per_person=1, **CLASSES).fit(ROWS, LABELS, persons=OWNERS)
    assert [model.certificate_.guarantee.unit for model in (by_rows, declared, told)] == [Unit.RECORD, Unit.PERSON, Unit.PERSON]
    assert declared.certificate_.problem["persons"] == {"rows": 1, "weight": "declared"}
    assert told.certificate_.problem["persons"] == {"rows": 1, "weight": "person"}
    assert "persons" not in by_rows.certificate_.problem
    private = LinearSVC(rows_per_person=1, **CLASSES).fit(ROWS, LABELS, persons=OWNERS)
    assert private.certificate_.verify(private.weights_).ok


def test_n_counts_persons():
    """The noise of the draw is drawn beside that of the fit: one row of each of 150 persons is fitted as these 150 rows are."""
    persons = np.repeat(np.arange(150), 2)
    model = LogisticRegression(alpha=0.01, random_state=3, rows_per_person=1, **CLASSES).fit(ROWS, LABELS, persons=persons)
    kept = np.flatnonzero(owners_of(persons, rule=Persons(rows=1), rows=300, noise=SeededNoise(3)).weights)
    assert np.array_equal(persons[kept], np.arange(150))
    assert model.certificate_.problem["records"] == 150
    assert model.certificate_.problem["ridge"] == pytest.approx(1.5)
    alone = LogisticRegression(alpha=0.01, random_state=3, rows_per_person=1, **CLASSES).fit(ROWS[kept], LABELS[kept], persons=persons[kept])
    np.testing.assert_allclose(model.weights_, alone.weights_, atol=1e-6)
    np.testing.assert_array_equal(model.weights_, clone(model).fit(ROWS, LABELS, persons=persons).weights_)
    other = clone(model).set_params(random_state=4).fit(ROWS, LABELS, persons=persons)
    assert not np.allclose(model.weights_, other.weights_)


def test_a_plan_states_what_a_fit_states():
    for persons, told_apart in ((None, False), (OWNERS, True)):
        model = LogisticRegression(rows_per_person=1, random_state=0, **CLASSES)
        planned = model.plan(features=3, records=300, told_apart=told_apart)
        fitted = model.fit(ROWS, LABELS, persons=persons).certificate_
        assert (planned.problem, planned.parameters, planned.guarantee) == (fitted.problem, fitted.parameters, fitted.guarantee)
    assert model.explain(features=3).reasons


@pytest.mark.skipif("planning" in LACKING, reason="what groups cost is planned")
@pytest.mark.parametrize("rows", [1, 5, 50])
@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
def test_a_fit_of_persons_costs_a_thousandth_more_noise_than_one_of_rows(rows, neighbours):
    """In what certificates of fits state, at (1, 1e-6); the union bound of rows, and groups of rows of weight 1, cost much more."""
    share = 1.02 if neighbours == "add-remove" else 2.55
    fit, union, group = prices(epsilon=1.0, delta=1e-6, neighbours=neighbours, share=share, rows=rows)
    assert 1.0 <= fit <= 1.002
    if rows > 1:
        assert union > 1.07
        assert group > rows


def test_ids_are_what_a_table_holds():
    settings = {"rows_per_person": 1, "random_state": 0, **CLASSES}
    numbers = LinearSVC(**settings).fit(ROWS, LABELS, persons=OWNERS // 2)
    for same in ((OWNERS // 2).tolist(), pd.Series(OWNERS // 2), (OWNERS // 2).astype(float)):
        np.testing.assert_array_equal(numbers.weights_, LinearSVC(**settings).fit(ROWS, LABELS, persons=same).weights_)


def test_intervals_are_of_persons():
    model = LogisticRegression(rows_per_person=1, **CLASSES).fit(ROWS, LABELS, persons=OWNERS)
    found = release_uncertainty(model, ROWS, LABELS, epsilon=4.0, delta=1e-6, persons=OWNERS)
    assert found.verify().ok
    assert found.guarantee.unit is Unit.PERSON
    with pytest.raises(InvalidInput, match="Pass the same persons as in the fit, or none if it"):
        release_uncertainty(model, ROWS, LABELS, epsilon=4.0, delta=1e-6)


def test_ids_travel_as_metadata():
    with config_context(enable_metadata_routing=True):
        model = LinearSVC(rows_per_person=1, random_state=0, **CLASSES).set_fit_request(persons=True)
        scores = cross_val_score(model, ROWS, LABELS, cv=3, params={"persons": OWNERS})
        assert len(scores) == 3


@pytest.mark.parametrize(
    ("rows", "told_apart", "expected"),
    [(None, False, None), (1, False, Persons(rows=1, weight="declared")), (1, True, Persons()), (7, True, Persons(rows=7))],
)
def test_the_rule(rows, told_apart, expected):
    assert declared_rule(rows, "person", told_apart=told_apart) == expected


def test_weights_of_records_and_shares_multiply():
    owners = owners_of([1, 1, 2, 2, 2], rule=Persons(rows=3), rows=5, noise=SeededNoise(0))
    assert owners.number == 2
    np.testing.assert_allclose(owners.shared(None), [1 / 2, 1 / 2, 1 / 3, 1 / 3, 1 / 3])
    np.testing.assert_allclose(owners.shared(np.array([2.0, 0.0, 3.0, 3.0, 3.0])), [1.0, 0.0, 1.0, 1.0, 1.0])
    assert owners.shared(np.full(5, 3.0))[2:].sum() <= 3.0
