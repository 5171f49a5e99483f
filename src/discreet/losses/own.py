"""Losses of the margin that users add: what they state is compared with what they compute, before any record is read.

    register(MyLoss())      from then on LinearSVC(loss=MyLoss()) fits, certificates name it with its parameters, and verify reads them again

The laws of `base` are checked at many thousand margins, for these parameters and for any others when they are first used: slopes are differences of
values and rise, no slope and no curvature exceeds its constant, kappa is concave and shrinks at most quadratically. That finds constants that are
wrong; it is no proof, which is the user's, and certificates say so.
"""

import numpy as np
import numpy.typing as npt

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput, quietly
from discreet.losses.base import MarginLoss

_POINTS, _REACH, _FARTHEST = 12_001, 60.0, 1e6
_EXACT = 1e-9
"""Relative room for rounding."""


def demand(holds: npt.ArrayLike, name: str, fault: str) -> None:
    """Raise InvalidInput unless a law holds everywhere."""
    if not np.all(holds):
        raise InvalidInput(f"the loss {name!r} cannot be registered: {fault}. Correct its constants or its functions.")


def check_rise(name: str, places: Floats, values: Floats, slopes: Floats, *, steepest: float) -> None:
    """Between neighbours of increasing `places`, along the last axis: l'(a) <= (l(b) - l(a)) / (b - a) <= l'(b), up to rounding."""
    steps = np.diff(places, axis=-1)
    rises = np.diff(values, axis=-1) / steps
    sizes = np.abs(values[..., 1:]) + np.abs(values[..., :-1]) + steepest * (1.0 + np.abs(places[..., 1:]))
    room = 64.0 * 2.0**-52 * sizes / steps + _EXACT * steepest
    demand(slopes[..., :-1] <= rises + room, name, "its slope is above the rise of its value, or it is not convex")
    demand(rises <= slopes[..., 1:] + room, name, "its slope is below the rise of its value, or it is not convex")


def check_margin_loss(loss: MarginLoss) -> None:
    """Raise InvalidInput for a loss that is not what it states."""
    refusal = InvalidInput(f"the loss {type(loss).name!r} cannot be registered: its functions must take and give arrays of numbers.")
    quietly(lambda: _check(loss), refusal, TypeError, AttributeError)


def _check(loss: MarginLoss) -> None:
    name, steepest, smooth = loss.name, float(loss.lipschitz), float(loss.smoothness)
    demand(0 < steepest < np.inf and 0 < smooth < np.inf, name, "lipschitz and smoothness must be positive and finite")
    offsets = np.linspace(-_REACH, _REACH, _POINTS)
    bend, far = steepest / smooth, np.geomspace(_REACH, _FARTHEST, 500)
    margins = np.unique(np.concatenate((offsets, offsets * bend, 1.0 + offsets * bend, np.linspace(-2.0, 2.0, _POINTS) * bend, -far, far)))
    values, slopes, curvature = (np.asarray(part, dtype=np.float64) for part in (loss.value(margins), loss.slope(margins), loss.curvature(margins)))
    for part in (values, slopes, curvature):
        demand(part.shape == margins.shape and np.all(np.isfinite(part)), name, "its functions must give a finite number for each margin")
    sizes = -slopes
    demand(slopes <= 0.0, name, "it increases somewhere, and slopes must keep one sign")
    demand(sizes <= steepest * (1.0 + _EXACT), name, "a slope exceeds the lipschitz constant that it states")
    check_rise(name, margins, values, slopes, steepest=steepest)
    rise = np.diff(slopes) <= smooth * np.diff(margins) * (1.0 + 1e-6) + 1e-13 * steepest
    demand(rise, name, "slopes rise faster than the smoothness that it states")
    demand((curvature >= 0.0) & (curvature <= smooth * (1.0 + _EXACT)), name, "a curvature is negative or exceeds the smoothness that it states")
    around = loss.curvature_on_slopes(np.maximum(sizes - 1e-12 * steepest, 0.0), np.minimum(sizes + 1e-12 * steepest, steepest))
    demand(curvature <= around * (1.0 + _EXACT) + _EXACT * smooth, name, "curvature_on_slopes is below the curvature at some slope")
    grid = steepest * np.linspace(0.0, 1.0, 2001)
    kappa = loss.curvature_on_slopes(grid, grid)
    demand(kappa[1:-1] >= 0.5 * (kappa[2:] + kappa[:-2]) - 1e-6 * smooth, name, "curvature_on_slopes is not concave")
    for shrink in (0.25, 0.5, 0.9):
        less = loss.curvature_on_slopes(shrink * grid, shrink * grid)
        demand(less >= shrink**2 * kappa - 1e-6 * smooth, name, "curvature_on_slopes shrinks faster than the square of the slope")
    if loss.linked:
        decisions = np.linspace(-3.0, 3.0, 601) * max(1.0, bend)
        for odds in (np.asarray(told(decisions), dtype=np.float64) for told in (loss.proper_log_odds, loss.log_odds)):
            odd = np.allclose(odds, -odds[::-1], rtol=1e-6, atol=1e-9)
            demand(
                odd and np.all(np.diff(odds) > 0),
                name,
                "its log odds must be odd and rise with the decision, as a loss is linked that has no flat part",
            )
    ratio = float(loss.slope_curvature_ratio)
    if np.isfinite(ratio):
        left = ratio * sizes * (steepest - sizes) / steepest
        demand(curvature <= left * (1.0 + 1e-6) + _EXACT * smooth, name, "slope_curvature_ratio is too small")
