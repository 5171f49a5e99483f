"""Bounded noise with ends of its own for each number: the optimum, the mean, the law that leaves, its curve to both sides, and lies about it."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import eigh_tridiagonal
from scipy.optimize import brentq

from discreet.accounting import ApproximateDP, NoGuarantee, Unit
from discreet.certificates import digest_of
from discreet.core.errors import InfeasibleTarget, InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.data import Domain
from discreet.mechanisms.base import certified
from discreet.mechanisms.release import BoundedColumns, BoundedNoise
from discreet.mechanisms.release.answers import answers
from discreet.mechanisms.release.bounded_columns import law
from discreet.noise import SystemNoise
from discreet.queries import Rows
from discreet.verification.rows import eigenvector_error
from discreet.words.bounded import BOUNDED_COLUMNS
from tests.mechanisms.release.tables import BALL, of

NARROW = Domain(features=2, entry_bound=0.25, target_bound=1.0)
QUERY = Rows(domain=NARROW, target="noisy")
MADE = BoundedColumns(below=(4.0, 20.0, 30.0), above=(9.0, 11.0, 30.0), epsilon=1.0)


def masses_of(one):
    return one.in_steps.masses


def hockey_stick(here, there, epsilon):
    return float(np.maximum(here - math.exp(epsilon) * there, 0.0).sum())


def moved(masses, shift):
    """The law of a value and of one that is `shift` steps above it, on one grid."""
    return np.append(masses, np.zeros(shift)), np.append(np.zeros(shift), masses)


@pytest.mark.parametrize("level", [0.0, 30.0])
def test_no_other_law_of_mean_0_between_the_ends_has_less_information_and_variance(level):
    one = law(1.0, 2.0, level)
    state, places = np.sqrt(masses_of(one)), (one.in_steps.least + np.arange(len(one.in_steps.table))) * one.step
    assert abs(np.square(state) @ places) < 1e-9

    def objective(u):
        u = u / np.linalg.norm(u)
        return 4.0 * np.sum(np.square(np.diff(np.concatenate(([0.0], u, [0.0]))))) / one.step**2 + level * (np.square(u) @ places**2)

    least, draw = objective(state), np.random.default_rng(0)
    for size in (0.3, 0.1, 0.03):
        bend = sum(draw.standard_normal() * np.sin(k * math.pi * (places + 1.0) / 3.0) for k in range(1, 6))
        other = np.abs(state + size * bend / np.linalg.norm(bend))
        centre = brentq(lambda c, u=other: np.square(u * np.exp(c * places)) @ places, -3.0, 3.0, xtol=1e-13)
        assert objective(other * np.exp(centre * places)) > least


def test_equal_ends_are_the_symmetric_law():
    one, same = law(1.0, 1.0, 1.0), BoundedNoise(half_width=1.0, level=1.0, epsilon=1.0)
    assert one.tilt == 0.0
    assert np.allclose(masses_of(one), same.law.masses, atol=1e-15)
    assert one.variance == pytest.approx(same.law.variance() * same.step**2, rel=1e-12)
    assert one.delta(0.5, 1.0) == pytest.approx(same.delta(0.5, 1.0), rel=1e-9)


def test_released_noise_stays_between_its_ends_and_adds_nothing_on_average():
    count = 4000
    data = of(np.random.default_rng(0).uniform(-0.25, 0.25, (count, 2)), np.linspace(-1, 1, count), NARROW)
    release = MADE.run(QUERY, data, SystemNoise())
    rows = np.concatenate([block for _, block in answers(QUERY, data)])
    for place, one in enumerate(MADE.laws):
        noise = release.value[:, place] - np.rint(rows[:, place] / one.step) * one.step
        assert -MADE.below[place] < noise.min()
        assert noise.max() < MADE.above[place]
        assert abs(noise.mean()) < 6.0 * math.sqrt(one.variance / count)
        assert noise.var() == pytest.approx(one.variance, rel=6.0 * math.sqrt(2.0 / count))
    assert release.verify().ok


def test_the_claim_is_the_worst_number_and_the_worse_direction():
    claim = MADE.guarantee(QUERY)
    assert isinstance(claim, ApproximateDP)
    assert claim.unit is Unit.ENTRY
    worst, sides = [], []
    for one, entry in zip(MADE.laws, QUERY.read.entries, strict=True):
        here, there = moved(masses_of(one), math.floor(2.0 * entry / one.step) + 1)
        sides.append((hockey_stick(here, there, 1.0), hockey_stick(there, here, 1.0)))
        worst.append(max(sides[-1]))
    assert max(worst) == pytest.approx(claim.delta_at_epsilon, rel=1e-6)
    # Shorter below than above: a value is told from lower ones better than from higher ones, so that one side alone would claim too little.
    first = sides[int(np.argmax(worst))]
    assert min(first) < 0.9 * max(first)


def test_a_law_narrower_than_its_number_promises_nothing():
    assert isinstance(replace(MADE, below=(0.2, 20.0, 30.0), above=(0.25, 11.0, 30.0)).guarantee(QUERY), NoGuarantee)


def test_lies_in_a_certificate_are_refused():
    certificate = MADE.run(QUERY, of(np.zeros((3, 2)), np.zeros(3), NARROW), SystemNoise()).certificate
    assert certificate.verify().ok
    stated = certificate.parameters
    for name in ("below", "above"):
        assert not replace(certificate, parameters={**stated, name: [0.9 * end for end in stated[name]]}).verify().ok
    for lie in ({"tilt": [0.0, *stated["tilt"][1:]]}, {"tilt": [-one for one in stated["tilt"]]}, {"steps": stated["steps"][:2]}, {"level": -1.0}):
        assert not replace(certificate, parameters={**stated, **lie}).verify().ok, lie
    less = replace(certificate.guarantee, delta_at_epsilon=0.999 * certificate.guarantee.delta_at_epsilon)
    assert not replace(certificate, guarantee=less).verify().ok
    assert not replace(certificate, problem={**certificate.problem, "entry_bound": 0.3}).verify().ok
    for name in stated:
        for value in ("x", None, [], [1e300] * 3, [1e-300] * 3):
            assert not replace(certificate, parameters={**stated, name: value}).verify().ok, name


def test_a_law_that_hides_nothing_is_not_made_and_does_not_verify():
    """Its potential is so large that what floating point knows of it would swallow any delta."""
    query, value, step = Rows(domain=Domain(features=1, entry_bound=0.2)), np.zeros((3, 1)), 2.0**-11
    for level in (1.0 / 16.0, 1e6, 1e16, 1e20, 1e28):
        made = replace(MADE, below=(1.0,), above=(1.0,), level=level / step**4)
        parameters = {**replace(made, level=0.0).parameters(), "tilt": [0.0], "level": made.level}
        for delta in (1e-9, 1e-6, 0.3):
            stated = ApproximateDP(epsilon=1.0, delta_at_epsilon=delta, neighbours=REPLACE_ONE, unit=Unit.ENTRY, theorem=BOUNDED_COLUMNS)
            forged = certified(made.name, parameters, query.to_dict(), stated, digest_of(value), SystemNoise().description, noise_private=True)
            failed = {check.name for check in forged.verify(value).checks if not check.ok}
            assert failed, (level, delta)
            assert failed <= {"delta", "law"}
    with pytest.raises(InfeasibleTarget, match="lower the level"):
        made.guarantee(query)


def test_what_an_eigenvector_is_known_to_rests_on_a_gap_that_tilted_laws_have():
    for above, level in ((1.5, 0.0), (8.0, 1.0), (64.0, 0.0), (64.0, 50.0)):
        one = law(1.0, above, level)
        places = one.in_steps.least + np.arange(len(one.in_steps.table), dtype=np.float64)
        potential = level * one.step**4 * places**2 + one.tilt * one.step**3 * places
        ends = {"select": "i", "select_range": (0, 1), "eigvals_only": True}
        first, second = eigh_tridiagonal(8.0 + potential, np.full(len(places) - 1, -4.0), **ends)
        error = eigenvector_error(0.5 * (len(places) + 1), level * one.step**4, 1.0, rises=float(np.ptp(potential)))
        assert 2.0**-50 * (16.0 + np.ptp(potential)) / error <= second - first
        assert error < 1e-6


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"below": (1.0,), "above": (1.0, 2.0)}, "for every column"),
        ({"below": (0.0,), "above": (1.0,)}, "positive"),
        ({"below": (1.0,), "above": (100.0,)}, "Widen the shorter"),
        ({"below": (1.0,), "above": (1.0,), "level": -1.0}, "at least 0"),
        ({"below": (1.0,), "above": (1.0,), "neighbours": ADD_REMOVE}, "replace-one"),
    ],
)
def test_what_is_no_law_is_refused(asked, words):
    with pytest.raises(InvalidInput, match=words):
        BoundedColumns(**{"epsilon": 1.0, **asked})


def test_rows_that_do_not_fit_are_refused():
    with pytest.raises(InvalidInput, match="entry_bound only"):
        MADE.guarantee(Rows(domain=BALL))
    with pytest.raises(InvalidInput, match="for 3"):
        MADE.guarantee(Rows(domain=NARROW, target="omitted"))
