"""One record's slopes and Jacobian terms, as rechecks scan them: at many margins, and on a polygon that no margin exceeds.

    h(q) = ln(1 + a kappa(q))        of the slope q, as a share of the steepest one; a kappa(q) where persons have several rows

A loss's kappa is concave, and so is h: between two scanned slopes it lies below the chord before them and the chord after them, both carried
on, which meet at a corner. The polygon through these corners is above h everywhere, between scanned margins too. Along a side of it the privacy
loss, of the form s q g + s^2 q^2 / 2 + h, is convex in q and (h - c) / (1 - q) is monotone: both are largest at corners. So what holds at the
corners holds at every margin.

That kappa is concave is tested for each loss by properties, and for a user's where it is registered. A corner is nowhere below the chord of its
own two slopes: what was scanned counts whatever kappa is.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from discreet.accounting import Json
from discreet.core.arrays import Floats
from discreet.core.fields import finite, numbers
from discreet.core.remembered import remembered
from discreet.losses import MarginLoss, loss_named
from discreet.statements.base import persons_of

_APART, _FARTHEST = 0.005, 23.0
"""Of logarithms of q / (1 - q): how far slopes that count are apart, and where there are none between them and the ends."""


class Scan(NamedTuple):
    """One record's slopes and Jacobian terms, and the scales of the problem."""

    slopes: Floats
    jacobian: Floats
    """ln(1 + x), or x where persons have several rows, whose traces add up."""
    gradient: float
    ridge: float


def loss_of(problem: Mapping[str, Json]) -> tuple[MarginLoss, Floats]:
    """The loss of a problem record, and lengths over which it bends: 1 and its parameters."""
    parameters = numbers(problem["loss_parameters"])
    return loss_named(str(problem["loss"]), parameters), np.array([1.0, *parameters.values()])


def scan_of(problem: Mapping[str, Json], extra_ridge: float = 0.0) -> Scan:
    """The scan of a problem record at many margins."""
    return _scaled(problem, extra_ridge, _seen(*loss_of(problem)))


def corners_of(problem: Mapping[str, Json]) -> Scan:
    """The corners of the polygon above the terms at all margins; see the module docstring."""
    loss, _ = loss_of(problem)
    scan = _scaled(problem, 0.0, _some(loss.name, tuple(numbers(problem["loss_parameters"]).items())))
    slopes, jacobian = corners(scan.slopes, scan.jacobian)
    return scan._replace(slopes=slopes, jacobian=jacobian)


def several_rows(problem: Mapping[str, Json]) -> bool:
    """Whether the problem is one of persons who may have more than one row."""
    return persons_of(problem).several


def corners(q: Floats, h: Floats) -> tuple[Floats, Floats]:
    """Corners of a polygon above a concave curve through these points, at least four, in order."""
    step = np.diff(q)
    rise = np.diff(h) / step
    before, own, after = rise[:-2], rise[1:-1], rise[2:]
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(before > after, np.clip((own - after) / (before - after), 0.0, 1.0), 0.5)
    inner = step[1:-1]
    carried = h[1:-2] + np.maximum(before, own) * share * inner, h[2:-1] - np.minimum(own, after) * (1.0 - share) * inner
    first, last = h[1] - min(rise[0], rise[1]) * step[0], h[-2] + max(rise[-2], rise[-1]) * step[-1]
    return np.concatenate((q[:1], q[1:-2] + share * inner, q[-1:])), np.concatenate(([first], np.maximum(*carried), [last]))


def _scaled(problem: Mapping[str, Json], extra_ridge: float, seen: tuple[Floats, Floats, float]) -> Scan:
    shares, curvature, steepest = seen
    radius = math.hypot(finite(problem["data_norm"]), finite(problem["intercept_scale"]))
    ridge = finite(problem["ridge"]) + extra_ridge
    weight = finite(problem["max_weight"])
    if not (ridge > 0 and extra_ridge >= 0 and radius > 0 and weight > 0):
        raise ValueError
    trace = weight * curvature * radius**2 / ridge
    return Scan(shares, trace if several_rows(problem) else np.log1p(trace), weight * steepest * radius, ridge)


def _seen(loss: MarginLoss, widths: Floats) -> tuple[Floats, Floats, float]:
    """Shares of the steepest slope, curvatures, and that slope, at margins in order."""
    width = widths.max()
    bends = np.outer(widths, np.concatenate((np.linspace(-1.0, 1.0, 1_601) * (1.0 - 1e-9), np.linspace(-10.0, 10.0, 1_601)))).ravel()
    margins = np.sort(np.concatenate((np.linspace(-4.0, 6.0, 8_001) * width, np.linspace(-60.0, 60.0, 6_001) * width, 1.0 + bends)))
    margins = margins[np.diff(margins, prepend=-math.inf) > 0]
    slopes = np.abs(loss.slope(margins))
    steepest = float(slopes.max())
    if not steepest > 0:
        raise ValueError
    return slopes / steepest, loss.curvature(margins), steepest


@remembered
def _some(name: str, parameters: tuple[tuple[str, float], ...]) -> tuple[Floats, Floats, float]:
    """The same, of slopes in order, each once and with its largest curvature, that are somewhat apart."""
    shares, curvature, steepest = _seen(loss_named(name, dict(parameters)), np.array([1.0, *dict(parameters).values()]))
    order = np.lexsort((curvature, shares))
    order = order[np.append(np.diff(shares[order]) > 0, True)]
    shares, curvature = shares[order], curvature[order]
    with np.errstate(divide="ignore"):
        places = np.clip(np.log(shares) - np.log1p(-shares), -_FARTHEST, _FARTHEST)
    kept = np.flatnonzero(np.append(True, np.diff(places // _APART) > 0))
    # Chords of slopes that are next to each other would be those of their rounding.
    kept = kept[np.append(True, np.diff(places[kept]) > 0.5 * _APART)]
    kept = np.append(kept[kept < len(places) - 1], len(places) - 1)
    if len(kept) < 4:
        raise ValueError
    found = shares[kept], curvature[kept]
    for part in found:
        part.flags.writeable = False
    return (*found, steepest)
