"""Risk of learning over sets: the bounds are the least of their formulas, hold on simulated problems, and turn round."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from discreet.accounting import gaussian_mu
from discreet.bounds import corollaries, geometry
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE

KNOWN = {"range_": 1.7, "strong_convexity": 0.8, "width": 3.1, "noise": 20.0, "steps": 90}
PRIVACY = {"epsilon": 1.0, "delta": 1e-6, "neighbours": ADD_REMOVE}


@pytest.mark.parametrize("hilbert", [False, True])
def test_the_step_of_theorem_3_2_is_the_best_one(hilbert):
    found = geometry.mirror_descent_step(**KNOWN, gradient=300.0, hilbert=hilbert)

    def bound(log):
        return geometry.mirror_descent(**KNOWN, gradient=300.0, hilbert=hilbert, step_size=math.exp(log))

    assert bound(math.log(found)) == pytest.approx(minimize_scalar(bound, bounds=(-25, 5), method="bounded", options={"xatol": 1e-9}).fun, rel=1e-9)


def test_the_smooth_step_has_the_value_that_is_stated_and_is_the_best_one():
    found = geometry.smooth_mirror_descent_step(**KNOWN, smoothness=500.0)

    def bound(log):
        return geometry.smooth_mirror_descent(**KNOWN, smoothness=500.0, step_size=math.exp(log))

    value = bound(math.log(found))
    stated = 1.7 * 500.0 / (0.8 * 90) + 20.0 * 3.1 * math.sqrt(2 * 1.7 / (0.8 * 90))
    assert value == pytest.approx(stated, rel=1e-12)
    best = minimize_scalar(bound, bounds=(-25, math.log(0.8 / 500.0) - 1e-9), method="bounded", options={"xatol": 1e-9}).fun
    assert value == pytest.approx(best, rel=1e-9)
    assert bound(math.log(0.8 / 500.0) + 1e-6) == math.inf


@pytest.mark.parametrize(("smoothness", "steps"), [(math.inf, 50), (math.inf, 100_000), (1000.0, 50), (1000.0, 5000)])
def test_theorem_3_2_is_its_schedules_at_their_best(smoothness, steps):
    known = {"range_": 1.7, "strong_convexity": 0.8, "width": 3.1}
    mu, sensitivity, gradient = 0.3, 2.0, 700.0
    noise = geometry.private_noise(sensitivity=sensitivity, mu=mu, steps=steps)
    eta = geometry.mirror_descent_step(**known, gradient=gradient, noise=noise, steps=steps)
    found = geometry.mirror_descent(**known, gradient=gradient, noise=noise, steps=steps, step_size=eta)
    if smoothness < math.inf:
        eta = geometry.smooth_mirror_descent_step(**known, smoothness=smoothness, noise=noise, steps=steps)
        found = min(found, geometry.smooth_mirror_descent(**known, smoothness=smoothness, noise=noise, steps=steps, step_size=eta))
    stated = geometry.theorem_3_2(**known, gradient=gradient, sensitivity=sensitivity, mu=mu, smoothness=smoothness, steps=steps)
    assert stated == pytest.approx(found, rel=1e-12)
    limit = geometry.theorem_3_2(**known, gradient=gradient, sensitivity=sensitivity, mu=mu)
    assert limit < stated
    enough = geometry.enough_steps(**known, gradient=gradient, sensitivity=sensitivity, mu=mu, smoothness=smoothness, share=0.1)
    after = geometry.theorem_3_2(**known, gradient=gradient, sensitivity=sensitivity, mu=mu, smoothness=smoothness, steps=math.ceil(enough))
    before = geometry.theorem_3_2(**known, gradient=gradient, sensitivity=sensitivity, mu=mu, smoothness=smoothness, steps=math.ceil(enough / 1.1))
    assert after <= 1.1 * limit < before


def walk(schedule, seed, *, steps, noise, eta, ridge=0.0):
    """Noisy gradient descent of n |theta - c|^2 / 2 over the unit ball of R^5, n = 40, and its excess, ridge included."""
    generator = np.random.default_rng(seed)
    centre, n = np.array([0.9, 0, 0, 0, 0]), 40.0

    def value(theta):
        return 0.5 * n * np.sum((theta - centre) ** 2) + 0.5 * ridge * np.sum(theta**2)

    theta, points = np.zeros(5), [np.zeros(5)]
    for t in range(1, steps + 1):
        gradient = n * (theta - centre) + ridge * theta + noise * generator.normal(size=5)
        theta = theta - (2.0 / (ridge * (t + 1)) if ridge else eta) * gradient
        theta = theta / max(1.0, np.linalg.norm(theta))
        points.append(theta)
    weights = {"smooth": [0.0] + [1.0] * steps, "lipschitz": [1.0] * (steps + 1), "strongly-convex": np.arange(1.0, steps + 2)}[schedule]
    return value(np.average(points, axis=0, weights=weights)) - value(n * centre / (n + ridge))


def test_simulated_walks_stay_below_the_bounds():
    steps, noise, width = 30, 25.0, math.sqrt(5.0)
    common = {"range_": 0.5, "strong_convexity": 1.0, "width": width, "noise": noise}
    gradient = 40.0 * 1.9
    eta = geometry.mirror_descent_step(**common, gradient=gradient, steps=steps + 1, hilbert=True)
    bound = geometry.mirror_descent(**common, gradient=gradient, steps=steps + 1, step_size=eta, hilbert=True)
    found = np.mean([walk("lipschitz", seed, steps=steps, noise=noise, eta=eta) for seed in range(200)])
    assert 0.02 * bound <= found <= bound
    eta = geometry.smooth_mirror_descent_step(**common, smoothness=40.0, steps=steps)
    bound = geometry.smooth_mirror_descent(**common, smoothness=40.0, steps=steps, step_size=eta)
    found = np.mean([walk("smooth", seed, steps=steps, noise=noise, eta=eta) for seed in range(200)])
    assert 0.02 * bound <= found <= bound
    known = {"strong_convexity": 1.0, "ridge": 30.0, "gradient": gradient + 30.0, "width": width, "noise": noise, "steps": steps + 1}
    bound = geometry.strongly_convex_mirror_descent(**known, hilbert=True)
    found = np.mean([walk("strongly-convex", seed, steps=steps, noise=noise, eta=0.0, ridge=30.0) for seed in range(200)])
    assert 0.01 * bound <= found <= bound
    assert geometry.theorem_a_1(**known) > geometry.strongly_convex_mirror_descent(**known) * 31 / 32 * (1 + math.log(31)) / 4.1


def test_objective_perturbation_of_a_linear_loss_over_a_ball_is_within_its_width():
    """argmin over the unit ball of <a + b, theta>: excess <a, theta> + |a|, at most s E |b|; and of a strongly convex sum at most s^2 d / (2 m)."""
    generator = np.random.default_rng(3)
    a, s, d, m = np.array([5.0, 0, 0, 0]), 2.0, 4, 9.0
    b = s * generator.normal(size=(4000, d))
    theta = -(a + b) / np.linalg.norm(a + b, axis=1, keepdims=True)
    width = math.sqrt(2) * math.gamma(2.5) / math.gamma(2.0)
    assert 0 < np.mean(theta @ a + 5.0) <= geometry.objective_perturbation(noise=s, width=width, ridge=0.0, spread=1.0)
    theta = -(a + b) / m
    excess = np.mean(theta @ a + 0.5 * m * np.sum(theta**2, axis=1) + 25.0 / (2 * m))
    bound = geometry.objective_perturbation(noise=s, width=100.0, ridge=0.0, spread=1.0, strong_convexity=m, dual_width=math.sqrt(d))
    assert excess == pytest.approx(bound, rel=0.05)


def test_corollaries_fall_with_records_and_turn_round():
    for bound in (
        lambda n: corollaries.corollary_13(diameter=2.0, dimension=50, lipschitz=1.0, records=n, **PRIVACY),
        lambda n: corollaries.corollary_14(vertices=100, radius=1.0, lipschitz=1.0, records=n, **PRIVACY),
        lambda n: corollaries.corollary_15(blocks=10, size=5, lipschitz=1.0, records=n, **PRIVACY),
        lambda n: corollaries.corollary_16(rows=8, columns=6, lipschitz=1.0, records=n, **PRIVACY),
        lambda n: corollaries.corollary_5_7(dimension=50, records=n, **PRIVACY),
    ):
        needed = corollaries.records_needed(bound, 0.01)
        assert bound(needed) <= 0.01 < bound(0.999 * needed - 1)


def test_corollaries_have_the_constants_of_their_formulas():
    mu = gaussian_mu(1.0, 1e-6)
    found = corollaries.corollary_13(diameter=2.0, dimension=49, lipschitz=3.0, records=1000, epsilon=1.0, delta=1e-6, neighbours=REPLACE_ONE)
    assert found == pytest.approx(2.0 * 6.0 * 7.0 / (1000 * mu))
    found = corollaries.corollary_14(vertices=10, radius=2.0, lipschitz=1.0, records=1000, **PRIVACY)
    assert found == pytest.approx(2.0 * math.sqrt(2 * math.log(10)) * math.sqrt(2 * math.log(20) + 1) / (1000 * mu))
    found = corollaries.corollary_5_7(dimension=500, records=10**6, **PRIVACY)
    regret = 8.0 * math.log(1000) / (2 * mu)
    assert found == pytest.approx(2.38 * (8e6) ** (1 / 3) * regret ** (2 / 3) / 1e6, rel=0.01)


def test_the_price_follows_the_width_and_not_the_dimension():
    """From d = 100 to d = 10^6 the l2 ball's bound grows a hundredfold, that of the l1 ball, which has 2 d vertices, threefold."""

    def grown(bound):
        return bound(10**6) / bound(100)

    def ball(d):
        return corollaries.corollary_13(diameter=2.0, dimension=d, lipschitz=1.0, records=1e5, **PRIVACY)

    def lasso(d):
        return corollaries.corollary_14(vertices=2 * d, radius=1.0, lipschitz=1.0, records=1e5, **PRIVACY)

    assert grown(ball) == pytest.approx(100.0)
    assert grown(lasso) < 3.0


def test_impossible_questions_are_refused_in_words():
    with pytest.raises(InvalidInput, match="at least 2 vertices"):
        corollaries.corollary_14(vertices=1, radius=1.0, lipschitz=1.0, records=10, **PRIVACY)
    with pytest.raises(InvalidInput, match="no number of records"):
        corollaries.records_needed(lambda n: 1.0, 0.5)
    with pytest.raises(InvalidInput, match="noise"):
        geometry.gaussian_frank_wolfe(curvature=1.0, width=1.0, noise=-1.0, steps=3)
