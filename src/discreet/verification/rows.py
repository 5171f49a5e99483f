"""What a stranger computes from the certificate of released rows: the guarantee again, by other lines.

The calibration takes singular values, Mills' ratio and Gauss-Legendre sums over sqrt(W). Here norms are square roots of eigenvalues of P'P, Gaussian
curves are integrated numerically, the mean over W is a trapezoid sum over W with its density, and the ground state comes from inverse iteration.
"""

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from discreet.accounting import Json, Unit, closeness
from discreet.core.arrays import Floats
from discreet.core.fields import finite, whole
from discreet.core.lazily import lazily
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.core.normal import log_ndtr
from discreet.queries.linear import public_matrix
from discreet.verification.base import Check, Stated, bits_check, delta_check, epsilon_check, verifies
from discreet.verification.farthest import farthest
from discreet.verification.numerics import discrete_integral
from discreet.words.bounded import BoundedNumbers, BoundedRows
from discreet.words.release import ReleaseProblem
from discreet.words.rows import FisherRows, FreshRows, GaussianRows, InformationRows, LaplaceRows

linalg = lazily("scipy.linalg")
LEAST_SCALE = 4096.0
"""Of noise on a grid, in steps."""


class Record(NamedTuple):
    """What a query reads of a record, from a certificate."""

    features: int
    entry: float
    norm: float
    target: float
    """Bound of the target where it is noisy, else 0."""
    clear: bool
    rows: int
    """M, the most rows of a person; 1 where the unit is a row."""
    unit: Unit
    """What may be protected: a record, a person, or the features of a record."""

    @property
    def columns(self) -> int:
        """m, the numbers of a released row."""
        return self.features + (self.target > 0)

    @property
    def length(self) -> float:
        """C, the bound of a row's length."""
        return math.hypot(min(self.norm, math.sqrt(self.features) * self.entry), self.target)

    @property
    def entries(self) -> Floats:
        """Bounds of single numbers."""
        return np.append(np.full(self.features, min(self.entry, self.norm)), [self.target] if self.target > 0 else [])


@verifies(GaussianRows)
def _gaussian_rows(stated: Stated, spec: GaussianRows) -> Iterator[Check]:
    problem, read = release_of(stated)
    yield _unit(stated, read.unit)
    distance, columns = _distance(stated, problem, read)
    numbers = columns * read.rows
    moved = math.sqrt(read.rows) * distance / spec.step + math.sqrt(numbers)
    computed = discrete_integral(spec.epsilon, moved / spec.scale, integers=numbers, scale=spec.scale)
    yield delta_check(stated, spec.epsilon, computed, "numerical integral of the Gaussian curve, distances from eigenvalues")


@verifies(LaplaceRows)
def _laplace(stated: Stated, spec: LaplaceRows) -> Iterator[Check]:
    (_, read), step, scale = release_of(stated), Fraction(spec.step), Fraction(spec.scale)
    yield _unit(stated, read.unit)
    # A row with the largest sum has entries as equal as its bounds allow; the law falls by e^(1 / scale) with every step, column by column.
    even = Fraction(min(read.entry, read.norm / math.sqrt(read.features)))
    ranges = 1 if stated.guarantee.neighbours is ADD_REMOVE else 2
    columns = [even] * read.features + ([Fraction(read.target)] if read.target > 0 else [])
    moved = sum(((ranges * size / step + 1) / scale for size in columns), Fraction(0))
    yield epsilon_check(stated, float(read.rows * moved), "ratios of the law, number by number, as fractions", most=1e-5)


@verifies(FisherRows)
def _fisher(stated: Stated, spec: FisherRows) -> Iterator[Check]:
    yield from _gaussian_rows(stated, spec)
    problem, _ = release_of(stated)
    weights, root = _matrix(problem.weights), _matrix(problem.matrix)
    # (T T')^2 is the weights times level and variance^2; in the weights' own directions, the light ones among them, as far as T is on a grid.
    values, vectors = np.linalg.eigh(weights)
    if not values[0] > 0:
        raise ValueError
    turned = (vectors / np.sqrt(values)).T @ root @ root.T
    found = turned @ turned.T / (spec.level * (spec.step * spec.scale) ** 4)
    same = bool(np.linalg.norm(found - np.eye(len(values))) <= 1e-3)
    yield Check("shape of the noise", same, "its covariance squared is the inverse of the weights over the level")


