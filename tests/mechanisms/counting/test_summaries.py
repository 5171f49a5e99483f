"""Tables and sums of all columns as one query: how far one record moves them, exactly, and that certificates and noise go by that."""

import numpy as np
import pytest

from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE, Persons
from discreet.mechanisms.counting import MISSING, Cells, GaussianCounting, LaplaceCounting, Queries, Summary
from discreet.noise import SystemNoise
from tests.mechanisms.counting.claims import is_kept_and_nearly_reached, verifies_and_lies_do_not

L = 1 << Summary.bits
TABLES = (Cells(cells=3, levels=((1, 500), (2, 300))), Cells(cells=2, levels=((1, 900),)))
SOME = [
    Summary(tables=TABLES, sums=((700, 400),)),
    Summary(groups=2, tables=TABLES, sums=((700, 400),)),
    Summary(tables=TABLES[1:], sums=((300, 2000),)),
    Summary(groups=2, sums=((300, 2000),)),
    Summary(groups=3, tables=TABLES),
]
RELATIONS = [ADD_REMOVE, REPLACE_ONE]


def every_record(query, points=33):
    """What each record adds, (records, size): all groups and cells, and numbers on a grid."""
    numbers = [*np.linspace(-L, L, points).round().astype(np.int64), MISSING]
    axes = [range(query.groups), *(range(table.cells) for table in query.tables), *([numbers] * len(query.sums))]
    records = np.stack([axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")], axis=1)
    return np.array([query.answer(record[np.newaxis]) for record in records])


def farthest(query, neighbours, norm):
    """By brute force over all pairs."""
    added = np.unique(every_record(query).astype(float), axis=0)
    alone = float(np.max(np.linalg.norm(added, norm, axis=1)))
    if neighbours is ADD_REMOVE:
        return alone
    return max(alone, *(float(np.max(np.linalg.norm(added - row, norm, axis=1))) for row in added))


@pytest.mark.parametrize("neighbours", RELATIONS)
@pytest.mark.parametrize("query", SOME, ids=["one group", "two", "far squares", "sums alone", "tables alone"])
def test_no_record_moves_the_answers_farther_and_some_nearly_as_far(query, neighbours):
    stated = query.sensitivity(neighbours)
    for norm, bound in ((2, stated.step), (1, stated.manhattan)):
        reached = farthest(query, neighbours, norm)
        assert reached <= bound <= 1.005 * reached + 4
    assert stated.squared == stated.step**2
    moved = np.count_nonzero(every_record(query, points=3), axis=1).max()
    assert stated.spread == moved * (1 if neighbours is ADD_REMOVE else 2)


def calibrated(query, neighbours, delta, persons=None):
    queries = Queries([query], persons)
    if delta:
        return queries, GaussianCounting.calibrate(queries, epsilon=1.0, delta=delta, neighbours=neighbours)
    return queries, LaplaceCounting.calibrate(queries, epsilon=1.0, neighbours=neighbours)


FINE = Summary(
    groups=2,
    tables=(Cells(cells=5, levels=((1, 2**16), (2, 2**15))), Cells(cells=2, levels=((1, 2**16),))),
    sums=((2**15, 2**14),),
    asked="0" * 64,
)


@pytest.mark.parametrize("neighbours", RELATIONS)
def test_the_worst_pair_keeps_the_claim_and_nearly_reaches_it_and_half_the_noise_is_caught(neighbours):
    queries, made = calibrated(FINE, neighbours, 1e-3)
    first, second = np.array([[0, 0, 0, L]]), np.array([[0, 4, 1, -L]])
    (here,) = queries.answers([first])
    (there,) = queries.answers([second if neighbours is REPLACE_ONE else first[:0]])
    is_kept_and_nearly_reached(queries, made, here, there)


@pytest.mark.parametrize("persons", [None, Persons(rows=3), Persons(rows=3, weight="row")], ids=["records", "persons", "rows"])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("neighbours", RELATIONS)
def test_certificates_verify_and_lies_do_not(neighbours, delta, persons):
    queries, made = calibrated(FINE, neighbours, delta, persons)
    records = np.array([[0, 4, 1, 5], [1, 0, 0, -L], [1, 2, 1, MISSING]])
    weights = None if persons is None else np.array([0.3, 0.3, 0.4])
    release = made.run(queries, queries.answered([records], weights=weights), SystemNoise())
    lies = [
        ("a table less", lambda problem: problem["tables"].pop()),
        ("a lighter level", lambda problem: problem["tables"][0]["levels"][0].__setitem__(1, 2**15)),
        ("a level less", lambda problem: problem["tables"][0]["levels"].pop()),
        ("wider runs", lambda problem: problem["tables"][0]["levels"][0].__setitem__(0, 5)),
        ("lighter squares", lambda problem: problem["sums"][0].__setitem__(1, 1)),
        ("no sums", lambda problem: problem["sums"].pop()),
        ("other cells", lambda problem: problem.update(asked="1" * 64)),
        ("no groups", lambda problem: problem.update(groups=0)),
        ("a weight below 0", lambda problem: problem["tables"][0]["levels"][0].__setitem__(1, -1)),
        ("nothing", lambda problem: problem.update(tables=[], sums=[])),
    ]
    verifies_and_lies_do_not(release, lies)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"groups": 0, "tables": TABLES},
        {"sums": ((0, 1),)},
        {"sums": ((1, 2**21),)},
        {"tables": TABLES, "asked": "schema"},
        {"groups": 2**20, "tables": TABLES},
    ],
)
def test_other_summaries_are_refused(settings):
    with pytest.raises(InvalidInput):
        Summary(**settings)


