"""Two matrices of the records at public weights w, as exact integers: how the loss curves, and how much its gradients vary.

    H = sum_i c_i   l''_i (x) x_i x_i'          l''_i, l'_i at the predictions of record i at w,   |x_i| <= R,   0 <= c_i <= c_max
    J = sum_i c_i^2 l'_i l'_i' (x) x_i x_i'

l'' is a number for two classes and for predictions of numbers, K numbers for one against the rest and for K targets, a matrix (K, K) for the
softmax. Every record is turned into integers by itself: x_i to multiples of R 2^-13, and what multiplies x_i x_i' to a vector a_i of integers (module
`factors`), of Euclidean length at most U. What a record contributes, on and above the diagonal, is

    a_i (x) (5 x_j^2, 7 x_j x_k)_{j < k},     |x| <= B = 2^13 + sqrt(d) / 2 + 1

of Euclidean length at most 5 U B^2: 25 sum x_j^4 + 49 sum_{j<k} x_j^2 x_k^2 <= 25 |x|^4. The inner product of two contributions is
<a, a'> (24.5 <x, x'>^2 + 0.5 sum x_j^2 x'_j^2). Where a, a' >= 0 two contributions are at most sqrt(2) times that apart. Factors of the softmax are
inner products of matrices without negative eigenvalues but for rounding, E in all for a record, so that <a, a'> >= -(2 (U - E) E + E^2) and two
contributions are at most sqrt(4 U^2 - 2 (U - E)^2) 5 B^2 apart.

Rows of one person share one record's weight, sum_i a_i <= 1, c_i <= c_max:

    H = sum_i a_i c_i l''_i (x) x_i x_i',      J = c_max sum_i a_i c_i l'_i l'_i' (x) x_i x_i'   >=   sum over persons p of g_p g_p'

g_p = sum_i a_i c_i l'_i (x) x_i over the rows of p. J is above the variance of gradients of persons, however their rows hang together (convexity of
the square), and is that where they are equal. Factors are multiples of 2^-10 / F of their largest value, F >= M a power of two, and a_i c_i / c_max
times them is rounded towards zero: what a person contributes is at most a convex combination of what records would, and no longer.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from discreet.accounting import Json
from discreet.certificates import digest_of
from discreet.core.arrays import AnyFloats, Floats
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, Neighbours, Persons
from discreet.core.private import holds_records
from discreet.core.rounding import raising
from discreet.matrices import Matrix, shortening
from discreet.matrices.bounded import brought_near, check_finite, clip_entries
from discreet.mechanisms.curvature.factors import CurvedRisk, factors_of, level_count
from discreet.mechanisms.curvature.tables import Factors
from discreet.noise import Integers
from discreet.problems import MadeRisk, PredictionRisk, SeveralTargets

UNIT = 1 << 13
DIAGONAL, ABOVE = 5, 7
"""Weights of the entries; 7 / 5 is just below sqrt(2), with which noise on a matrix and its mirror image would be as large as on a diagonal."""
MOST_WEIGHTS = 1024
_MOST_INTEGERS = 1 << 22
_ROWS, _SHARED_ROWS = 1 << 15, 1 << 11
"""At a time: sums of this many products stay below 2^53 and are exact in floating point, in whatever order."""
_HALF_FACTOR = 1 << 15
"""Factors of rows that share a weight are two halves below this: each gives exact sums by itself."""


class Curvature(NamedTuple):
    """The two matrices (d, d) in their own units, noise included, and its standard deviation on the diagonal of the first."""

    curvature: AnyFloats
    """H."""
    variation: AnyFloats
    """J."""
    curvature_noise: float


@holds_records
@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class CurvatureRecords:
    """What is read of the records; private."""

    rows: Matrix
    """(n, features), before they are brought within their bounds and without the constant feature."""
    targets: Floats
    """(n,): +1.0 and -1.0 of two classes, codes of more, numbers; (n, m) of several targets, each in its unit; of made rows (n, M) signs, and 0."""
    record_weights: Floats | None
    """(n,)."""
    table: Iterable[bytes] | None = None
    """The bytes of all, by which a ledger knows them again."""

    def content(self) -> Iterable[bytes] | None:
        """The bytes of `table`, as a ledger knows it."""
        return self.table


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CurvatureQuery:
    """The public question. Raises InvalidInput for weights that do not belong to the problem, or are too many, and for a loss without a curvature."""

    problem: CurvedRisk
    weights: Floats
    """w, (d,), of K > 2 classes (K d,), public: a release."""

    def __post_init__(self) -> None:
        """See class docstring."""
        if self.weights.shape != (self.problem.dimension,) or not np.all(np.isfinite(self.weights)):
            raise InvalidInput(f"the problem has {self.problem.dimension} weights; other ones were given.")
        if self.problem.dimension <= MOST_WEIGHTS and self.size > _MOST_INTEGERS:
            raise InvalidInput(
                f"the curvature of {self.problem.dimension} weights of rows that are made of one record would be {self.size:,} integers, more than "
                f"{_MOST_INTEGERS:,}. Fit with fewer periods or classes, or fewer features."
            )
        if self.problem.dimension > MOST_WEIGHTS:
            raise InvalidInput(
                f"the curvature can be released for at most {MOST_WEIGHTS} weights (far fewer are useful); {self.problem.dimension} were given."
            )

    @property
    def persons(self) -> Persons | None:
        """See Domain."""
        return self.problem.persons

    @property
    def size(self) -> int:
        """How many integers the answer has."""
        dimension = self.problem.domain.dimension
        return len(self._factors.powers) * dimension * (dimension + 1) // 2

    @property
    def row_bound(self) -> float:
        """B: the largest norm of a row in its units."""
        return UNIT + 0.5 * math.sqrt(self.problem.domain.dimension) + 1.0

    @property
    def levels(self) -> int:
        """What the largest factors are, from public numbers."""
        return level_count(self.problem)

    def distance(self, neighbours: Neighbours) -> float:
        """How far apart the answers of neighbours may be, in Euclidean norm."""
        factors = self._factors
        return DIAGONAL * factors.length * self.row_bound**2 * (1.0 if neighbours is ADD_REMOVE else factors.apart) * raising(4_096)

    def answer(self, rows: Matrix, targets: Floats, record_weights: Floats | None) -> Integers:
        """The exact integers, as Python's own, (size,).

        `rows` (n, features) before they are brought within their bounds and without the constant feature, `targets` (n,), `record_weights` (n,) or
        None.
        """
        domain, problem = self.problem.domain, self.problem
        heaviest = 1.0 if isinstance(problem, PredictionRisk | SeveralTargets | MadeRisk) else problem.max_weight
        relative = np.ones(len(targets)) if record_weights is None else record_weights / heaviest
        dimension, made = domain.dimension, self._factors
        total = np.zeros((len(made.powers), dimension, dimension), dtype=object)
        several = self.persons is not None and self.persons.several and not isinstance(problem, MadeRisk)
        whole, size = (np.trunc, _SHARED_ROWS) if several else (np.rint, _ROWS)
        for span, integers in self._integer_rows(rows, size):
            once = np.clip(relative[span], 0.0, 1.0)
            inside = np.einsum("ij,ij->i", integers, integers) <= self.row_bound**2
            for matrix, (found, power) in enumerate(zip(self._found(integers, targets[span]), made.powers, strict=True)):
                factor = whole(found * once ** (1 if several else power)) * inside
                high = np.floor(factor / _HALF_FACTOR) if several else np.zeros(1)
                for part, times in ((factor - _HALF_FACTOR * high, 1), (high, _HALF_FACTOR))[: 1 + several]:
                    total[matrix] += times * ((integers * part[:, np.newaxis]).T @ integers).astype(np.int64).astype(object)
        upper = np.triu_indices(dimension)
        entries = np.where(upper[0] == upper[1], DIAGONAL, ABOVE)
        answers: Integers = np.concatenate([matrix[upper] * entries for matrix in total])
        return answers

    def read(self, value: Floats, scale: float) -> Curvature:
        """The matrices behind released integers (size,), with their noise of this scale. Free: post-processing."""
        dimension, made = self.problem.domain.dimension, self._factors
        upper = np.triu_indices(dimension)
        entries = np.where(upper[0] == upper[1], DIAGONAL, ABOVE)
        parts: list[AnyFloats] = []
        units = [largest * self.problem.domain.radius**2 / (self.levels * UNIT**2) for largest in made.scales]
        for part, power in zip(value.reshape(len(made.powers), -1), made.powers, strict=True):
            matrix = np.zeros((dimension, dimension))
            matrix[upper] = part / entries * units[power - 1]
            parts.append(np.triu(matrix) + np.triu(matrix, 1).T)
        curvature, variation = made.joined(parts)
        return Curvature(curvature, variation, scale / DIAGONAL * units[0] * made.spread)

    def require(self, data: CurvatureRecords) -> None:
        """Raise InvalidInput for rows of another width, and without a target for each."""
        several = (self._factors.functions,) if isinstance(self.problem, SeveralTargets | MadeRisk) else ()
        if data.rows.shape[1] != self.problem.domain.features or data.targets.shape != (data.rows.shape[0], *several):
            raise InvalidInput(f"the problem has {self.problem.domain.features} features, and needs its targets for each record; others were given.")

    def to_dict(self) -> dict[str, Json]:
        """What a certificate states of it: plain numbers and words."""
        return {**self.problem.to_dict(), "weights": digest_of(self.weights)}

    @property
    def _factors(self) -> Factors:
        return factors_of(self.problem)

    def _integer_rows(self, rows: Matrix, size: int) -> Iterator[tuple[slice, Floats]]:
        """Rows with their constant feature in units of R 2^-13, each from this row alone: elementwise products, and rounding."""
        domain = self.problem.domain
        if domain.entry_bound != math.inf:
            rows = clip_entries(rows, domain.entry_bound)
        factors = np.ones(rows.shape[0])
        if domain.norm_bound == math.inf:
            check_finite(rows)
        else:
            rows = brought_near(rows, domain.norm_bound)
            factors = shortening(rows.ordered_row_norms(), domain.norm_bound)
        unit = UNIT / domain.radius
        for span, entries in rows.chunks():
            scaled = np.rint((entries * factors[span, np.newaxis]) * unit)
            if domain.intercept_scale > 0:
                scaled = np.column_stack((scaled, np.full(len(scaled), np.rint(domain.intercept_scale * unit))))
            for start in range(0, len(scaled), size):
                stop = min(start + size, len(scaled))
                yield slice(span.start + start, span.start + stop), scaled[start:stop]

    def _found(self, integers: Floats, targets: Floats) -> list[Floats]:
        """Factors of rows, (n,) each: exact integer products of rows and weights, and what module `factors` makes of them."""
        problem, functions = self.problem, self._factors.functions
        own = problem.of_each(self.weights) if isinstance(problem, MadeRisk) else self.weights.reshape(functions, -1)
        longest = float(np.max(np.abs(own), initial=0.0))
        shift = 2.0 ** (29 - math.ceil(math.log2(longest))) if longest > 0 else 1.0
        each = np.rint(own * shift)
        products = integers @ each.T  # below 2^53: exact
        return self._factors.of(products, self.problem.domain.radius / UNIT / shift, targets)
