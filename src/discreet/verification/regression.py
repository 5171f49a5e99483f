"""What a stranger computes from the certificate of a least-squares mechanism: its guarantee again, by other lines.

Moments. The calibration has a closed form of the joint sensitivity. Here the distance of two records' moments is maximised over their lengths,
targets and angle numerically, and the curve of the composed Gaussian answers is an integral of its density.

Sketches. Gaussian mixing is the release of a sketch, and its recheck that one's. Of Hessian mixing the calibration composes a profile of 200 points
on a grid; here the loss of the sketch is integrated against the exact curve of the gradients,

    delta(epsilon) = E delta_G(epsilon - L; mu),     L the log ratio of the sketch's worst pair, both ways round
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from discreet.accounting import Json, closeness
from discreet.core.fields import count, finite, positive, whole
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.statements.base import persons_of
from discreet.verification.base import Check, Stated, delta_check, register_recheck
from discreet.verification.numerics import LEAST_SCALE, bound_of, discrete_integral
from discreet.verification.shared_sketch import shared_composed
from discreet.verification.sketch import CLOSENESS_DELTA, LARGEST_ETA, LESS_OF_LOSSES, composed, errors_of, gaussian_sketch
from discreet.words.sketch import GaussianSketchSpec

_LESS = 1.0 - 1e-6
"""Room for the quadrature and the search; calibrations leave less noise unused than that costs."""
MOST_ROWS = 100_000
"""Of a sketch."""
_OF_MOMENTS = "numerical worst case of the moments, integral of the density of all answers"


@register_recheck("least-squares-moments")
def _moments(stated: Stated) -> Iterator[Check]:
    a, g, sigma, epsilon = (positive(stated.parameters[name]) for name in ("target_weight", "square_weight", "moment_noise", "epsilon"))
    steps, bounds = count(stated.parameters["steps"]), public_bounds(stated.problem)
    squared = (farthest(stated.guarantee.neighbours, a, g) / sigma) ** 2
    # A bound R is at least half of the power of two that its integers are multiples of.
    least = sigma * min(1.0 / math.sqrt(2.0), 1.0 / a, 1.0 / g) * 4.0 ** (bounds.bits - 1)
    if steps:
        step_noise = positive(stated.parameters["step_noise"])
        squared += steps * ((1.0 if stated.guarantee.neighbours is ADD_REMOVE else 2.0) / step_noise) ** 2
        least = min(least, step_noise * 4.0**bounds.bits / 64.0)
    integers = _numbers(bounds) + steps * bounds.dimension
    computed = discrete_integral(epsilon, math.sqrt(squared) * (1.0 - 1e-9), integers=integers, scale=least, stages=steps + 1) * _LESS
    yield delta_check(stated, epsilon, computed, _OF_MOMENTS)


@register_recheck("least-squares-adassp")
def _adassp(stated: Stated) -> Iterator[Check]:
    a, sigma, of_eigenvalue, epsilon = (
        positive(stated.parameters[name]) for name in ("target_weight", "moment_noise", "eigenvalue_noise", "epsilon")
    )
    bounds = public_bounds(stated.problem)
    error = 200.0 * (bounds.dimension + 3) * 2.0**-53 * positive(stated.problem["most_records"])
    squared = (farthest(stated.guarantee.neighbours, a, 0.0) / sigma) ** 2 + ((1.0 + 2.0 * error + 2.0**-20) / of_eigenvalue) ** 2
    least = min(sigma * min(1.0 / math.sqrt(2.0), 1.0 / a) * 4.0 ** (bounds.bits - 1), of_eigenvalue * 2.0**20)
    computed = discrete_integral(epsilon, math.sqrt(squared) * (1.0 - 1e-9), integers=_numbers(bounds), scale=least, stages=2) * _LESS
    yield delta_check(stated, epsilon, computed, _OF_MOMENTS)


@register_recheck("least-squares-mixing")
def _mixing(stated: Stated) -> Iterator[Check]:
    declared, bounds = finite(stated.parameters["least_eigenvalue"]), public_bounds(stated.problem)
    yield Check("eigenvalue", declared == 0, "none is taken for granted" if declared == 0 else "this fit declares no least eigenvalue")
    # The problem record of the sketch: the constant feature is a column like the others.
    inner: dict[str, Json] = {
        "features": bounds.dimension,
        "entry_bound": None,
        "norm_bound": bounds.radius,
        "target_bound": positive(stated.parameters["target_weight"]) * bounds.radius,
        "target": "noisy",
        "query": "second-moments",
        "most_records": stated.problem["most_records"],
        **({"persons": stated.problem["persons"]} if "persons" in stated.problem else {}),
    }
    yield from gaussian_sketch(replace(stated, problem=inner), GaussianSketchSpec.within(stated.parameters))


@register_recheck("least-squares-hessian-mixing")
def _hessian(stated: Stated) -> Iterator[Check]:
    bounds, epsilon, steps = public_bounds(stated.problem), positive(stated.parameters["epsilon"]), whole(stated.parameters["steps"])
    rows, variance = whole(stated.parameters["sketch_rows"]), positive(stated.parameters["sketch_variance"])
    least, noise = finite(stated.parameters["sketch_least_eigenvalue"]), positive(stated.parameters["step_noise"])
    unit = 2.0 ** (math.ceil(math.log2(bounds.radius * (1.0 + 2.0**-30))) - bounds.bits)
    norm = (bounds.radius / unit) ** 2
    trace = positive(stated.problem["most_records"]) * norm + bounds.dimension * variance
    errors = errors_of(rows, bounds.dimension, trace, variance)
    step, scale, last_epsilon = (positive(stated.parameters[f"sketch_{name}"]) for name in ("step", "scale", "last_epsilon"))
    size = rows * bounds.dimension
    last = discrete_integral(last_epsilon, (2.0 * errors.radius / step + math.sqrt(size)) / scale, integers=size, scale=scale)
    integers, finest = steps * bounds.dimension, noise * 4.0**bounds.bits / 64.0
    apart = closeness(integers, finest, stages=steps)
    if rows > MOST_ROWS or least != 0 or finest < LEAST_SCALE or not errors.eta <= LARGEST_ETA:
        raise ValueError
    spent = apart.total + 2.0 * errors.closeness + last_epsilon
    mu = math.sqrt(steps) * (1.0 if stated.guarantee.neighbours is ADD_REMOVE else 2.0) / noise
    curve = shared_composed if persons_of(stated.problem).several else composed
    whole_curve = curve(stated.guarantee.neighbours, epsilon - spent, rows, norm / variance, mu) if spent < epsilon else 1.0
    computed = whole_curve * math.exp(apart.upper + errors.closeness) + last + 2.0 * math.exp(epsilon) * CLOSENESS_DELTA
    how = "integral of the gradients' curve over the loss of the sketch, plus its last stage"
    yield delta_check(stated, epsilon, computed * LESS_OF_LOSSES, how)


class PublicBounds(NamedTuple):
    """What a problem record says."""

    dimension: int
    """m."""
    radius: float
    """R."""
    bits: int
    """Of an integer that stands for a number of a record."""


def public_bounds(problem: Mapping[str, Json]) -> PublicBounds:
    """From the record of a LeastSquares problem; TypeError or ValueError for anything else."""
    dimension, radius = bounded_rows(problem)
    bits = min(20, (62 - math.ceil(math.log2(positive(problem["most_records"])))) // 2)
    return PublicBounds(dimension, radius, bits)


def bounded_rows(problem: Mapping[str, Json]) -> tuple[int, float]:
    """m and R, from the record of any problem with real targets; TypeError or ValueError for anything else."""
    features, constant = whole(problem["features"]), finite(problem["intercept_scale"])
    radius = math.hypot(min(bound_of(problem["norm_bound"]), math.sqrt(features) * bound_of(problem["entry_bound"])), constant)
    if not math.isfinite(radius):
        raise ValueError
    return features + (constant > 0), radius


def farthest(neighbours: Neighbours, target_weight: float, square_weight: float) -> float:
    """The largest distance of two records' weighted moments (or of one's from zero), in units R = B = 1, on nested grids."""
    low, high = np.array([0.0, 0.0, -1.0, -1.0, -1.0]), np.ones(5)
    best = 0.0
    for _ in range(7):
        axes = [np.linspace(start, end, 9) for start, end in zip(low, high, strict=True)]
        u, v, y, w, c = np.meshgrid(*axes, indexing="ij", sparse=True)
        if neighbours is ADD_REMOVE:
            v, w = np.zeros_like(v), np.zeros_like(w)
        found = (
            u**4 + v**4 - 2 * (u * v * c) ** 2
            + target_weight**2 * ((u * y) ** 2 + (v * w) ** 2 - 2 * u * v * c * y * w)
            + square_weight**2 * (y**2 - w**2) ** 2
        )  # fmt: skip
        place = np.unravel_index(int(np.argmax(found)), found.shape)
        best = max(best, float(found[place]))
        centre = np.array([axis[at] if len(axis) > 1 else axis[0] for axis, at in zip(axes, (*place,), strict=True)])
        width = (high - low) / 6.0
        low, high = np.maximum(centre - width, [0.0, 0.0, -1.0, -1.0, -1.0]), np.minimum(centre + width, 1.0)
    return math.sqrt(best)


def _numbers(bounds: PublicBounds) -> float:
    """How many numbers moments have: products, those with the target, and its square (or an eigenvalue)."""
    return bounds.dimension * (bounds.dimension + 1) / 2 + bounds.dimension + 1
