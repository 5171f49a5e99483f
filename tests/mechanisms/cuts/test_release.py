"""A release of cuts: what it promises, that its certificate verifies, and that blocks give what the whole table gives."""

from dataclasses import replace

import numpy as np
import pytest

from discreet.accounting import gaussian_mu
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.data import NumericColumn, Schema, Target
from discreet.ledger import Account, Ledger
from discreet.mechanisms.base import Numbers
from discreet.mechanisms.cuts import CutsPlan, Interval, choose_cuts
from discreet.mechanisms.cuts.columns import Whose, counting_schema, counts_of
from discreet.noise import SeededNoise, SystemNoise

COLUMNS = [Interval("age", 17.0, 90.0), Interval("gain", 0.0, 1e5), Interval("share", -1.0, 1.0)]


COLUMN = {"name": "a", "lower": 0.0, "upper": 1.0, "steps": 4, "halvings": 2, "cells": 7}


def table(records=4000):
    generator = np.random.default_rng(0)
    gain = np.where(generator.uniform(size=records) < 0.9, 0.0, generator.exponential(5000.0, size=records))
    return np.column_stack([generator.integers(17, 91, size=records), gain, np.tanh(generator.normal(size=records))])


def released(*, delta=1e-6, neighbours=REPLACE_ONE, epsilon=1.0, noise=None, values=None):
    plan = CutsPlan.calibrate(COLUMNS, epsilon=epsilon, delta=delta, neighbours=neighbours)
    return plan.release(plan.cells.answer(plan.cells.cells_of(table() if values is None else values)), noise or SystemNoise())


@pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_a_release_verifies_and_a_lie_about_it_does_not(neighbours, delta):
    made = released(delta=delta, neighbours=neighbours)
    assert made.verify().ok, made.verify()
    assert made.certificate.guarantee.delta(1.0) <= delta * (1 + 1e-9) + 1e-300
    moved = replace(made, counts=made.counts + np.eye(1, len(made.counts)).ravel())
    assert not moved.verify().ok
    assert not replace(made, cuts={**made.cuts, "age": ((40.0,),)}).verify().ok
    columns = made.certificate.problem["queries"][0]["columns"]
    more = {"queries": [{"kind": "column-histograms", "columns": [*columns, {**columns[0], "name": "b"}]}]}
    assert not replace(made.certificate, problem=more).verify().ok
    narrow = replace(made.certificate, parameters={**made.certificate.parameters, "scales": [0.9 * made.certificate.parameters["scales"][0]]})
    assert not narrow.verify().ok


@pytest.mark.parametrize("broken", [None, [], [{}], [COLUMN | {"cells": 1}], [COLUMN | {"lower": 2.0}], [COLUMN | {"more": 2.0}], "abc"])
def test_broken_columns_fail_without_an_exception(broken):
    certificate = released().certificate
    assert not replace(certificate, problem={"queries": [{"kind": "column-histograms", "columns": broken}]}).verify().ok


@pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])
@pytest.mark.parametrize("columns", [1, 2, 6, 40])
@pytest.mark.parametrize("epsilon", [0.05, 1.0, 8.0])
def test_noise_costs_what_one_gaussian_mechanism_costs(neighbours, columns, epsilon):
    plan = CutsPlan.calibrate([Interval(str(i), 0.0, 1.0) for i in range(columns)], epsilon=epsilon, delta=1e-7, neighbours=neighbours)
    mu = (plan.cells.sensitivity(neighbours).squared) ** 0.5 / plan.mechanism.scales[0]
    assert mu == pytest.approx(gaussian_mu(epsilon, 1e-7), rel=0.08)
    checks = plan.release(np.zeros(plan.cells.size, dtype=np.int64), SystemNoise()).certificate.verify()
    assert checks.ok, checks


def test_parts_of_a_table_add_up_to_the_cuts_of_the_whole():
    plan = CutsPlan.calibrate(COLUMNS, epsilon=1.0, delta=1e-6, neighbours=ADD_REMOVE)
    values = table()
    parts = sum(plan.cells.answer(plan.cells.cells_of(part)) for part in np.array_split(values, 7))
    whole = released(neighbours=ADD_REMOVE, noise=SeededNoise(1))
    again = plan.release(parts, SeededNoise(1))
    np.testing.assert_array_equal(again.counts, whole.counts)
    assert again.cuts == whole.cuts


