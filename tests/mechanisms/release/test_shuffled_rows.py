"""Shuffled rows: noise and its recheck, the order, whole rows, and what is refused."""

import math
from dataclasses import replace

import numpy as np
import pytest

from discreet.core.errors import InfeasibleTarget, InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE, Persons
from discreet.data import Domain, Records
from discreet.matrices import as_matrix
from discreet.mechanisms.release import GaussianRelease, LaplaceRelease, ShuffledGaussianRows, ShuffledLaplaceRows, placement
from discreet.mechanisms.release.answers import answers
from discreet.noise import SystemNoise
from discreet.queries import Projection, Rows, Target
from tests.mechanisms.release.tables import BALL, BOX, invented

MANY = 100_000
PRIVATE = {"epsilon": 1.0, "delta": 1e-6}


def calibrated(kind, query, neighbours=REPLACE_ONE, shuffled=MANY, **asked):
    slots = None if neighbours is REPLACE_ONE and query.read.in_order else shuffled
    return kind.calibrate(query, **{**PRIVATE, **asked}, neighbours=neighbours, shuffled=shuffled, slots=slots)


def rechecked(made, query):
    checks = {check.name: check.ok for check in made.planned(query, shape=(2, query.columns)).verify().checks}
    return checks.get("delta", False) and checks["shuffled rows"]


PROJECTED = Projection.from_public_seed(BALL, width=2, seed=1)
PERSONS = Rows(domain=replace(BALL, persons=Persons(rows=3)))


@pytest.mark.at_most(2)
@pytest.mark.parametrize(
    ("kind", "query"),
    [
        (ShuffledGaussianRows, Rows(domain=BALL)),
        (ShuffledLaplaceRows, Rows(domain=BALL)),
        (ShuffledGaussianRows, PROJECTED),
        (ShuffledGaussianRows, PERSONS),
        (ShuffledLaplaceRows, PERSONS),
    ],
    ids=["normal", "Laplace", "projected", "persons", "Laplace persons"],
)
@pytest.mark.parametrize("neighbours", [REPLACE_ONE, ADD_REMOVE])
def test_the_noise_is_what_the_order_leaves_of_it_and_is_rechecked(kind, query, neighbours):
    made = calibrated(kind, query, neighbours)
    stated = made.guarantee(query)
    assert stated.delta_at_epsilon <= 1e-6
    assert stated.secret == ("the order of the rows",)
    assert rechecked(made, query)
    lies = [replace(made, shuffled=2 * made.shuffled), replace(made, scale=0.98 * made.scale)]
    lies += [replace(made, share=0.5 * made.share)] if kind is ShuffledGaussianRows else []
    for lie in lies:
        certificate = made.planned(query, shape=(2, query.columns))
        told = replace(certificate, parameters=lie.parameters())
        assert not told.verify().ok
    honest = {check.name for check in replace(certificate, parameters=lies[1].parameters()).verify().checks if not check.ok}
    assert "delta" in honest, "less noise is caught by the number itself"


def test_shuffled_gaussian_rows_have_a_ninth_of_the_noise():
    query = Rows(domain=Domain(features=30, norm_bound=1.0))
    assert calibrated(ShuffledGaussianRows, query).deviation == pytest.approx(0.952, rel=2e-3)
    assert calibrated(ShuffledGaussianRows, query, ADD_REMOVE).deviation == pytest.approx(0.939, rel=2e-3)
    plain = GaussianRelease.calibrate(query, **PRIVATE, neighbours=REPLACE_ONE)
    assert plain.deviation == pytest.approx(8.45, rel=1e-3)
    assert calibrated(ShuffledGaussianRows, query, shuffled=2).deviation == pytest.approx(plain.deviation, rel=1e-4), "two rows hide nothing"


def test_laplace_rows_have_less_noise_for_few_columns():
    for features, less in ((4, True), (30, False)):
        query = Rows(domain=Domain(features=features, entry_bound=1.0))
        assert (calibrated(ShuffledLaplaceRows, query).deviation < calibrated(ShuffledGaussianRows, query).deviation) is less


def test_persons_and_projections_have_far_less_noise_too():
    """Persons: three steps of a third of epsilon each, and not the root of three times the noise of one row."""
    for query in (PROJECTED, PERSONS):
        plain = GaussianRelease.calibrate(query, **PRIVATE, neighbours=ADD_REMOVE, slots=MANY)
        assert calibrated(ShuffledGaussianRows, query, ADD_REMOVE).deviation < 0.25 * plain.deviation
    one = calibrated(ShuffledGaussianRows, Rows(domain=BALL), ADD_REMOVE, epsilon=1 / 3, delta=1e-6 * math.expm1(1 / 3) / math.expm1(1.0))
    assert calibrated(ShuffledGaussianRows, PERSONS, ADD_REMOVE).deviation == pytest.approx(one.deviation, rel=1e-3)
    certificate = calibrated(ShuffledGaussianRows, PERSONS, ADD_REMOVE).planned(PERSONS, shape=(2, 3))
    told = replace(certificate, problem={**certificate.problem, "persons": {**certificate.problem["persons"], "rows": 2}})
    fewer = {check.name for check in told.verify().checks if not check.ok}
    assert fewer, "two rows of a person"


