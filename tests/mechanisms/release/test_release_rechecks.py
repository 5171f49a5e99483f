"""Certificates of releases: true ones verify, also from a file; each lie is refused; the ledger has the entry before noise is drawn."""

import json
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from discreet.accounting import ApproximateDP, MutualInformation, PureDP, Unit
from discreet.certificates import Certificate, digest_of
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.data import Domain
from discreet.ledger import Account, BudgetExceeded, Ledger
from discreet.mechanisms import release as mechanisms
from discreet.mechanisms.release import (
    BoundedNoise,
    ClearTargetSketch,
    EigenvalueSketch,
    FisherNoise,
    FreshProjection,
    GaussianMoments,
    GaussianRelease,
    GaussianSketch,
    InformationRelease,
    InformationSketch,
    LaplaceRelease,
    NullSpaceNoise,
    PublishedSketch,
)
from discreet.noise import SystemNoise
from discreet.queries import Projection, Rows, SecondMoments, WeightedRows
from tests.canary import CANARY, assert_silent
from tests.mechanisms.release.tables import BALL, BOX, invented, of

NARROW = Domain(features=3, entry_bound=0.25, target_bound=1.0)


def everything():
    """(name, query, mechanism) of every kind of release, under both relations where there are two."""
    for neighbours, slots in ((REPLACE_ONE, None), (ADD_REMOVE, 40)):
        target = {"epsilon": 0.7, "delta": 1e-6, "neighbours": neighbours}
        for domain in (BOX, BALL):
            rows = Rows(domain=domain, target="noisy")
            moments = SecondMoments(domain=domain, most_records=1000)
            for query in (
                rows,
                Projection.from_public_seed(domain, width=2, seed=0),
                Projection.of(domain, np.arange(8.0).reshape(4, 2) - 3, target="noisy"),
            ):
                yield query, GaussianRelease.calibrate(query, slots=slots, **target)
            yield rows, LaplaceRelease.calibrate(rows, epsilon=0.7, neighbours=neighbours, slots=slots)
            weighted = WeightedRows.of(domain, weights=np.array([1.0, 2.0, 5.0]), target="omitted")
            yield weighted, FisherNoise.calibrate(weighted, slots=slots, **target)
            for width in (2, 200):
                yield rows, FreshProjection.calibrate(rows, width=width, slots=slots, **target)
            yield moments, GaussianSketch.calibrate(moments, rows=20, **target)
            yield moments, GaussianSketch.calibrate(moments, rows=20, least_eigenvalue=3.0, **target)
            yield moments, EigenvalueSketch.calibrate(moments, rows=20, **target)
            counted = replace(moments, counted=True)
            yield counted, GaussianMoments.calibrate(counted, **target)
    clear = Rows(domain=BOX, target="clear")
    yield clear, GaussianRelease.calibrate(clear, epsilon=0.7, delta=1e-6, neighbours=REPLACE_ONE)
    yield clear, LaplaceRelease.calibrate(clear, epsilon=0.7, neighbours=REPLACE_ONE)
    entries = SecondMoments(domain=BOX, most_records=1000)
    for bits in (0.1, 4.0):
        yield entries, InformationSketch.calibrate(entries, rows=20, bits=bits)
    yield entries, ClearTargetSketch.calibrate(entries, rows=20, bits=0.5)
    numbers = Rows(domain=BOX)
    yield numbers, InformationRelease.calibrate(numbers, bits=0.5)
    narrow = Rows(domain=NARROW)
    yield narrow, BoundedNoise(half_width=1.0, level=1.0, epsilon=1.0)


@lru_cache(maxsize=1)
def releases():
    made = []
    for query, mechanism in everything():
        release = mechanism.run(query, invented(query.read.domain, 30), SystemNoise())
        made.append((mechanism, query, release))
    return made


COUNT = 51
each_release = pytest.mark.parametrize("place", range(COUNT))


