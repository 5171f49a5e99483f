"""Projections: drawn with the release, or public; the figures of the documentation; what is printed elsewhere."""

import math

import numpy as np
import pytest

from discreet.accounting import ApproximateDP, NoGuarantee
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.core.parts import module_of
from discreet.data import Domain
from discreet.mechanisms.release import FreshProjection, GaussianRelease
from discreet.mechanisms.release.answers import answers
from discreet.noise import SystemNoise
from discreet.queries import Projection, Rows
from tests.mechanisms.release.tables import BALL, BOX, invented

WIDE = Domain(features=1000, norm_bound=1.0, target_bound=1.0)


@pytest.mark.parametrize(("neighbours", "slots", "longest"), [(REPLACE_ONE, None, 2.0), (ADD_REMOVE, 10, 1.0)])
def test_a_fresh_projection_needs_half_the_published_noise(neighbours, slots, longest):
    made = FreshProjection.calibrate(Rows(domain=WIDE), width=50, epsilon=0.9, delta=1e-6, neighbours=neighbours, slots=slots)
    in_units = made.deviation / longest * math.sqrt(50)
    assert 35.36024 <= in_units <= 35.37
    assert round(module_of("papers").tu_factor_1(0.9, 1e-6, 50), 1) == 67.8
    assert round(module_of("papers").tu_factor_2(0.9, 1e-6, 50)) == 1589
    assert round(module_of("papers").tu_factor_2(0.1, 1e-6, 200)) == 29322
    assert round(module_of("papers").tu_factor_1(0.5, 1e-6, 10), 1) == 82.9


def test_the_release_holds_the_projection_and_rows_under_it():
    query, data = Rows(domain=BOX, target="noisy"), invented(BOX, 3000)
    made = FreshProjection.calibrate(query, width=2, epsilon=1.0, delta=1e-5, neighbours=REPLACE_ONE)
    release = made.run(query, data, SystemNoise())
    assert release.value.shape == (4 + 3000, 2)
    projection, rows = release.value[:4], release.value[4:]
    read = np.concatenate([block for _, block in answers(query, data)])
    noise = (rows - read @ projection) / made.deviation
    assert np.all(np.abs(noise.std(axis=0) - 1) < 6 / math.sqrt(6000))
    assert release.verify().ok
    again = made.run(query, data, SystemNoise())
    assert not np.array_equal(again.value[:4], projection)


def test_entries_of_the_projection_are_normal():
    query = Rows(domain=WIDE)
    made = FreshProjection.calibrate(query, width=20, epsilon=1.0, delta=1e-5, neighbours=REPLACE_ONE)
    projection = made.run(query, invented(WIDE, 1), SystemNoise()).value[:1000] * math.sqrt(20)
    assert abs(projection.std() - 1) < 6 / math.sqrt(40_000)
    assert abs((projection**4).mean() - 3) < 0.5


def test_targets_in_clear_are_a_last_column_that_the_projection_has_not():
    query, data = Rows(domain=BOX, target="clear"), invented(BOX, 5)
    value = FreshProjection.calibrate(query, width=2, epsilon=1.0, delta=1e-5, neighbours=REPLACE_ONE).run(query, data, SystemNoise()).value
    assert value.shape == (3 + 5, 3)
    assert np.array_equal(value[:3, 2], np.zeros(3))
    assert np.array_equal(value[3:, 2], data.targets)


def test_the_stated_delta_is_that_of_a_simulation_and_half_the_noise_breaks_it():
    query = Rows(domain=BALL)
    made = FreshProjection.calibrate(query, width=4, epsilon=1.0, delta=1e-2, neighbours=REPLACE_ONE)
    draw = np.random.default_rng(0)
    lengths = 2.0 * np.linalg.norm(draw.standard_normal((400_000, 4)) / 2.0, axis=1)
    normals = draw.standard_normal(400_000)

    def reached(deviation):
        mu = lengths / deviation
        return np.maximum(0.0, -np.expm1(1.0 - (mu * normals + 0.5 * mu**2))).mean()

    stated = made.guarantee(query).delta_at_epsilon
    assert reached(made.deviation) == pytest.approx(stated, rel=0.05)
    assert reached(0.5 * made.deviation) > 5 * stated


@pytest.mark.parametrize(("features", "width", "exact"), [(100, 10, 4.5e-5), (1000, 10, 2.8e-2)])
def test_the_published_noise_on_a_fixed_projection_is_refused_a_guarantee_where_it_is_false(features, width, exact):
    query = Projection.from_public_seed(Domain(features=features, norm_bound=1.0, target_bound=1.0), width=width, seed=1)
    made = module_of("papers").tu_theorem_1(query, epsilon=0.5, delta=1e-6)
    stated = made.guarantee(query)
    assert isinstance(stated, NoGuarantee)
    assert "look for the pair" in stated.theorem
    assert 0.2 * exact < made.delta(query, 0.5) < 5 * exact


def test_the_published_noise_has_the_guarantee_that_holds_where_it_is_enough():
    query = Projection.from_public_seed(Domain(features=10, norm_bound=1.0, target_bound=1.0), width=10, seed=1)
    stated = module_of("papers").tu_theorem_1(query, epsilon=0.5, delta=1e-6).guarantee(query)
    assert isinstance(stated, ApproximateDP)
    assert stated.delta_at_epsilon <= 1e-6


def test_a_fixed_projection_needs_its_spectral_norm():
    query = Projection.from_public_seed(WIDE, width=50, seed=3)
    made = GaussianRelease.calibrate(query, epsilon=0.9, delta=1e-6, neighbours=REPLACE_ONE)
    assert 170 < made.deviation / 2.0 * math.sqrt(50) < 190


def test_what_cannot_be_projected_is_refused():
    with pytest.raises(InvalidInput, match="width"):
        FreshProjection.calibrate(Rows(domain=BOX), width=0, epsilon=1.0, delta=1e-5, neighbours=REPLACE_ONE)
    with pytest.raises(InvalidInput, match="slots"):
        FreshProjection.calibrate(Rows(domain=BOX), width=2, epsilon=1.0, delta=1e-5, neighbours=ADD_REMOVE)
