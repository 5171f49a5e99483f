"""What a stranger computes from the certificate of a least-squares mechanism: its guarantee again, by another road.

The calibration has a closed form of the joint sensitivity. Here the distance of two records' moments is maximised over their lengths, targets and
angle numerically, and the curve of the composed Gaussian answers is an integral of its density.
"""

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from discreet.accounting import Guarantee, Json, NoGuarantee
from discreet.core.fields import finite, positive, whole
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.verification.parts import delta_check, discrete_integral, same_relation
from discreet.verification.registry import Check, register_recheck

_LESS = 1.0 - 1e-6
"""Room for the quadrature and the search; calibrations leave less noise unused than that costs."""


@register_recheck("least-squares-moments")
def _moments(parameters: Mapping[str, Json], problem: Mapping[str, Json], guarantee: Guarantee, releases: int) -> Iterator[Check]:
    yield same_relation(parameters, guarantee)
    a, g = positive(parameters["target_weight"]), positive(parameters["square_weight"])
    steps, epsilon = int(finite(parameters["steps"])), positive(parameters["epsilon"])
    squared = (farthest(guarantee.neighbours, a, g) / positive(parameters["moment_noise"])) ** 2
    if steps != parameters["steps"] or steps < 0:
        raise ValueError
    if steps:
        squared += steps * ((1.0 if guarantee.neighbours is ADD_REMOVE else 2.0) / positive(parameters["step_noise"])) ** 2
    integers, least = _integers(parameters, problem, steps)
    computed = discrete_integral(epsilon, math.sqrt(squared) * (1.0 - 1e-9), integers=integers, scale=least, stages=steps + 1) * _LESS
    yield delta_check(epsilon, computed, guarantee, releases, "numerical worst case of the moments, integral of the density of all answers")


@register_recheck("least-squares-adassp")
def _adassp(parameters: Mapping[str, Json], problem: Mapping[str, Json], guarantee: Guarantee, releases: int) -> Iterator[Check]:
    yield same_relation(parameters, guarantee)
    a, sigma, of_eigenvalue = (positive(parameters[name]) for name in ("target_weight", "moment_noise", "eigenvalue_noise"))
    epsilon, (size, _, bits) = positive(parameters["epsilon"]), public_bounds(problem)
    error = 200.0 * (size + 3) * 2.0**-53 * positive(problem["most_records"])
    squared = (farthest(guarantee.neighbours, a, 0.0) / sigma) ** 2 + ((1.0 + 2.0 * error + 2.0**-20) / of_eigenvalue) ** 2
    least = min(sigma / math.sqrt(2.0) * 4.0 ** (bits - 1), sigma / a * 4.0 ** (bits - 1), of_eigenvalue * 2.0**20)
    integers = size * (size + 1) / 2 + size + 1
    computed = discrete_integral(epsilon, math.sqrt(squared) * (1.0 - 1e-9), integers=integers, scale=least, stages=2) * _LESS
    yield delta_check(epsilon, computed, guarantee, releases, "numerical worst case of the moments, integral of the density of all answers")


@register_recheck("least-squares-non-private")
def _non_private(parameters: Mapping[str, Json], problem: Mapping[str, Json], guarantee: Guarantee, releases: int) -> Iterator[Check]:  # noqa: ARG001
    promised = not isinstance(guarantee, NoGuarantee)
    yield Check("guarantee", False, "this fit can promise nothing" if promised else "none is stated: the ordinary fit is not private")


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
    features, constant = whole(problem["features"]), finite(problem["intercept_scale"])
    entry = math.inf if problem["entry_bound"] is None else positive(problem["entry_bound"])
    norm = math.inf if problem["norm_bound"] is None else positive(problem["norm_bound"])
    radius = math.hypot(min(norm, math.sqrt(features) * entry), constant)
    bits = min(20, (62 - math.ceil(math.log2(positive(problem["most_records"])))) // 2)
    if not math.isfinite(radius):
        raise ValueError
    return PublicBounds(features + (constant > 0), radius, bits)


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


def _integers(parameters: Mapping[str, Json], problem: Mapping[str, Json], steps: int) -> tuple[float, float]:
    """How many integers are drawn in all, and the least scale among them."""
    size, _, bits = public_bounds(problem)
    integers = size * (size + 1) / 2 + size + 1 + steps * size
    a, g, sigma = positive(parameters["target_weight"]), positive(parameters["square_weight"]), positive(parameters["moment_noise"])
    # A bound R is at least half of the power of two that its integers are multiples of.
    scales = [sigma / math.sqrt(2.0) * 4.0 ** (bits - 1), sigma / a * 4.0 ** (bits - 1), sigma / g * 4.0 ** (bits - 1)]
    if steps:
        scales.append(positive(parameters["step_noise"]) * 4.0**bits / 64.0)
    return integers, min(scales)
