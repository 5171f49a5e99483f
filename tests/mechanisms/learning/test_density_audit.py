"""Exact privacy losses against claims: the right noise passes and nearly reaches its claim, planted faults are caught.

Where two numbers are compared, "claim" is what the mechanism's own guarantee states for the exact minimiser.
"""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.accounting import gaussian_deltas
from discreet.audit.densities import Counted, gaussian_losses, spherical_log_ratios
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE, Neighbours
from discreet.losses import HuberHinge, Logistic, MarginLoss, SmoothedHinge, SoftplusHinge
from discreet.mechanisms.learning import GaussianObjectivePerturbation
from discreet.mechanisms.learning.margin import MARGIN
from tests.mechanisms.learning.problems import problem

LOSSES = [Logistic(), SoftplusHinge(), SoftplusHinge(temperature=0.1), HuberHinge(), SmoothedHinge()]
HARDEST = [Logistic(), SoftplusHinge(temperature=0.1), HuberHinge()]
"""The smoothest, and those that bend most on a line and at a corner."""
TARGETS = [(0.3, 1e-3), (1.0, 1e-5), (4.0, 1e-6)]


def comfortable(loss: MarginLoss, epsilon: float, delta: float, neighbours: Neighbours, factor: float = 1.0) -> float:
    """lambda at which the theorem has next to no slack, times a factor."""
    return factor * MARGIN.comfortable_ridge(problem(loss, ridge=1.0), epsilon=epsilon, delta=delta, neighbours=neighbours)


def pulled(count: float, record: float = 1.0) -> tuple[Counted, Counted]:
    """In one dimension: `count` records at -1, without and with one record at +1."""
    base = ((-1.0,), count)
    return Counted.of(base), Counted.of(base, ((record,), 1.0))


@pytest.mark.at_most(1)
@pytest.mark.parametrize(("epsilon", "delta"), TARGETS)
@pytest.mark.parametrize("loss", [loss if loss in HARDEST else pytest.param(loss, marks=pytest.mark.more) for loss in LOSSES], ids=repr)
@pytest.mark.parametrize("factor", [pytest.param(0.6, marks=pytest.mark.slow), 1.0, pytest.param(3.0, marks=pytest.mark.slow)])
def test_gaussian_add_remove_keeps_its_claim_and_half_the_noise_breaks_it(loss: MarginLoss, epsilon: float, delta: float, factor: float) -> None:
    ridge = comfortable(loss, epsilon, delta, ADD_REMOVE, factor)
    scale = MARGIN.scale(problem(loss, ridge=ridge), epsilon=epsilon, delta=delta, neighbours=ADD_REMOVE)

    def worst(noise: float) -> float:
        pairs = [pair for count in (0.0, 3.0, 300.0) for pair in (pulled(count), pulled(count)[::-1])]
        return max(gaussian_losses(*pair, loss=loss, ridge=np.array([ridge]), scale=noise).delta(epsilon) for pair in pairs)

    reached = worst(scale)
    assert reached <= delta * (1 + 2e-5)
    assert worst(0.5 * scale) > 2.0 * delta
    if np.isfinite(loss.slope_curvature_ratio) and factor == 1:
        assert reached > 0.9 * delta, "the theorem has no slack here, so the worst pair must reach the claim"


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 1e-5), (3.0, 1e-4)])
def test_gaussian_replace_one_keeps_its_claim_and_a_missing_factor_two_is_caught(epsilon: float, delta: float) -> None:
    ridge = comfortable(Logistic(), epsilon, delta, REPLACE_ONE)
    scale = MARGIN.scale(problem(Logistic(), ridge=ridge), epsilon=epsilon, delta=delta, neighbours=REPLACE_ONE)
    without_factor_two = MARGIN.scale(problem(Logistic(), ridge=ridge), epsilon=epsilon, delta=delta, neighbours=ADD_REMOVE)
    angle = 0.15
    others = ((0.0, -0.01), 400_000.0)
    here, there = (np.cos(angle), np.sin(angle)), (-np.cos(angle), np.sin(angle))
    pair = Counted.of(others, (here, 1.0)), Counted.of(others, (there, 1.0))

    def reached(noise: float) -> float:
        return gaussian_losses(*pair, loss=Logistic(), ridge=np.full(2, ridge), scale=noise, nodes=121).delta(epsilon)

    assert 0.5 * delta < reached(scale) <= delta
    assert reached(without_factor_two) > 10 * delta


@pytest.mark.at_most(2)
@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("factor", [0.8, pytest.param(1.0, marks=pytest.mark.slow), pytest.param(3.0, marks=pytest.mark.slow)])
@pytest.mark.parametrize("angle", [0.0, 0.1, 1.0, 2.5])
def test_gaussian_replace_one_holds_at_every_angle(loss: MarginLoss, factor: float, angle: float) -> None:
    epsilon, delta = 1.0, 1e-4
    ridge = comfortable(loss, epsilon, delta, REPLACE_ONE, factor)
    scale = MARGIN.scale(problem(loss, ridge=ridge, features=2), epsilon=epsilon, delta=delta, neighbours=REPLACE_ONE)
    others = ((0.0, -0.3), 50.0)
    pair = Counted.of(others, ((np.cos(angle), np.sin(angle)), 1.0)), Counted.of(others, ((-np.cos(angle), np.sin(angle)), 1.0))
    assert gaussian_losses(*pair, loss=loss, ridge=np.full(2, ridge), scale=scale, nodes=101).delta(epsilon) <= delta * (1 + 1e-6)


