"""Exact densities of the minimiser, for losses of residuals, against the curve: it is kept, reached up to its two, and planted faults are caught."""

import math
from typing import NamedTuple

import numpy as np
import pytest

from discreet.accounting import gaussian_delta
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.mechanisms.learning.margin import MARGIN
from discreet.mechanisms.learning.two_signed import curvature_at, half_problem, prediction_loss, two_signed_delta, two_signed_scale


class Setting(NamedTuple):
    """Public numbers with R = 1."""

    loss: str
    width: float
    ridge: float
    dimension: int

    @property
    def half(self):
        return half_problem(loss=self.loss, width=self.width, radius=1.0, ridge=self.ridge, dimension=self.dimension)


def log_density(setting, records, scale, points):
    """ln of the density of the minimiser at points (n, d); records are (x, y, count)."""
    pull = setting.ridge * points
    hessian = np.broadcast_to(setting.ridge * np.eye(setting.dimension), (len(points), setting.dimension, setting.dimension)).copy()
    loss = prediction_loss(setting.loss, setting.width)
    for x, y, count in records:
        row = np.asarray(x, dtype=float)
        slopes = loss.slope(points @ row, np.full(len(points), float(y)))
        pull = pull + count * slopes[:, None] * row
        hessian += count * curvature_at(setting.loss, setting.width, slopes)[:, None, None] * np.outer(row, row)
    noise = -0.5 * np.square(pull / scale).sum(axis=1) - setting.dimension * math.log(scale * math.sqrt(2 * math.pi))
    return noise + (np.log(hessian[:, 0, 0]) if setting.dimension == 1 else np.linalg.slogdet(hessian)[1])


def divergence(setting, first, second, scale, epsilon):
    """The larger of the hockey-stick divergences both ways, on a grid."""
    counts = sum(count for _, _, count in (*first, *second))
    end = (10.0 * scale + setting.width * counts) / setting.ridge
    axis = np.linspace(-end, end, 60_001 if setting.dimension == 1 else 501)
    points = np.stack([each.ravel() for each in np.meshgrid(*[axis] * setting.dimension, indexing="ij")], axis=1)
    cell = (axis[1] - axis[0]) ** setting.dimension
    p, q = (np.exp(log_density(setting, records, scale, points)) * cell for records in (first, second))
    assert p.sum() == pytest.approx(1.0, abs=1e-2), "a density with jumps, on a grid"
    growth = math.exp(epsilon)
    return max(np.maximum(p - growth * q, 0.0).sum(), np.maximum(q - growth * p, 0.0).sum())


TARGETS = [(0.3, 1e-3), (1.0, 1e-5), (4.0, 1e-6)]
OTHERS = [[], [([1.0], 0.3, 5)], [([1.0], 2.0, 3), ([-1.0], 2.0, 4)]]


@pytest.mark.parametrize(("epsilon", "delta"), TARGETS)
@pytest.mark.parametrize("loss", ["log-cosh", "huber"])
def test_one_record_more_keeps_the_claim_and_half_the_noise_or_one_sign_breaks_it(loss, epsilon, delta):
    setting = Setting(loss, 0.5, 2.0 / epsilon, 1)

    def worst(scale):
        pairs = [(others, [*others, ([1.0], y, 1)]) for others in OTHERS for y in (0.0, 0.4, 3.0)]
        return max(divergence(setting, *pair, scale, epsilon) for pair in pairs)

    scale = two_signed_scale(setting.half, epsilon=epsilon, delta=delta, neighbours=ADD_REMOVE)
    reached = worst(scale)
    assert reached <= delta * (1 + 1e-3)
    assert worst(0.5 * scale) > 2.0 * delta
    if loss == "log-cosh":
        assert reached > 0.9 * delta, "a record with target 0 pulls from both ends: the two is attained"
        assert worst(MARGIN.scale(setting.half, epsilon=epsilon, delta=delta, neighbours=ADD_REMOVE)) > 1.5 * delta


