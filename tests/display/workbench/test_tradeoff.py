"""Invented rows keep to the schema, and are as hard to predict as was asked for."""

import numpy as np
import pytest

from discreet.core.errors import InvalidInput
from discreet.data import Schema
from discreet.display.workbench.form import read_form
from discreet.display.workbench.tradeoff import _rows, invented_trial, sample_trial
from discreet.display.workbench.wire import Fields
from tests.display.workbench.conftest import FORM


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
    with pytest.raises(InvalidInput, match="Take fewer than"):
        invented_trial(schema, records=10**9, best=0.1)


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
