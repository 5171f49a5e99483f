"""The public numbers of a recorded problem over a set, by another road than `ConstrainedRisk`.

Slopes are scanned over a grid of predictions and targets, corners included, instead of read from the loss's stated bound. Radii are those of the
vertices, one by one, where there are few enough, and of random support points from outside otherwise (the stated radius must not be smaller).
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from discreet.accounting import Guarantee, Json
from discreet.core.arrays import Floats
from discreet.core.fields import finite
from discreet.core.neighbours import ADD_REMOVE
from discreet.losses.predictions import prediction_loss_named
from discreet.sets import Constraint, Polytope, constraint_named

_LISTED = 4096
"""Vertices up to which all are looked at; symmetric sets of more than that by their stated radii."""
_SCAN = 129


class PublicNumbers(NamedTuple):
    """Of one record and the set."""

    dimension: int
    slope: float
    """B."""
    radius: float
    """R_2."""
    reach: float
    spread: float


def public_numbers(problem: Mapping[str, Json]) -> PublicNumbers:
    """From a problem's record. Raises KeyError, TypeError or ValueError for one that is incomplete or contradicts itself."""
    features = finite(problem["features"])
    constant = finite(problem["intercept_scale"])
    entry, norm = optional(problem["entry_bound"]), optional(problem["norm_bound"])
    target = finite(problem["target_bound"])
    dimension = int(features) + (1 if constant > 0 else 0)
    largest = max(min(entry, norm), constant)
    radius = math.sqrt(min(norm, entry * math.sqrt(features)) ** 2 + constant**2)
    given = problem["constraint_parameters"]
    if not (isinstance(given, dict) and features >= 1 and constant >= 0 and target > 0 and math.isfinite(largest)):
        raise ValueError
    constraint = constraint_named(str(problem["constraint"]), given)
    if constraint.dimension != dimension:
        raise ValueError
    l1, l2, diameter = _sizes(constraint)
    reach = min(largest * l1, radius * l2)
    steepest = _steepest(problem, reach, target)
    declared = optional(problem["max_slope"])
    return PublicNumbers(dimension, min(steepest, declared), radius, reach, min(2.0 * reach, radius * diameter))


def copies(guarantee: Guarantee) -> float:
    """k: how many records' worth neighbours differ by."""
    return 1.0 if guarantee.neighbours is ADD_REMOVE else 2.0


def optional(value: Json) -> float:
    """A positive number, or infinity for None."""
    if value is None:
        return math.inf
    found = finite(value)
    if found <= 0:
        raise ValueError
    return found


def _steepest(problem: Mapping[str, Json], reach: float, target: float) -> float:
    """The largest slope in size over a grid of predictions and targets; convexity puts it at the ends of the predictions."""
    given = problem["loss_parameters"]
    if not isinstance(given, dict):
        raise TypeError
    loss = prediction_loss_named(str(problem["loss"]), given)
    ends = np.unique(np.concatenate((np.linspace(-reach, reach, _SCAN), [0.0])))
    targets = np.array([-target, target]) if loss.signed_targets else np.linspace(-target, target, _SCAN)
    predictions, aims = np.meshgrid(ends, targets)
    return float(np.abs(loss.slope(predictions, aims)).max())


def _sizes(constraint: Constraint) -> tuple[float, float, float]:
    """l1 radius, l2 radius and diameter."""
    if isinstance(constraint, Polytope) and constraint.vertex_count * constraint.dimension <= _LISTED**2 // 4 and constraint.vertex_count <= _LISTED:
        points = np.array([constraint.vertex(index) for index in range(constraint.vertex_count)])
        norms = np.linalg.norm(points, axis=1)
        return float(np.abs(points).sum(axis=1).max()), float(norms.max()), _farthest(points)
    return constraint.l1_radius, constraint.l2_radius, constraint.diameter


def _farthest(points: Floats) -> float:
    squares = np.square(points).sum(axis=1)
    return math.sqrt(max(0.0, float((squares[:, np.newaxis] + squares - 2.0 * points @ points.T).max())))