def test_a_crowded_value_has_its_bin_and_a_constant_column_is_cut_anyway():
    made = released(epsilon=4.0)
    assert all(min(cuts) < 10.0 for cuts in made.cuts["gain"][:3])
    constant = released(values=np.tile([30.0, 0.0, np.nan], (4000, 1)))
    assert all(constant.cuts.values())


def test_no_records_are_a_table_like_any_other_under_add_remove():
    made = released(neighbours=ADD_REMOVE, values=np.zeros((0, 3)))
    assert made.verify().ok


def test_what_is_no_target_or_no_column_is_refused():
    for columns, numbers in (([], {}), (COLUMNS, {"epsilon": 0.0}), (COLUMNS, {"delta": 1.0}), (COLUMNS[:1] * 2, {})):
        with pytest.raises(InvalidInput):
            CutsPlan.calibrate(columns, **{"epsilon": 1.0, "delta": 1e-6, "neighbours": REPLACE_ONE, **numbers})


def test_whether_it_pays_follows_the_noise_and_the_records():
    generous = CutsPlan.calibrate(COLUMNS, epsilon=1.0, delta=1e-6, neighbours=REPLACE_ONE)
    assert generous.pays(20_000)
    assert not generous.pays(100)
    assert not CutsPlan.calibrate(COLUMNS, epsilon=1e-3, delta=1e-6, neighbours=ADD_REMOVE).pays(None)


SCHEMA = Schema(
    name="people",
    target=Target(column="rich", classes=("no", "yes")),
    numeric=tuple(NumericColumn(name=name, lower=lower, upper=upper, outside="clip") for name, lower, upper in COLUMNS),
)


def frame():
    values = table()
    return {**{column.name: values[:, place] for place, column in enumerate(COLUMNS)}, "rich": np.where(values[:, 0] > 50, "yes", "no")}


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_cuts_alone_are_a_release_with_a_schema(tmp_path, delta):
    ledger = Ledger.create(tmp_path / "a.ledger")
    ledger.declare("people", epsilon=1.0, delta=1e-6)
    made = choose_cuts(frame(), SCHEMA, epsilon=1.0, delta=delta, ledger=Account(str(tmp_path / "a.ledger"), "people"))
    assert made.verify().ok
    assert len(ledger.history("people")) == 1
    assert made.schema.features == 3 * (4 + 8 + 16 + 32 + 8)
    assert made.schema.encode(frame(), target=True).rows.shape == (4000, made.schema.features)
    assert made.schema.norm_bound == SCHEMA.norm_bound


def test_numbers_on_an_edge_of_a_cell_are_counted_above_it():
    """0.1 + 0.2 and its like: numbers come back from [0, 1] a rounding error off."""
    columns = [Interval("age", 0.0, 64.0)]
    schema = Schema(name="people", target=SCHEMA.target, numeric=(NumericColumn(name="age", lower=0, upper=64),), rows="bound")
    plan = CutsPlan.calibrate(columns, epsilon=1.0, delta=1e-6, neighbours=REPLACE_ONE)
    counting = counting_schema(schema, columns)
    values = np.arange(65.0)
    table = counting.encode({"age": values, "rich": ["no"] * 65}, target=True)
    counts = counts_of(Whose(table=table, rule=None, persons=None), counting, plan.cells, jobs=1)
    np.testing.assert_array_equal(counts, plan.cells.answer(plan.cells.cells_of(values[:, np.newaxis])))


@pytest.mark.parametrize("epsilon", [0.008, 0.03, 0.09, 0.2])
def test_two_columns_verify_at_a_tiny_delta(epsilon):
    """Two laws of thousands of integers are convolved by a transform, which must know the tail that delta is about."""
    plan = CutsPlan.calibrate([Interval(name, 0.0, 1.0) for name in "ab"], epsilon=epsilon, delta=1e-11, neighbours=ADD_REMOVE)
    counts = plan.cells.answer(plan.cells.cells_of(np.full((3, 2), 0.5)))
    made = plan.mechanism.run(plan.problem, Numbers([counts]), SystemNoise())
    assert made.certificate.verify(made.value).ok
