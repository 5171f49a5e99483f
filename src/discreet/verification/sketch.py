"""What a stranger computes from the certificate of a sketch: its guarantee again, by other lines.

The calibration has differences of chi-square distribution functions. Here the positive part of the difference of two densities is integrated itself,
over one statistic (one record more or less) or two (one replaced), and bits come from determinants and traces of two-by-two matrices.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from discreet.accounting import closeness
from discreet.core.arrays import Floats
from discreet.core.fields import whole
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.core.normal import ndtr
from discreet.core.rounding import raising
from discreet.verification.base import Check, Stated, bits_check, delta_check, verifies
from discreet.verification.numerics import LEAST_SCALE, discrete_integral, hinge
from discreet.verification.rows import Record, release_of
from discreet.verification.shared_sketch import shared_composed, shared_integral
from discreet.words.sketch import ClearTargetSketchSpec, EigenvalueSketchSpec, GaussianSketchSpec, InformationSketchSpec, SketchSpec

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)
_PANELS = 80
LARGEST_ETA = 2.0**-10
CLOSENESS_DELTA = 1e-43
_REACH = 13.0
_LESS = 1.0 - 1e-6
"""Room for the quadrature."""
LESS_OF_LOSSES = 1.0 - 1e-3
"""Room for that of losses, and for the margin of rounding errors, which is added at the end here and inside there."""
_LOSS_NODES, _LOSS_WEIGHTS = np.polynomial.legendre.leggauss(400)
_LOSS_REACH = 11.0


class Errors(NamedTuple):
    """What arithmetic costs a sketch, recomputed (sketch.md, section 3); in units of q or q^2."""

    eta: float
    closeness: float
    radius: float


class Sketched(NamedTuple):
    """A record's numbers, those of a sketch of it, and its errors; in units of q or q^2."""

    read: Record
    rows: int
    norm: float
    """C^2."""
    trace: float
    unit: float
    errors: Errors

    @property
    def size(self) -> int:
        """How many numbers the sketch has."""
        return self.rows * self.read.columns


@verifies(GaussianSketchSpec)
def gaussian_sketch(stated: Stated, spec: GaussianSketchSpec) -> Iterator[Check]:
    """The recheck, of a sketch that is released or that a regression rests on."""
    floor, epsilon, last_epsilon = spec.variance, spec.epsilon, spec.last_epsilon
    if spec.least_eigenvalue > 0:
        problem, read = release_of(stated)
        most = whole(problem.most_records)
        floor += max(math.sqrt(spec.least_eigenvalue) / _unit(read, most) - math.sqrt(most * read.columns), 0.0) ** 2
    sketched = _sketched(stated, spec, spec.variance, floor)
    first = _charged(stated, epsilon - last_epsilon, sketched, floor)
    last = _last(spec, sketched, last_epsilon)
    yield delta_check(stated, epsilon, (first + last) * _LESS, "integral of the difference of densities, plus the last stage")


@verifies(EigenvalueSketchSpec)
def _eigenvalue(stated: Stated, spec: EigenvalueSketchSpec) -> Iterator[Check]:
    floor, epsilon, last_epsilon = spec.floor, spec.epsilon, spec.last_epsilon
    sketched = _sketched(stated, spec, floor, floor)
    gap, noise, quantile = spec.eigenvalue_step, spec.eigenvalue_scale, spec.quantile
    error = 200.0 * (sketched.read.columns + 3) * 2.0**-53 * sketched.trace
    moved = (sketched.norm + 2.0 * error) / gap + 1.0
    apart, errors = closeness(1, noise), sketched.errors
    if noise < LEAST_SCALE or not errors.eta <= LARGEST_ETA:
        raise ValueError
    spent = apart.total + 2.0 * errors.closeness + last_epsilon
    curve = shared_composed if sketched.read.rows > 1 else composed
    both = curve(stated.guarantee.neighbours, epsilon - spent, sketched.rows, sketched.norm / floor, moved / noise) if spent < epsilon else 1.0
    total = float(ndtr(-quantile / noise)) + both * math.exp(apart.upper + errors.closeness) + _last(spec, sketched, last_epsilon)
    how = "quantile of the eigenvalue's noise, integral of its curve over the loss of the sketch, and the last stage"
    yield delta_check(stated, epsilon, (total + 2.0 * math.exp(epsilon) * CLOSENESS_DELTA) * LESS_OF_LOSSES, how)
    credit = max(0.0, gap * (spec.noisy_eigenvalue - quantile - 0.5) - error) - sketched.norm
    enough = spec.variance >= min(floor, max(0.0, floor - credit)) * (1.0 - 1e-9)
    yield Check("noise", bool(enough), "follows from the released eigenvalue")


