"""Rows with Laplace noise: exact ratios, the law of what is released, both relations, persons and owners."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from discreet.accounting import PureDP, Unit
from discreet.audit.claim import Claim
from discreet.audit.drawn.released_rows import corner_audit
from discreet.core.errors import InfeasibleTarget, InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE, Persons
from discreet.data import Domain
from discreet.mechanisms.release import GaussianRelease, LaplaceRelease
from discreet.mechanisms.release.answers import answers
from discreet.noise import SystemNoise
from discreet.queries import Projection, Rows, Target
from tests.mechanisms.release.tables import BALL, BOX, invented

SHORT = Domain(features=3, entry_bound=0.9, norm_bound=1.0, target_bound=2.0)


def reached(query, made, ranges):
    """The largest ln(P / P') over pairs of corners of equal entries, from the integers that the code rounds to and the law that it draws."""
    domain = query.read.domain
    size = min(domain.entry_bound, domain.norm_bound / math.sqrt(domain.features))
    corner = np.append(np.full(domain.features, size), [domain.target_bound] if query.read.target is Target.NOISY else [])
    integers = np.rint(corner / made.step)
    other = -integers if ranges == 2 else 0 * integers
    return float(np.abs(integers - other).sum()) / made.scale


@pytest.mark.parametrize(("domain", "target"), list(product((BOX, BALL, SHORT), ("noisy", "omitted"))))
@pytest.mark.parametrize("neighbours", [REPLACE_ONE, ADD_REMOVE])
def test_epsilon_is_at_most_what_is_asked_and_is_reached_by_a_corner(domain, target, neighbours):
    query = Rows(domain=domain, target=target)
    made = LaplaceRelease.calibrate(query, epsilon=1.3, neighbours=neighbours, slots=None if neighbours is REPLACE_ONE else 9)
    stated = made.guarantee(query)
    assert isinstance(stated, PureDP)
    assert (stated.unit, stated.neighbours) == (Unit.RECORD, neighbours)
    found = reached(query, made, 2 if neighbours is REPLACE_ONE else 1)
    assert found <= stated.epsilon <= 1.3
    assert found > 1.3 * (1 - 1e-5)


def test_half_the_scale_is_caught_by_the_exact_audit():
    query = Rows(domain=Domain(features=2, entry_bound=1.0))
    made = LaplaceRelease.calibrate(query, epsilon=1.0, neighbours=REPLACE_ONE)
    claim, moved = Claim.of(made.guarantee(query)), 2.0 / made.step
    right, wrong = (corner_audit(one, claim, moved) for one in (made, replace(made, scale=0.5 * made.scale)))
    assert not right.violated
    assert 0.999 < right.bound <= 1.0
    assert wrong.violated


def test_the_released_noise_has_the_stated_law_in_every_column():
    query, data = Rows(domain=BOX, target="noisy"), invented(BOX, 4000)
    made = LaplaceRelease.calibrate(query, epsilon=1.0, neighbours=REPLACE_ONE)
    release = made.run(query, data, SystemNoise())
    noise = (release.value - np.concatenate([block for _, block in answers(query, data)])) / made.deviation
    assert np.all(np.abs(noise.mean(axis=0)) < 6 / math.sqrt(4000))
    assert np.all(np.abs(np.square(noise).mean(axis=0) - 1) < 6 * math.sqrt(5 / 4000))
    assert np.all(np.abs(np.corrcoef(noise.T) - np.eye(4)) < 6 / math.sqrt(4000))
    assert release.verify().ok
    assert np.all(release.value / made.step == np.rint(release.value / made.step)), "released numbers are on the grid"


def test_a_person_of_several_rows_has_the_noise_of_all_of_them():
    several = replace(BOX, persons=Persons(rows=3))
    query, one = Rows(domain=several), Rows(domain=BOX)
    made = LaplaceRelease.calibrate(query, epsilon=1.0, neighbours=REPLACE_ONE, slots=60)
    alone = LaplaceRelease.calibrate(one, epsilon=1.0, neighbours=REPLACE_ONE)
    assert made.deviation == pytest.approx(3 * alone.deviation, rel=1e-5)
    assert made.guarantee(query).unit is Unit.PERSON
    with pytest.raises(InvalidInput, match="slots"):
        LaplaceRelease.calibrate(query, epsilon=1.0, neighbours=REPLACE_ONE)


def test_few_columns_have_less_noise_than_gaussian_noise_gives_them():
    for features, less in ((1, True), (8, True), (10, False)):
        query = Rows(domain=Domain(features=features, entry_bound=1.0))
        laplace = LaplaceRelease.calibrate(query, epsilon=1.0, neighbours=REPLACE_ONE)
        gaussian = GaussianRelease.calibrate(query, epsilon=1.0, delta=1e-6, neighbours=REPLACE_ONE)
        assert (laplace.deviation < gaussian.deviation) is less


def test_an_owner_randomises_one_record():
    query = Rows(domain=BOX)
    made = LaplaceRelease.calibrate(query, epsilon=2.0, neighbours=REPLACE_ONE, local=True)
    release = made.randomise(query, np.array([0.1, 5.0, -0.3]), SystemNoise())
    assert release.certificate.guarantee.local
    assert release.verify().ok
    with pytest.raises(InvalidInput, match="a single record"):
        made.run(query, invented(BOX, 2), SystemNoise())


def test_what_cannot_be_is_refused():
    query = Rows(domain=BOX)
    with pytest.raises(InvalidInput, match="Rows"):
        LaplaceRelease.calibrate(Projection.from_public_seed(BOX, width=2, seed=1), epsilon=1.0, neighbours=REPLACE_ONE)
    with pytest.raises(InvalidInput, match="positive"):
        LaplaceRelease.calibrate(query, epsilon=0.0, neighbours=REPLACE_ONE)
    with pytest.raises(InfeasibleTarget):
        LaplaceRelease.calibrate(query, epsilon=1e-12, neighbours=REPLACE_ONE)
