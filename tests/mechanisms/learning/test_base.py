"""The last stage: exact divergences of its discrete laws, its distances, and the grid itself."""

import math
import sys
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import LogisticRegression
from discreet.core.arrays import Floats
from discreet.core.errors import SolverFailure
from discreet.core.neighbours import ADD_REMOVE
from discreet.losses import Logistic
from discreet.mechanisms.learning import GaussianOutputPerturbation, PureOutputPerturbation
from discreet.mechanisms.learning.base import GaussianGrid, LaplaceGrid, grid_step
from discreet.noise import Noise, SeededNoise, SystemNoise
from discreet.noise.words import Integers, Words
from tests.mechanisms.learning.problems import problem


def gaussian_divergence(scale: float, shift: int, epsilon: float) -> float:
    """The hockey-stick divergence of two discrete Gaussian laws on the line, summed over 14 standard deviations."""
    k = np.arange(-int(14 * scale), int(14 * scale) + shift + 1, dtype=float)
    mass = np.exp(-0.5 * (k / scale) ** 2)
    here, there = mass / mass.sum(), np.exp(-0.5 * ((k - shift) / scale) ** 2) / mass.sum()
    return float(np.maximum(0.0, here - math.exp(epsilon) * there).sum())


@pytest.mark.parametrize(("epsilon", "delta"), [(0.003, 1e-8), (0.01, 1e-8), (0.02, 1e-6), (0.1, 1e-6), (1.0, 1e-4)])
def test_the_gaussian_grid_keeps_its_claim_on_the_line_and_half_its_scale_breaks_it(epsilon: float, delta: float) -> None:
    radius = 40.0
    grid = GaussianGrid.calibrate(radius=radius, dimension=1, epsilon=epsilon, delta=delta)
    shift = math.floor(2.0 * radius / grid.step + 1.0)
    claimed = grid.delta(radius=radius, dimension=1)
    assert claimed <= delta
    reached = gaussian_divergence(grid.scale, shift, epsilon)
    assert reached <= claimed
    if grid.scale > 8192.0:  # otherwise the least scale for which the lemma is stated adds more noise than the target asks for
        assert reached > 0.7 * delta
        assert gaussian_divergence(0.5 * grid.scale, shift, epsilon) > 2.0 * delta


@given(epsilon=st.floats(1e-5, 5.0), radius=st.floats(1e-12, 1e3), dimension=st.integers(1, 5000))
def test_what_hides_a_radius_costs_what_it_was_given(epsilon: float, radius: float, dimension: int) -> None:
    laplace = LaplaceGrid.calibrate(radius=radius, dimension=dimension, epsilon=epsilon)
    assert laplace.epsilon(radius=radius, dimension=dimension) == pytest.approx(epsilon)
    assert laplace.epsilon(radius=2.0 * radius, dimension=dimension) > 1.9 * epsilon
    gaussian = GaussianGrid.calibrate(radius=radius, dimension=dimension, epsilon=epsilon, delta=1e-9)
    assert gaussian.delta(radius=radius, dimension=dimension) <= 1e-9
    assert gaussian.delta(radius=radius * 1e3, dimension=dimension) > 1e-9


@given(radius=st.floats(1e-12, 1e3), dimension=st.integers(1, 5000))
def test_steps_are_powers_of_two_much_finer_than_the_radius(radius: float, dimension: int) -> None:
    step = grid_step(radius, dimension)
    assert math.frexp(step)[0] == 0.5
    assert 32 <= radius / (step * math.sqrt(dimension)) < 64


@given(seed=st.integers(0, 1000), dimension=st.integers(1, 30))
def test_rounded_points_are_no_farther_apart_than_the_theorem_says(seed: int, dimension: int) -> None:
    draw = np.random.default_rng(seed)
    radius, step = 1.0, grid_step(1.0, dimension)
    offsets = draw.standard_normal((dimension, 2))
    offsets *= radius / np.linalg.norm(offsets, axis=0)
    integers = np.rint((draw.uniform(-5, 5, (dimension, 1)) + offsets) / step)
    assert np.linalg.norm(integers[:, 0] - integers[:, 1]) <= 2.0 * radius / step + math.sqrt(dimension)


