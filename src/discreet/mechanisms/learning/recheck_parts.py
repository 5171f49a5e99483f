"""What the rechecks share: scans of a loss over margins, numerical integrals, the last stage, and the verdicts in words."""

import math
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from discreet.arrays import Floats
from discreet.certificates import Check
from discreet.guarantees import ApproximateDP, Guarantee, Json, PureDP
from discreet.losses import loss_named
from discreet.neighbours import Neighbours

AGREEMENT = 1e-9
"""Relative room for the quadrature; the calibrations leave more than that."""
NODES, WEIGHTS = np.polynomial.legendre.leggauss(24)


class Scan(NamedTuple):
    """One record's slopes and Jacobian terms over a scan of margins, and the scales of the problem."""

    slopes: Floats
    jacobian: Floats
    gradient: float
    ridge: float


def scan_of(problem: Mapping[str, Json], extra_ridge: float = 0.0) -> Scan:
    """The scan of a problem record."""
    given = problem["loss_parameters"]
    if not isinstance(given, dict):
        raise TypeError
    parameters = {str(key): finite(value) for key, value in given.items()}
    loss = loss_named(str(problem["loss"]), parameters)
    radius = math.hypot(finite(problem["data_norm"]), finite(problem["intercept_scale"]))
    ridge = finite(problem["ridge"]) + extra_ridge
    weight = finite(problem["max_weight"])
    if not (ridge > 0 and extra_ridge >= 0 and radius > 0 and weight > 0):
        raise ValueError
    width = max([1.0, *parameters.values()])
    kinks = [1.0 + sign * value for value in parameters.values() for sign in (-1.0, 1.0)]
    margins = np.unique(np.concatenate((np.linspace(-4.0, 6.0, 8_001) * width, np.linspace(-60.0, 60.0, 6_001) * width, kinks)))
    slopes = np.abs(loss.slope(margins))
    steepest = float(slopes.max())
    jacobian = np.log1p(weight * loss.curvature(margins) * radius**2 / ridge)
    if not steepest > 0:
        raise ValueError
    return Scan(slopes / steepest, jacobian, weight * steepest * radius, ridge)


def excess(epsilon: float, loss: Callable[[Floats], Floats]) -> float:
    """E (1 - e^{epsilon - loss(g)})_+ for a non-decreasing loss of g ~ N(0, 1)."""

    def gap(g: float) -> float:
        return float(loss(np.array([g]))[0]) - epsilon

    low, high = -12.0, 40.0
    if gap(high) <= 0:
        return 0.0
    start = low if gap(low) >= 0 else float(brentq(gap, low, high, xtol=1e-13))
    total = 0.0
    edges = np.concatenate((start + np.linspace(0.0, 4.0, 33), np.linspace(start + 4.5, max(start + 14.0, 14.0), 40)))
    for left, right in pairwise(edges):
        g = 0.5 * (left + right) + 0.5 * (right - left) * NODES
        values = np.exp(-0.5 * g * g) / math.sqrt(2.0 * math.pi) * -np.expm1(np.minimum(epsilon - loss(g), 0.0))
        total += 0.5 * (right - left) * float(WEIGHTS @ values)
    return total


def gaussian_integral(epsilon: float, mu: float) -> float:
    """The profile of one Gaussian mechanism by quadrature; any real epsilon, mu > 0."""
    return excess(epsilon, lambda g: mu * g + 0.5 * mu * mu)


def grid_distances(parameters: Mapping[str, Json], problem: Mapping[str, Json], radius: float) -> tuple[int, float, float]:
    """Number of weights, of all classes, and how far apart roundings of points within `radius` of one ideal may be, in steps: |.|_1 and |.|_2."""
    dimension = int(positive(problem["features"])) + (1 if finite(problem["intercept_scale"]) > 0 else 0)
    dimension *= int(positive(problem.get("classes", 1)))
    euclidean = 2.0 * radius / positive(parameters["grid_step"]) + math.sqrt(dimension)
    return dimension, math.sqrt(dimension) * euclidean, euclidean


def laplace_grid(parameters: Mapping[str, Json], problem: Mapping[str, Json], radius: float) -> float:
    """The last stage's epsilon."""
    return grid_distances(parameters, problem, radius)[1] / positive(parameters["grid_scale"])


def gaussian_grid(parameters: Mapping[str, Json], problem: Mapping[str, Json], radius: float) -> float:
    """The last stage's delta at grid_epsilon: a Gaussian's, at an epsilon smaller by what separates the discrete law from the rounded normal one."""
    dimension, _, euclidean = grid_distances(parameters, problem, radius)
    scale = positive(parameters["grid_scale"])
    if scale < 1000.0 or dimension > scale**2:
        return 1.0
    closeness = (dimension + (math.sqrt(dimension) + 41.0) ** 2 + 1.0) / (8.0 * scale**2)
    one_way = dimension / (8.0 * scale**2)
    return gaussian_integral(positive(parameters["grid_epsilon"]) - closeness, euclidean / scale) * math.exp(one_way)


def on_a_grid(parameters: Mapping[str, Json]) -> Check:
    """Whether the step is one of the grid's."""
    step = positive(parameters["grid_step"])
    return Check("grid", math.frexp(step)[0] == 0.5, f"step {step:.6g}, which must be a power of two, so that grid points are exact numbers")


def same_relation(parameters: Mapping[str, Json], guarantee: Guarantee) -> Check:
    """Whether noise and guarantee are for one relation."""
    same = Neighbours(str(parameters["neighbours"])) is guarantee.neighbours
    return Check("neighbouring relation", same, f"guarantee stated for {guarantee.neighbours}, noise calibrated for {parameters['neighbours']}")


def epsilon_check(computed: float, guarantee: Guarantee, releases: int, how: str) -> Check:
    """Whether the stated epsilon covers the recomputed one."""
    stated = guarantee.epsilon if isinstance(guarantee, PureDP) else math.nan
    ok = computed > 0 and releases >= 1 and releases * computed <= stated * (1.0 + AGREEMENT)
    return Check("epsilon", bool(ok), f"stated {stated:.10g}, recomputed {releases * computed:.10g} ({how})")


def delta_check(epsilon: float, computed: float, guarantee: Guarantee, releases: int, how: str) -> Check:
    """Whether the stated delta covers the recomputed one, at no larger epsilon."""
    if not isinstance(guarantee, ApproximateDP):
        return Check("delta", False, "an (epsilon, delta) guarantee was expected")
    ok = (
        epsilon > 0
        and computed >= 0
        and releases >= 1
        and releases * epsilon <= guarantee.epsilon * (1.0 + 1e-12)
        and releases * computed <= guarantee.delta_at_epsilon * (1.0 + AGREEMENT)
    )
    stated = f"stated {guarantee.delta_at_epsilon:.6g} at epsilon {guarantee.epsilon:.6g}"
    detail = f"{stated}, recomputed {releases * computed:.6g} at {releases * epsilon:.6g} ({how})"
    return Check("delta", bool(ok), detail)


def positive(value: Json) -> float:
    """A positive number of a record; TypeError or ValueError for anything else."""
    number = finite(value)
    if number <= 0:
        raise ValueError
    return number


def finite(value: Json) -> float:
    """A finite number of a record; TypeError for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise TypeError
    return float(value)
