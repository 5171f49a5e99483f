"""What a stranger computes from a certificate: the guarantee again, by another road.

Calibration works with the loss's stated constants, a bound of its curvature by slope, corners of a concave majorant and closed forms. A
recheck takes none of these. It scans the loss's first and second derivatives over margins, takes suprema over that scan, and integrates
privacy losses numerically with Gauss-Legendre panels. Both roads use the theorems of the proof notes, and the loss's own derivative
functions, which the law tests compare with finite differences.

Under replace-one with Gaussian noise two numbers are computed: the hockey-stick divergence of the worst pair (opposite records, where the
loss is a function of one normal variable), and the union bound of theorem T1 with the line (c, A) found anew.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq, minimize_scalar

from discreet.arrays import Floats
from discreet.certificates import Check, register_recheck
from discreet.guarantees import ApproximateDP, Guarantee, Json, PureDP
from discreet.losses import loss_named
from discreet.neighbours import ADD_REMOVE, Neighbours

_AGREEMENT = 1e-9
"""Relative room for the quadrature; the calibrations leave more than that."""
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)


class _Scan(NamedTuple):
    """One record's slopes and Jacobian terms over a scan of margins, and the scales of the problem."""

    slopes: Floats
    jacobian: Floats
    gradient: float
    ridge: float


def _scan(problem: Mapping[str, Json], extra_ridge: float = 0.0) -> _Scan:
    given = problem["loss_parameters"]
    if not isinstance(given, dict):
        raise TypeError
    parameters = {str(key): _number(value) for key, value in given.items()}
    loss = loss_named(str(problem["loss"]), parameters)
    radius = math.hypot(_number(problem["data_norm"]), _number(problem["intercept_scale"]))
    ridge = _number(problem["ridge"]) + extra_ridge
    weight = _number(problem["max_weight"])
    width = max([1.0, *parameters.values()])
    kinks = [1.0 + sign * value for value in parameters.values() for sign in (-1.0, 1.0)]
    margins = np.unique(np.concatenate((np.linspace(-4.0, 6.0, 8_001) * width, np.linspace(-60.0, 60.0, 6_001) * width, kinks)))
    slopes = np.abs(loss.slope(margins))
    steepest = float(slopes.max())
    jacobian = np.log1p(weight * loss.curvature(margins) * radius**2 / ridge)
    if not (ridge > 0 and extra_ridge >= 0 and radius > 0 and weight > 0 and steepest > 0):
        raise ValueError
    return _Scan(slopes / steepest, jacobian, weight * steepest * radius, ridge)


@register_recheck("objective-perturbation-pure")
def _objective_pure(parameters: Mapping[str, Json], problem: Mapping[str, Json], guarantee: Guarantee, releases: int) -> Iterator[Check]:
    scan = _scan(problem, _number(parameters["extra_ridge"]))
    shift = _positive(parameters["rate"]) * scan.gradient
    first = float(np.max(shift * scan.slopes + scan.jacobian)) + (0.0 if guarantee.neighbours is ADD_REMOVE else shift)
    radius = (_positive(parameters["tolerance"]) + _positive(parameters["noise_error"])) / scan.ridge
    yield _same_relation(parameters, guarantee)
    yield _on_a_grid(parameters)
    total = first + _laplace_grid(parameters, problem, radius)
    yield _epsilon_check(total, guarantee, releases, "supremum of the log density ratio over all margins, plus the last stage")


@register_recheck("output-perturbation-pure")
def _output_pure(parameters: Mapping[str, Json], problem: Mapping[str, Json], guarantee: Guarantee, releases: int) -> Iterator[Check]:
    yield _same_relation(parameters, guarantee)
    yield _on_a_grid(parameters)
    scan = _scan(problem)
    radius = _positive(parameters["tolerance"]) / scan.ridge + _positive(parameters["noise_error"])
    total = _positive(parameters["rate"]) * _minimiser_shift(scan, guarantee) + _laplace_grid(parameters, problem, radius)
    yield _epsilon_check(total, guarantee, releases, "shift of the minimiser times the noise rate, plus the last stage")