@verifies(FreshRows)
def _fresh(stated: Stated, spec: FreshRows) -> Iterator[Check]:
    _, read = release_of(stated)
    yield _unit(stated, read.unit)
    width, step, scale, epsilon = spec.width, spec.step, spec.scale, spec.epsilon
    ranges = (1.0 if stated.guarantee.neighbours is ADD_REMOVE else 2.0) * math.sqrt(read.rows)
    length = ranges * min(read.length, float(np.linalg.norm(read.entries))) + _resolution(read) * math.sqrt(read.columns * read.rows)
    grid = 2.0 ** math.ceil(math.log2((math.sqrt(read.columns) + 16.0) / math.sqrt(width) * 2.0**-25))
    error = math.sqrt(read.columns * width) * (0.5 * grid + 37.0 * 2.0**-48 / math.sqrt(width))
    numbers = width * read.rows
    apart = closeness(numbers, scale)
    if scale < LEAST_SCALE or epsilon <= apart.total:
        yield Check("delta", False, "the noise is too small for the grid's lemma")
        return
    slope, offset = length / math.sqrt(width) / step / scale, (length * error / step + math.sqrt(numbers)) / scale
    computed = _mean_curve(epsilon - apart.total, width, slope, offset, shared=read.rows > 1) * math.exp(apart.upper)
    yield delta_check(stated, epsilon, computed * (1.0 - 1e-7), "trapezoid sum over the density of W")


@verifies(BoundedRows)
def _bounded(stated: Stated, spec: BoundedRows) -> Iterator[Check]:
    _, read = release_of(stated)
    yield _unit(stated, Unit.ENTRY, of_entries=read.norm == math.inf)
    step = spec.step
    in_steps = (spec.half_width / step, spec.level * step**2, spec.weight * step**2)
    masses = _inverse_iteration(*in_steps)
    yield _of_laws(stated, spec.epsilon, [(masses, 2.0 * float(np.max(read.entries)) / step, eigenvector_error(*in_steps))])


@verifies(BoundedNumbers)
def _bounded_columns(stated: Stated, spec: BoundedNumbers) -> Iterator[Check]:
    _, read = release_of(stated)
    yield _unit(stated, Unit.ENTRY, of_entries=read.norm == math.inf)
    laws, means, errors = [], [], []
    for entry, below, above, tilt, unit in zip(read.entries.tolist(), spec.below, spec.above, spec.tilt, spec.steps, strict=True):
        numbers = _integers(math.ceil(below / unit), math.ceil(above / unit))
        potential = spec.level * unit**4 * np.square(numbers) + tilt * unit**3 * numbers
        masses, width = _lowest(potential), 0.5 * (len(numbers) + 1)
        # A line added to a convex potential leaves it as convex: the gaps of the symmetric law hold (Andrews and Clutterbuck 2011).
        error = eigenvector_error(width, spec.level * unit**4, 1.0, rises=float(np.ptp(potential)))
        laws.append((masses, 2.0 * entry / unit, error))
        means.append(abs(float(masses @ numbers)) / width)
        errors.append(error)
    yield Check("mean", max(means) <= 1e-6, "noise adds nothing on average, up to a millionth of its width")
    yield Check("law", max(errors) <= 1e-6, "floating point knows the law of every number to a millionth")
    yield _of_laws(stated, spec.epsilon, laws)


def _of_laws(stated: Stated, epsilon: float, laws: Iterable[tuple[Floats, float, float]]) -> Check:
    """The worst of (masses, how far two values are apart in steps, how far the state is known); shifts to both sides."""
    growth, worst = math.exp(min(epsilon, 700.0)), 0.0
    for masses, ranges, error in laws:
        largest = math.floor(ranges) + 1
        if largest >= len(masses):
            return Check("delta", False, "the noise is narrower than the range of an entry")
        for d in np.unique(np.linspace(1, largest, 64).astype(int)).tolist():
            up = float(masses[:d].sum() + np.maximum(masses[d:] - growth * masses[:-d], 0.0).sum())
            down = float(masses[-d:].sum() + np.maximum(masses[:-d] - growth * masses[d:], 0.0).sum())
            # The integers that are drawn come from an eigenvector: a set of probability p has its p within 2 sqrt(p) of what that one is known to.
            worst = max(worst, *(each - 1e-7 * each - 2.0 * math.sqrt(each) * error for each in (up, down)))
    return delta_check(stated, epsilon, worst, "hockey-stick sums of the law found by inverse iteration")


