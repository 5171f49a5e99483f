"""Invented rows keep to the schema, and are as hard to predict as was asked for."""

from dataclasses import replace

import numpy as np
import pytest

from discreet.core.errors import InvalidInput
from discreet.data import DateColumn, NumberTarget, NumericColumn, Schema, Target
from discreet.workbench.form import read_form
from discreet.workbench.invented import _rows, invented_trial, sample_trial, wrong_order
from discreet.workbench.tradeoff import Budget, measured
from discreet.workbench.wire import Fields
from tests.schemas import schema_text
from tests.workbench.conftest import FORM


@pytest.fixture
def schema():
    found = read_form(Fields(FORM)).schema
    assert found is not None
    return found


def test_rows_keep_to_their_bounds_and_reach_all_of_them(schema):
    rows = _rows(schema, 5000, 3)
    for column in schema.numeric:
        values = rows[column.name].to_numpy()
        assert column.lower <= values.min() < column.lower + 0.01 * (column.upper - column.lower)
        assert column.upper >= values.max() > column.upper - 0.01 * (column.upper - column.lower)
    assert set(rows["city"]) == {"north", "south", "other"}
    assert rows.equals(_rows(schema, 5000, 3))


def test_dates_are_invented_too(schema):
    """A day and a moment, which are all that the rows have."""
    days = (
        DateColumn(name="born", lower="1930-01-01", upper="2008-12-31"),
        DateColumn(name="came", lower="2020-01-01T08:00", upper="2020-01-01T20:00"),
    )
    alone = replace(schema, numeric=(), categorical=(), date=days, rows="bound")
    assert invented_trial(alone, records=100, best=0.15).fitted.rows.shape == (100, alone.features)
    rows = _rows(alone, 5000, 3)
    for column in days:
        values = rows[column.name].dt.epoch("us").to_numpy() / 86_400e6
        assert column.bounds.lower <= values.min() < values.max() <= column.bounds.upper
        assert values.mean() == pytest.approx((column.bounds.lower + column.bounds.upper) / 2, abs=0.02 * (column.bounds.upper - column.bounds.lower))


@pytest.mark.parametrize("best", [0.05, 0.15, 0.3])
def test_the_best_predictor_errs_as_often_as_was_asked_for(schema, best):
    trial = invented_trial(schema, records=4000, best=best)
    assert trial.best == pytest.approx(best, abs=1e-6)
    assert trial.norm > 0
    assert trial.fitted.rows.shape[0] == 4000
    share = np.mean(trial.fitted.signs > 0)
    assert 0.4 < share < 0.6
    assert trial.fitted.rows.row_norms().max() <= schema.norm_bound * (1 + 1e-12)


def test_harder_targets_have_shorter_predictors(schema):
    norms = [invented_trial(schema, records=100, best=best).norm for best in (0.05, 0.15, 0.3)]
    assert norms == sorted(norms, reverse=True)


def test_too_large_a_table_is_refused_before_it_is_made(schema):
    with pytest.raises(InvalidInput, match="Use fewer than"):
        invented_trial(schema, records=10**9, best=0.1)


@pytest.mark.parametrize("target", [Target(column="y", classes=("no", "yes")), NumberTarget(column="y", lower=0, upper=1)])
def test_rounding_is_nothing_to_be_learnt(target):
    """A single number over its own length is 1 in every row; its last digits are not."""
    plain = Schema(name="one", target=target, numeric=(NumericColumn(name="x", lower=0, upper=100),), rows="bound")
    invented_trial(plain, records=600, best=0.15)
    with pytest.raises(InvalidInput, match="all rows of this description would be alike"):
        invented_trial(replace(plain, rows="normalise"), records=600, best=0.15)


def test_a_sample_is_fitted_and_measured_on_different_rows(schema, people):
    trial = sample_trial(schema, people, records=10_000)
    assert (trial.fitted.rows.shape[0], trial.tested.rows.shape[0]) == (210, 90)
    people.write_text("\n".join(people.read_text().splitlines()[:10]))
    with pytest.raises(InvalidInput, match="at least 15 rows"):
        sample_trial(schema, people, records=100)


def test_many_classes_all_occur():
    text = Schema.to_toml(read_form(Fields(FORM)).schema).replace('classes = ["no", "yes"]', 'classes = ["a", "b", "c", "d"]')
    trial = invented_trial(Schema.from_toml(text), records=2000, best=0.15)
    assert set(trial.fitted.codes) == {0, 1, 2, 3}
    assert trial.norm is None


ORDER = "share of pairs in the wrong order"
ERROR = "root mean square error"
TARGETS = {
    "numbers": ("linear-regression", {"column": "y", "lower": 0, "upper": 5}, ERROR),
    "several numbers": (
        "linear-regression",
        [{"column": "y", "lower": 0, "upper": 5}, {"column": "z", "lower": -1, "upper": 1}],
        "root mean square error",
    ),
    "times": ("survival-model", {"column": "y", "event": "seen", "ends": [2, 4, 8]}, ORDER),
    "ordered classes": ("ordinal-regression", {"column": "y", "classes": ["a", "b", "c"], "ordered": True}, "share of errors"),
}


@pytest.mark.parametrize("learnt", TARGETS)
def test_a_fit_is_measured_between_guessing_and_the_best_that_there_is(learnt):
    kind, target, measure = TARGETS[learnt]
    asked = Schema.from_toml(schema_text("people", target, {"age": (0, 100), "city": ["north", "south"]}, rows="bound"))
    easy, hard = (invented_trial(asked, records=1500, best=best) for best in (0.05, 0.3))
    found = measured(kind, asked, easy, Budget(2.0, 1e-6, "add-remove"))
    assert found.measure == measure
    assert 0.9 * easy.best < found.without_privacy < found.mean + 0.01 < found.guessing / 2
    assert easy.best < hard.best < found.guessing
    noisy = measured(kind, asked, easy, Budget(0.02, 1e-6, "add-remove"))
    assert noisy.mean > found.mean


def test_pairs_in_the_wrong_order_are_those_that_can_be_compared():
    """Three periods: events in the first, second and third, one who is seen through the first alone, and one through all."""
    codes, right = np.array([1, 3, 5, 2, 6]), np.array([1.0, 2.0, 3.0, 9.0, 4.0])
    assert wrong_order(codes, right, periods=3) == 0.0
    assert wrong_order(codes, -right, periods=3) == 1.0
    assert wrong_order(codes, np.ones(5), periods=3) == 0.5
    assert wrong_order(codes, np.array([2.0, 1.0, 3.0, 0.0, 4.0]), periods=3) == pytest.approx(2 / 7), (
        "the last but one lived through the first alone"
    )
