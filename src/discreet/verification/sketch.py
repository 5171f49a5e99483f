"""What a stranger computes from the certificate of a sketch: its guarantee again, by another road.

The calibration has differences of chi-square distribution functions. Here the positive part of the difference of two densities is integrated itself,
over one statistic (one record more or less) or two (one replaced), and bits come from determinants and traces of two-by-two matrices.
"""

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln, ndtr

from discreet.accounting import Guarantee, Json, MutualInformation, NoGuarantee
from discreet.core.arrays import Floats
from discreet.core.fields import finite, positive, whole
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.core.rounding import raising
from discreet.verification.parts import CLOSE, covers, delta_check, discrete_integral, power_of_two, same_relation
from discreet.verification.registry import Check, register_recheck
from discreet.verification.rows import Record, no_promise, record_of

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)
_PANELS = 80
LARGEST_ETA = 2.0**-10
CLOSENESS_DELTA = 1e-43
_REACH = 13.0
_LESS = 1.0 - 1e-6
"""Room for the quadrature."""


class Errors(NamedTuple):
    """What arithmetic costs a sketch, recomputed (sketch.md, section 3); in units of q or q^2."""

    eta: float
    closeness: float
    radius: float


class Bounds(NamedTuple):
    """Of one sketch: its size and errors; in units of q or q^2."""

    columns: int
    norm: float
    """C^2."""
    eta: float
    closeness: float
    radius: float
    trace: float
    unit: float


@register_recheck("release-gaussian-sketch")
def _sketch(parameters: Mapping[str, Json], problem: Mapping[str, Json], guarantee: Guarantee, releases: int) -> Iterator[Check]:
    yield from _scope(parameters, guarantee)
    if isinstance(guarantee, NoGuarantee):
        return
    read, rows, variance = record_of(problem), whole(parameters["rows"]), positive(parameters["variance"])
    credit = finite(parameters["least_eigenvalue"])
    unit = _unit(read, problem)
    root = max(math.sqrt(credit) / unit - math.sqrt(positive(problem["most_records"]) * read.columns), 0.0) if credit > 0 else 0.0
    bounds = _bounds(read, problem, rows, variance, variance + root**2)
    epsilon, last_epsilon = positive(parameters["epsilon"]), positive(parameters["last_epsilon"])
    yield power_of_two(positive(parameters["step"]))
    first = _charged(guarantee, epsilon - last_epsilon, rows, bounds, variance + root**2)
    last = _last(parameters, rows, bounds, last_epsilon)
    yield delta_check(epsilon, (first + last) * _LESS, guarantee, releases, "integral of the difference of densities, plus the last stage")


@register_recheck("release-eigenvalue-sketch")
def _eigenvalue(parameters: Mapping[str, Json], problem: Mapping[str, Json], guarantee: Guarantee, releases: int) -> Iterator[Check]:
    yield from _scope(parameters, guarantee)
    if isinstance(guarantee, NoGuarantee):
        return
    read, rows, floor = record_of(problem), whole(parameters["rows"]), positive(parameters["floor"])
    bounds = _bounds(read, problem, rows, floor, floor)
    epsilon, last_epsilon = positive(parameters["epsilon"]), positive(parameters["last_epsilon"])
    of_eigenvalue, gap = positive(parameters["eigenvalue_epsilon"]), positive(parameters["eigenvalue_step"])
    noise, quantile = positive(parameters["eigenvalue_scale"]), finite(parameters["quantile"])
    yield power_of_two(positive(parameters["step"]))
    yield power_of_two(gap)
    error = 200.0 * (bounds.columns + 3) * 2.0**-53 * bounds.trace
    moved = (bounds.norm + 2.0 * error) / gap + 1.0
    seen = discrete_integral(of_eigenvalue, moved / noise, integers=1, scale=noise) + float(ndtr(-quantile / noise))
    first = _charged(guarantee, epsilon - last_epsilon - of_eigenvalue, rows, bounds, floor)
    total = (seen + first + _last(parameters, rows, bounds, last_epsilon)) * _LESS
    yield delta_check(epsilon, total, guarantee, releases, "eigenvalue, its quantile, integral of the difference of densities, and the last stage")
    credit = max(0.0, gap * (finite(parameters["noisy_eigenvalue"]) - quantile - 0.5) - error) - bounds.norm
    enough = finite(parameters["variance"]) >= min(floor, max(0.0, floor - credit)) * (1.0 - 1e-9)
    yield Check("noise", bool(enough), "follows from the released eigenvalue")


