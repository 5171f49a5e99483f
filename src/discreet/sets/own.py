"""Sets that users add: what they state is compared with what they compute, before any record is read.

    register(MySet(...))    from then on ConstrainedERM(constraint=MySet(...)) fits, certificates name it with its parameters, and verify reads them

Directions are fixed and many: projections lie in the set, stay where they are, and come no farther from each other; no point that is found has a
smaller product with a direction than its minimiser, or is longer than the radii say. That finds what is wrong; it is no proof, which is the user's.
"""

import numpy as np
import numpy.typing as npt

from discreet.core.errors import InvalidInput, quietly
from discreet.core.rounding import raising
from discreet.sets.base import Constraint

_POINTS = 60
_ROOM = 1e-7
_UP = raising(4096)


def check_set(made: Constraint) -> None:
    """Raise InvalidInput for a set that is not what it states."""
    refusal = InvalidInput(f"the set {type(made).name!r} cannot be registered: its methods must take and give arrays of shape (d,).")
    quietly(lambda: _check(made), refusal, TypeError, AttributeError, IndexError)


def _check(made: Constraint) -> None:
    name, dimension, size = made.name, made.dimension, made.l2_radius
    _demand(0 < size < np.inf and 0 < made.gaussian_width < np.inf, name, "its radius and its Gaussian width must be positive and finite")
    places = np.arange(1.0, _POINTS + 1.0)[:, np.newaxis] * np.sqrt(np.arange(2.0, dimension + 2.0))
    directions = np.cos(places * 7.3) + np.eye(dimension)[np.arange(_POINTS) % dimension]
    lengths = size * np.array([0.1, 1.0, 3.0])[np.arange(_POINTS) % 3] / np.maximum(np.linalg.norm(directions, axis=1), 1e-9)
    points = directions * lengths[:, np.newaxis]
    projected = np.array([made.project(point) for point in points])
    ends = np.array([made.linear_minimiser(direction) for direction in directions])
    room = _ROOM * (1.0 + size)
    for found in (projected, ends):
        _demand(found.shape == points.shape and np.all(np.isfinite(found)), name, "a point that it finds has no such shape, or is not finite")
        _demand([made.contains(point, 1e-6) for point in found], name, "a projection or a minimiser lies outside")
        _demand(np.linalg.norm(found, axis=1) <= size * _UP, name, "a point is longer than its l2_radius")
        _demand(np.abs(found).sum(axis=1) <= made.l1_radius * _UP, name, "a point is longer than its l1_radius")
        apart = np.linalg.norm(found[:, np.newaxis] - found, axis=2)
        _demand(apart <= made.diameter * _UP, name, "two points are farther apart than its diameter")
    again = np.array([made.project(point) for point in projected])
    _demand(np.abs(again - projected) <= room, name, "a projection moves when it is projected again")
    between, before = (np.linalg.norm(each[:, np.newaxis] - each, axis=2) for each in (projected, points))
    _demand(between <= before + room, name, "projections are farther apart than the points")
    nearest = np.einsum("ij,ikj->ik", points - projected, ends[np.newaxis] - projected[:, np.newaxis])
    _demand(nearest <= room * size, name, "a projection is not the nearest point")
    products = directions @ np.concatenate((projected, ends)).T
    _demand(products >= np.einsum("ij,ij->i", directions, ends)[:, np.newaxis] - room, name, "a minimiser is not the least")


def _demand(holds: npt.ArrayLike, name: str, fault: str) -> None:
    if not np.all(holds):
        raise InvalidInput(f"the set {name!r} cannot be registered: {fault}. Correct it.")