class _KnownNoise(Noise):
    """Given continuous noise and given integers: what is left of a release is its arithmetic."""

    private, description = False, "known"

    def __init__(self, known: Floats, integers: Integers) -> None:
        self.known, self.integers = known, integers

    def words(self) -> Words:
        raise NotImplementedError

    def streams(self) -> Callable[[int], Noise]:
        raise NotImplementedError

    def beside(self, what: str) -> Noise:
        raise NotImplementedError

    def gaussian(self, *, scale: float, dimension: int, draws: int) -> Floats:
        return self.known

    def spherical(self, *, rate: float, dimension: int, draws: int) -> Floats:
        return self.known

    def discrete_laplace(self, *, scale: float, dimension: int, draws: int) -> Integers:
        return self.integers

    discrete_gaussian = discrete_laplace


@pytest.mark.parametrize("kind", [PureOutputPerturbation, GaussianOutputPerturbation])
@given(size=st.floats(-30.0, 50.0), other=st.floats(-30.0, 50.0), seed=st.integers(0, 1000))
def test_output_perturbation_releases_the_grid_point_nearest_to_the_exact_sum(kind: type, size: float, other: float, seed: int) -> None:
    """Weights and noise of any sizes, also where their sum as a float is off by many steps of the grid."""
    dice = np.random.default_rng(seed)
    weights, drawn = (dice.uniform(-1.0, 1.0, (2, 1)) * 2.0**power for power in (size, other))
    public = problem(Logistic(), ridge=1.0, features=2, records=None)
    target = {"epsilon": 1.0} if kind is PureOutputPerturbation else {"epsilon": 1.0, "delta": 1e-6}
    mechanism = kind.calibrate(public, **target, neighbours=ADD_REMOVE)
    grid = replace(mechanism.grid, step=2.0**-10)
    exact = [(Fraction(weight) + Fraction(noise)) / Fraction(grid.step) for weight, noise in zip(weights[:, 0], drawn[:, 0], strict=True)]
    whole = np.array([[math.floor(sum_)] for sum_ in exact])
    with patch.object(sys.modules[kind.__module__], "one_minimiser", lambda *_: weights):
        released = replace(mechanism, grid=grid).columns(public, None, _KnownNoise(drawn, -whole), 1)
    for number, sum_, steps in zip(released[:, 0], exact, whole[:, 0], strict=True):
        assert abs(Fraction(number) / Fraction(grid.step) - (sum_ - int(steps))) <= Fraction(1, 2) + Fraction(1, 2**53)


def test_laplace_ratios_reach_their_claim_and_no_more() -> None:
    """In one dimension the log ratio of neighbouring integers is distance / scale everywhere outside."""
    grid = LaplaceGrid.calibrate(radius=1.0, dimension=1, epsilon=0.5)
    shift = math.floor(2.0 / grid.step + 1.0)
    assert 0.98 * 0.5 < shift / grid.scale <= 0.5


@pytest.mark.parametrize("settings", [{}, {"delta": 1e-6}, {"mechanism": "output"}, {"mechanism": "output", "delta": 1e-6}], ids=str)
def test_every_released_weight_is_on_the_grid(settings: dict[str, object]) -> None:
    X = np.random.default_rng(0).uniform(-1, 1, (100, 5))
    model = LogisticRegression(**settings, classes=[False, True]).fit(X, X[:, 0] > 0)
    steps = model.weights_ / model.certificate_.parameters["grid_step"]
    assert np.array_equal(steps, np.rint(steps))


def test_weights_too_long_for_the_grid_are_refused() -> None:
    for grid in (LaplaceGrid(step=1.0, scale=10.0), GaussianGrid(step=1.0, scale=5000.0, epsilon=1.0)):
        with pytest.raises(SolverFailure):
            grid.release(np.full((2, 1), 1e19), SystemNoise())


def test_noise_has_the_size_that_was_calibrated() -> None:
    zeros = np.zeros((4, 50_000))
    laplace, gaussian = LaplaceGrid(step=0.25, scale=1000.0), GaussianGrid(step=0.25, scale=5000.0, epsilon=1.0)
    assert laplace.release(zeros, SeededNoise(1)).std() == pytest.approx(0.25 * 1000.0 * math.sqrt(2.0), rel=0.02)
    assert gaussian.release(zeros, SeededNoise(1)).std() == pytest.approx(0.25 * 5000.0, rel=0.02)


def test_the_lemma_claims_nothing_where_it_does_not_hold() -> None:
    assert GaussianGrid(step=1.0, scale=10.0, epsilon=1.0).delta(radius=1.0, dimension=1) == 1.0
    assert GaussianGrid(step=1.0, scale=5000.0, epsilon=1.0).delta(radius=1.0, dimension=10**8) == 1.0
    assert GaussianGrid(step=1.0, scale=5000.0, epsilon=1e-12).delta(radius=1.0, dimension=10) == 1.0