@pytest.mark.parametrize(
    ("epsilon", "delta", "factor"),
    [(1.0, 1e-5, 1.0), *(pytest.param(*other, marks=pytest.mark.more) for other in [(4.0, 1e-4, 1.0), (1.0, 1e-5, 0.5)])],
)
def test_both_stages_together_keep_the_claim_and_less_noise_of_either_breaks_it(epsilon: float, delta: float, factor: float) -> None:
    """Exact: the law of the minimiser, and a normal number that two computed points as far apart as they may be move."""
    given = problem(Logistic(), ridge=comfortable(Logistic(), epsilon, delta, ADD_REMOVE, factor))
    public = replace(given, domain=replace(given.domain, records=None))
    made = GaussianObjectivePerturbation.calibrate(public, epsilon=epsilon, delta=delta, neighbours=ADD_REMOVE)
    moved = (2.0 * made.distance(public, made.tolerance, made.noise_error) / made.grid.step + 1.0) / made.grid.scale

    def worst(scale: float, moved: float) -> float:
        pairs = [pair for count in (0.0, 3.0) for pair in (pulled(count), pulled(count)[::-1])]
        laws = [gaussian_losses(*pair, loss=Logistic(), ridge=np.array([public.ridge]), scale=scale) for pair in pairs]
        return max(float(law.masses @ gaussian_deltas(epsilon - law.losses, moved)) for law in laws)

    assert made.guarantee(public).delta(epsilon) <= delta
    reached = worst(made.scale, moved)
    assert reached <= delta * (1 + 2e-5)
    if factor == 1:
        assert reached > 0.95 * delta, "the theorems have no slack here"
        assert worst(made.scale, 2.0 * moved) > 1.01 * delta, "at epsilon 4 the last stage moves little; the claim is exact to 2e-5"
    assert worst(0.5 * made.scale, moved) > 2.0 * delta


