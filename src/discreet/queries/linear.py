"""Linear maps of records in exact arithmetic:  z -> z T  for a public matrix T (columns of z, columns of the answer).

A library for matrix products adds up in an order that may change when a table has one row more, and so would the last bits of every row. Here z and
T are integers times powers of two, z_q = q round(z / q) and T = t (integers), with all partial sums below 2^53: floating-point products of integers
are exact in whatever order. So a row of the answer is a function of its record, and

    |z_q T - z'_q T| <= |(z - z') T| + |T|_2 q sqrt(m)                (m numbers a record; each is rounded by at most q / 2)

How far can z T move? r times as far as from a row of zeros, r = 2 for two records, 1 for a record and zeros; C bounds |z|:

    |(z - z') T| <= r min( |T|_2 C,   the bound of module `farthest` for single numbers, the features' ball and the target's own range )

    Projection      T = P (m, width) known to everybody, drawn or chosen before any record is read; the target is mixed in, or has a column of its
                    own beside it, T = diag(P, w), with w the power of two next to R / e_y: noise of one size then says as much of both
    WeightedRows    T = Pi^{1/4} symmetric, for noise whose covariance is proportional to Pi^{-1/2}

For a FIXED P (published before, derived from a public seed, or used for more than one release) the sensitivity is that of the realised P. A bound
that holds for each pair of records with high probability over P does not: neighbours are all pairs, and the worst is known once P is (Tu 2013,
theorem 1, fails here). A P that is drawn anew, after the records are fixed, and used once: mechanism FreshProjection.

Noise of one size on z T is noise of covariance proportional to (T T')^{-1} on z, once the rows are multiplied by the inverse of T, which is public
(`restore`). The larger the weight of a number, the less noise it gets (Farokhi 2020, theorem 2.4).
"""

import math
from dataclasses import dataclass

import numpy as np

from discreet.accounting import Json
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput, SolverFailure
from discreet.core.neighbours import Neighbours
from discreet.core.short import short_repr
from discreet.data.domain import Domain
from discreet.kernels.public_randomness import public_generator
from discreet.queries.base import UP, Released, RowQuery, Target, reach, released
from discreet.queries.farthest import Reach, farthest

BITS = 25
_EXACT = 2.0**53


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LinearMap:
    """T, on a grid of powers of two: shape (columns of a record, columns of the answer). Build it with `on_grid`."""

    matrix: Floats
    grid: float
    """t."""

    __repr__ = short_repr

    @classmethod
    def on_grid(cls, matrix: Floats, *, grid: float | None = None) -> "LinearMap":
        """The nearest matrix whose entries are multiples of a power of two: `grid`, or 2^-25 of the longest column.

        It is the public matrix from here on. Raises InvalidInput for one that is empty, not finite or zero.
        """
        given = np.asarray(matrix, dtype=np.float64)
        if given.ndim != 2 or given.size == 0 or not np.all(np.isfinite(given)) or not np.any(given):
            raise InvalidInput("a linear map needs a matrix of finite numbers, not all zero, with a row for each number that is read of a record.")
        step = power_of_two(float(np.max(np.linalg.norm(given, axis=0))) * 2.0**-BITS) if grid is None else grid
        rounded = np.rint(given / step) * step
        rounded.setflags(write=False)
        return cls(matrix=rounded, grid=step)

    @property
    def spectral_norm(self) -> float:
        """|T|_2, rounded up by more than the error of a singular value decomposition."""
        return float(np.linalg.norm(self.matrix, 2)) * (1.0 + 1e-9)

    def shift(self, read: Released, ranges: float) -> float:
        """The bound of the module docstring, without rounding; `ranges` is r."""
        reach = Reach(entries=read.entries, features=read.domain.features, ball=read.domain.radius)
        return ranges * min(self.spectral_norm * read.norm, farthest(self.matrix, reach)) * UP

    def shift_before(self, read: Released, ranges: float) -> float:
        """As it was stated before module `farthest`: |T|_2 C, (sum_ij e_i |T T'|_ij e_j)^(1/2), or features and target apart."""
        bounds = [self.spectral_norm * read.norm]
        if read.domain.entry_bound < math.inf:
            entries = read.entries
            bounds.append(math.sqrt(float(entries @ np.abs(self.matrix @ self.matrix.T) @ entries)) * (1.0 + 1e-9))
        if read.target is Target.NOISY:
            features, target, radius, most = self.matrix[:-1], self.matrix[-1], read.domain.radius, read.domain.target_bound
            of_features = float(np.linalg.norm(features, 2)) * radius if len(features) else 0.0
            between = float(np.linalg.norm(features @ target)) * radius * most if len(features) else 0.0
            of_target = float(np.linalg.norm(target)) * most
            bounds.append(math.sqrt(of_features**2 + 2.0 * between + of_target**2) * (1.0 + 1e-9))
        return ranges * min(bounds) * UP

    def apply(self, rows: Floats, resolution: float) -> Floats:
        """z_q T for rows (n, m) of norm at most 2^25 q, q = `resolution`, exactly. Raises SolverFailure for partial sums beyond 53 bits."""
        integers = np.rint(self.matrix / self.grid)
        longest = float(np.max(np.linalg.norm(integers, axis=0)))
        # Records have at most 2^25 steps: the check looks at the matrix alone.
        if longest * (2.0**BITS + math.sqrt(len(integers))) > 0.9 * _EXACT:
            raise SolverFailure("the entries of the matrix differ too much in size for exact arithmetic; rescale its columns.")
        answer: Floats = (np.rint(rows / resolution) @ integers) * (resolution * self.grid)
        return answer


