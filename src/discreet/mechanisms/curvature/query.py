"""Two matrices of the records at public weights w, as exact integers: how the loss curves, and how much its gradients vary.

    H = sum_i c_i   l''(m_i) x_i x_i'          m_i = y_i <x_i, w>,   |x_i| <= R,   0 <= c_i <= c_max
    J = sum_i c_i^2 l'(m_i)^2 x_i x_i'

Every record is turned into integers by itself: x_i to multiples of R 2^-13, m_i to one of 2^16 + 1 public margins, and the factors of x_i x_i' to
multiples of 2^-10 of their largest possible value, c_max c and (c_max L)^2. What a record contributes, on and above the diagonal, is

    (5 h x_j^2, 7 h x_j x_k;  5 g x_j^2, 7 g x_j x_k),     h, g in 0 .. 2^10, |x| <= B = 2^13 + sqrt(d) / 2 + 1

of Euclidean length at most 5 U B^2, U the largest sqrt(h^2 + g^2) over margins: 25 sum x_j^4 + 49 sum_{j<k} x_j^2 x_k^2 <= 25 |x|^4. The inner
product of two contributions is (h h' + g g') (24.5 <x, x'>^2 + 0.5 sum x_j^2 x'_j^2) >= 0, so two contributions are at most sqrt(2) times that apart.

Rows of one person share one record's weight, sum_i a_i <= 1, c_i <= c_max:

    H = sum_i a_i c_i l''(m_i) x_i x_i',      J = c_max sum_i a_i c_i l'(m_i)^2 x_i x_i'   >=   sum over persons p of g_p g_p'

g_p = sum_i a_i c_i l'(m_i) x_i over the rows of p. J is above the variance of gradients of persons, however their rows hang together (convexity of
the square), and is that where they are equal. h and g are multiples of 2^-10 / F of their largest value, F >= M a power of two, and a_i c_i / c_max
times them is rounded down: what a person contributes is at most a convex combination of what records would, and no longer.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from discreet.accounting import Json
from discreet.certificates import digest_of
from discreet.core.arrays import AnyFloats, Floats
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, Neighbours, Persons
from discreet.core.private import holds_records
from discreet.core.rounding import raising
from discreet.losses import MarginLoss
from discreet.matrices import Matrix, shortening
from discreet.matrices.bounded import brought_near
from discreet.noise import Integers
from discreet.problems import RegularisedRisk

UNIT, LEVELS, HALF = 1 << 13, 1 << 10, 1 << 15
DIAGONAL, ABOVE = 5, 7
"""Weights of the entries; 7 / 5 is just below sqrt(2), with which noise on a matrix and its mirror image would be as large as on a diagonal."""
MOST_WEIGHTS = 1024
_MARGINS = 64.0
_ROWS, _SHARED_ROWS = 1 << 15, 1 << 11
"""At a time: sums of this many products stay below 2^53 and are exact in floating point, in whatever order."""
_HALF_FACTOR = 1 << 15
"""Factors of rows that share a weight are two halves below this: each gives exact sums by itself."""


class Curvature(NamedTuple):
    """The two matrices (d, d) in their own units, noise included, and its standard deviations on the diagonal."""

    curvature: AnyFloats
    """H."""
    variation: AnyFloats
    """J."""
    curvature_noise: float
    variation_noise: float


@holds_records
@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class CurvatureRecords:
    """What is read of the records; private."""

    rows: Matrix
    """(n, features), before they are shortened and without the constant feature."""
    signs: Floats
    """(n,) of +1.0 and -1.0."""
    record_weights: Floats | None
    """(n,)."""
    table: Iterable[bytes] | None = None
    """The bytes of all, by which a ledger knows them again."""

    def content(self) -> Iterable[bytes] | None:
        """`table`."""
        return self.table


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CurvatureQuery:
    """The public question. Raises InvalidInput for weights that do not belong to the problem, or are too many."""

    problem: RegularisedRisk
    weights: Floats
    """w, (d,), public: a release."""

    def __post_init__(self) -> None:
        """See class docstring."""
        if self.weights.shape != (self.problem.dimension,) or not np.all(np.isfinite(self.weights)):
            raise InvalidInput(f"the problem has {self.problem.dimension} weights; other ones were given.")
        if self.problem.dimension > MOST_WEIGHTS:
            raise InvalidInput(
                f"the curvature is released for at most {MOST_WEIGHTS} weights, and drowns in noise long before; {self.problem.dimension} were given."
            )

    @property
    def persons(self) -> Persons | None:
        """See Domain."""
        return self.problem.persons

    @property
    def size(self) -> int:
        """How many integers the answer has."""
        return self.problem.dimension * (self.problem.dimension + 1)

    @property
    def row_bound(self) -> float:
        """B: the largest norm of a row in its units."""
        return UNIT + 0.5 * math.sqrt(self.problem.dimension) + 1.0

    @property
    def levels_bound(self) -> float:
        """U: the largest sqrt(h^2 + g^2), from a scan of margins, rounded up, and one more for the rounding of h and g."""
        return _levels_bound(self.problem)

    @property
    def levels(self) -> int:
        """What the largest h and g are, from public numbers."""
        return _level_count(self.problem)

    def distance(self, neighbours: Neighbours) -> float:
        """How far apart the answers of neighbours may be, in Euclidean norm."""
        return DIAGONAL * self.levels_bound * self.row_bound**2 * (1.0 if neighbours is ADD_REMOVE else math.sqrt(2.0)) * raising(4_096)

    def answer(self, rows: Matrix, signs: Floats, record_weights: Floats | None) -> Integers:
        """The exact integers, as Python's own, (size,).

        `rows` (n, features) before they are shortened and without the constant feature, `signs` (n,) of +1.0 and -1.0, `record_weights` (n,) or None.
        """
        domain = self.problem.domain
        rows = brought_near(rows, domain.norm_bound)
        factors = shortening(rows.ordered_row_norms(), domain.norm_bound)
        relative = np.ones(len(signs)) if record_weights is None else record_weights / self.problem.max_weight
        dimension = self.problem.dimension
        total = np.zeros((2, dimension, dimension), dtype=object)
        levels = _levels(self.problem)
        several = _several(self.problem)
        powers, whole, size = ((1, 1), np.floor, _SHARED_ROWS) if several else ((1, 2), np.rint, _ROWS)
        for span, integers in self._integer_rows(rows, factors, size):
            places = self._places(integers, signs[span])
            once = np.clip(relative[span], 0.0, 1.0)
            inside = np.einsum("ij,ij->i", integers, integers) <= self.row_bound**2
            for matrix, (table, power) in enumerate(zip(levels, powers, strict=True)):
                factor = whole(table[places] * once**power) * inside
                high = np.floor(factor / _HALF_FACTOR) if several else np.zeros(1)
                for part, times in ((factor - _HALF_FACTOR * high, 1), (high, _HALF_FACTOR))[: 1 + several]:
                    total[matrix] += times * ((integers * part[:, np.newaxis]).T @ integers).astype(np.int64).astype(object)
        upper = np.triu_indices(dimension)
        entries = np.where(upper[0] == upper[1], DIAGONAL, ABOVE)
        found: Integers = np.concatenate([matrix[upper] * entries for matrix in total])
        return found

    def read(self, value: Floats, scale: float) -> Curvature:
        """The matrices that released integers (size,) stand for; `scale` of the noise."""
        dimension = self.problem.dimension
        upper = np.triu_indices(dimension)
        entries = np.where(upper[0] == upper[1], DIAGONAL, ABOVE)
        matrices, noises = [], []
        for part, largest in zip(value.reshape(2, -1), self._largest(), strict=True):
            unit = largest * self.problem.domain.radius**2 / (self.levels * UNIT**2)
            matrix = np.zeros((dimension, dimension))
            matrix[upper] = part / entries * unit
            matrices.append(np.triu(matrix) + np.triu(matrix, 1).T)
            noises.append(scale / DIAGONAL * unit)
        return Curvature(matrices[0], matrices[1], noises[0], noises[1])

    def require(self, data: CurvatureRecords) -> None:
        """Raise InvalidInput for rows of another width, and without a sign for each."""
        if data.rows.shape[1] != self.problem.domain.features or data.signs.shape != (data.rows.shape[0],):
            raise InvalidInput(f"the problem has {self.problem.domain.features} features, and needs a sign for each record; others were given.")

    def to_dict(self) -> dict[str, Json]:
        """For certificates."""
        return {**self.problem.to_dict(), "weights": digest_of(self.weights)}

    def _largest(self) -> tuple[float, float]:
        loss, heaviest = self.problem.loss, self.problem.max_weight
        return heaviest * loss.smoothness, (heaviest * loss.lipschitz) ** 2

    def _integer_rows(self, rows: Matrix, factors: Floats, size: int) -> Iterator[tuple[slice, Floats]]:
        """Rows with their constant feature in units of R 2^-13, each from this row alone: elementwise products, and rounding."""
        domain = self.problem.domain
        unit = UNIT / domain.radius
        for span, entries in rows.chunks():
            scaled = np.rint((entries * factors[span, np.newaxis]) * unit)
            if domain.intercept_scale > 0:
                scaled = np.column_stack((scaled, np.full(len(scaled), np.rint(domain.intercept_scale * unit))))
            for start in range(0, len(scaled), size):
                stop = min(start + size, len(scaled))
                yield slice(span.start + start, span.start + stop), scaled[start:stop]

    def _places(self, integers: Floats, signs: Floats) -> Integers:
        """The place of each record's margin among the public ones: an exact integer product, one multiplication, rounding."""
        longest = float(np.max(np.abs(self.weights), initial=0.0))
        shift = 2.0 ** (29 - math.ceil(math.log2(longest))) if longest > 0 else 1.0
        products = integers @ np.rint(self.weights * shift)  # below 2^53: exact
        step = _reach(self.problem.loss) / HALF
        margins = np.rint(products * (self.problem.domain.radius / UNIT / shift / step)) * signs
        places: Integers = (np.clip(margins, -HALF, HALF) + HALF).astype(np.int64)
        return places