@register_recheck("release-information-sketch")
def _information(parameters: Mapping[str, Json], problem: Mapping[str, Json], guarantee: Guarantee, releases: int) -> Iterator[Check]:
    yield from _scope(parameters, guarantee)
    read, rows, variance = record_of(problem), whole(parameters["rows"]), positive(parameters["variance"])
    bounds = _bounds(read, problem, rows, variance, variance)
    yield power_of_two(positive(parameters["step"]))
    yield Check("entries", read.norm == math.inf, "entries are bounded one by one")
    beta = variance * bounds.unit**2
    squares = np.square(read.entries)
    total = float(squares.sum())
    rounding = 0.5 * rows / math.log(2.0) * (4.2 * bounds.eta * total / beta + 4.5 * bounds.columns * bounds.eta**2)
    divergence = max(_matrix_bits(rows, beta, float(square), total - float(square)) for square in squares) + rounding
    coherent = max(0.5 * math.log1p(rows * float(square) / beta) / math.log(2.0) for square in squares)
    size = rows * bounds.columns
    far = bounds.radius + _covariance_distance(bounds, size, variance)
    bits = min(divergence + _last_bits(parameters, bounds.radius, size), coherent + _last_bits(parameters, far, size))
    yield _bits_check(bits, guarantee, releases, "determinants and traces of covariances")


@register_recheck("release-clear-target-sketch")
def _clear_target(parameters: Mapping[str, Json], problem: Mapping[str, Json], guarantee: Guarantee, releases: int) -> Iterator[Check]:
    yield from _scope(parameters, guarantee)
    read, rows, variance = record_of(problem), whole(parameters["rows"]), positive(parameters["variance"])
    bounds = _bounds(read, problem, rows, variance, variance)
    yield power_of_two(positive(parameters["step"]))
    yield Check("entries", read.norm == math.inf and read.target > 0, "entries are bounded one by one, and the target is the last column")
    far = 2.0 * bounds.radius + _covariance_distance(bounds, rows * bounds.columns, variance)
    bits = 0.5 * math.log1p(rows * read.entry**2 / (variance * bounds.unit**2)) / math.log(2.0) + _last_bits(parameters, far, rows * read.features)
    yield _bits_check(bits, guarantee, releases, "capacity of k uses of a channel with known S")


@register_recheck("release-null-space-noise")
@register_recheck("release-published-sketch")
def _published(parameters: Mapping[str, Json], problem: Mapping[str, Json], guarantee: Guarantee, releases: int) -> Iterator[Check]:  # noqa: ARG001
    yield no_promise(guarantee) if isinstance(guarantee, NoGuarantee) else Check("guarantee", False, "this release can promise nothing")


def integral(guarantee: Guarantee, epsilon: float, rows: int, ratio: float) -> float:
    """The hockey-stick divergence of the worst pair of a relation."""
    if guarantee.neighbours is ADD_REMOVE:
        return max(_more(epsilon, rows, ratio), _less(epsilon, rows, ratio))
    return _replaced(epsilon, rows, ratio)


def _more(epsilon: float, rows: int, ratio: float) -> float:
    """k rows N(0, 1 + h) against N(0, 1), over r = |rows| / sqrt(1 + h)."""
    start = math.sqrt(max(0.0, (epsilon + 0.5 * rows * math.log1p(ratio)) * 2.0 / ratio))
    roots, masses = _chi(rows, max(start, math.sqrt(rows) - _REACH), math.sqrt(rows) + _REACH)
    loss = 0.5 * ratio * np.square(roots) - 0.5 * rows * math.log1p(ratio)
    return float(masses @ -np.expm1(np.minimum(epsilon - loss, 0.0)))


def _less(epsilon: float, rows: int, ratio: float) -> float:
    """The other way round, over r = |rows|."""
    end = math.sqrt(max(0.0, (0.5 * rows * math.log1p(ratio) - epsilon) * 2.0 * (1.0 + ratio) / ratio))
    roots, masses = _chi(rows, max(0.0, math.sqrt(rows) - _REACH), min(end, math.sqrt(rows) + _REACH))
    loss = 0.5 * rows * math.log1p(ratio) - 0.5 * ratio / (1.0 + ratio) * np.square(roots)
    return float(masses @ -np.expm1(np.minimum(epsilon - loss, 0.0)))


def _replaced(epsilon: float, rows: int, ratio: float) -> float:
    """Over both statistics: the second outside, the first from where its loss exceeds epsilon."""
    low, high = max(0.0, math.sqrt(rows) - _REACH), math.sqrt(rows) + _REACH
    outer, weights = _chi(rows, low, high)
    slope = 0.5 * ratio / (1.0 + ratio)
    starts = np.maximum(np.sqrt((np.square(outer) + epsilon / slope) / (1.0 + ratio)), low)
    total = 0.0
    for root, weight, start in zip(outer.tolist(), weights.tolist(), starts.tolist(), strict=True):
        if weight < 1e-40 or start >= high:
            continue
        inner, masses = _chi(rows, start, high)
        loss = slope * ((1.0 + ratio) * np.square(inner) - root**2)
        total += weight * float(masses @ -np.expm1(np.minimum(epsilon - loss, 0.0)))
    return total