@verifies(InformationRows)
def _information(stated: Stated, spec: InformationRows) -> Iterator[Check]:
    problem, read = release_of(stated)
    yield _unit(stated, Unit.ENTRY, of_entries=read.norm == math.inf and problem.query == "rows")
    yield Check("noise", spec.scale >= LEAST_SCALE, f"{spec.scale:.6g} steps; at least {LEAST_SCALE:g} are needed")
    reach = float(max(read.entries)) / spec.step + 0.5
    bits = math.log1p((reach**2 + 1.0 / 12.0) / spec.scale**2) / (2.0 * math.log(2.0))
    yield bits_check(stated, bits, "differences of logarithms")


def _unit(stated: Stated, unit: Unit, *, of_entries: bool = True) -> Check:
    """Whether what is protected is what the release allows; `of_entries`: for a unit of entries these must be bounded one by one."""
    allows = f"stated for {str(stated.guarantee.unit)!r}; what is released allows {str(unit)!r}"
    return Check("unit", stated.guarantee.unit is unit and of_entries, allows)


def release_of(stated: Stated) -> tuple[ReleaseProblem, Record]:
    """The recorded query, and what it reads of a record."""
    problem = ReleaseProblem.read_from(stated.problem, "problem")
    return problem, record_of(problem)


def record_of(problem: ReleaseProblem) -> Record:
    """What a query reads."""
    entry, norm = (math.inf if bound is None else bound for bound in (problem.entry_bound, problem.norm_bound))
    if math.isinf(min(entry, norm)) or problem.target not in {"omitted", "noisy", "clear"}:
        raise ValueError
    clear, persons = problem.target == "clear", problem.persons
    return Record(
        features=problem.features,
        entry=entry,
        norm=norm,
        target=problem.target_bound if problem.target == "noisy" else 0.0,
        clear=clear,
        rows=1 if persons is None else int(persons.rows),
        unit=Unit.FEATURES if clear else Unit.RECORD if persons is None else Unit.PERSON,
    )


def _distance(stated: Stated, problem: ReleaseProblem, read: Record) -> tuple[float, int]:
    """How far a computed row moves, and how many numbers it has."""
    ranges = 1.0 if stated.guarantee.neighbours is not REPLACE_ONE else 2.0
    return reach_of(problem, read, ranges=ranges)


def reach_of(problem: ReleaseProblem, read: Record, *, ranges: float = 1.0) -> tuple[float, int]:
    """How far a computed row is from a row of zeros, or so many times as far, and how many numbers it has."""
    if problem.query == "rows":
        return ranges * min(read.length, float(np.linalg.norm(read.entries))), read.columns
    beside = problem.beside is True
    if problem.seed is not None:
        given = public_matrix(problem.seed, read.columns - beside, whole(problem.width))
        given = _block(given, read) if beside else given
        step = 2.0 ** math.ceil(math.log2(float(np.max(np.linalg.norm(given, axis=0))) * 2.0**-25))
        matrix = np.rint(given / step) * step
    else:
        matrix = _block(_matrix(problem.matrix), read) if beside else _matrix(problem.matrix)
    if len(matrix) != read.columns:
        raise ValueError
    norm = _spectral(matrix)
    ball = min(read.norm, math.sqrt(read.features) * read.entry)
    moved = min(norm * read.length, farthest(matrix, read.entries[: read.features], ball, read.target))
    return ranges * moved + norm * _resolution(read) * math.sqrt(read.columns), matrix.shape[1]


def _block(matrix: Floats, read: Record) -> Floats:
    """A matrix for features, and beside it the target times a power of two: features and target may then move about as far."""
    if not read.target > 0:
        raise ValueError
    ratio = min(read.norm, math.sqrt(read.features) * read.entry) / read.target
    weight = 2.0 ** float(np.rint(math.log2(ratio)))
    edge = np.zeros((len(matrix), 1))
    return np.vstack((np.hstack((matrix, edge)), np.append(np.zeros(matrix.shape[1]), weight)[np.newaxis]))


def _spectral(matrix: Floats) -> float:
    small = matrix.T @ matrix if matrix.shape[0] >= matrix.shape[1] else matrix @ matrix.T
    return math.sqrt(max(0.0, float(np.linalg.eigvalsh(small)[-1])))


def _resolution(read: Record) -> float:
    return 2.0 ** math.ceil(math.log2(read.length * 2.0**-25))


