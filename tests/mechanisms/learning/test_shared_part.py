"""Rows of one record that share all but a constant each (persons.md, "Rows with a part in common"): the bound, and what it would gain."""

import math

import numpy as np
import pytest

from discreet.accounting import gaussian_delta, gaussian_mu
from discreet.core.neighbours import ADD_REMOVE, Persons
from discreet.data import Domain
from discreet.losses import Logistic
from discreet.mechanisms.learning.margin import MARGIN
from discreet.problems import RegularisedRisk

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(40)
WEIGHTS = WEIGHTS / WEIGHTS.sum()
GRID = np.linspace(-9.0, 13.0, 6_001)
SHARES = np.linspace(0.0, 1.0, 129)
COMMON, OWN = math.sqrt(2.0), 0.5
"""U of (x, R), R = 1, and c, as `SurvivalModel` and `OrdinalRegression` have them."""


def losses(y, s, length, ratio):
    """f(y) = max over t of t s y + t^2 s^2 V^2 / 2 + J(t), elementwise, J of the logistic loss: 4 ratio t (1 - t)."""
    heights = 0.5 * np.square(SHARES * s * length) + 4.0 * ratio * SHARES * (1.0 - SHARES)
    slopes = SHARES * s
    found = np.full(np.shape(y), -np.inf)
    for slope, height in zip(slopes, heights, strict=True):
        np.maximum(found, slope * y + height, out=found)
    return found


def density(values):
    return float(np.sum(values * np.exp(-0.5 * GRID**2)) * (GRID[1] - GRID[0]) / math.sqrt(2.0 * math.pi))


def beyond(s, rows, ratio, threshold):
    """E (f(m + d) - s d - threshold)_+, m ~ N(0, V^2) the mean of y_1 .. y_M and d ~ N(0, c^2 (1 - 1 / M)) what one of them is off by."""
    length, off = math.hypot(COMMON, OWN / math.sqrt(rows)), OWN * math.sqrt(1.0 - 1.0 / rows)
    each = [density(np.maximum(losses(length * GRID + off * d, s, length, ratio) - s * off * d - threshold, 0.0)) for d in NODES]
    return float(WEIGHTS @ each)


def claimed(s, rows, ratio, epsilon):
    """min over some tangents of e^(epsilon - u) E (.. - tau)_+."""
    found = []
    for above in np.linspace(0.02, 0.6, 8):
        u = epsilon + above
        found.append(math.exp(-above) * beyond(s, rows, ratio, u - math.expm1(above)))
    return min(found)


def of_two(s, ratio, threshold):
    """E (f(y_1) / 2 + f(y_2) / 2 - threshold)_+ of two rows, whose y are m + d and m - d."""
    length, off = math.hypot(COMMON, OWN / math.sqrt(2.0)), OWN / math.sqrt(2.0)
    each = [
        density(np.maximum(0.5 * sum(losses(length * GRID + sign * off * d, s, length, ratio) for sign in (-1.0, 1.0)) - threshold, 0.0))
        for d in NODES
    ]
    return float(WEIGHTS @ each)


@pytest.mark.parametrize("ratio", [0.05, 0.4])
def test_two_rows_lose_no_more_than_their_mean_and_one_of_them(ratio):
    for s in (0.1, 0.3):
        for threshold in (0.2, 0.9):
            exact, bound = of_two(s, ratio, threshold), beyond(s, 2, ratio, threshold)
            assert exact <= bound * (1.0 + 1e-9)
            length = math.hypot(COMMON, OWN / math.sqrt(2.0))
            fault = density(np.maximum(losses(COMMON * GRID, s, COMMON, 0.0) - threshold, 0.0))
            assert exact > fault, "as if the constants of the rows were no part of them"
            assert exact >= density(np.maximum(s * length * GRID + 0.5 * (s * length) ** 2 - threshold, 0.0)) * (1.0 - 1e-9)


@pytest.mark.parametrize(("rows", "gain"), [(2, 1.028), (5, 1.045), (10, 1.051)])
def test_what_it_would_gain_is_what_the_note_says(rows, gain):
    """At 1.5 times the lambda without slack, (1, 1e-6), add-remove: s = mu / V is enough up to a few thousandths of the noise."""
    epsilon, delta, square = 1.0, 1e-6, COMMON**2 + OWN**2
    ridge = 1.5 * square / epsilon
    domain = Domain(features=3, norm_bound=math.sqrt(square), classes=2, persons=Persons(rows=rows, weight="row"))
    scale = MARGIN.scale(RegularisedRisk(loss=Logistic(), ridge=ridge, domain=domain), epsilon=epsilon, delta=delta, neighbours=ADD_REMOVE)
    less = scale / gain
    ratio = 0.25 * square / ridge
    assert claimed(1.0 / less, rows, ratio, epsilon) <= delta
    length = math.hypot(COMMON, OWN / math.sqrt(rows))
    assert less < 1.005 * length / gaussian_mu(epsilon, delta)
    assert gaussian_delta(epsilon, length / (0.99 * less)) > delta * 0.9