@verifies(InformationSketchSpec)
def _information(stated: Stated, spec: InformationSketchSpec) -> Iterator[Check]:
    variance = spec.variance
    sketched = _sketched(stated, spec, variance, variance)
    read, rows, eta = sketched.read, sketched.rows, sketched.errors.eta
    yield Check("entries", read.norm == math.inf, "entries are bounded one by one")
    beta = variance * sketched.unit**2
    squares = np.square(read.entries)
    total = float(squares.sum())
    rounding = 0.5 * rows / math.log(2.0) * (4.2 * eta * total / beta + 4.5 * read.columns * eta**2)
    divergence = max(_matrix_bits(rows, beta, float(square), total - float(square)) for square in squares) + rounding
    coherent = max(0.5 * math.log1p(rows * float(square) / beta) / math.log(2.0) for square in squares)
    near = sketched.errors.radius
    far = near + _covariance_distance(sketched, variance)
    bits = min(divergence + _last_bits(spec, near, sketched.size), coherent + _last_bits(spec, far, sketched.size))
    yield bits_check(stated, bits, "determinants and traces of covariances", room=1.0 - _LESS)


@verifies(ClearTargetSketchSpec)
def _clear_target(stated: Stated, spec: ClearTargetSketchSpec) -> Iterator[Check]:
    variance = spec.variance
    sketched = _sketched(stated, spec, variance, variance)
    read, rows = sketched.read, sketched.rows
    yield Check("entries", read.norm == math.inf and read.target > 0, "entries are bounded one by one, and the target is the last column")
    far = 2.0 * sketched.errors.radius + _covariance_distance(sketched, variance)
    bits = 0.5 * math.log1p(rows * read.entry**2 / (variance * sketched.unit**2)) / math.log(2.0) + _last_bits(spec, far, rows * read.features)
    yield bits_check(stated, bits, "capacity of k uses of a channel with known S", room=1.0 - _LESS)


def integral(neighbours: Neighbours, epsilon: float, rows: int, ratio: float) -> float:
    """The hockey-stick divergence of the worst pair of a relation."""
    if neighbours is ADD_REMOVE:
        return max(_more(epsilon, rows, ratio), _less(epsilon, rows, ratio))
    return _replaced(epsilon, rows, ratio)


def composed(neighbours: Neighbours, epsilon: float, rows: int, ratio: float, mu: float) -> float:
    """delta of a sketch of `rows` rows and h = `ratio`, and of mu-GDP answers, together."""
    low, high = max(0.0, math.sqrt(rows) - _LOSS_REACH), math.sqrt(rows) + _LOSS_REACH
    roots = 0.5 * (low + high) + 0.5 * (high - low) * _LOSS_NODES
    logs = (rows - 1.0) * np.log(roots) - 0.5 * np.square(roots)
    masses = np.exp(logs - logs.max()) * _LOSS_WEIGHTS
    masses /= masses.sum()
    squares = np.square(roots)
    if neighbours is ADD_REMOVE:
        shift = 0.5 * rows * math.log1p(ratio)
        losses = (0.5 * ratio * squares - shift, shift - 0.5 * ratio / (1.0 + ratio) * squares)
        return max(float(masses @ hinge(0.5 * mu * mu - epsilon + loss, mu)) for loss in losses)
    slope = 0.5 * ratio / (1.0 + ratio)
    total = 0.0
    for square, mass in zip(squares.tolist(), masses.tolist(), strict=True):
        if mass > 1e-30:
            total += mass * float(masses @ hinge(0.5 * mu * mu - epsilon + slope * ((1.0 + ratio) * squares - square), mu))
    return total


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
    logs = (rows - 1.0) * np.log(roots) - 0.5 * np.square(roots) - (0.5 * rows - 1.0) * math.log(2.0) - math.lgamma(0.5 * rows)
    return roots, np.exp(logs) * np.tile(_WEIGHTS, _PANELS) * half


