"""`discreet evaluate --data-is`: exact measures of a model of times are those that are computed record by record."""

import json
from itertools import product

import numpy as np
import polars as pl
import pytest

from discreet import Model, Schema, SurvivalModel
from discreet.cli.exact import measured_times
from discreet.core.errors import InvalidInput
from tests.cli.conftest import discreet
from tests.schemas import schema_text

ENDS = (10.0, 20.0, 50.0)


def test_measures_of_a_public_table_are_those_of_its_records(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    draw = np.random.default_rng(0)
    frame = pl.DataFrame({"age": draw.uniform(0, 100, 60), "months": draw.exponential(25.0, 60), "died": draw.integers(0, 2, 60)})
    frame.write_csv("people.csv")
    target = {"column": "months", "event": "died", "ends": list(ENDS)}
    schema = Schema.from_toml(schema_text("people", target, {"age": (0, 100)}, rows="bound", rows_per_person=1))
    encoded = schema.encode(frame, target=True)
    model = Model.from_estimator(SurvivalModel(epsilon=np.inf, data_norm=schema.norm_bound).fit(encoded), schema)
    model.save("model.json")
    told = json.loads(discreet("evaluate", "model.json", "people.csv", "--data-is", "public", "--json").out)
    survival, times = model.survival(frame), model.predict(frame)
    lost, right, pairs, periods = 0.0, 0.0, 0, []
    for (_, month, died), curve in zip(frame.iter_rows(), np.column_stack((np.ones(60), survival)), strict=True):
        period = int(np.searchsorted(ENDS, month, side="left" if died else "right"))
        event = bool(died) and period < 3
        periods.append((period, event))
        lost -= np.log(curve[period] - curve[period + 1] if event else curve[period])
    for ((period, event), one), ((other, _), two) in product(list(zip(periods, times, strict=True)), repeat=2):
        if event and other > period:
            right, pairs = right + (one < two) + 0.5 * (one == two), pairs + 1
    assert told["log_loss"] == pytest.approx(lost / 60)
    assert told["concordance"] == pytest.approx(right / pairs)
    assert told["events"] == sum(event for _, event in periods)
    alike = 1.0
    for period in range(3):
        happened = sum(one == period and event for one, event in periods)
        alike *= 1.0 - happened / (happened + sum(one > period for one, _ in periods))
    everybody = np.tile([0.9, 0.5, alike], (60, 1))
    codes = np.array([2 * period + event for period, event in periods])
    assert measured_times(ENDS, [(codes, everybody)]).concordance == 0.5
    assert measured_times(ENDS, [(codes[:30], everybody[:30]), (codes[30:], everybody[30:])]).always_alike == pytest.approx(told["always_alike"])
    with pytest.raises(InvalidInput, match="no record"):
        measured_times(ENDS, [(codes[:0], everybody[:0])])