def resolution(read: Released) -> float:
    """q: a power of two, about 2^-25 of the longest record."""
    return power_of_two(read.norm * 2.0**-BITS)


def power_of_two(size: float) -> float:
    """The least power of two at or above a positive number."""
    return 2.0 ** math.ceil(math.log2(size))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MappedRows(RowQuery):
    """Records times a public matrix."""

    domain: Domain
    target: Target
    map: LinearMap

    @property
    def columns(self) -> int:
        """See RowQuery."""
        return self.map.matrix.shape[1]

    def sensitivity(self, neighbours: Neighbours) -> float:
        """See RowQuery."""
        return self._rounded(self.map.shift(self.read, reach(neighbours)))

    def sensitivity_before(self, neighbours: Neighbours) -> float:
        """As older certificates state it, which is as true: never below `sensitivity` but for the last digits."""
        return self._rounded(self.map.shift_before(self.read, reach(neighbours)))

    def _rounded(self, shift: float) -> float:
        return (shift + self.map.spectral_norm * resolution(self.read) * math.sqrt(self.read.columns)) * UP

    def answer(self, rows: Floats) -> Floats:
        """See RowQuery."""
        return self.map.apply(rows, resolution(self.read))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Projection(MappedRows):
    """A public projection. Build it with `of` (a matrix of your choice) or `from_public_seed` (Gaussian, E P P' = I)."""

    seed: int | None = None
    """The public seed that P was drawn from, where it was."""
    beside: bool = False
    """Whether the noisy target has a column of its own, the last one, and is not mixed into the others."""

    @classmethod
    def of(cls, domain: Domain, matrix: Floats, *, target: Target | str = Target.OMITTED, beside: bool = False) -> "Projection":
        """With P = `matrix` (m, width), rounded to 2^-25 of its longest column; (features, width) for a target `beside` it.

        Raises InvalidInput for a wrong number of rows, and for a target beside a projection that is not noisy.
        """
        return cls._of(domain, np.asarray(matrix), target, seed=None, beside=beside)

    @classmethod
    def from_public_seed(cls, domain: Domain, *, width: int, seed: int, target: Target | str = Target.OMITTED, beside: bool = False) -> "Projection":
        """P with independent N(0, 1 / width) entries, from a seed that everybody may know."""
        rows = released(domain, target).columns - bool(beside)
        return cls._of(domain, public_matrix(seed, rows, width), target, seed=seed, beside=beside)

    @classmethod
    def _of(cls, domain: Domain, matrix: Floats, target: Target | str, *, seed: int | None, beside: bool) -> "Projection":
        read = released(domain, target)
        if beside and read.target is not Target.NOISY:
            raise InvalidInput(f"beside a projection, the target has noise of its own. Use target='noisy'; {str(read.target)!r} was given.")
        _checked(read.columns - bool(beside), matrix)
        whole = LinearMap.on_grid(with_target(matrix, target_weight(read)) if beside else matrix)
        if beside and whole.matrix[-1, -1] != target_weight(read):
            raise InvalidInput("the entries of the matrix are of another size than 1: rescale them, so that the target has its place beside them.")
        return cls(domain=domain, target=read.target, map=whole, seed=seed, beside=bool(beside))

    @property
    def matrix(self) -> Floats:
        """P."""
        return self.map.matrix[:-1, :-1] if self.beside else self.map.matrix

    @property
    def weight(self) -> float:
        """What a target beside it is multiplied by; 1 for others."""
        return float(self.map.matrix[-1, -1]) if self.beside else 1.0

    def to_dict(self) -> dict[str, Json]:
        """See RowQuery: the seed where there is one, the matrix otherwise."""
        source: dict[str, Json] = {"matrix": self.matrix.tolist()} if self.seed is None else {"seed": self.seed}
        place: dict[str, Json] = {"beside": True} if self.beside else {}
        return {"query": "projection", **self.read.record(), "width": self.matrix.shape[1], **source, **place}