def _charged(stated: Stated, epsilon: float, sketched: Sketched, floor: float) -> float:
    closeness = sketched.errors.closeness
    first = epsilon - 2.0 * closeness
    if not (sketched.errors.eta <= LARGEST_ETA and first > 0):
        return 1.0
    curve = shared_integral if sketched.read.rows > 1 else integral
    found = curve(stated.guarantee.neighbours, first, sketched.rows, sketched.norm / floor)
    return math.exp(closeness) * found + 2.0 * math.exp(epsilon) * CLOSENESS_DELTA


def _last(spec: SketchSpec, sketched: Sketched, epsilon: float) -> float:
    far = 2.0 * sketched.errors.radius / spec.step + math.sqrt(sketched.size)
    return discrete_integral(epsilon, far / spec.scale, integers=sketched.size, scale=spec.scale)


def _last_bits(spec: SketchSpec, radius: float, size: int) -> float:
    far = 2.0 * radius / spec.step + math.sqrt(size)
    return far**2 / (2.0 * spec.scale**2 * math.log(2.0))


def _covariance_distance(sketched: Sketched, floor: float) -> float:
    """Half of |E|_F / (least singular value of the computed factor), times the largest |normal numbers|; infinite where the lemma does not apply."""
    if not sketched.errors.eta <= LARGEST_ETA:
        return math.inf
    return 1.02 * 37.0 * math.sqrt(sketched.size) * 0.51 * sketched.errors.eta * math.sqrt(floor)


def _matrix_bits(rows: int, beta: float, square: float, others: float) -> float:
    """The divergence from the law of a zero entry, from two-by-two matrices: the sum of l - ln(1 + l) over eigenvalues of S_0^{-1} (S_1 - S_0)."""
    both = math.sqrt(others * square) / beta
    apart = np.array([[0.0, both / (1.0 + others / beta)], [both, square / beta]])
    shares = np.real(np.linalg.eigvals(apart))
    tiny = np.square(shares) * (0.5 - shares / 3.0 + np.square(shares) / 4.0 - shares**3 / 5.0)
    return 0.5 * rows / math.log(2.0) * float(np.sum(np.where(np.abs(shares) < 1e-4, tiny, shares - np.log1p(shares))))


def _unit(read: Record, most: int) -> float:
    bits = min(20, (62 - math.ceil(math.log2(most))) // 2)
    norm = min(read.length, float(np.linalg.norm(read.entries))) * raising(4_096)
    return 2.0 ** (math.ceil(math.log2(norm)) - bits)


def _sketched(stated: Stated, spec: SketchSpec, variance: float, floor: float) -> Sketched:
    (problem, read), rows = release_of(stated), spec.rows
    most = whole(problem.most_records)
    unit = _unit(read, most)
    norm = (min(read.length, float(np.linalg.norm(read.entries))) / unit) ** 2
    trace = most * norm + read.columns * variance
    return Sketched(read, rows, norm, trace, unit, errors_of(rows, read.columns, trace, floor))


def errors_of(rows: int, columns: int, trace: float, floor: float) -> Errors:
    """Of a sketch of a matrix of this trace whose eigenvalues are at least `floor`."""
    eta = 12.0 * (columns + 3) * 2.0**-53 * trace / floor
    size, share = rows * columns, eta / (1.0 - eta)
    radius = 1.02 * 37.0 * math.sqrt(size * trace) * (2.0**-48 + (columns + 4) * 2.0**-53)
    return Errors(eta, share * (math.sqrt(100.0 * size) + 100.0) + 0.5 * size * share**2, radius)