def silent(made):
    """The same with noise of next to nothing, so that rows are seen in their places."""
    return replace(made, step=2.0**-32, scale=4096.0)


def drawn(made, query, data):
    return np.concatenate(list(made.draw(query, data, SystemNoise()).blocks))


def orders(made, count=400):
    """How often each order of three records was seen."""
    query, points = Rows(domain=BALL), np.array([[0.2], [0.4], [0.6]]) * np.ones(BALL.features) / BALL.features
    data = Records(rows=as_matrix(points), targets=np.zeros(3), domain=BALL)
    seen = [tuple(np.argsort(drawn(made, query, data)[:, 0]).tolist()) for _ in range(count)]
    return [seen.count(one) for one in sorted(set(seen))]


def test_every_order_is_as_likely_as_any_other_and_a_missing_shuffle_is_seen(monkeypatch):
    made = silent(calibrated(ShuffledGaussianRows, Rows(domain=BALL), shuffled=3))
    found = orders(made)
    assert len(found) == 6
    assert sum((one - 400 / 6) ** 2 for one in found) / (400 / 6) < 45, "chi^2 of 5 degrees: once in 10^8"
    monkeypatch.setattr(placement, "shuffled", lambda _words, count: np.arange(count))
    assert len(orders(made, 20)) == 1


def test_whole_rows_move_with_their_targets():
    query = Rows(domain=BOX, target=Target.NOISY)
    data = invented(BOX, 200)
    made = silent(calibrated(ShuffledGaussianRows, query, shuffled=200))
    rows, exact = drawn(made, query, data), np.concatenate([block for _, block in answers(query, data)])
    assert not np.allclose(rows, exact, atol=1e-3)
    order = np.argmin(np.abs(rows[:, np.newaxis] - exact).max(axis=2), axis=1)
    assert sorted(order.tolist()) == list(range(200))
    assert np.allclose(rows, exact[order], atol=1e-4)


@pytest.mark.parametrize("kind", [ShuffledGaussianRows, ShuffledLaplaceRows])
def test_a_run_verifies_and_has_the_stated_noise(kind):
    query, data = Rows(domain=BOX), Records(rows=as_matrix(np.zeros((4000, BOX.features))), targets=np.zeros(4000), domain=BOX)
    made = calibrated(kind, query, shuffled=4000)
    release = made.run(query, data, SystemNoise())
    assert release.verify().ok
    assert np.square(release.value / made.deviation).mean() == pytest.approx(1.0, abs=6 * math.sqrt(5 / release.value.size))


def test_what_an_order_cannot_hide_is_refused():
    query = Rows(domain=BALL)
    made = calibrated(ShuffledGaussianRows, query, shuffled=201)
    with pytest.raises(InvalidInput, match="fewer records"):
        made.run(query, invented(BALL, 200), SystemNoise())
    with pytest.raises(InvalidInput, match="target without noise"):
        calibrated(ShuffledGaussianRows, Rows(domain=BALL, target=Target.CLEAR))
    with pytest.raises(InvalidInput, match="Pass slots"):
        ShuffledLaplaceRows.calibrate(PERSONS, **PRIVATE, neighbours=REPLACE_ONE, shuffled=300)
    with pytest.raises(InvalidInput, match="at most that number"):
        ShuffledGaussianRows.calibrate(query, **PRIVATE, neighbours=ADD_REMOVE, shuffled=300, slots=200)
    with pytest.raises(InvalidInput, match="slots"):
        ShuffledGaussianRows.calibrate(query, **PRIVATE, neighbours=REPLACE_ONE, shuffled=300, slots=300)
    with pytest.raises(InfeasibleTarget, match="cannot be met with noise on a grid"):
        ShuffledGaussianRows.calibrate(query, epsilon=1000.0, delta=1e-6, neighbours=REPLACE_ONE, shuffled=300)
    with pytest.raises(InvalidInput, match="0 < delta"):
        ShuffledLaplaceRows.calibrate(query, epsilon=1.0, delta=0.0, neighbours=REPLACE_ONE, shuffled=300)
    assert LaplaceRelease.calibrate(query, epsilon=1.0, neighbours=REPLACE_ONE).guarantee(query).epsilon <= 1.0