def _several(problem: RegularisedRisk) -> bool:
    """Whether rows of one person share a weight."""
    return problem.persons is not None and problem.persons.several


def _level_count(problem: RegularisedRisk) -> int:
    """2^10 F."""
    return LEVELS << (problem.persons.rows - 1).bit_length() if problem.persons is not None else LEVELS


@lru_cache(maxsize=16)
def _levels_bound(problem: RegularisedRisk) -> float:
    """U."""
    return _level_count(problem) * float(np.max(np.hypot(*_factors(problem.loss, _scan(problem.loss))))) * (1.0 + 1e-6) + 1.0


@lru_cache(maxsize=16)
def _levels(problem: RegularisedRisk) -> tuple[Floats, Floats]:
    """h and g at every public margin, integers; always the same arrays, so that they do not depend on which margins occur."""
    margins: Floats = np.arange(-HALF, HALF + 1, dtype=np.float64) * (_reach(problem.loss) / HALF)
    h, g = (np.rint(_level_count(problem) * factor) for factor in _factors(problem.loss, margins))
    if float(np.max(np.hypot(h, g))) > _levels_bound(problem):
        raise InvalidInput("the derivatives of this loss exceed the bounds that it declares, so nothing can be released about them.")
    return h, g


def _factors(loss: MarginLoss, margins: Floats) -> tuple[Floats, Floats]:
    """l'' and l'^2 relative to their largest values."""
    return np.minimum(loss.curvature(margins) / loss.smoothness, 1.0), np.minimum(np.square(loss.slope(margins) / loss.lipschitz), 1.0)


def _reach(loss: MarginLoss) -> float:
    """Margins beyond this one, in size, count as this one."""
    return _MARGINS * max([1.0, *loss.parameters.values()])


def _scan(loss: MarginLoss) -> Floats:
    width = max([1.0, *loss.parameters.values()])
    reach = _reach(loss)
    return np.concatenate((np.linspace(-reach, reach, 200_001), np.linspace(-8.0, 8.0, 400_001) * width, np.arange(-HALF, HALF + 1) * (reach / HALF)))
