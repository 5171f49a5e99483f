"""Released second moments: what all that learns from them reads, and correlations with intervals.

    M~ = M + E,   M = sum (1, x)(1, x)',   Cov(E u) = (u'N u) N + N u u'N,   N diagonal        so for any vectors of columns
    Cov(a'E b, c'E d) = (a'N c)(b'N d) + (a'N d)(b'N c)

M~ is unbiased: there is nothing to subtract. With m the means, u_i = (e_i - m_i e_1) / sqrt(S_ii), S the centred moments, and g_ij = u_i'N u_j a
correlation is r = S_ij / sqrt(S_ii S_jj), and to first order

    r~ - r = u_i'E u_j - (r / 2)(u_i'E u_i + u_j'E u_j)
    Var    = g_ii g_jj + g_ij^2 - 2 r g_ij (g_ii + g_jj) + (r^2 / 2)(g_ii^2 + g_jj^2 + 2 g_ij^2)

about the correlation of these records; about that of the population (1 - r^2)^2 / n more, for columns that are normal (it is 1 / n for independent
columns of any law). Where the number of records is exact, E_11 = 0, its share of Var is taken off: 2 N_11^2 times the square of its factor in r~ - r.
Where the noise on a variance may be half of it nothing is known, and the interval is [-1, 1]. No privacy rests on any of this.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from discreet.consumers.base import open_release
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput, did_you_mean
from discreet.core.short import short_repr
from discreet.core.told import Tabled, Told
from discreet.core.validate import probability
from discreet.data import NumberTarget
from discreet.releases import Kind, PublishedRelease

FLOOR = 1.5
"""Of sqrt(p), in units of the noise: eigenvalues of p columns below it are raised to it. Noise alone makes eigenvalues of up to 2 sqrt(p)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReleasedMoments(Tabled):
    """The second moments of some columns, with the distribution of their noise. Build it with `of_release` or `of_rows`."""

    names: tuple[str, ...]
    """Of the columns, (k,)."""
    matrix: Floats
    """M~, (1 + k, 1 + k): the first row and column are those of the constant 1."""
    noise: Floats
    """The diagonal of N, (1 + k,); zeros for rows that are public themselves."""
    exact_count: bool = False
    """Whether the number of records has no noise, though the sums beside it have: E_11 = 0, and all else as N says."""
    target: str | None = None
    """The column that is the target, where there is one."""
    largest: float = np.inf
    """A public bound of the numbers of a column."""
    labels: tuple[Any, ...] = (-1.0, 1.0)
    """What -1 and 1 stand for in the target."""
    numeric_target: bool = False
    """Whether the target is said to be a number."""
    references: frozenset[str] = frozenset()
    """Of every categorical column the first category, which the others determine."""
    categories: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Categorical columns whose numbers are 0 and 1, with their categories."""

    __repr__ = short_repr

    @classmethod
    def of_release(cls, release: PublishedRelease | str | Path) -> Self:
        """The moments in a folder. Raises InvalidInput for another kind of release."""
        found = open_release(release, Kind.MOMENTS)
        schema, place = found.schema, found.target_column
        target = None if place is None else found.column_names[place]
        known: dict[str, Any] = {}
        if schema is not None:
            known["references"] = frozenset(f"{one.name}={one.categories[0]}" for one in schema.categorical)
            if schema.rows == "bound":
                known["categories"] = tuple((one.name, tuple(map(str, one.categories))) for one in schema.categorical)
            if target is not None:
                known["numeric_target"] = isinstance(schema.one_target, NumberTarget)
                known["labels"] = (-1.0, 1.0) if isinstance(schema.one_target, NumberTarget) else tuple(schema.one_target.classes)
        noise, known["exact_count"] = np.diag(found.noise_covariance).copy(), found.count_is_exact
        names, largest = tuple(found.column_names[1:]), found.domain.largest_entry
        return cls(names=names, matrix=found.values(), noise=noise, target=target, largest=largest, **known)

    @classmethod
    def of_rows(cls, rows: Floats, targets: Floats | None = None) -> Self:
        """The moments of public rows (n, d) and targets (n,), without noise."""
        beside = [] if targets is None else [targets]
        whole = np.column_stack((np.ones(len(rows)), rows, *beside))
        names = tuple(f"x{number}" for number in range(rows.shape[1])) + (("y",) if beside else ())
        return cls(names=names, matrix=whole.T @ whole, noise=np.zeros(whole.shape[1]), target="y" if beside else None)

    def told(self) -> Told:
        """The text shown by `print` and in notebooks."""
        sums, noise = self.matrix[0].tolist(), self.noise.tolist()
        squares = np.diag(self.matrix).tolist()
        return Told(
            title="Second moments of a table",
            facts=[("Columns", f"{len(self.names):,}"), ("Target", self.target or "none")],
            caption="Released sums over all records, with their noise",
            header=("Column", "Sum", "Noise on it", "Sum of squares", "Noise on it"),
            rows=[
                (name, *(f"{number:.6g}" for number in (sums[place], cross, squares[place], math.sqrt(2.0) * noise[place])))
                for place, name in enumerate(self.names, start=1)
                for cross in (math.sqrt(noise[0] * noise[place]),)
            ],
            notes=["Noise is a standard deviation; matrix has all products."],
        )

    @property
    def count(self) -> float:
        """The number of records. Raises InvalidInput if the noise is a quarter of it or more, because no mean is known then."""
        found, deviation = float(self.matrix[0, 0]), 0.0 if self.exact_count else np.sqrt(2.0) * float(self.noise[0])
        if not found > max(4.0 * deviation, 0.5):
            raise InvalidInput(
                f"noise of deviation {deviation:.4g} is larger than the number of records: release more records, or use a larger epsilon."
            )
        return found

    def place(self, name: str) -> int:
        """Position of a column in `matrix`. Raises InvalidInput, with the nearest name, for an unknown one."""
        if name not in self.names:
            raise InvalidInput(f"the release has no column {name!r}.{did_you_mean(name, self.names)}")
        return 1 + self.names.index(name)

    def chosen(self, names: Sequence[str] | None, *, without: Sequence[str] = ()) -> tuple[str, ...]:
        """Columns to learn from: `names`, or all except the target and `without`. Raises InvalidInput for unknown columns, or if none is left."""
        if isinstance(names, str):
            raise InvalidInput(f"features must be a list of column names; {names!r} was given. Put it in brackets.")
        found = tuple(self.names if names is None else names)
        found = tuple(name for name in found if names is not None or (name != self.target and name not in without))
        for name in found:
            self.place(name)
        if not found or len(set(found)) < len(found) or set(found) & set(without):
            raise InvalidInput("features must be one or more different columns of the release, without the target.")
        return found

    def means(self) -> Floats:
        """The means of the columns, (k,), within their bounds. Raises as `count` does."""
        return np.clip(self.matrix[0, 1:] / self.count, -self.largest, self.largest)

    def centred(self) -> Floats:
        """Sums of products about the means, (k, k); a variance smaller than its noise may be negative. Raises as `count` does."""
        return self.matrix[1:, 1:] - np.outer(self.matrix[0, 1:], self.matrix[0, 1:]) / self.count

    def correlations(self) -> Floats:
        """Correlations, (k, k), within [-1, 1]; NaN for columns whose variance is smaller than its noise. Raises as `count` does."""
        centred = self.centred()
        squares = np.diag(centred).copy()
        squares[~(squares > 0)] = np.nan
        return np.clip(centred / np.sqrt(np.outer(squares, squares)), -1.0, 1.0)

    def correlation_interval(self, first: str, second: str, *, level: float = 0.95, population: bool = True) -> tuple[float, float]:
        """Interval for the correlation of two columns, in the population or in these records.

        [-1, 1] if a variance is smaller than its noise; see the module.
        """
        quantile = float(ndtri(0.5 + 0.5 * probability(level, "level")))
        i, j = self.place(first) - 1, self.place(second) - 1
        found = float(self.correlations()[i, j])
        squares, means, (head, *rest) = np.diag(self.centred()), self.matrix[0, 1:] / self.count, self.noise.tolist()
        with np.errstate(invalid="ignore", divide="ignore"):
            own = [(rest[k] + means[k] ** 2 * head) / squares[k] for k in (i, j)]
            cross = (rest[i] * (i == j) + means[i] * means[j] * head) / np.sqrt(squares[i] * squares[j])
        if not (np.isfinite(found) and quantile * np.sqrt(2.0) * max(own) < 0.5 and min(own) >= 0.0):
            return -1.0, 1.0
        variance = own[0] * own[1] + cross**2 - 2.0 * found * cross * sum(own) + 0.5 * found**2 * (own[0] ** 2 + own[1] ** 2 + 2.0 * cross**2)
        if self.exact_count:
            scaled = [means[k] / np.sqrt(squares[k]) for k in (i, j)]
            variance -= 2.0 * (head * (scaled[0] * scaled[1] - 0.5 * found * (scaled[0] ** 2 + scaled[1] ** 2))) ** 2
        variance += (1.0 - found**2) ** 2 / self.count if population else 0.0
        half = quantile * float(np.sqrt(max(variance, 0.0)))
        return max(-1.0, found - half), min(1.0, found + half)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Raised:
    """A symmetric matrix whose noise has the law of the module, and the positive definite one that is used instead."""

    matrix: Floats
    used: Floats
    """Eigenvalues that noise of this size could have made are raised, in units of the noise."""
    raised: int
    """How many."""


def raised(matrix: Floats, noise: Floats) -> Raised:
    """`noise` (p,): its diagonal. Without noise eigenvalues of a billionth of the largest, and less, are raised to that, and not counted."""
    root = np.sqrt(np.where(noise > 0, noise, np.max(noise, initial=0.0) * 1e-6)) if np.any(noise > 0) else np.ones(len(matrix))
    values, vectors = np.linalg.eigh(matrix / np.outer(root, root))
    floor = FLOOR * np.sqrt(len(matrix)) if np.any(noise > 0) else 1e-12 * max(float(np.max(np.abs(values))), 1e-300)
    low = values < floor
    used = (vectors * np.where(low, floor, values)) @ vectors.T * np.outer(root, root)
    return Raised(matrix=matrix, used=used if np.any(low) else matrix, raised=int(np.sum(low)) if np.any(noise > 0) else 0)


def one_hot(labels: npt.NDArray[Any], classes: npt.NDArray[Any]) -> Floats:
    """(n, K): 1 where a row has the class, else 0."""
    return np.asarray(labels[:, np.newaxis] == classes, dtype=np.float64)