@pytest.mark.parametrize("loss", ["log-cosh", "huber"])
def test_records_that_weigh_less_keep_the_claim_and_weights_that_are_not_cut_break_it(loss):
    """Weights in the unit of the largest, beside records of any weight: one more, and one in another's place with another weight."""
    epsilon, delta = 1.0, 1e-5
    others = [[], [([1.0], 0.3, 2.6)], [([1.0], 2.0, 1.3), ([-1.0], 2.0, 1.7)]]

    def worst(relation, most):
        setting = Setting(loss, 0.5, (2.0 if relation is ADD_REMOVE else 5.0) / epsilon, 1)
        scale = two_signed_scale(setting.half, epsilon=epsilon, delta=delta, neighbours=relation)
        moved = [(([1.0], y, share * most),) for y in (0.0, 0.4, 3.0) for share in (0.2, 0.5, 0.9, 1.0)]
        lost = [()] if relation is ADD_REMOVE else [(([1.0], y, share * most),) for y, share in ((-4.0, 1.0), (0.2, 0.4))]
        return max(divergence(setting, [*held, *old], [*held, *new], scale, epsilon) for held in others for old in lost for new in moved)

    for relation in (ADD_REMOVE, REPLACE_ONE):
        assert worst(relation, 1.0) <= delta * (1 + 1e-3)
        assert worst(relation, 2.0) > 5.0 * delta


@pytest.mark.parametrize(("epsilon", "delta"), TARGETS)
@pytest.mark.parametrize("loss", ["log-cosh", "huber"])
def test_one_record_replaced_keeps_the_claim_and_the_noise_of_one_more_does_not(loss, epsilon, delta):
    setting = Setting(loss, 0.5, 5.0 / epsilon, 1)

    def worst(scale):
        replaced = [(4.0, -4.0), (0.0, 3.0), (0.2, -0.2)]
        pairs = [([*others, ([1.0], y, 1)], [*others, ([1.0], z, 1)]) for others in OTHERS for y, z in replaced]
        return max(divergence(setting, *pair, scale, epsilon) for pair in pairs)

    scale = two_signed_scale(setting.half, epsilon=epsilon, delta=delta, neighbours=REPLACE_ONE)
    reached = worst(scale)
    assert reached <= delta * (1 + 1e-3)
    assert worst(two_signed_scale(setting.half, epsilon=epsilon, delta=delta, neighbours=ADD_REMOVE)) > 5.0 * delta
    if loss == "log-cosh":
        assert reached > 0.4 * delta, "opposite records with targets far away reach half of the claim"


@pytest.mark.slow
@pytest.mark.parametrize("angle", [0.0, 0.4, 0.8, 1.2, math.pi / 2])
@pytest.mark.parametrize("loss", ["log-cosh", "huber"])
def test_in_two_dimensions_it_holds_at_every_angle(loss, angle):
    epsilon, delta = 1.0, 1e-3
    setting = Setting(loss, 0.5, 3.0, 2)
    scale = two_signed_scale(setting.half, epsilon=epsilon, delta=delta, neighbours=REPLACE_ONE)
    here, there = [1.0, 0.0], [math.cos(angle), math.sin(angle)]
    for others in ([], [([0.6, -0.8], 0.5, 3)]):
        for y, z in ((0.0, 0.0), (3.0, -3.0), (0.0, 3.0)):
            assert divergence(setting, [*others, (here, y, 1)], [*others, (there, z, 1)], scale, epsilon) <= delta * 1.02
    assert divergence(setting, [(here, 3.0, 1)], [(here, -3.0, 1)], 0.4 * scale, epsilon) > delta


def test_where_tails_are_not_convex_the_curve_is_four_times_that_of_one_sign():
    setting = Setting("log-cosh", 0.5, 50.0, 1)
    tight, loose = 3.0, 0.4  # s = 1/6 and 1.25
    for scale, factor in ((tight, 2.0), (loose, 4.0)):
        s = 0.5 / scale
        found = two_signed_delta(setting.half, scale=scale, epsilon=1.0, neighbours=REPLACE_ONE)
        assert found >= min(1.0, factor * gaussian_delta(1.0, 2.0 * s))


def test_two_gaussian_curves_whose_squares_add_up_are_below_the_one_with_the_sum():
    for epsilon, s in ((1.0, 0.12), (0.1, 0.012), (5.0, 0.6)):
        assert (epsilon / (2 * s)) ** 2 - s**2 >= 1
        whole = gaussian_delta(epsilon, 2 * s)
        for angle in np.linspace(0.0, math.pi / 2, 40):
            parts = gaussian_delta(epsilon, 2 * s * math.cos(angle)) + gaussian_delta(epsilon, 2 * s * math.sin(angle))
            assert parts <= whole * (1 + 1e-9)
