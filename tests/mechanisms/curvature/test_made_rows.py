"""Curvature of rows that are made of a record: the matrices of all weights, how far records are apart, each by itself, certificates and lies."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit

from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE, Persons
from discreet.data import Domain
from discreet.estimators.models.person_period import Questions, held_table
from discreet.losses import Logistic
from discreet.matrices import as_matrix
from discreet.mechanisms.curvature import CurvatureQuery, CurvatureRecords, GaussianCurvature
from discreet.noise import SystemNoise
from discreet.problems import MadeRisk, MadeRows, RegularisedRisk

KINDS = ["times", "ordered classes"]


def question(of, rows=3, *, step=0.7, weights=None):
    made = MadeRows(of=of, rows=rows, bound=2.0, step=step, ends=tuple(range(1, rows + 1)) if of == "times" else ())
    domain = Domain(features=2 + 1 + rows, norm_bound=made.norm, classes=2, persons=Persons(rows=rows, weight="row"))
    problem = MadeRisk(of_rows=RegularisedRisk(loss=Logistic(), ridge=1.0, domain=domain), made=made)
    return CurvatureQuery(problem=problem, weights=0.4 * np.random.default_rng(0).normal(size=3 + rows) if weights is None else weights)


def records(of, rows=3, count=300):
    draw = np.random.default_rng(1)
    return draw.normal(size=(count, 2)) * 1.5, draw.integers(0, 2 * rows + 1 if of == "times" else rows + 1, count)


def answer(query, rows, codes):
    return query.answer(as_matrix(rows), Questions.of(query.problem.made).signs(codes), None)


@pytest.mark.parametrize("of", KINDS)
def test_the_matrices_are_those_of_the_rows_that_are_fitted_and_of_the_gradients_of_whole_records(of):
    query, (rows, codes) = question(of), records(of)
    held = held_table(Questions.of(query.problem.made), as_matrix(rows), codes)
    made, whose = held.rows.entries(slice(None)), held.persons.to_numpy()
    share = expit(-held.signs * (made @ query.weights))
    gradients = np.zeros((300, made.shape[1]))
    np.add.at(gradients, whose, -(held.signs * share / 3.0)[:, np.newaxis] * made)
    curvature = (made * (share * (1.0 - share) / 3.0)[:, np.newaxis]).T @ made
    found = query.read(answer(query, rows, codes).astype(float), scale=1.0)
    for read, expected in zip(found[:2], (curvature, gradients.T @ gradients), strict=True):
        assert np.abs(read - expected).max() < 0.02 * np.abs(expected).max()
        assert np.allclose(query.problem.unseen @ read, 0.0, atol=1e-9 * np.abs(read).max()), "no row tells its constants apart from their sum"


@pytest.mark.parametrize("of", KINDS)
@pytest.mark.parametrize("rows", [1, 4])
def test_no_pair_of_records_is_farther_apart_than_the_distance_and_some_come_near(of, rows):
    alone, apart = 0.0, 0.0
    places = np.array([[2.0, 0.0], [-2.0, 0.0], [1.4, 1.4], [0.3, -0.1]])
    for size in (0.0, 0.1, 0.4, 40.0):
        for direction in np.vstack((np.eye(3 + rows)[:1], np.ones(3 + rows), -np.ones(3 + rows))):
            query = question(of, rows, weights=size * direction)
            codes = np.arange(len(Questions.of(query.problem.made).counts))
            found = np.array([answer(query, one[np.newaxis], np.array([code])).astype(float) for one in places for code in codes])
            alone = max(alone, np.linalg.norm(found, axis=1).max() / query.distance(ADD_REMOVE))
            gaps = np.sum(found**2, axis=1)[:, np.newaxis] + np.sum(found**2, axis=1) - 2.0 * found @ found.T
            apart = max(apart, np.sqrt(gaps.max()) / query.distance(REPLACE_ONE))
    assert 0.7 < alone <= 1.0
    assert 0.6 < apart <= 1.0


def test_a_record_contributes_the_same_whatever_stands_beside_it_and_nothing_without_rows():
    query, (rows, codes) = question("times"), records("times")
    parts = [answer(query, np.asfortranarray(rows[part]), codes[part]) for part in (slice(0, 7), slice(7, 300))]
    assert np.array_equal(parts[0] + parts[1], answer(query, rows, codes))
    assert not np.any(answer(query, rows[:1], np.array([0])))  # not seen through any period


@pytest.mark.parametrize(("of", "neighbours"), [("times", ADD_REMOVE), ("ordered classes", REPLACE_ONE)])
def test_a_true_certificate_verifies_and_lies_fail(of, neighbours):
    query, (rows, codes) = question(of), records(of, count=30)
    mechanism = GaussianCurvature.calibrate(query, epsilon=0.7, delta=1e-6, neighbours=neighbours)
    signs = Questions.of(query.problem.made).signs(codes)
    released = mechanism.run(query, CurvatureRecords(rows=as_matrix(rows), targets=signs, record_weights=None), SystemNoise())
    certificate = released.certificate
    assert certificate.verify(released.value).ok, certificate.verify(released.value)
    assert released.certificate.guarantee.unit.counted == "persons"
    assert not replace(certificate, parameters={**certificate.parameters, "scale": certificate.parameters["scale"] * 0.95}).verify().ok
    fewer = {**certificate.problem["made_rows"], "rows": 2, **({"ends": [1, 2]} if of == "times" else {})}
    assert not replace(certificate, problem={**certificate.problem, "made_rows": fewer}).verify().ok
    assert not replace(certificate, problem={key: value for key, value in certificate.problem.items() if key != "made_rows"}).verify().ok
