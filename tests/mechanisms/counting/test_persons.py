"""Rows that share one person's weight: no person moves an answer farther than one record, and rows that count whole are caught."""

import json
from dataclasses import replace
from itertools import combinations_with_replacement, product

import numpy as np
import pytest

from discreet.accounting import Unit, gaussian_delta
from discreet.certificates import Certificate
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE, Neighbours, Persons
from discreet.mechanisms.counting import BoundedSum, GaussianCounting, Histogram, LaplaceCounting, Queries
from discreet.mechanisms.cuts.grid import ColumnCells, ColumnHistograms
from discreet.noise import SystemNoise
from discreet.words.counting import WHOLE

COLUMNS = ColumnHistograms(tuple(ColumnCells(name=name, lower=0.0, upper=1.0, steps=2, halvings=0) for name in "ab"))
QUERIES = [Histogram(cells=3), BoundedSum(largest=4)]
ROWS = [(cell, part) for cell in range(3) for part in (0, 4)]
CELLS = list(product(range(2), repeat=2))


def weights_of(rows: int, *, whole: bool) -> np.ndarray:
    return np.ones(rows) if whole else np.full(rows, (2**53 // max(rows, 1)) * 2.0**-53)


def persons_moves(queries: Queries, kinds: list, neighbours: Neighbours, *, whole: bool = False) -> list[tuple[np.ndarray, ...]]:
    """How all persons of up to three of these rows move the answers, one vector a query."""

    def answers(table) -> list[np.ndarray]:
        columns = [np.array(table)] if kinds is CELLS else [np.array([row[i] for row in table]) for i in range(2)]
        return queries.answers(columns, weights_of(len(table), whole=whole))

    people = [answers(table) for size in (1, 2, 3) for table in combinations_with_replacement(kinds, size)]
    others = [[np.zeros_like(part) for part in people[0]]] if neighbours is ADD_REMOVE else people
    return [tuple(a - b for a, b in zip(here, there, strict=True)) for here in people for there in others]


@pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE], ids=str)
@pytest.mark.parametrize("kinds", [ROWS, CELLS], ids=["counts", "columns"])
def test_no_person_moves_an_answer_farther_than_a_record_and_rows_that_count_whole_do(neighbours, kinds):
    queries = Queries([COLUMNS] if kinds is CELLS else QUERIES, Persons(rows=3))
    claims = queries.sensitivities(neighbours)
    moves = persons_moves(queries, kinds, neighbours)
    for place, claim in enumerate(claims):
        manhattan, squared = (max(float(np.sum(np.abs(move[place]) ** power)) for move in moves) for power in (1, 2))
        assert manhattan <= claim.manhattan
        assert squared <= claim.squared
        assert manhattan >= 0.999 * claim.manhattan, "rows that are equal are as far as a record"
        assert max(int(np.count_nonzero(move[place])) for move in moves) <= claim.spread
        faulty = persons_moves(queries, kinds, neighbours, whole=True)
        assert max(float(np.sum(np.abs(move[place]))) for move in faulty) > 2.5 * claim.manhattan, "the planted fault: every row counts whole"


@pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE], ids=str)
def test_the_curve_covers_every_person_and_less_noise_does_not(neighbours):
    queries = Queries(QUERIES, Persons(rows=3))
    mechanism = GaussianCounting.calibrate(queries, epsilon=1.0, delta=1e-6, neighbours=neighbours)
    claimed = mechanism.guarantee(queries)
    assert claimed.unit is Unit.PERSON

    def worst(scales) -> float:
        lengths = (
            sum(float(part @ part) / scale**2 for part, scale in zip(move, scales, strict=True)) for move in persons_moves(queries, ROWS, neighbours)
        )
        return gaussian_delta(1.0, max(lengths) ** 0.5)

    assert 0.9 * claimed.delta_at_epsilon <= worst(mechanism.scales) <= claimed.delta_at_epsilon
    assert worst([0.8 * scale for scale in mechanism.scales]) > 2.0 * claimed.delta_at_epsilon


def test_persons_cost_no_more_noise_than_records():
    for neighbours in (ADD_REMOVE, REPLACE_ONE):
        plain, shared = Queries([Histogram(cells=9)]), Queries([Histogram(cells=9)], Persons(rows=50))
        of_rows = GaussianCounting.calibrate(plain, epsilon=1.0, delta=1e-6, neighbours=neighbours).scales[0]
        of_persons = GaussianCounting.calibrate(shared, epsilon=1.0, delta=1e-6, neighbours=neighbours).scales[0] / WHOLE
        assert of_persons <= 1.001 * of_rows
        pure = [LaplaceCounting.calibrate(one, epsilon=1.0, neighbours=neighbours).scales[0] / one.parts for one in (plain, shared)]
        assert pure[0] == pytest.approx(pure[1], rel=1e-9)


@pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE], ids=str)
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("rows", [1, 7])
def test_a_certificate_for_persons_verifies_and_less_noise_or_more_rows_do_not(neighbours, delta, rows):
    queries = Queries(QUERIES, Persons(rows=rows))
    target = {"epsilon": 1.0, "neighbours": neighbours}
    mechanism = GaussianCounting.calibrate(queries, delta=delta, **target) if delta else LaplaceCounting.calibrate(queries, **target)
    weights = None if rows == 1 else weights_of(4, whole=False)
    release = mechanism.run(queries, queries.answered([np.array([0, 1, 1, 2])] * 2, weights=weights), SystemNoise())
    certificate = Certificate.from_dict(json.loads(release.certificate.to_json()))
    assert certificate.verify().ok, certificate.verify()
    assert certificate.guarantee.unit is Unit.PERSON
    scales = [0.8 * scale for scale in certificate.parameters["scales"]]
    assert not replace(certificate, parameters={**certificate.parameters, "scales": scales}).verify().ok
    without = {name: value for name, value in certificate.problem.items() if name != "persons"}
    assert not replace(certificate, problem=without).verify().ok
    assert rows > 1 or not replace(certificate, problem={**certificate.problem, "persons": Persons(rows=2).to_dict()}).verify().ok


def test_weights_where_nobody_shares_and_none_where_somebody_does_are_refused():
    column = np.array([0, 1])
    with pytest.raises(InvalidInput, match="weights"):
        Queries([Histogram(cells=2)], Persons(rows=2)).answered([column])
    with pytest.raises(InvalidInput, match="weights"):
        Queries([Histogram(cells=2)], Persons(rows=1)).answered([column], weights=np.ones(2))
    with pytest.raises(InvalidInput, match="from 0 to 1"):
        Queries([Histogram(cells=2)], Persons(rows=2)).answered([column], weights=np.array([2.0, 0.5]))
