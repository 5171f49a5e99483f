"""Certificates of counting releases: true ones verify, each lie is refused, and the ledger has the entry before noise is drawn."""

import json
from dataclasses import replace

import numpy as np
import pytest

from discreet.accounting import ApproximateDP, PureDP
from discreet.certificates import Certificate
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.ledger import Account, BudgetExceeded, Ledger
from discreet.mechanisms.counting import BoundedSum, GaussianCounting, Histogram, LaplaceCounting, Queries
from discreet.noise import SeededNoise, SystemNoise

QUERIES = Queries([Histogram(cells=6), BoundedSum(largest=1024)])
SETTINGS = [
    (neighbours, epsilon, delta, queries)
    for neighbours in (ADD_REMOVE, REPLACE_ONE)
    for epsilon, delta in ((1.0, 0.0), (0.02, 1e-8), (1.0, 1e-6), (5.0, 1e-5), (0.0004, 1e-6))
    for queries in (QUERIES, Queries(QUERIES.each[:1]), Queries([BoundedSum(largest=1)]))
]


def calibrated(neighbours, epsilon, delta, queries):
    if delta:
        return GaussianCounting.calibrate(queries, epsilon=epsilon, delta=delta, neighbours=neighbours)
    return LaplaceCounting.calibrate(queries, epsilon=epsilon, neighbours=neighbours)


def columns(queries):
    return [np.array([0, 1, 1, 0]) for _ in queries.each]


@pytest.fixture(params=SETTINGS, ids=lambda value: f"{value[0]} {value[1]} {value[2]} {len(value[3].each)}")
def certificate(request):
    return calibrated(*request.param).run(request.param[3], request.param[3].answered(columns(request.param[3])), SystemNoise()).certificate


@pytest.mark.at_most(10)
def test_a_true_certificate_verifies_also_from_a_file(certificate):
    assert certificate.verify().ok, certificate.verify()
    assert Certificate.from_dict(json.loads(certificate.to_json())).verify().ok


@pytest.mark.at_most(10)
def test_a_smaller_claim_fails(certificate):
    claim = certificate.guarantee
    if isinstance(claim, PureDP):
        lies = [replace(claim, epsilon=claim.epsilon * (1 - 1e-4))]
    else:
        assert isinstance(claim, ApproximateDP)
        share = 0.5 if claim.epsilon < 0.001 else 1 - 1e-2
        lies = [replace(claim, epsilon=claim.epsilon * (1 - 1e-4)), replace(claim, delta_at_epsilon=claim.delta_at_epsilon * share)]
    assert not any(replace(certificate, guarantee=lie).verify().ok for lie in lies)


@pytest.mark.at_most(10)
def test_less_noise_fails(certificate):
    for place in range(len(certificate.parameters["scales"])):
        scales = [scale * (0.8 if i == place else 1.0) for i, scale in enumerate(certificate.parameters["scales"])]
        assert not replace(certificate, parameters={**certificate.parameters, "scales": scales}).verify().ok


@pytest.mark.at_most(10)
def test_the_other_relation_fails(certificate):
    claim = certificate.guarantee
    other = REPLACE_ONE if claim.neighbours is ADD_REMOVE else ADD_REMOVE
    assert not replace(certificate, guarantee=replace(claim, neighbours=other)).verify().ok


def test_noise_for_one_cell_does_not_pass_for_two_under_replace_one():
    claim = calibrated(ADD_REMOVE, 1.0, 1e-6, QUERIES).run(QUERIES, QUERIES.answered(columns(QUERIES)), SystemNoise()).certificate
    lie = replace(claim, guarantee=replace(claim.guarantee, neighbours=REPLACE_ONE), parameters={**claim.parameters, "neighbours": str(REPLACE_ONE)})
    assert "delta" in {check.name for check in lie.verify().checks if not check.ok}


def test_a_larger_contribution_fails(certificate):
    queries = [{**query, "largest": 1500} if query["kind"] == "bounded-sum" else query for query in certificate.problem["queries"]]
    if queries != certificate.problem["queries"]:
        assert not replace(certificate, problem={"queries": queries}).verify().ok


@pytest.mark.parametrize("broken", [None, "1", [], [1.0, 2.0, 3.0], [True, True], [float("nan")], [-1.0], 3.0])
def test_broken_records_fail_without_an_exception(certificate, broken):
    assert not replace(certificate, parameters={**certificate.parameters, "scales": broken}).verify().ok
    assert not replace(certificate, problem={"queries": broken}).verify().ok
    assert not replace(certificate, parameters={**certificate.parameters, "neighbours": broken}).verify().ok
    assert not replace(certificate, problem={"queries": [{"kind": "histogram", "cells": broken}]}).verify().ok


def test_releases_that_are_more_than_one_need_more(certificate):
    assert not replace(certificate, releases=2).verify().ok


def test_seeded_noise_never_verifies():
    release = calibrated(ADD_REMOVE, 1.0, 1e-6, QUERIES).run(QUERIES, QUERIES.answered(columns(QUERIES)), SeededNoise(1))
    assert [check.name for check in release.verify().checks if not check.ok] == ["noise source"]


def test_the_ledger_holds_the_release_and_refuses_the_next_before_noise_is_drawn(tmp_path, monkeypatch):
    ledger = Ledger.create(tmp_path / "a.ledger")
    ledger.declare("people", epsilon=1.5, neighbours=REPLACE_ONE)
    account = Account(str(tmp_path / "a.ledger"), "people")
    mechanism = calibrated(REPLACE_ONE, 1.0, 0.0, QUERIES)
    release = mechanism.run(QUERIES, QUERIES.answered(columns(QUERIES)), SystemNoise(), account=account)
    (entry,) = ledger.history("people")
    assert release.certificate.ledger_entry == entry.id
    assert entry.purpose == "counting-laplace"
    monkeypatch.setattr(LaplaceCounting, "draw", lambda *_: pytest.fail("noise was drawn"))
    with pytest.raises(BudgetExceeded):
        mechanism.run(QUERIES, QUERIES.answered(columns(QUERIES)), SystemNoise(), account=account)


def test_records_that_do_not_match_cost_nothing(tmp_path):
    ledger = Ledger.create(tmp_path / "a.ledger")
    ledger.declare("people", epsilon=1.5)
    mechanism = calibrated(REPLACE_ONE, 1.0, 0.0, QUERIES)
    for records in (columns(QUERIES)[:1], [np.array([0]), np.array([0, 1])], [np.array([7]), np.array([0])]):
        with pytest.raises(InvalidInput):
            mechanism.run(QUERIES, QUERIES.answered(records), SystemNoise(), account=Account(str(tmp_path / "a.ledger"), "people"))
    assert ledger.history("people") == ()
