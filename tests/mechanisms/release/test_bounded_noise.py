"""Bounded noise: reference eigenvalues, optimality, the law that is sampled, and its own curve."""

import math

import numpy as np
import pytest
from scipy.linalg import eigh_tridiagonal

from discreet.accounting import ApproximateDP, NoGuarantee, Unit
from discreet.certificates import Certificate
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE
from discreet.data import Domain
from discreet.mechanisms.release import BoundedNoise
from discreet.mechanisms.release.answers import answers
from discreet.noise import SystemNoise
from discreet.noise.bounded import ground_state
from discreet.queries import Rows
from discreet.verification.rows import eigenvector_error
from tests.mechanisms.release.tables import BALL, of

NARROW = Domain(features=2, entry_bound=0.25, target_bound=1.0)


@pytest.mark.parametrize(("level", "weight", "printed"), [(0.0, 1.0, 9.8696), (1.0, 1.0, 10.0), (100.0, 1.0, 20.61215), (50.0, 2.0, 10.30608)])
def test_the_least_eigenvalue_has_the_reference_value(level, weight, printed):
    assert round(ground_state(1.0, level, weight, points=19_999)[0], 5) == printed


def test_the_ground_state_has_its_closed_form_and_its_limits():
    _, state = ground_state(1.0, 1.0, 1.0, points=999)
    places = np.linspace(-1, 1, 1001)[1:-1]
    closed = np.exp(-(places**2) / 4) * (1 - places**2)
    assert np.allclose(state, closed / np.linalg.norm(closed), atol=1e-6)
    assert ground_state(0.5, 0.0, 3.0, points=4999)[0] == pytest.approx(math.pi**2 / (3.0 * 0.25), rel=1e-6)
    assert ground_state(30.0, 2.0, 0.5, points=19_999)[0] == pytest.approx(2 * math.sqrt(2.0 / 0.5), rel=1e-4)


def test_no_other_density_has_less_information_and_variance():
    value, state = ground_state(1.0, 20.0, 1.5, points=1999)
    gap, places = 2 / 2000, np.linspace(-1, 1, 2001)[1:-1]

    def objective(u):
        u = u / math.sqrt(np.sum(u**2) * gap)
        slopes = np.diff(np.concatenate(([0.0], u, [0.0]))) / gap
        return 4 / 1.5 * np.sum(slopes**2) * gap + 20.0 * np.sum(places**2 * u**2) * gap

    assert objective(state) == pytest.approx(value, rel=1e-9)
    draw = np.random.default_rng(0)
    for other in (np.cos(math.pi * places / 2), (1 - places**2) ** 1.5, np.exp(-4 * places**2) * (1 - places**2)):
        assert objective(other) > value
    for _ in range(50):
        bend = sum(draw.standard_normal() * np.sin(k * math.pi * (places + 1) / 2) for k in range(1, 6))
        assert objective(state + 0.05 * bend * np.linalg.norm(state) / np.linalg.norm(bend)) > value


@pytest.mark.parametrize(("shift", "delta"), [(0.1, 5.0e-3), (0.5, 0.27), (1.0, 0.73), (2.0, 1.0)])
def test_the_curve_has_the_reference_values(shift, delta):
    assert BoundedNoise(half_width=1.0, level=1.0, epsilon=1.0).delta(shift, 1.0) == pytest.approx(delta, rel=0.01)


def test_released_noise_has_the_law_of_the_table_and_stays_in_its_support():
    query, made = Rows(domain=NARROW, target="clear"), BoundedNoise(half_width=1.0, level=1.0, epsilon=1.0)
    data = of(np.random.default_rng(0).uniform(-0.25, 0.25, (20_000, 2)), np.arange(20_000) % 2, NARROW)
    release = made.run(query, data, SystemNoise())
    rows = np.concatenate([block for _, block in answers(query, data)])
    noise = release.value[:, :2] - np.rint(rows / made.step) * made.step
    assert np.abs(noise).max() < 1.0
    assert noise.var() == pytest.approx(made.law.variance() * made.step**2, rel=6 * math.sqrt(2 / 40_000))
    table = made.law.masses
    steps = (noise / made.step).astype(int).ravel() + len(table) // 2
    parts = np.array_split(np.arange(len(table)), 20)
    seen = np.array([np.isin(steps, part).sum() for part in parts])
    wanted = np.array([table[part].sum() for part in parts]) * 40_000
    assert np.sum((seen - wanted) ** 2 / np.maximum(wanted, 1.0)) < 19 + 8 * math.sqrt(2 * 19)
    assert np.array_equal(release.value[:, 2], data.targets)
    assert release.verify().ok