@register_recheck("output-perturbation-gaussian")
def _output_gaussian(parameters: Mapping[str, Json], problem: Mapping[str, Json], guarantee: Guarantee, releases: int) -> Iterator[Check]:
    yield _same_relation(parameters, guarantee)
    yield _on_a_grid(parameters)
    scan = _scan(problem)
    epsilon, last_epsilon = _positive(parameters["epsilon"]), _positive(parameters["grid_epsilon"])
    radius = _positive(parameters["tolerance"]) / scan.ridge + _positive(parameters["noise_error"])
    delta = _gaussian(epsilon, _minimiser_shift(scan, guarantee) / _positive(parameters["scale"])) + _gaussian_grid(parameters, problem, radius)
    yield _delta_check(epsilon + last_epsilon, delta, guarantee, releases, "numerical hockey-stick integral of the noise, plus the last stage")


@register_recheck("objective-perturbation-gaussian")
def _objective_gaussian(parameters: Mapping[str, Json], problem: Mapping[str, Json], guarantee: Guarantee, releases: int) -> Iterator[Check]:
    yield _same_relation(parameters, guarantee)
    yield _on_a_grid(parameters)
    scan = _scan(problem)
    s = scan.gradient / _positive(parameters["scale"])
    epsilon = _positive(parameters["epsilon"])
    last = _gaussian_grid(parameters, problem, (_positive(parameters["tolerance"]) + _positive(parameters["noise_error"])) / scan.ridge)
    total = epsilon + _positive(parameters["grid_epsilon"])
    removed = _excess(epsilon, _worst_loss(scan, s, other=False))
    if guarantee.neighbours is ADD_REMOVE:
        yield _delta_check(total, removed + last, guarantee, releases, "numerical hockey-stick integral of T1, plus the last stage")
        return
    opposite = _excess(epsilon, _worst_loss(scan, s, other=True))
    yield _delta_check(total, opposite + last, guarantee, releases, "numerical hockey-stick integral of the worst pair, plus the last stage")
    yield _delta_check(
        total,
        removed + _union(scan, s, epsilon) + last,
        guarantee,
        releases,
        "union bound of T1 with its line found anew, plus the last stage",
    )


@register_recheck("non-private")
def _non_private(_parameters: Mapping[str, Json], _problem: Mapping[str, Json], _guarantee: Guarantee, _releases: int) -> Iterator[Check]:
    yield Check("guarantee", False, "epsilon is infinite: this is a fit without privacy")


def _worst_loss(scan: _Scan, s: float, *, other: bool) -> Callable[[Floats], Floats]:
    """g -> supremum of the privacy loss over margins; with `other`, the second record opposite to the first pushes the same way with slope 0 or 1."""
    q = scan.slopes[:, np.newaxis]
    flat = scan.jacobian[:, np.newaxis]

    def loss(g: Floats) -> Floats:
        pushes = (0.0, 1.0) if other else (0.0,)
        worst: Floats = np.max([np.max((q + push) * s * g + 0.5 * ((q + push) * s) ** 2 + flat, axis=0) for push in pushes], axis=0)
        return worst

    return loss


def _excess(epsilon: float, loss: Callable[[Floats], Floats]) -> float:
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
        g = 0.5 * (left + right) + 0.5 * (right - left) * _NODES
        values = np.exp(-0.5 * g * g) / math.sqrt(2.0 * math.pi) * -np.expm1(np.minimum(epsilon - loss(g), 0.0))
        total += 0.5 * (right - left) * float(_WEIGHTS @ values)
    return total


def _gaussian(epsilon: float, mu: float) -> float:
    """The profile of one Gaussian mechanism by quadrature; any real epsilon, mu > 0."""
    return _excess(epsilon, lambda g: mu * g + 0.5 * mu * mu)


def _union(scan: _Scan, s: float, epsilon: float) -> float:
    """delta_G(eps - c; 2s) + delta_G(eps - c - A; s), least over lines c + A (1 - q) above the Jacobian term."""
    flat = scan.slopes > 1.0 - 1e-9
    at_one = float(scan.jacobian[flat].max()) if flat.any() else 0.0
    inner_q, inner_j = scan.slopes[~flat], scan.jacobian[~flat]

    def bound(height: float) -> float:
        steepness = max(0.0, float(np.max((inner_j - height) / (1.0 - inner_q))))
        return _gaussian(epsilon - height, 2.0 * s) + _gaussian(epsilon - height - steepness, s)

    top = max(at_one, float(scan.jacobian.max()))
    best = min(bound(at_one), bound(top))
    if at_one <= 1e-6 * top:
        best = min(best, bound(0.0))
    if top > at_one:
        best = min(best, float(minimize_scalar(bound, bounds=(at_one, top), method="bounded", options={"xatol": 1e-6 * top}).fun))
    return best


