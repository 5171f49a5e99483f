"""An invented table of all kinds of columns, and a fit that needs no package: each column given the hub alone."""

import numpy as np

from discreet.data import CategoricalColumn, DateColumn, NumberTarget, NumericColumn, Schema, Target
from discreet.releases.synthetic.fit import Part

COUNT = 600


def schema(**other):
    stated = {
        "name": "visits",
        "target": Target(column="answer", classes=("no", "yes")),
        "numeric": (
            NumericColumn(name="age", lower=18, upper=90, outside="clip"),
            NumericColumn(name="cost", lower=0, upper=1e5, missing="indicator"),
        ),
        "date": (DateColumn(name="day", lower="2020-01-01", upper="2020-12-31"),),
        "categorical": (CategoricalColumn(name="ward", categories=("a", "b", "c")), CategoricalColumn(name="smoker", categories=(True, False))),
        "rows_per_person": 1,
    }
    return Schema(**stated | other)


NUMBER = NumberTarget(column="answer", lower=0, upper=10)


def table(count=COUNT, seed=0):
    draw = np.random.default_rng(seed)
    age = draw.integers(18, 91, count)
    cost = np.where(draw.uniform(size=count) < 0.5, 0.0, draw.uniform(0, 1e5, count))
    return {
        "age": age,
        "cost": [None if gone else float(value) for gone, value in zip(draw.uniform(size=count) < 0.1, cost, strict=True)],
        "day": [f"2020-{1 + int(month):02d}-15" for month in draw.integers(0, 12, count)],
        "ward": np.array(["a", "b", "c"])[draw.integers(0, 3, count)],
        "smoker": age > 50,
        "answer": np.where(age + draw.normal(0, 5, count) > 50, "yes", "no"),
    }


def by_hub(sizes, tables, counts, deviations, *, total):
    """In place of `fitted`: every column given the last one, or alone."""
    assert len(deviations) == len(tables)
    assert total > 0
    by_table = dict(zip(tables, counts, strict=True))
    hub = len(sizes) - 1
    if (0,) in by_table:
        return [Part(column=place, parents=(), counts=by_table[(place,)]) for place in range(len(sizes))]
    first = np.maximum(by_table[(0, hub)].reshape(sizes[0], sizes[hub]).sum(axis=0), 0.0)
    parts = [Part(column=hub, parents=(), counts=first)]
    return parts + [Part(column=place, parents=(hub,), counts=by_table[(place, hub)].reshape(sizes[place], sizes[hub]).T) for place in range(hub)]
