"""What a stranger computes from the certificates of sketches for least squares: their guarantees again, by another road.

Gaussian mixing is the release of a sketch, and its recheck that one's. Of Hessian mixing the calibration composes a profile of 200 points on a grid;
here the loss of the sketch is integrated against the exact curve of the gradients,

    delta(epsilon) = E delta_G(epsilon - L; mu),     L the log ratio of the sketch's worst pair, both ways round
"""

import math
from collections.abc import Iterator, Mapping

import numpy as np

from discreet.accounting import Guarantee, Json, closeness, gaussian_deltas
from discreet.core.fields import finite, positive, whole
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.verification.parts import LEAST_SCALE, delta_check, discrete_integral, power_of_two, same_relation
from discreet.verification.registry import Check, recheck, register_recheck
from discreet.verification.regression import public_bounds
from discreet.verification.sketch import CLOSENESS_DELTA, LARGEST_ETA, errors_of

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(400)
_REACH = 11.0
MOST_ROWS = 100_000
"""Of a sketch."""
_LESS = 1.0 - 1e-3
"""Room for the quadrature and for the margin of rounding errors, which is added at the end here and inside there."""


@register_recheck("least-squares-mixing")
def _mixing(parameters: Mapping[str, Json], problem: Mapping[str, Json], guarantee: Guarantee, releases: int) -> Iterator[Check]:
    declared = finite(parameters["least_eigenvalue"])
    yield Check("eigenvalue", declared == 0, "none is taken for granted" if declared == 0 else "this fit declares no least eigenvalue")
    inner = _read(problem, positive(parameters["target_weight"]) * public_bounds(problem).radius, "noisy")
    yield from recheck("release-gaussian-sketch", parameters, inner, guarantee, releases)


@register_recheck("least-squares-hessian-mixing")
def _hessian(parameters: Mapping[str, Json], problem: Mapping[str, Json], guarantee: Guarantee, releases: int) -> Iterator[Check]:
    yield same_relation(parameters, guarantee)
    bounds, epsilon, steps = public_bounds(problem), positive(parameters["epsilon"]), whole(parameters["steps"])
    rows, variance = whole(parameters["sketch_rows"]), positive(parameters["sketch_variance"])
    least, noise = finite(parameters["sketch_least_eigenvalue"]), positive(parameters["step_noise"])
    if steps != parameters["steps"] or rows != parameters["sketch_rows"] or rows > MOST_ROWS or least != 0:
        raise ValueError
    yield power_of_two(positive(parameters["sketch_step"]))
    unit = 2.0 ** (math.ceil(math.log2(bounds.radius * (1.0 + 2.0**-30))) - bounds.bits)
    norm = (bounds.radius / unit) ** 2
    trace = positive(problem["most_records"]) * norm + bounds.dimension * variance
    errors = errors_of(rows, bounds.dimension, trace, variance)
    step, scale, last_epsilon = (positive(parameters[f"sketch_{name}"]) for name in ("step", "scale", "last_epsilon"))
    size = rows * bounds.dimension
    last = discrete_integral(last_epsilon, (2.0 * errors.radius / step + math.sqrt(size)) / scale, integers=size, scale=scale)
    integers, finest = steps * bounds.dimension, noise * 4.0**bounds.bits / 64.0
    apart = closeness(integers, finest, stages=steps)
    if finest < LEAST_SCALE or not errors.eta <= LARGEST_ETA:
        raise ValueError
    spent = apart.total + 2.0 * errors.closeness + last_epsilon
    mu = math.sqrt(steps) * (1.0 if guarantee.neighbours is ADD_REMOVE else 2.0) / noise
    whole_curve = composed(guarantee.neighbours, epsilon - spent, rows, norm / variance, mu) if spent < epsilon else 1.0
    computed = whole_curve * math.exp(apart.upper + errors.closeness) + last + 2.0 * math.exp(epsilon) * CLOSENESS_DELTA
    how = "integral of the gradients' curve over the loss of the sketch, plus its last stage"
    yield delta_check(epsilon, computed * _LESS, guarantee, releases, how)


def composed(neighbours: Neighbours, epsilon: float, rows: int, ratio: float, mu: float) -> float:
    """delta of a sketch of `rows` rows and h = `ratio`, and of mu-GDP answers, together."""
    low, high = max(0.0, math.sqrt(rows) - _REACH), math.sqrt(rows) + _REACH
    roots = 0.5 * (low + high) + 0.5 * (high - low) * _NODES
    logs = (rows - 1.0) * np.log(roots) - 0.5 * np.square(roots)
    masses = np.exp(logs - logs.max()) * _WEIGHTS
    masses /= masses.sum()
    squares = np.square(roots)
    if neighbours is ADD_REMOVE:
        shift = 0.5 * rows * math.log1p(ratio)
        losses = (0.5 * ratio * squares - shift, shift - 0.5 * ratio / (1.0 + ratio) * squares)
        return max(float(masses @ gaussian_deltas(epsilon - loss, mu)) for loss in losses)
    slope = 0.5 * ratio / (1.0 + ratio)
    total = 0.0
    for square, mass in zip(squares.tolist(), masses.tolist(), strict=True):
        if mass > 1e-30:
            total += mass * float(masses @ gaussian_deltas(epsilon - slope * ((1.0 + ratio) * squares - square), mu))
    return total


def _read(problem: Mapping[str, Json], target_bound: float, target: str) -> dict[str, Json]:
    """The problem record of the sketch: the constant feature is a column like the others."""
    bounds = public_bounds(problem)
    return {
        "query": "second-moments",
        "features": bounds.dimension,
        "entry_bound": None,
        "norm_bound": bounds.radius,
        "target_bound": target_bound,
        "target": target,
        "most_records": problem["most_records"],
    }
