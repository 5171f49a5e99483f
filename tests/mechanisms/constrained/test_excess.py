"""Risk of learning over sets: the bounds are the least of their formulas, hold on simulated problems, and turn round.

The walk with equal shares: its bound follows from the recursion of each step, holds on a table, and is least where it is said to be.

The bound of the Frank-Wolfe method that is run, against the method itself.
"""

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE
from discreet.data import Domain, Records
from discreet.losses.predictions import Squared
from discreet.matrices import as_matrix
from discreet.mechanisms.constrained import excess as proved
from discreet.mechanisms.constrained.excess import MOST_STEPS, averaged_frank_wolfe, averaged_steps
from discreet.mechanisms.constrained.frank_wolfe import Walk
from discreet.objectives import sum_over_set
from discreet.problems import ConstrainedRisk
from discreet.sets import L1Ball, Simplex

KNOWN = {"range_": 1.7, "strong_convexity": 0.8, "width": 3.1, "noise": 20.0, "steps": 90}
PRIVACY = {"epsilon": 1.0, "delta": 1e-6, "neighbours": ADD_REMOVE}


@pytest.mark.parametrize("hilbert", [False, True])
def test_the_step_of_theorem_3_2_is_the_best_one(hilbert):
    found = proved.mirror_descent_step(**KNOWN, gradient=300.0, hilbert=hilbert)

    def bound(log):
        return proved.mirror_descent(**KNOWN, gradient=300.0, hilbert=hilbert, step_size=math.exp(log))

    assert bound(math.log(found)) == pytest.approx(minimize_scalar(bound, bounds=(-25, 5), method="bounded", options={"xatol": 1e-9}).fun, rel=1e-9)


def test_the_smooth_step_has_the_value_that_is_stated_and_is_the_best_one():
    found = proved.smooth_mirror_descent_step(**KNOWN, smoothness=500.0)

    def bound(log):
        return proved.smooth_mirror_descent(**KNOWN, smoothness=500.0, step_size=math.exp(log))

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
    noise = proved.private_noise(sensitivity=sensitivity, mu=mu, steps=steps)
    eta = proved.mirror_descent_step(**known, gradient=gradient, noise=noise, steps=steps)
    found = proved.mirror_descent(**known, gradient=gradient, noise=noise, steps=steps, step_size=eta)
    if smoothness < math.inf:
        eta = proved.smooth_mirror_descent_step(**known, smoothness=smoothness, noise=noise, steps=steps)
        found = min(found, proved.smooth_mirror_descent(**known, smoothness=smoothness, noise=noise, steps=steps, step_size=eta))
    stated = proved.theorem_3_2(**known, gradient=gradient, sensitivity=sensitivity, mu=mu, smoothness=smoothness, steps=steps)
    assert stated == pytest.approx(found, rel=1e-12)
    limit = proved.theorem_3_2(**known, gradient=gradient, sensitivity=sensitivity, mu=mu)
    assert limit < stated
    enough = proved.enough_steps(**known, gradient=gradient, sensitivity=sensitivity, mu=mu, smoothness=smoothness, share=0.1)
    after = proved.theorem_3_2(**known, gradient=gradient, sensitivity=sensitivity, mu=mu, smoothness=smoothness, steps=math.ceil(enough))
    before = proved.theorem_3_2(**known, gradient=gradient, sensitivity=sensitivity, mu=mu, smoothness=smoothness, steps=math.ceil(enough / 1.1))
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
    eta = proved.mirror_descent_step(**common, gradient=gradient, steps=steps + 1, hilbert=True)
    bound = proved.mirror_descent(**common, gradient=gradient, steps=steps + 1, step_size=eta, hilbert=True)
    found = np.mean([walk("lipschitz", seed, steps=steps, noise=noise, eta=eta) for seed in range(200)])
    assert 0.02 * bound <= found <= bound
    eta = proved.smooth_mirror_descent_step(**common, smoothness=40.0, steps=steps)
    bound = proved.smooth_mirror_descent(**common, smoothness=40.0, steps=steps, step_size=eta)
    found = np.mean([walk("smooth", seed, steps=steps, noise=noise, eta=eta) for seed in range(200)])
    assert 0.02 * bound <= found <= bound
    known = {"strong_convexity": 1.0, "ridge": 30.0, "gradient": gradient + 30.0, "width": width, "noise": noise, "steps": steps + 1}
    bound = proved.strongly_convex_mirror_descent(**known, hilbert=True)
    found = np.mean([walk("strongly-convex", seed, steps=steps, noise=noise, eta=0.0, ridge=30.0) for seed in range(200)])
    assert 0.01 * bound <= found <= bound
    assert proved.theorem_a_1(**known) > proved.strongly_convex_mirror_descent(**known) * 31 / 32 * (1 + math.log(31)) / 4.1