def _minimiser_shift(scan: _Scan, guarantee: Guarantee) -> float:
    return (1.0 if guarantee.neighbours is ADD_REMOVE else 2.0) * scan.gradient / scan.ridge


def _grid_distances(parameters: Mapping[str, Json], problem: Mapping[str, Json], radius: float) -> tuple[int, float, float]:
    """Number of weights, and how far apart two roundings of points within `radius` of one ideal may be, in steps: |.|_1 and |.|_2."""
    dimension = int(_positive(problem["features"])) + (1 if _number(problem["intercept_scale"]) > 0 else 0)
    euclidean = 2.0 * radius / _positive(parameters["grid_step"]) + math.sqrt(dimension)
    return dimension, math.sqrt(dimension) * euclidean, euclidean


def _laplace_grid(parameters: Mapping[str, Json], problem: Mapping[str, Json], radius: float) -> float:
    return _grid_distances(parameters, problem, radius)[1] / _positive(parameters["grid_scale"])


def _gaussian_grid(parameters: Mapping[str, Json], problem: Mapping[str, Json], radius: float) -> float:
    """The last stage's delta at grid_epsilon: a Gaussian's, at an epsilon smaller by what separates the discrete law from the rounded normal one."""
    dimension, _, euclidean = _grid_distances(parameters, problem, radius)
    scale = _positive(parameters["grid_scale"])
    if scale < 1000.0 or dimension > scale**2:
        return 1.0
    closeness = (dimension + (math.sqrt(dimension) + 41.0) ** 2 + 1.0) / (8.0 * scale**2)
    return _gaussian(_positive(parameters["grid_epsilon"]) - closeness, euclidean / scale) * math.exp(closeness)


def _on_a_grid(parameters: Mapping[str, Json]) -> Check:
    step = _positive(parameters["grid_step"])
    return Check("grid", math.frexp(step)[0] == 0.5, f"step {step:.6g}, which must be a power of two, so that grid points are exact numbers")


def _same_relation(parameters: Mapping[str, Json], guarantee: Guarantee) -> Check:
    same = Neighbours(str(parameters["neighbours"])) is guarantee.neighbours
    return Check("neighbouring relation", same, f"guarantee stated for {guarantee.neighbours}, noise calibrated for {parameters['neighbours']}")


def _epsilon_check(computed: float, guarantee: Guarantee, releases: int, how: str) -> Check:
    stated = guarantee.epsilon if isinstance(guarantee, PureDP) else math.nan
    ok = computed > 0 and releases >= 1 and releases * computed <= stated * (1.0 + _AGREEMENT)
    return Check("epsilon", bool(ok), f"stated {stated:.10g}, recomputed {releases * computed:.10g} ({how})")


def _delta_check(epsilon: float, computed: float, guarantee: Guarantee, releases: int, how: str) -> Check:
    if not isinstance(guarantee, ApproximateDP):
        return Check("delta", False, "an (epsilon, delta) guarantee was expected")
    ok = (
        epsilon > 0
        and computed >= 0
        and releases >= 1
        and releases * epsilon <= guarantee.epsilon * (1.0 + 1e-12)
        and releases * computed <= guarantee.delta_at_epsilon * (1.0 + _AGREEMENT)
    )
    stated = f"stated {guarantee.delta_at_epsilon:.6g} at epsilon {guarantee.epsilon:.6g}"
    detail = f"{stated}, recomputed {releases * computed:.6g} at {releases * epsilon:.6g} ({how})"
    return Check("delta", bool(ok), detail)


def _positive(value: Json) -> float:
    number = _number(value)
    if number <= 0:
        raise ValueError
    return number


def _number(value: Json) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise TypeError
    return float(value)