def _chi(rows: int, low: float, high: float) -> tuple[Floats, Floats]:
    """Nodes in [low, high] and masses of the law of the norm of `rows` normal numbers."""
    if low >= high:
        return np.array([1.0]), np.array([0.0])
    edges = np.linspace(low, high, _PANELS + 1)
    half = 0.5 * (edges[1] - edges[0])
    roots = ((edges[:-1] + half)[:, np.newaxis] + half * _NODES).ravel()
    logs = (rows - 1.0) * np.log(roots) - 0.5 * np.square(roots) - (0.5 * rows - 1.0) * math.log(2.0) - float(gammaln(0.5 * rows))
    return roots, np.exp(logs) * np.tile(_WEIGHTS, _PANELS) * half


def _charged(guarantee: Guarantee, epsilon: float, rows: int, bounds: Bounds, floor: float) -> float:
    first = epsilon - 2.0 * bounds.closeness
    if not (bounds.eta <= LARGEST_ETA and first > 0):
        return 1.0
    return math.exp(bounds.closeness) * integral(guarantee, first, rows, bounds.norm / floor) + 2.0 * math.exp(epsilon) * CLOSENESS_DELTA


def _last(parameters: Mapping[str, Json], rows: int, bounds: Bounds, epsilon: float) -> float:
    step, scale, size = positive(parameters["step"]), positive(parameters["scale"]), rows * bounds.columns
    return discrete_integral(epsilon, (2.0 * bounds.radius / step + math.sqrt(size)) / scale, integers=size, scale=scale)


def _last_bits(parameters: Mapping[str, Json], radius: float, size: int) -> float:
    far = 2.0 * radius / positive(parameters["step"]) + math.sqrt(size)
    return far**2 / (2.0 * positive(parameters["scale"]) ** 2 * math.log(2.0))


def _bits_check(bits: float, guarantee: Guarantee, releases: int, how: str) -> Check:
    stated = guarantee.bits if isinstance(guarantee, MutualInformation) else math.nan
    ok = releases >= 1 and covers(stated, releases * bits, room=1.0 - _LESS, most=CLOSE)
    return Check("bits", bool(ok), f"stated {stated:.10g}, recomputed {releases * bits:.10g} ({how})")


def _covariance_distance(bounds: Bounds, size: int, floor: float) -> float:
    """Half of |E|_F / (least singular value of the computed factor), times the largest |normal numbers|; infinite where the lemma does not apply."""
    if not bounds.eta <= 2.0**-10:
        return math.inf
    return 1.02 * 37.0 * math.sqrt(size) * 0.51 * bounds.eta * math.sqrt(floor)


def _matrix_bits(rows: int, beta: float, square: float, others: float) -> float:
    """The divergence from the law of a zero entry, from two-by-two matrices: the sum of l - ln(1 + l) over eigenvalues of S_0^{-1} (S_1 - S_0)."""
    both = math.sqrt(others * square) / beta
    apart = np.array([[0.0, both / (1.0 + others / beta)], [both, square / beta]])
    shares = np.real(np.linalg.eigvals(apart))
    tiny = np.square(shares) * (0.5 - shares / 3.0 + np.square(shares) / 4.0 - shares**3 / 5.0)
    return 0.5 * rows / math.log(2.0) * float(np.sum(np.where(np.abs(shares) < 1e-4, tiny, shares - np.log1p(shares))))


def _unit(read: Record, problem: Mapping[str, Json]) -> float:
    bits = min(20, (62 - math.ceil(math.log2(positive(problem["most_records"])))) // 2)
    norm = min(read.length, float(np.linalg.norm(read.entries))) * raising(4_096)
    return 2.0 ** (math.ceil(math.log2(norm)) - bits)


def _bounds(read: Record, problem: Mapping[str, Json], rows: int, variance: float, floor: float) -> Bounds:
    unit, columns = _unit(read, problem), read.columns
    norm = (min(read.length, float(np.linalg.norm(read.entries))) / unit) ** 2
    trace = positive(problem["most_records"]) * norm + columns * variance
    return Bounds(columns=columns, norm=norm, **errors_of(rows, columns, trace, floor)._asdict(), trace=trace, unit=unit)


def errors_of(rows: int, columns: int, trace: float, floor: float) -> Errors:
    """Of a sketch of a matrix of this trace whose eigenvalues are at least `floor`."""
    eta = 12.0 * (columns + 3) * 2.0**-53 * trace / floor
    size, share = rows * columns, eta / (1.0 - eta)
    radius = 1.02 * 37.0 * math.sqrt(size * trace) * (2.0**-48 + (columns + 4) * 2.0**-53)
    return Errors(eta, share * (math.sqrt(100.0 * size) + 100.0) + 0.5 * size * share**2, radius)


def _scope(parameters: Mapping[str, Json], guarantee: Guarantee) -> Iterator[Check]:
    yield same_relation(parameters, guarantee)
    told = isinstance(guarantee, MutualInformation) and guarantee.neighbours is REPLACE_ONE
    record = str(guarantee.unit) == "record"
    yield Check("unit", told or record, f"stated for {str(guarantee.unit)!r}")
    if isinstance(guarantee, NoGuarantee):
        yield no_promise(guarantee)