def test_objective_perturbation_of_a_linear_loss_over_a_ball_is_within_its_width():
    """argmin over the unit ball of <a + b, theta>: excess <a, theta> + |a|, at most s E |b|; and of a strongly convex sum at most s^2 d / (2 m)."""
    generator = np.random.default_rng(3)
    a, s, d, m = np.array([5.0, 0, 0, 0]), 2.0, 4, 9.0
    b = s * generator.normal(size=(4000, d))
    theta = -(a + b) / np.linalg.norm(a + b, axis=1, keepdims=True)
    width = math.sqrt(2) * math.gamma(2.5) / math.gamma(2.0)
    assert 0 < np.mean(theta @ a + 5.0) <= proved.objective_perturbation(noise=s, width=width, ridge=0.0, spread=1.0)
    theta = -(a + b) / m
    excess = np.mean(theta @ a + 0.5 * m * np.sum(theta**2, axis=1) + 25.0 / (2 * m))
    bound = proved.objective_perturbation(noise=s, width=100.0, ridge=0.0, spread=1.0, strong_convexity=m, dual_width=math.sqrt(d))
    assert excess == pytest.approx(bound, rel=0.05)


def test_noise_below_zero_is_refused():
    with pytest.raises(InvalidInput, match="noise"):
        proved.gaussian_frank_wolfe(curvature=1.0, width=1.0, noise=-1.0, steps=3)


@pytest.mark.parametrize("regret", [0.0, 0.3, 5.0])
@pytest.mark.parametrize("steps", [1, 2, 19, 500])
def test_the_recursion_of_the_steps_never_exceeds_the_bound(regret, steps):
    excess = 123.0  # after a first step of share 1 it does not matter
    for taken in range(1, steps + 1):
        excess = (1.0 - 1.0 / taken) * excess + regret / taken + 7.0 / (2.0 * taken**2)
    bound = averaged_frank_wolfe(curvature=7.0, regret=regret, steps=steps)
    assert excess <= bound * (1.0 + 1e-12)
    assert excess >= 0.6 * bound  # and the bound is not idle


def test_the_walk_without_noise_stays_below_its_bound():
    rng = np.random.default_rng(0)
    domain = Domain(features=6, entry_bound=1.0, records=50, target_bound=1.0)
    problem = ConstrainedRisk(loss=Squared(), constraint=L1Ball(dimension=6), domain=domain)
    rows = rng.choice([-1.0, 1.0], (50, 6))
    targets = rows @ [0.4, -0.3, 0.0, 0.0, 0.3, 0.0]  # of norm 1: the least value is 0
    objective = sum_over_set(problem, Records(rows=as_matrix(rows), targets=targets, domain=domain))
    walk = Walk.from_start(objective, problem.constraint)
    for taken in range(1, 200):
        walk.towards(problem.constraint.linear_minimiser(walk.gradient()))
        assert objective.value(walk.point) <= averaged_frank_wolfe(curvature=50 * problem.curvature, regret=0.0, steps=taken)


@pytest.mark.more
@pytest.mark.parametrize("power", [0.5, 1.0])
@pytest.mark.parametrize("regret", [1e-9, 0.01, 1.0, 1e3])
def test_the_number_of_steps_is_the_best_one(power, regret):
    def bound(steps):
        return averaged_frank_wolfe(curvature=100.0, regret=regret * steps**power, steps=steps)

    found = averaged_steps(curvature=100.0, regret=regret, power=power)
    assert 1 <= found <= MOST_STEPS
    assert bound(found) <= 1.001 * min(bound(steps) for steps in range(1, MOST_STEPS + 1))


def test_the_printed_shares_have_less_from_eleven_steps_on():
    for steps, less in ((10, False), (11, True), (20, True), (1000, True)):
        assert (2.0 / (steps + 2.0) < averaged_frank_wolfe(curvature=1.0, regret=0.0, steps=steps)) is less


@pytest.mark.parametrize("wrong", [{"curvature": -1.0}, {"regret": math.nan}, {"steps": 0}])
def test_numbers_out_of_range_are_refused(wrong):
    with pytest.raises(InvalidInput, match=next(iter(wrong))):
        averaged_frank_wolfe(**{"curvature": 1.0, "regret": 1.0, "steps": 1, **wrong})


@pytest.mark.parametrize("steps", [1, 2, 5, 20, 100, 400])
@pytest.mark.parametrize("regret", [0.0, 0.05])
def test_the_excess_of_the_mean_of_vertices_is_below_the_bound(steps, regret):
    random = np.random.default_rng(steps)
    worst = 0.0
    for _ in range(20):
        centre = random.dirichlet(np.ones(6))
        point = np.full(6, 1.0 / 6.0)
        for step in range(1, steps + 1):
            scores = point - centre
            choices = np.flatnonzero(scores <= scores.min() + regret)
            point += (np.eye(6)[random.choice(choices)] - point) / step
        worst = max(worst, 0.5 * float(np.sum(np.square(point - centre))))
    curvature = Simplex(dimension=6, radius=1.0).diameter ** 2
    bound = averaged_frank_wolfe(curvature=curvature, regret=regret, steps=steps)
    assert worst <= bound
    if regret == 0.0 and steps > 1:
        assert worst > bound / (400.0 * steps), "a bound that is far too large tells nothing"


def test_it_is_the_formula():
    assert averaged_frank_wolfe(curvature=2.0, regret=0.1, steps=1) == pytest.approx(1.1)
    assert averaged_frank_wolfe(curvature=2.0, regret=0.1, steps=10) == pytest.approx(0.1 * (1 + np.log(10)) + 0.1)
