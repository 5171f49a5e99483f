"""Linear maps of records in exact arithmetic:  z -> z T  for a public matrix T (columns of z, columns of the answer).

A library for matrix products adds up in an order that may change when a table has one row more, and so would the last bits of every row. Here z and
T are integers times powers of two, z_q = q round(z / q) and T = t (integers), with all partial sums below 2^53: floating-point products of integers
are exact in whatever order. So a row of the answer is a function of its record, and

    |z_q T - z'_q T| <= |(z - z') T| + |T|_2 q sqrt(m)                (m numbers a record; each is rounded by at most q / 2)

How far can z T move? With ranges e_j of single numbers (|z_j| <= e_j), a bound C of |z|, and r = 2 for two records, 1 for a record and zeros,

    |(z - z') T| <= r min( |T|_2 C,   (sum_ij e_i |T T'|_ij e_j)^(1/2),   |T_x|_2 R + |T_y|_2 e_y )

(the second is exact on a box where T T' is diagonal; the third counts the target, which has a range of its own, by itself).
"""

import math
from dataclasses import dataclass

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput, SolverFailure
from discreet.queries.base import UP, Released, Target

BITS = 25
_EXACT = 2.0**53


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LinearMap:
    """T, on a grid of powers of two: shape (columns of a record, columns of the answer). Build it with `on_grid`."""

    matrix: Floats
    grid: float
    """t."""

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
        bounds = [self.spectral_norm * read.norm]
        if read.domain.entry_bound < math.inf:
            entries = read.entries
            bounds.append(math.sqrt(float(entries @ np.abs(self.matrix @ self.matrix.T) @ entries)) * (1.0 + 1e-9))
        if read.target is Target.NOISY:
            of_features = float(np.linalg.norm(self.matrix[:-1], 2)) * read.domain.radius if len(self.matrix) > 1 else 0.0
            bounds.append((of_features + float(np.linalg.norm(self.matrix[-1])) * read.domain.target_bound) * (1.0 + 1e-9))
        return ranges * min(bounds) * UP

    def apply(self, rows: Floats, resolution: float) -> Floats:
        """z_q T for rows (n, m) of norm at most 2^25 q, q = `resolution`, exactly. Raises SolverFailure for partial sums beyond 53 bits."""
        integers = np.rint(self.matrix / self.grid)
        longest = float(np.max(np.linalg.norm(integers, axis=0)))
        # Records have at most 2^25 steps: the check looks at the matrix alone.
        if longest * (2.0**BITS + math.sqrt(len(integers))) > 0.9 * _EXACT:
            raise SolverFailure("the entries of the matrix are of too different sizes for exact arithmetic; rescale its columns.")
        answer: Floats = (np.rint(rows / resolution) @ integers) * (resolution * self.grid)
        return answer


def resolution(read: Released) -> float:
    """q: a power of two, about 2^-25 of the longest record."""
    return power_of_two(read.norm * 2.0**-BITS)


def power_of_two(size: float) -> float:
    """The least power of two at or above a positive number."""
    return 2.0 ** math.ceil(math.log2(size))
