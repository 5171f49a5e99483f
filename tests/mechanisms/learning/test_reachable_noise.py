"""Attacks on the finite precision of noise (Mironov 2012; Haney et al. 2022), against a naive release and against ours.

The attacker knows everything but one record, for which there are two candidates. From the released weight she computes the noise that each
candidate would have needed, and asks whether the sampler can return that number at all.
"""

import math

import numpy as np
import pytest

from discreet.core.neighbours import REPLACE_ONE
from discreet.data import Records
from discreet.losses import Logistic
from discreet.matrices import DenseMatrix
from discreet.mechanisms.learning import PureObjectivePerturbation
from discreet.mechanisms.learning.margin import MARGIN
from discreet.noise import SystemNoise
from discreet.objectives import objective_of
from discreet.problems import RegularisedRisk
from discreet.solvers import solve
from tests.mechanisms.learning.problems import problem

EPSILON = 1.0
ROUNDS = 60
BITS = 32


@pytest.fixture(scope="module")
def public() -> RegularisedRisk:
    ridge = MARGIN.comfortable_ridge(problem(Logistic(), ridge=1.0), epsilon=EPSILON, delta=0.0, neighbours=REPLACE_ONE)
    return problem(Logistic(), ridge=ridge, records=50)


def candidates(public: RegularisedRisk) -> tuple[Records, Records]:
    rows = np.linspace(-0.9, 0.8, 50)[:, np.newaxis]
    other = rows.copy()
    other[0] = 0.7654321
    return tuple(Records(rows=DenseMatrix(table), targets=np.ones(50), domain=public.domain) for table in (rows, other))


def needed_noise(public: RegularisedRisk, data: Records, weight: float) -> float:
    """The b under which `weight` is the minimiser."""
    objective = objective_of(public, data)
    point = np.array([weight])
    return -float(objective.gradient(point, objective.margins(point))[0])


def naive_noise(rate: float, draw: np.random.Generator) -> float:
    """Laplace noise from a 32-bit uniform number, as a hurried programmer writes it."""
    uniform = (int(draw.integers(1, 2**BITS)) + 0.5) / 2**BITS
    return float(draw.choice((-1.0, 1.0))) * -math.log(uniform) / rate


def off_the_lattice(noise: float, rate: float) -> float:
    """How far the uniform number behind this noise is from one with 32 bits, in [0, 1/2]."""
    uniform = math.exp(-rate * abs(noise)) * 2**BITS - 0.5
    return abs(uniform - round(uniform))


def guesses(public: RegularisedRisk, rate: float, release: object) -> int:
    """How often the attacker names the right candidate out of ROUNDS fair choices."""
    choice = np.random.default_rng(7)
    tables = candidates(public)
    right = 0
    for _ in range(ROUNDS):
        truth = int(choice.integers(2))
        weight = release(tables[truth])
        scores = [off_the_lattice(needed_noise(public, table, weight), rate) for table in tables]
        right += int(np.argmin(scores)) == truth
    return right


def test_the_attack_names_the_record_behind_a_naive_release(public: RegularisedRisk) -> None:
    draw, rate = np.random.default_rng(1), EPSILON / 2.0

    def release(data: Records) -> float:
        return float(solve(objective_of(public, data).with_linear(np.array([naive_noise(rate, draw)])), tolerance=1e-12).weights[0])

    assert guesses(public, rate, release) >= ROUNDS - 3


def test_the_same_attack_learns_nothing_from_ours(public: RegularisedRisk) -> None:
    """A fair coin exceeds 50 of 60 with probability 1e-8, and epsilon = 1 alone allows about 44."""
    mechanism = PureObjectivePerturbation.calibrate(public, epsilon=EPSILON, neighbours=REPLACE_ONE)

    def release(data: Records) -> float:
        return float(mechanism.run(public, data, SystemNoise()).value[0])

    assert 10 <= guesses(public, mechanism.rate, release) <= 50


def test_the_support_of_a_naive_float_release_depends_on_the_value_and_ours_does_not(public: RegularisedRisk) -> None:
    """Float Laplace noise added to 0 and to 0.5 hits different sets of doubles; the grid is the same for every table."""
    draw = np.random.default_rng(2)
    noise = -np.log((draw.integers(1, 2**BITS, 20_000) + 0.5) / 2**BITS)
    at_zero, at_half = set(noise.tolist()), set(((noise + 0.5) - 0.5).tolist())
    assert len(at_zero & at_half) < 0.9 * len(at_zero)
    mechanism = PureObjectivePerturbation.calibrate(public, epsilon=EPSILON, neighbours=REPLACE_ONE)
    for table in candidates(public):
        steps = mechanism.run_many(public, table, SystemNoise(), 200).value / mechanism.grid.step
        assert np.array_equal(steps, np.rint(steps))
        assert np.unique(np.mod(steps, 2.0)).size == 2