def test_one_entry_is_what_is_protected_and_a_wider_range_is_caught():
    made = BoundedNoise(half_width=1.0, level=1.0, epsilon=1.0)
    stated = made.guarantee(Rows(domain=NARROW))
    assert isinstance(stated, ApproximateDP)
    assert stated.unit is Unit.ENTRY
    masses, twice = made.law.masses, int(1.0 / made.step)
    wider = masses[:twice].sum() + np.maximum(masses[twice:] - math.e * masses[:-twice], 0).sum()
    assert wider > 2 * stated.delta_at_epsilon, "twice the range would be seen"
    half = masses[: twice // 2].sum() + np.maximum(masses[twice // 2 :] - math.e * masses[: -twice // 2], 0).sum()
    assert 0.98 * stated.delta_at_epsilon < half <= stated.delta_at_epsilon


def test_noise_narrower_than_an_entry_promises_nothing():
    stated = BoundedNoise(half_width=0.2, level=1.0, epsilon=1.0).guarantee(Rows(domain=NARROW))
    assert isinstance(stated, NoGuarantee)
    assert "for sure" in stated.theorem


def test_what_is_no_law_is_refused():
    with pytest.raises(InvalidInput, match="half_width"):
        BoundedNoise(half_width=0.0, level=1.0, epsilon=1.0)
    with pytest.raises(InvalidInput, match="replace-one"):
        BoundedNoise(half_width=1.0, level=1.0, epsilon=1.0, neighbours=ADD_REMOVE)
    with pytest.raises(InvalidInput, match="bounded noise protects single entries, so the"):
        BoundedNoise(half_width=1.0, level=1.0, epsilon=1.0).guarantee(Rows(domain=BALL))


def test_a_delta_from_the_far_tail_verifies_and_a_smaller_one_does_not():
    law = {"half_width": 31.62217911397671, "level": 0.0017901454224696328, "epsilon": 13.620741535444312}
    domain = Domain(features=6, entry_bound=1.7685190443173118, target_bound=1.373874605882135)
    made = BoundedNoise(**law).run(Rows(domain=domain), of(np.zeros((3, 6)), np.zeros(3), domain), SystemNoise())
    assert made.certificate.verify(made.value).ok
    document = made.certificate.to_dict()
    document["guarantee"] = {**document["guarantee"], "delta": 0.999 * document["guarantee"]["delta"]}
    assert not Certificate.from_dict(document).verify().ok


def test_what_an_eigenvector_is_known_to_rests_on_a_gap_that_the_matrix_has():
    """Of boxes from 2 to 2^14 steps and potentials from none to one that leaves nothing but its middle; weight 1, lengths in steps."""
    errors = []
    for half_width in (1.5, 2.0, 3.0, 10.0, 33.3, 128.0, 2048.0, 16384.0):
        places = np.arange(1 - math.ceil(half_width), math.ceil(half_width), dtype=np.float64)
        for level in (0.0, *np.geomspace(1e-12 / half_width**4, 1e6, 40).tolist()):
            diagonal, beside = 8.0 + level * np.square(places), np.full(len(places) - 1, -4.0)
            first, second = eigh_tridiagonal(diagonal, beside, select="i", select_range=(0, 1), eigvals_only=True)
            errors.append(eigenvector_error(half_width, level, 1.0))
            norm = 16.0 + level * half_width**2
            assert 2.0**-50 * norm / errors[-1] <= second - first + 2.0**-50 * norm
    assert max(errors) < 1e-6
    assert max(errors) > 1e-7, "for the widest box the bound is not empty"