def _mean_curve(epsilon: float, width: int, slope: float, offset: float, *, shared: bool) -> float:
    # Over W, or over its square root where the density of W is not smooth at zero.
    rooted = width < 30
    spread = math.sqrt(2.0 * width)
    last = math.sqrt(width) + 16.0 if rooted else width + 20.0 * spread + 200.0
    places = np.linspace(1e-12 if rooted else max(1e-9, width - 14.0 * spread), last, 200_001)
    squares, power, halves = (np.square(places), width - 1.0, 0.5 * width - 1.0) if rooted else (places, 0.5 * width - 1.0, 0.5 * width)
    logs = power * np.log(places) - 0.5 * squares - halves * math.log(2.0) - math.lgamma(0.5 * width)
    mu = slope * np.sqrt(squares) + offset
    curve = _of_several(epsilon, width, slope, offset, squares) if shared else _gaussian(epsilon, mu)
    values = np.exp(logs) * curve
    return float(np.sum(values[1:] + values[:-1]) * 0.5 * (places[1] - places[0]))


def _gaussian(epsilon: float, mu: Floats) -> Floats:
    return np.maximum(np.exp(log_ndtr(0.5 * mu - epsilon / mu)) - np.exp(epsilon + log_ndtr(-0.5 * mu - epsilon / mu)), 0.0)


def _of_several(epsilon: float, width: int, slope: float, offset: float, squares: Floats) -> Floats:
    """The curve over mu^2, which is at most linear in the squares, and from its steepest point on a line."""
    typical = slope * math.sqrt(width)
    moved = (typical + offset) * (typical * squares / width + offset)
    bend = 2.0 * epsilon**2 / (1.0 + math.sqrt(1.0 + epsilon**2))
    below, above = _gaussian(epsilon, np.sqrt(bend * np.array([1.0 - 1e-4, 1.0 + 1e-4])))
    slopes = (above - below) / (2e-4 * bend)
    return np.where(moved <= bend, _gaussian(epsilon, np.sqrt(np.minimum(moved, bend))), 0.5 * (above + below) + slopes * (moved - bend))


def eigenvector_error(half_width: float, level: float, weight: float, *, rises: float | None = None) -> float:
    """How far floating point may take the law's eigenvector, of norm 1, from its exact one: u |matrix| / gap, lengths in steps (fisher_noise.md).

    Below 1e-6 for every law that `_inverse_iteration` takes. `rises`: how far the potential does, where it is not the square alone.
    """
    angle = math.pi / (2.0 * math.ceil(half_width))
    gap = max(8.0 / weight * (math.cos(angle) - math.cos(2.0 * angle)), 2.0 * math.sqrt(level / weight), 0.0 if rises else level - 16.0 / weight)
    return 2.0**-50 * (16.0 / weight + (level * half_width**2 if rises is None else rises)) / gap


def _inverse_iteration(half_width: float, level: float, weight: float) -> Floats:
    return _lowest(weight * level * np.square(_integers(math.ceil(half_width), math.ceil(half_width))))


def _integers(below: int, above: int) -> Floats:
    """Those between two ends that are none of them; ValueError for more than any law of ours has."""
    if not 3 <= below + above <= 1 << 15:
        raise ValueError
    return np.arange(1 - below, above, dtype=np.float64)


def _lowest(potential: Floats) -> Floats:
    """Squares of the lowest state of -4 u'' + potential u, by second differences."""
    if not np.all(np.isfinite(potential)):
        raise ValueError
    bands = np.vstack((np.full(len(potential), -4.0), 8.0 + potential - potential.min()))
    bands[0, 0] = 0.0
    state = np.ones(len(potential))
    for _ in range(200):
        last, state = state, linalg.solveh_banded(bands, state)
        state /= np.linalg.norm(state)
        if np.linalg.norm(state - last) < 1e-14:
            break
    masses: Floats = np.square(state)
    return masses / masses.sum()


def _list(value: Json) -> list[Json]:
    if not isinstance(value, list):
        raise TypeError
    return value


def _matrix(value: Json) -> Floats:
    if not isinstance(value, list) or not all(isinstance(row, list) for row in value):
        raise TypeError
    matrix = np.array([[finite(number) for number in row] for row in value if isinstance(row, list)])
    if matrix.ndim != 2 or matrix.size == 0 or np.max(np.abs(matrix)) > 1e100:
        raise ValueError
    return matrix