def target_weight(read: Released) -> float:
    """w: the power of two next to the largest norm of features over that of the target."""
    return float(2.0 ** round(math.log2(read.domain.radius / read.domain.target_bound)))


def with_target(matrix: Floats, weight: float) -> Floats:
    """diag(P, w)."""
    whole = np.zeros((matrix.shape[0] + 1, matrix.shape[1] + 1))
    whole[:-1, :-1], whole[-1, -1] = matrix, weight
    return whole


def public_matrix(seed: int, rows: int, width: int) -> Floats:
    """Independent N(0, 1 / width) entries from a public seed, (rows, width)."""
    if isinstance(width, bool) or not isinstance(width, int) or width < 1:
        raise InvalidInput(f"the width of a projection must be a positive integer; {width!r} was given.")
    return public_generator(seed).standard_normal((rows, width)) / math.sqrt(width)


def _checked(rows: int, matrix: Floats) -> None:
    if matrix.ndim != 2 or len(matrix) != rows:
        raise InvalidInput(f"a projection of {rows} numbers a record needs a matrix with {rows} rows; shape {matrix.shape} was given.")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WeightedRows(MappedRows):
    """Records under a weighting. Build it with `of`."""

    weights: Floats
    """Pi."""

    __repr__ = short_repr

    @classmethod
    def of(cls, domain: Domain, *, weights: Floats | None = None, target: Target | str = Target.CLEAR) -> "WeightedRows":
        """Weights: one positive number a column, a positive definite matrix (m, m), or None for the identity. Raises InvalidInput for others."""
        read = released(domain, target)
        given = np.eye(read.columns) if weights is None else np.asarray(weights, dtype=np.float64)
        matrix = np.diag(given) if given.ndim == 1 else given
        if matrix.shape != (read.columns, read.columns) or not np.all(np.isfinite(matrix)) or not np.allclose(matrix, matrix.T):
            raise InvalidInput(f"weights are {read.columns} numbers, one a released column, or a symmetric matrix of that size.")
        values, vectors = np.linalg.eigh(0.5 * (matrix + matrix.T))
        if not values[0] > 1e-9 * values[-1]:
            raise InvalidInput("weights must be positive: a column with weight 0 would have no noise.")
        root = (vectors * values**0.25) @ vectors.T
        return cls(domain=domain, target=read.target, map=LinearMap.on_grid(0.5 * (root + root.T)), weights=matrix)

    def restore(self, rows: Floats) -> Floats:
        """Released rows (n, m) times the inverse of T: on the records' own scales."""
        return np.asarray(np.linalg.solve(self.map.matrix.T, rows.T).T, dtype=np.float64)

    def to_dict(self) -> dict[str, Json]:
        """See RowQuery."""
        stated: dict[str, Json] = {"width": self.columns, "matrix": self.map.matrix.tolist(), "weights": self.weights.tolist()}
        return {"query": "weighted-rows", **self.read.record(), **stated}
