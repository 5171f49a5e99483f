"""Corners that a recheck takes of a loss: above its terms at every margin, and hardly above the largest; envelopes of many lines."""

import numpy as np
import pytest

from discreet.losses import HuberHinge, Logistic, SmoothedHinge, SoftplusHinge
from discreet.verification.numerics import upper_lines
from discreet.verification.scans import corners, corners_of, scan_of

LOSSES = [
    Logistic(),
    *(SoftplusHinge(temperature=width) for width in (0.02, 0.25, 4.0)),
    *(kind(half_width=width) for kind in (HuberHinge, SmoothedHinge) for width in (0.05, 0.5)),
]


def problem(loss, norm):
    return {
        "loss": loss.name,
        "loss_parameters": dict(loss.parameters),
        "data_norm": norm,
        "intercept_scale": 0.0,
        "ridge": 1.0,
        "max_weight": 1.0,
        "records": None,
    }


def between(loss, count=20_001):
    """Slopes and curvatures at margins between the scanned ones, near and far."""
    least, most = (pick([1.0, *loss.parameters.values()]) for pick in (min, max))
    margins = np.concatenate((most * np.linspace(-9.0, 9.0, count), 1.0 + least * np.linspace(-6.0, 6.0, count))) + 1e-5 * np.sqrt(2.0)
    return np.abs(loss.slope(margins)), loss.curvature(margins)


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("norm", [0.3, 30.0])
def test_no_margin_is_above_the_corners_and_they_are_hardly_above_the_largest(loss, norm):
    slopes, curvature = between(loss)
    terms = np.log1p(norm**2 * curvature)
    found = corners_of(problem(loss, norm))
    rounding = 4e-16 * norm**2 / min([1.0, *loss.parameters.values()])  # of slopes near 1, where the terms fall
    assert np.all(terms <= np.interp(slopes, found.slopes, found.jacobian) * (1.0 + 2e-13) + rounding)
    if not isinstance(loss, HuberHinge):
        scanned = scan_of(problem(loss, norm))
        order = np.argsort(scanned.slopes)[::7]
        few = np.interp(slopes, scanned.slopes[order], scanned.jacobian[order])
        assert np.any(terms > few * (1.0 + 1e-10)), "what is scanned alone is exceeded between its margins"
    for g in (0.0, 2.0, 5.0):
        for s in (0.02, 1.0):
            lines = upper_lines(found.slopes * s, 0.5 * np.square(found.slopes * s) + found.jacobian)
            seen = float(np.max(slopes * s * g + 0.5 * np.square(slopes * s) + terms))
            assert seen * (1.0 - 2e-13) <= float(lines(np.array([g]))[0]) <= seen * (1.0 + 1e-3)


def test_corners_are_nowhere_below_their_points_whatever_these_are():
    rng = np.random.default_rng(0)
    for _ in range(50):
        slopes = np.unique(rng.uniform(size=30))
        heights = rng.uniform(size=len(slopes)) + 5.0 * slopes * (1.0 - slopes)
        at, above = corners(slopes, heights)
        assert np.all(np.diff(at) >= 0)
        assert np.all(np.interp(slopes, at, above) >= heights - 1e-12)


def test_what_is_remembered_of_a_loss_cannot_be_changed_and_problems_without_a_bend_are_refused():
    first = corners_of(problem(Logistic(), 1.0))
    first.jacobian[:] = 0.0
    assert float(corners_of(problem(Logistic(), 1.0)).jacobian.max()) == pytest.approx(np.log1p(0.25), rel=1e-5)
    with pytest.raises(ValueError, match=r"^$"):
        corners_of(problem(Logistic(), 1.0) | {"ridge": 0.0})


@pytest.mark.parametrize("count", [2, 40, 5_000])
def test_an_envelope_is_the_largest_of_all_lines(count):
    rng = np.random.default_rng(count)
    for bend in (0.0, 1.0, -1.0):  # random, all of them on it, only the ends
        steep = np.round(np.sort(rng.uniform(size=count)), 3 if bend == 0.0 else 17)
        heights = rng.uniform(size=count) if bend == 0.0 else -bend * np.square(steep)
        g = np.concatenate((rng.normal(size=200), [-40.0, 40.0]))
        found = upper_lines(steep, heights)
        assert np.allclose(found(g), np.max(np.outer(g, steep) + heights, axis=1), rtol=1e-12, atol=1e-12)
        for level in found.levels[:: max(1, len(found.levels) // 7)]:
            start = found.first_above(np.array([level]))
            assert np.isneginf(start[0]) or np.allclose(found(start), level, rtol=1e-9, atol=1e-9)
