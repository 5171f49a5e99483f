"""A curve with Gaussian noise after it: exact laws, and what a forgotten second release would say."""

import math
from functools import partial

import numpy as np
import pytest
from scipy.special import ndtr

from discreet.accounting import before_gaussian, gaussian_delta, near, through


def after(curve, epsilon, mu):
    return before_gaussian(near(curve, epsilon=epsilon, mu=mu), epsilon=epsilon, mu=mu)


def drawn(number, seed=22):
    draw = np.random.default_rng(seed)
    for _ in range(number):
        s, ratio, deviations = 10 ** draw.uniform(-2.5, 0.5), 10 ** draw.uniform(-2.0, 0.3), draw.uniform(0.0, 7.0)
        yield s, ratio * s, max(0.0, s * (deviations - 0.5 * s))


def test_two_gaussian_mechanisms_are_one_and_one_forgotten_is_seen():
    """The exact law is that of one mechanism whose mu^2 is the sum."""
    missed = 0
    for s, mu, epsilon in drawn(400):
        exact = gaussian_delta(epsilon, math.hypot(s, mu))
        found = after(partial(gaussian_delta, mu=s), epsilon, mu)
        assert exact <= found * (1.0 + 1e-9), (s, mu, epsilon)
        if mu <= 0.2 * s:
            assert found <= exact * 1.06 + 1e-20, (s, mu, epsilon)
        missed += gaussian_delta(epsilon, s) < exact * 0.999
    assert missed > 300, "the curve of the first alone is too low"


def mixture(likely, other, epsilon, mu):
    """The exact hockey stick of a discrete pair and a Gaussian one together."""
    with np.errstate(divide="ignore"):
        losses = np.log(likely) - np.log(other)
    return sum(p * gaussian_delta(epsilon - loss, mu) for p, loss in zip(likely, losses, strict=True) if p > 0)


def test_random_pairs_of_laws_never_exceed_it():
    """First releases of up to five outcomes, some of which one table cannot have: both directions, epsilon from 0 on."""
    draw, closest = np.random.default_rng(5), 0.0
    for _ in range(300):
        p, q = (draw.dirichlet(np.full(5, 0.7)) * (draw.random(5) > 0.15) + 1e-300 for _ in range(2))
        p, q = p / p.sum(), q / q.sum()
        mu, epsilon = 10 ** draw.uniform(-2.0, 0.3), draw.uniform(0.0, 4.0)

        def curve(at, p=p, q=q):
            return max(float(np.maximum(one - math.exp(at) * two, 0.0).sum()) for one, two in ((p, q), (q, p)))

        exact = max(mixture(p, q, epsilon, mu), mixture(q, p, epsilon, mu))
        found = after(curve, epsilon, mu)
        assert exact <= found * (1.0 + 1e-9) + 1e-15
        closest = max(closest, exact / found)
    assert closest > 0.95


def test_pure_privacy_before_noise_has_its_closed_form():
    """Randomised response: two losses, epsilon_0 and -epsilon_0."""
    e0, mu = 0.5, 0.3
    keep = 1.0 / (1.0 + math.exp(-e0))
    for epsilon in (0.0, 0.2, 0.5, 0.9):
        exact = keep * gaussian_delta(epsilon - e0, mu) + (1.0 - keep) * gaussian_delta(epsilon + e0, mu)
        knots = np.linspace(0.0, 6.0, 2001)
        curve = through(knots, np.maximum(0.0, keep - np.exp(knots) * (1.0 - keep)))
        assert exact <= before_gaussian(curve, epsilon=epsilon, mu=mu) <= exact * 1.04


@pytest.mark.parametrize("mu", [1e-6, 30.0])
def test_extreme_second_releases(mu):
    """One that says nothing costs nothing, and one that says all leaves nothing."""
    found = after(partial(gaussian_delta, mu=0.3), 1.0, mu)
    assert found == pytest.approx(gaussian_delta(1.0, 0.3) if mu < 1 else 2.0 * ndtr(0.5 * mu) - 1.0, rel=1e-4)
