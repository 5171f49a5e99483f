"""Singling out, linkability and inference (Giomi, Boenisch, Wehmeyer, Tasnadi 2023) on synthetic rows, each held against what epsilon allows.

An attack on a record x is an event E(rows, x, others) of the released rows, of x, and of all other records of the table. Whoever is attacked without
being in the table is a control: another record stood in the place of x. Tables that differ in one record are neighbours (replace-one), so

    P(E(rows of others and x, x, others)) <= e^epsilon P(E(rows of others and control, x, others)) + delta

for every x; both sides are averaged over the records of tables that are drawn anew, and the attacked and their controls change places. A synthesiser
that copies the rows is found by all three.
"""

import math

import numpy as np
import polars as pl
import pytest

from discreet.core.neighbours import REPLACE_ONE
from discreet.mechanisms.base import Numbers
from discreet.mechanisms.cuts.columns import whose_rows
from discreet.noise import SystemNoise
from discreet.releases.synthetic import drawing, publish
from discreet.releases.synthetic.cells import Coder, counting_schema
from discreet.releases.synthetic.counts import TableCounts
from discreet.releases.synthetic.drawing import Drawing
from discreet.releases.synthetic.plan import SyntheticPlan
from tests.releases.synthetic.cases import by_hub, schema

RECORDS, TABLES = 60, 40
EPSILON, DELTA = 1.0, 1e-3
KNOWN, ELSEWHERE, SECRET = [0, 1], [3, 4], 2
"""Age and cost; ward and smoker, which another list has; the month."""


def people(draw):
    """Twice RECORDS rows whose columns have nothing to do with each other: what is told of one can only come from the table."""
    count = 2 * RECORDS
    return pl.DataFrame(
        {
            "age": draw.integers(18, 91, count),
            "cost": draw.uniform(0, 1e5, count),
            "day": [f"2020-{1 + int(month):02d}-15" for month in draw.integers(0, 12, count)],
            "ward": np.array(["a", "b", "c"])[draw.integers(0, 3, count)],
            "smoker": draw.uniform(size=count) < 0.5,
            "answer": np.where(draw.uniform(size=count) < 0.5, "yes", "no"),
        }
    )


def points(frame):
    """(rows, columns): numbers over their range, categories as numbers; the month last known."""
    month = frame["day"].cast(pl.String).str.slice(5, 2).cast(pl.Int64).to_numpy()
    ward = np.searchsorted(["a", "b", "c"], frame["ward"].to_numpy().astype(str))
    cost = np.nan_to_num(frame["cost"].to_numpy().astype(float), nan=-1e5)
    return np.column_stack((frame["age"].to_numpy() / 72.0, cost / 1e5, month, ward, frame["smoker"].to_numpy())).astype(float)


def singled_out(rows, x, others):
    """A guess made of a synthetic row, near it in numbers and equal elsewhere, holds for x and for nobody else of the table."""

    def held(by):
        near = np.all(np.abs(rows[:, np.newaxis, :2] - by[np.newaxis, :, :2]) < 0.02, axis=2)
        return near & np.all(rows[:, np.newaxis, 2:] == by[np.newaxis, :, 2:], axis=2)

    return bool(np.any(held(x[np.newaxis])[:, 0] & ~held(others).any(axis=1)))


def nearest(rows, x, columns):
    return np.flatnonzero((away := np.abs(rows[:, columns] - x[columns]).sum(axis=1)) == away.min())


def linked(rows, x, _):
    """The row that is nearest in what one list knows is, alone, one of those nearest in what another list knows and in the month."""
    first = nearest(rows, x, KNOWN)
    return len(first) == 1 and first[0] in nearest(rows, x, [*ELSEWHERE, SECRET]) and len(nearest(rows, x, [*ELSEWHERE, SECRET])) <= 3


def inferred(rows, x, _):
    """The month of the row that is nearest in everything else."""
    return bool(rows[nearest(rows, x, [*KNOWN, *ELSEWHERE])[0], SECRET] == x[SECRET])


ATTACKS = {"singling out": singled_out, "linkability": linked, "inference": inferred}


def synthetic(frame):
    """Rows by the mechanism; the fit is each column given the target."""
    plan = SyntheticPlan.calibrate(schema(), epsilon=EPSILON, delta=DELTA, neighbours=REPLACE_ONE)
    counting = counting_schema(schema())
    whose = whose_rows(counting.encode(frame, target=True, persons=True), SystemNoise(), rows_per_person=None, person_weight="person", jobs=1)
    counts = Numbers(TableCounts(whose, Coder(counting, plan.columns), plan.sizes, target=True, jobs=1))
    released = plan.mechanism.run(plan.problem, counts, SystemNoise())
    pairs = publish.pairs_of(released.certificate)
    drawing = Drawing(
        columns=plan.columns,
        problem=plan.problem,
        scales=plan.mechanism.scales,
        rounds=plan.problem.split(released.value, pairs),
        pairs=pairs,
        records=RECORDS,
    )
    return drawing.frames(RECORDS, 1, SystemNoise().words(), SystemNoise())[0]


def successes(synthesise):
    """(tables, attacks, 2): how often each attack succeeds on records of a table, and on others."""
    draw, found = np.random.default_rng(7), []
    for _ in range(TABLES):
        both = people(draw)
        rows, all_points = points(synthesise(both.head(RECORDS))), points(both)
        table, controls = all_points[:RECORDS], all_points[RECORDS:]
        found.append([])
        for attack in ATTACKS.values():
            without = [np.delete(table, place, axis=0) for place in range(RECORDS)]
            inside = [attack(rows, x, others) for x, others in zip(table, without, strict=True)]
            outside = [attack(rows, x, others) for x, others in zip(controls, without, strict=True)]
            found[-1].append((np.mean(inside), np.mean(outside)))
    return np.array(found)


@pytest.mark.slow
@pytest.mark.parametrize("copies", [False, True], ids=["ours", "a synthesiser that copies"])
def test_nobody_is_singled_out_linked_or_inferred_more_often_than_epsilon_allows(copies, monkeypatch):
    monkeypatch.setattr(drawing, "fitted", by_hub)
    found = successes((lambda frame: frame) if copies else synthetic)
    beyond = found[..., 0] - math.exp(EPSILON) * found[..., 1] - DELTA
    worst = beyond.mean(axis=0) / np.maximum(beyond.std(axis=0, ddof=1), 1e-9) * math.sqrt(TABLES)
    for name, size, (inside, outside) in zip(ATTACKS, worst, found.mean(axis=0), strict=True):
        assert bool(size > 5.0) is copies, f"{name}: {inside:.3f} of those in the table, {outside:.3f} of others"
