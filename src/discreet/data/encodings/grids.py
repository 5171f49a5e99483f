"""Public nodes along a column, and the tables that let neighbouring nodes share strength.

    equal         lower + (upper - lower) k / count
    logarithmic   equal steps of  g(x) = sign(x) log(1 + |x| / unit): geometric where |x| is large next to the unit, which is
                  a thousandth of upper - lower, or how far both bounds are from zero where that is more
    mixed         half as many of each, together: fine near zero, where long-tailed columns have their values, and nowhere very coarse

Between bounds that are whole numbers, at least count / 4 apart, nodes are rounded to whole numbers, as ages, hours and amounts are.

A model with weights w has the values f = A w at the nodes, and the ridge |w|^2 is a penalty f^T (A A^T)^(-1) f on the curve: A A^T is the covariance
of its prior. For several resolutions at once it is the mean of those of each,

    (A A^T)_ij = mean over l of exp(-|i - j| / 2^l),    l = 0, 1, .., resolutions - 1;   the identity for resolutions = 0

so that a step from a node to the next costs most, and slow trends little: coarse where noise rules, fine where it does not. The diagonal is 1, hence
every row of A has norm 1. The symmetric root has as many columns as there are nodes; several sets of hat functions side by side have more, and the
same product, hence the same models, with noise in more dimensions.
"""

from functools import lru_cache
from typing import Literal, TypeAlias

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import SchemaError
from discreet.core.words import did_you_mean
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
        both = (nodes(bounds, count=-(-count // 2), steps="equal"), nodes(bounds, count=-(-count // 2), steps="logarithmic"))
        return _apart(np.union1d(*both), bounds)
    shares = np.linspace(0.0, 1.0, count + 1)
    if steps == "equal":
        found = bounds.lower + bounds.width * shares
    else:
        low, high = log_scale(np.array([bounds.lower, bounds.upper]), bounds)
        found = from_log_scale(low + (high - low) * shares, bounds)
    whole = float(bounds.lower).is_integer() and float(bounds.upper).is_integer() and 4.0 * bounds.width >= count
    return _apart(np.rint(found) if whole else found, bounds)


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


def _unit(bounds: Bounds, unit: float | None) -> float:
    nearest = min(max(0.0, bounds.lower), bounds.upper)
    return max(bounds.width / _DECADES, abs(nearest)) if unit is None else unit


def _apart(values: Floats, bounds: Bounds) -> Floats:
    """Increasing, from bound to bound, without those that are as good as another."""
    inside = values[(values > bounds.lower + _NEAREST * bounds.width) & (values < bounds.upper - _NEAREST * bounds.width)]
    kept = inside[np.diff(inside, prepend=-np.inf) > _NEAREST * bounds.width]
    return np.concatenate(([bounds.lower], kept, [bounds.upper]))
