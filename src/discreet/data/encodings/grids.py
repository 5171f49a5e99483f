"""Public nodes along a column, and the tables that let neighbouring nodes share strength.

    equal         lower + (upper - lower) k / count
    logarithmic   equal steps of  g(x) = sign(x) log(1 + |x| / unit): geometric where |x| is large next to the unit, which is
                  a thousandth of upper - lower, or how far both bounds are from zero where that is more
    mixed         half as many of each, together: fine near zero, where long-tailed columns have their values, and nowhere very coarse

Far from zero, as dates and temperatures in kelvin are, logarithmic steps are nearly equal ones, and a node of each would make a pair with next to no
record between the two. So mixed steps are equal ones where no logarithmic node is farther from its equal one than half a step of width / count; and
one nearer to an equal node than a quarter of such a step, and of the way to its neighbours, goes, the middle of the widest gap coming instead.

Between bounds that are whole numbers, at least 2 and count / 4 apart, nodes are rounded to whole numbers, as ages, hours and amounts are.

A model with weights w has the values f = A w at the nodes, and the ridge |w|^2 is a penalty f^T (A A^T)^(-1) f on the curve: A A^T is the covariance
of its prior. For several resolutions at once it is the mean of those of each,

    (A A^T)_ij = mean over l of exp(-|i - j| / 2^l),    l = 0, 1, .., resolutions - 1;   the identity for resolutions = 0

so that a step from a node to the next costs most, and slow trends little: coarse where noise rules, fine where it does not. The diagonal is 1, hence
every row of A has norm 1. The symmetric root has as many columns as there are nodes; several sets of hat functions side by side have more, and the
same product, hence the same models, with noise in more dimensions.
"""

from functools import lru_cache
from sys import float_info
from typing import Literal, TypeAlias

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import SchemaError, did_you_mean
from discreet.data.encodings.base import Bounds

Steps: TypeAlias = Literal["equal", "logarithmic", "mixed"]
STEPS = ("equal", "logarithmic", "mixed")

MOST_NODES = 1024
_DECADES = 1000.0
"""The unit of logarithmic steps is at least the width of the bounds over this number."""
_NEAREST = 1e-9
"""Nodes that are nearer to each other than this share of the width are one."""


def check_steps(steps: object, *, what: str) -> None:
    """Raise SchemaError for an unknown kind of steps."""
    if steps not in STEPS:
        raise SchemaError(f"{what}: steps must be one of {', '.join(map(repr, STEPS))}; {steps!r} was given.{did_you_mean(str(steps), STEPS)}")


def nodes(bounds: Bounds, *, count: int, steps: Steps) -> Floats:
    """The bounds and the nodes between them, increasing: about count + 1."""
    if steps == "mixed":
        return _mixed(bounds, count)
    found = _steps(bounds, count, logarithmic=steps == "logarithmic")
    return _apart(np.rint(found) if _whole(bounds, count) else found, bounds)


def between(values: Floats, knots: Floats) -> Floats:
    """Where `values` (n,) stand among `knots`, linearly between them, (n,): elementwise, so that no value has an influence on another's place."""
    left = np.clip(np.searchsorted(knots, values, side="right") - 1, 0, len(knots) - 2)
    shares: Floats = np.clip((values - knots[left]) / (knots[left + 1] - knots[left]), 0.0, 1.0)
    return np.asarray(left + shares)


def log_scale(values: Floats, bounds: Bounds, unit: float | None = None) -> Floats:
    """g of `values` (n,)."""
    scaled: Floats = np.sign(values) * np.log1p(np.abs(values) / _unit(bounds, unit))
    return scaled


def from_log_scale(scaled: Floats, bounds: Bounds, unit: float | None = None) -> Floats:
    """The values whose g is `scaled` (n,)."""
    values: Floats = np.sign(scaled) * np.expm1(np.abs(scaled)) * _unit(bounds, unit)
    return values


@lru_cache(maxsize=256)
def smoothing(count: int, resolutions: int, *, around: bool = False) -> Floats:
    """A for `count` nodes in a row, or around a circle, (count, count), its rows of norm 1 at most; not to be written to."""
    if resolutions == 0:
        root = np.eye(count)
    else:
        apart = np.abs(np.subtract.outer(np.arange(count), np.arange(count)))
        apart = np.minimum(apart, count - apart) if around else apart
        product = np.mean([np.exp(-apart / 2.0**level) for level in range(resolutions)], axis=0)
        values, vectors = np.linalg.eigh(product)
        root = (vectors * np.sqrt(np.clip(values, 0.0, None))) @ vectors.T
        root /= np.maximum(np.linalg.norm(root, axis=1, keepdims=True), 1.0) * (1.0 + 1e-14 * count)
    root.flags.writeable = False
    return root


def _whole(bounds: Bounds, count: int) -> bool:
    return float(bounds.lower).is_integer() and float(bounds.upper).is_integer() and bounds.width >= max(2.0, count / 4.0)


def _steps(bounds: Bounds, count: int, *, logarithmic: bool) -> Floats:
    shares = np.linspace(0.0, 1.0, count + 1)
    if not logarithmic:
        return np.asarray(bounds.lower + bounds.width * shares)
    low, high = log_scale(np.array([bounds.lower, bounds.upper]), bounds)
    return from_log_scale(low + (high - low) * shares, bounds)


def _mixed(bounds: Bounds, count: int) -> Floats:
    half, step = -(-count // 2), bounds.width / count
    apart = _steps(bounds, half, logarithmic=True) - _steps(bounds, half, logarithmic=False)
    if np.max(np.abs(apart)) <= step / 2.0:
        return nodes(bounds, count=count, steps="equal")
    equal, logarithmic = nodes(bounds, count=half, steps="equal"), nodes(bounds, count=half, steps="logarithmic")
    inner, gaps = logarithmic[1:-1], np.diff(logarithmic)
    away = np.min(np.abs(inner[:, np.newaxis] - equal), axis=1)
    near = (away > _NEAREST * bounds.width) & (away < np.minimum(step, np.minimum(gaps[:-1], gaps[1:])) / 4.0)
    found = _apart(np.union1d(equal, np.delete(logarithmic, np.flatnonzero(near) + 1)), bounds)
    for _ in range(np.count_nonzero(near)):
        widest = int(np.argmax(np.diff(found)))
        middle = found[widest] + (found[widest + 1] - found[widest]) / 2.0
        found = np.insert(found, widest + 1, np.rint(middle) if _whole(bounds, half) else middle)
    return _apart(np.unique(found), bounds)


def _unit(bounds: Bounds, unit: float | None) -> float:
    nearest = min(max(0.0, bounds.lower), bounds.upper)
    return max(bounds.width / _DECADES, abs(nearest), float_info.min) if unit is None else unit


def _apart(values: Floats, bounds: Bounds) -> Floats:
    """Increasing, from bound to bound, without those that are as good as another."""
    inside = values[(values > bounds.lower + _NEAREST * bounds.width) & (values < bounds.upper - _NEAREST * bounds.width)]
    kept = inside[np.diff(inside, prepend=-np.inf) > _NEAREST * bounds.width]
    return np.concatenate(([bounds.lower], kept, [bounds.upper]))