def test_every_release_is_looked_at():
    assert len(releases()) == COUNT
    known = {type(mechanism).__name__ for mechanism, _, _ in releases()}
    exported = {name for name in mechanisms.__all__ if name[0].isupper()}
    assert known <= exported
    for name in exported - known - {PublishedSketch.__name__, NullSpaceNoise.__name__}:
        told = [path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py") if path.name != Path(__file__).name]
        assert any(name in text and ".verify()" in text for text in told), f"{name} has rechecks neither here nor in a test of its own"


@pytest.mark.at_most(20)
@each_release
def test_a_true_certificate_verifies_also_from_a_file(place):
    _, _, release = releases()[place]
    assert release.verify().ok, release.verify()
    read = Certificate.from_dict(json.loads(release.certificate.to_json()))
    assert read.verify(release.value).ok
    assert not read.verify(release.value + 1.0).ok


@pytest.mark.at_most(20)
@each_release
def test_a_smaller_claim_fails(place):
    certificate = releases()[place][2].certificate
    claim = certificate.guarantee
    if isinstance(claim, MutualInformation):
        lies = [replace(claim, bits=claim.bits * (1 - 1e-4))]
    elif isinstance(claim, PureDP):
        lies = [replace(claim, epsilon=claim.epsilon * (1 - 1e-4))]
    else:
        assert isinstance(claim, ApproximateDP)
        # A composition is stated above what it is by the chords of its curve, here by less than a hundredth of delta.
        less = 10.0 if certificate.mechanism == "release-eigenvalue-sketch" else 1.0
        lies = [
            replace(claim, epsilon=claim.epsilon * (1 - less * 1e-4)),
            replace(claim, delta_at_epsilon=claim.delta_at_epsilon * (1 - less * 1e-3)),
        ]
    assert not any(replace(certificate, guarantee=lie).verify().ok for lie in lies)
    other = Unit.ENTRY if claim.unit is not Unit.ENTRY else Unit.RECORD
    if not isinstance(claim, MutualInformation) and claim.neighbours is REPLACE_ONE:
        assert not replace(certificate, guarantee=replace(claim, unit=other)).verify().ok
    assert not replace(certificate, releases=2).verify().ok


@pytest.mark.at_most(20)
@each_release
def test_less_noise_fails(place):
    certificate = releases()[place][2].certificate
    names = {"scale", "moment_noise", "variance", "floor", "half_width", "eigenvalue_scale", "quantile"} & certificate.parameters.keys()
    assert names
    for name in names:
        if name == "variance" and certificate.mechanism == "release-eigenvalue-sketch":
            lie = {"variance": certificate.parameters["variance"] - 10**9}
        else:
            lie = {name: type(certificate.parameters[name])(0.8 * certificate.parameters[name])}
        assert not replace(certificate, parameters={**certificate.parameters, **lie}).verify().ok, name


@each_release
def test_a_wider_domain_fails(place):
    certificate = releases()[place][2].certificate
    name = "entry_bound" if certificate.problem["entry_bound"] is not None else "norm_bound"
    wider = {**certificate.problem, name: 1.2 * certificate.problem[name]}
    assert not replace(certificate, problem=wider).verify().ok


@pytest.mark.at_most(20)
@each_release
def test_the_other_relation_fails(place):
    certificate = releases()[place][2].certificate
    claim = certificate.guarantee
    if claim.unit is not Unit.RECORD:
        return
    other = REPLACE_ONE if claim.neighbours is ADD_REMOVE else ADD_REMOVE
    assert not replace(certificate, guarantee=replace(claim, neighbours=other)).verify().ok
    if claim.neighbours is ADD_REMOVE:
        lie = {**certificate.parameters, "neighbours": str(REPLACE_ONE)} | ({"slots": None} if "slots" in certificate.parameters else {})
        faked = replace(certificate, guarantee=replace(claim, neighbours=REPLACE_ONE), parameters=lie)
        assert {"delta", "epsilon"} & {check.name for check in faked.verify().checks if not check.ok}


@pytest.mark.at_most(20)
@each_release
def test_broken_records_are_refused_without_raising(place):
    certificate = releases()[place][2].certificate
    for name in certificate.parameters:
        for value in ("x", None, -1.0):
            if certificate.parameters[name] != value:
                verdict = replace(certificate, parameters={**certificate.parameters, name: value}).verify()
                assert name in {"local", "least_eigenvalue", "noisy_eigenvalue"} or not verdict.ok, name
    assert not replace(certificate, problem={}).verify().ok


def test_a_larger_table_or_more_rows_of_a_sketch_fail():
    for mechanism, _, release in releases():
        if isinstance(mechanism, GaussianSketch | EigenvalueSketch | InformationSketch | ClearTargetSketch):
            certificate = release.certificate
            more = {**certificate.parameters, "rows": 2 * certificate.parameters["rows"]}
            assert not replace(certificate, parameters=more).verify().ok
            longer = {**certificate.problem, "most_records": 10**4 * certificate.problem["most_records"]}
            assert not replace(certificate, problem=longer).verify().ok


def test_a_projection_that_stretches_more_fails():
    query, release = next((query, release) for _, query, release in releases() if "matrix" in query.to_dict() and isinstance(query, Projection))
    matrix = [[2 * value for value in row] for row in query.to_dict()["matrix"]]
    assert not replace(release.certificate, problem={**release.certificate.problem, "matrix": matrix}).verify().ok


def test_the_published_sketch_never_verifies_and_says_why():
    query = SecondMoments(domain=BOX, most_records=100)
    release = PublishedSketch(rows=5, claimed_bits=0.5).run(query, invented(BOX, 50), SystemNoise())
    verdict = release.verify()
    assert not verdict.ok
    assert "nearly repeat each other" in next(check.detail for check in verdict.checks if not check.ok)
    assert "NONE" in str(release.certificate)


@each_release
def test_rows_that_are_handed_on_have_the_digest_of_the_whole(place):
    mechanism, query, _ = releases()[place]
    kept = []
    certificate = mechanism.write(query, invented(query.read.domain, 30, seed=1), SystemNoise(), kept.append)
    assert certificate.digest == digest_of(np.concatenate(kept))


@pytest.mark.at_most(20)
@each_release
def test_the_budget_is_taken_before_noise_is_drawn(place, tmp_path):
    mechanism, query, _ = releases()[place]
    stated = mechanism.guarantee(query)
    if not isinstance(stated, ApproximateDP):
        return
    ledger = Ledger.create(tmp_path / "ledger")
    ledger.declare("people", epsilon=1.1 * stated.epsilon, delta=1.5 * stated.delta_at_epsilon, neighbours=stated.neighbours, unit=stated.unit)
    account = Account(tmp_path / "ledger", "people")
    data = invented(query.read.domain, 30)
    certificate = mechanism.run(query, data, SystemNoise(), account=account).certificate
    assert certificate.ledger_entry == ledger.history("people")[0].id

    class Untouched(SystemNoise):
        def words(self):
            raise AssertionError("noise was drawn")

    with pytest.raises(BudgetExceeded):
        mechanism.run(query, data, Untouched(), account=account)


@each_release
def test_the_canary_is_nowhere_but_in_the_noise(place):
    mechanism, query, _ = releases()[place]
    domain = query.read.domain
    data = of(np.full((3, domain.features), CANARY), np.full(3, CANARY), domain)
    release = mechanism.run(query, data, SystemNoise())
    for text in (release.certificate, release.certificate.to_json(), mechanism, query, query.to_dict(), data):
        assert_silent(text)