@pytest.mark.more
@settings(max_examples=settings.default.max_examples // 8)
@given(seed=st.integers(0, 2**32 - 1), neighbours=st.sampled_from(Neighbours), loss=st.sampled_from(LOSSES), factor=st.floats(0.7, 4.0))
def test_gaussian_claim_holds_on_random_data_sets_in_two_dimensions(seed: int, neighbours: Neighbours, loss: MarginLoss, factor: float) -> None:
    epsilon, delta = 1.0, 1e-3
    draw = np.random.default_rng(seed)
    ridge = comfortable(loss, epsilon, delta, neighbours, factor)
    scale = MARGIN.scale(problem(loss, ridge=ridge, features=2), epsilon=epsilon, delta=delta, neighbours=neighbours)
    angles, lengths = draw.uniform(0, 2 * np.pi, 8), draw.uniform(0.2, 1.0, 8)
    rows = np.column_stack((np.cos(angles), np.sin(angles))) * lengths[:, np.newaxis]
    counts = draw.integers(0, 30, 8).astype(float)
    counts[:2] = 1.0
    first = Counted(rows=rows[1:] if neighbours is REPLACE_ONE else rows, counts=counts[1:] if neighbours is REPLACE_ONE else counts)
    second = Counted(
        rows=np.delete(rows, 1, axis=0) if neighbours is REPLACE_ONE else rows[1:],
        counts=np.delete(counts, 1) if neighbours is REPLACE_ONE else counts[1:],
    )
    for pair in ((first, second), (second, first)):
        assert gaussian_losses(*pair, loss=loss, ridge=np.full(2, ridge), scale=scale, nodes=81).delta(epsilon) <= delta * (1 + 1e-6)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("factor", [0.7, 1.0, 3.0])
def test_pure_add_remove_keeps_its_claim_and_half_the_noise_breaks_it(loss: MarginLoss, epsilon: float, factor: float) -> None:
    ridge = comfortable(loss, epsilon, 0.0, ADD_REMOVE, factor)
    rate = MARGIN.rate(problem(loss, ridge=ridge), epsilon=epsilon, neighbours=ADD_REMOVE)
    points = np.linspace(-200.0, 200.0, 20_001)[:, np.newaxis] / max(1.0, ridge) + np.array([[1e-9]])

    def worst(noise_rate: float) -> float:
        return max(
            float(np.abs(spherical_log_ratios(*pulled(count), points, loss=loss, ridge=np.array([ridge]), rate=noise_rate)).max())
            for count in (0.0, 10.0, 1000.0)
        )

    assert worst(rate) <= epsilon * (1 + 1e-9)
    assert worst(2.0 * rate) > 1.2 * epsilon
    if np.isfinite(loss.slope_curvature_ratio) and factor >= 1:
        assert worst(rate) > 0.99 * epsilon


def test_pure_replace_one_keeps_its_claim_and_a_missing_factor_two_is_caught() -> None:
    epsilon = 1.0
    ridge = comfortable(Logistic(), epsilon, 0.0, REPLACE_ONE)
    rate = MARGIN.rate(problem(Logistic(), ridge=ridge, features=2), epsilon=epsilon, neighbours=REPLACE_ONE)
    angle = 0.05
    others = ((0.0, -0.001), 1e8)
    pair = Counted.of(others, ((np.cos(angle), np.sin(angle)), 1.0)), Counted.of(others, ((-np.cos(angle), np.sin(angle)), 1.0))
    far = np.linspace(-3e3, 3e3, 2001)
    points = np.stack(np.meshgrid(np.linspace(-40.0, 40.0, 161), far, indexing="ij"), axis=-1).reshape(-1, 2)

    def worst(noise_rate: float) -> float:
        return float(np.abs(spherical_log_ratios(*pair, points, loss=Logistic(), ridge=np.full(2, ridge), rate=noise_rate)).max())

    assert 0.95 * epsilon < worst(rate) <= epsilon * (1 + 1e-9)
    assert worst(2.0 * rate) > 1.9 * epsilon


@pytest.mark.parametrize("norm", [5.0, 12.0, 100.0])
def test_curvature_grows_with_the_square_of_the_norm_and_c_times_r_is_caught(norm: float) -> None:
    """The slack of a published library, 2 ln(1 + c R / alpha), claims 1 and loses up to 3.3; ours keeps 1 on the same records."""
    epsilon, alpha = 1.0, 1.0
    loss, points = Logistic(), np.linspace(-120.0, 120.0, 40_001)[:, np.newaxis] / norm
    absent, present = Counted.of(((0.0,), 1.0)), Counted.of(((norm,), 1.0))
    wrong_rate = (epsilon - 2.0 * np.log1p(0.25 * norm / alpha)) / (2.0 * norm)
    if wrong_rate <= 0:
        alpha, wrong_rate = 0.25 * norm / np.expm1(epsilon / 4.0), epsilon / (4.0 * norm)
    wrong = spherical_log_ratios(present, absent, points, loss=loss, ridge=np.array([alpha]), rate=wrong_rate)
    if norm > 5:
        assert np.abs(wrong).max() > 1.2 * epsilon
    ridge = max(alpha, 1.01 * loss.smoothness * norm**2 / np.expm1(epsilon))
    rate = MARGIN.rate(problem(loss, ridge=ridge, norm=norm), epsilon=epsilon, neighbours=REPLACE_ONE)
    ours = spherical_log_ratios(present, absent, points, loss=loss, ridge=np.array([ridge]), rate=rate)
    assert np.abs(ours).max() <= epsilon * (1 + 1e-9)


def test_an_unpenalised_intercept_breaks_the_claim_and_ours_keeps_it() -> None:
    """Two-dimensional (weight, intercept); replacing (1, +) by (0, +) beside one record of each class at 0."""
    epsilon, constant, loss = 1.0, 1.0, Logistic()
    ridge = comfortable(loss, epsilon, 0.0, REPLACE_ONE) * 2.0
    rate = MARGIN.rate(problem(loss, ridge=ridge, intercept=constant), epsilon=epsilon, neighbours=REPLACE_ONE)
    others = (((0.0, constant), 1.0), ((0.0, -constant), 1.0))
    pair = Counted.of(*others, ((1.0, constant), 1.0)), Counted.of(*others, ((0.0, constant), 1.0))
    axis = np.linspace(-40.0, 40.0, 401)
    points = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)
    penalised = spherical_log_ratios(*pair, points, loss=loss, ridge=np.array([ridge, ridge]), rate=rate)
    free = spherical_log_ratios(*pair, points, loss=loss, ridge=np.array([ridge, 0.0]), rate=rate)
    assert np.abs(penalised).max() <= epsilon * (1 + 1e-9)
    assert np.abs(free).max() > 2.0 * epsilon


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_stated_guarantees_are_those_of_the_noise_that_was_found(loss: MarginLoss) -> None:
    for neighbours in Neighbours:
        for epsilon, delta in TARGETS:
            here = problem(loss, ridge=comfortable(loss, epsilon, delta, neighbours))
            scale = MARGIN.scale(here, epsilon=epsilon, delta=delta, neighbours=neighbours)
            assert MARGIN.delta(here, scale=scale, epsilon=epsilon, neighbours=neighbours) <= delta
            assert MARGIN.delta(here, scale=scale * (1 - 1e-5), epsilon=epsilon, neighbours=neighbours) > delta, "more noise than needed"
            rate = MARGIN.rate(here, epsilon=epsilon, neighbours=neighbours)
            assert MARGIN.epsilon(here, rate=rate, neighbours=neighbours) <= epsilon
            assert MARGIN.epsilon(here, rate=rate * (1 + 1e-9), neighbours=neighbours) > epsilon, "more noise than needed"