@pytest.mark.parametrize("cells", [{"cells": 0, "levels": ((1, 1),)}, {"cells": 2, "levels": ()}, {"cells": 2, "levels": ((0, 1),)}])
def test_other_tables_are_refused(cells):
    with pytest.raises(InvalidInput):
        Cells(**cells)


@pytest.mark.parametrize("record", [[2, 0, 0, 0], [-1, 0, 0, 0], [0, 5, 0, 0], [0, 0, -1, 0], [0, 0, 0, L + 1], [0, 0, 0]])
def test_records_out_of_range_are_refused_without_a_value(record):
    with pytest.raises(InvalidInput) as refusal:
        FINE.answer(np.array([record]))
    assert str(L + 1) not in str(refusal.value)


def test_answers_are_sums_over_records_and_over_parts_of_them():
    draw = np.random.default_rng(0)
    records = np.stack([draw.integers(0, 2, 60), draw.integers(0, 5, 60), draw.integers(0, 2, 60), draw.integers(-L, L + 1, 60)], axis=1)
    records[::7, 3] = MISSING
    whole = FINE.answer(records)
    assert np.array_equal(whole, FINE.answer(records[:20]) + FINE.answer(records[20:]))
    assert np.array_equal(3 * whole, FINE.answer(records, np.full(60, 3)))
    (fine, coarse), (other,) = FINE.tables_of(whole)
    sums = FINE.sums_of(whole)
    for group in range(2):
        mine = records[records[:, 0] == group]
        assert fine[group].tolist() == [2**16 * int(np.sum(mine[:, 1] == cell)) for cell in range(5)]
        assert coarse[group].tolist() == [2**15 * int(np.sum(mine[:, 1] // 2 == run)) for run in range(3)]
        assert other[group].tolist() == [2**16 * int(np.sum(mine[:, 2] == cell)) for cell in range(2)]
        t = mine[mine[:, 3] != MISSING, 3] / L
        assert sums[0, group] == pytest.approx([2**15 * t.sum(), 2**14 * np.square(t).sum()], abs=2 * len(t))
    assert FINE.answer(records[:0]).tolist() == [0] * FINE.size
