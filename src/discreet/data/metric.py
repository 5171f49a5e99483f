"""A public metric: rows in coordinates in which directions that vary little count more, or less, than they do by themselves.

    z = A x / r,     A = (C / c + f I)^p,      C a public covariance, c its largest eigenvalue

It is public, as a column's bounds are: each row is mapped by itself, and the norm bound that a guarantee rests on is that of z, which a schema with a
metric states as 1 and to which it shortens its rows. In a file are the entries of A / r as they were computed, so that rows are the same wherever
the file is read. Rows are sums over their entries in order, operations that IEEE 754 defines: what a row becomes does not depend on the others, to
the last bit.
"""

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Self

import numpy as np

from discreet.core.arrays import Floats, is_finite
from discreet.core.errors import InvalidInput, SchemaError
from discreet.core.fields import finite
from discreet.core.lazily import lazily
from discreet.core.short import short_repr
from discreet.core.validate import positive
from discreet.data.domain import LARGEST, SMALLEST, Domain

if TYPE_CHECKING:
    from discreet.data import records
    from discreet.data.schema import Schema
    from discreet.matrices import Matrix, bounded, dense
else:
    records, dense, bounded = lazily("discreet.data.records"), lazily("discreet.matrices.dense"), lazily("discreet.matrices.bounded")

_LONGEST = 2.0
_MOST = 1000
"""Features of a schema with one: its entries are in every file of a model."""


def metric_map(covariance: object, *, power: float, floor: float, norm: float) -> Floats:
    """A / r, (d, d), symmetric. Raises InvalidInput for what makes none."""
    given = np.asarray(covariance, dtype=np.float64)
    if given.ndim != 2 or given.shape[0] != given.shape[1] or not len(given) or not np.all(np.isfinite(given)):
        raise InvalidInput("the covariance of a metric must be a square table of finite numbers, (d, d).")
    if not np.allclose(given, given.T, rtol=1e-9, atol=0.0):
        raise InvalidInput("the covariance of a metric must be symmetric; (C + C.T) / 2 is.")
    values, vectors = np.linalg.eigh(0.5 * (given + given.T))
    least = positive(floor, "floor")
    if not (values[-1] > 0 and values[0] >= -1e-9 * values[-1]):
        raise InvalidInput("the covariance of a metric must have no negative eigenvalue, and a positive one.")
    if not (is_finite(power) and abs(power) <= _LONGEST):
        raise InvalidInput(f"the power of a metric must lie between -{_LONGEST:g} and {_LONGEST:g}; {power!r} was given. -0.5 whitens.")
    raised = (np.maximum(values, 0.0) / values[-1] + least) ** power / positive(norm, "norm")
    if not SMALLEST <= raised.min() <= raised.max() <= LARGEST:
        raise InvalidInput(f"a metric may change lengths by factors from {SMALLEST:g} to {LARGEST:g} only; use another floor, power or norm.")
    return np.asarray((vectors * raised) @ vectors.T)


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """Of the encoded rows of a schema. Raises SchemaError for entries that are none, or too many."""

    entries: tuple[tuple[float, ...], ...]
    """A / r, the i-th row up to its diagonal: it is symmetric."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """See class docstring."""
        if len(self.entries) > _MOST:
            raise SchemaError(
                f"a metric is for at most {_MOST} features; the schema has {len(self.entries)}. Use wider cells, or arrays and PublicMetric."
            )
        values = np.linalg.eigvalsh(self.matrix)
        if not SMALLEST <= values.min() <= values.max() <= LARGEST:
            raise SchemaError(f"metric: lengths may change by factors from {SMALLEST:g} to {LARGEST:g} only.")

    @classmethod
    def of(cls, matrix: Floats) -> Self:
        """With this map, (d, d), symmetric but for rounding."""
        return cls(entries=tuple(tuple(row[: place + 1].tolist()) for place, row in enumerate(np.asarray(matrix))))

    @classmethod
    def from_dict(cls, table: object) -> Self:
        """That of a file. Raises SchemaError."""
        if not isinstance(table, Mapping) or set(table) != {"entries"} or not isinstance(table["entries"], list | tuple) or not table["entries"]:
            raise SchemaError("metric must be a table with entries, the rows of its map up to the diagonal.")
        try:
            rows = tuple(tuple(finite(entry) for entry in row) for row in table["entries"])
        except (TypeError, ValueError):
            rows = ()
        if not rows or any(len(row) != place for place, row in enumerate(rows, start=1)):
            raise SchemaError("metric: entries must be finite numbers, one in the first row, two in the second, and so on.")
        return cls(entries=rows)

    def to_dict(self) -> dict[str, object]:
        """A plain table for JSON."""
        return {"entries": [list(row) for row in self.entries]}

    @property
    def features(self) -> int:
        """d, the number of features."""
        return len(self.entries)

    @property
    def matrix(self) -> Floats:
        """A / r, (d, d)."""
        found = np.zeros((self.features, self.features))
        found[np.tril_indices(self.features)] = np.fromiter(chain.from_iterable(self.entries), dtype=np.float64)
        return np.asarray(np.tril(found) + np.tril(found, -1).T)

    @property
    def digest(self) -> str:
        """SHA-256 of the entries."""
        return hashlib.sha256(np.ascontiguousarray(self.matrix, dtype="<f8").tobytes()).hexdigest()

    def rows(self, rows: "Matrix") -> "Matrix":
        """z of rows (n, d), shortened to norm 1."""
        return records.bounded_rows(MappedRows(self.matrix)(rows), Domain(features=self.features, norm_bound=1.0))

    def moved(self, coef: Floats) -> Floats:
        """Coefficients (.., d) of rows x as those of rows z."""
        return np.asarray(np.linalg.solve(self.matrix, np.asarray(coef, dtype=np.float64).T).T)

    def coefficients(self, coef: Floats) -> Floats:
        """Coefficients (.., d) of rows z as those of rows x: what a model says of rows that are not shortened."""
        return np.asarray(coef @ self.matrix)


class MappedRows:
    """Blocks of rows as blocks of mapped ones; holds public numbers only."""

    __slots__ = ("_far", "_map")

    def __init__(self, matrix: Floats) -> None:
        """Keep the map."""
        self._map = matrix
        self._far = min(max(2.0 / float(np.linalg.eigvalsh(matrix)[0]), SMALLEST), LARGEST)

    def __call__(self, rows: "Matrix") -> "Matrix":
        """Of a block."""
        return dense.DenseMatrix(self.rows(rows))

    def rows(self, rows: "Matrix") -> Floats:
        """The sums of x_j times column j, in order. Rows so far out that any of them is shortened are brought nearer, so that nothing overflows."""
        if rows.shape[1] != len(self._map):
            raise InvalidInput(f"the metric is for {len(self._map)} columns; rows with {rows.shape[1]} were given.")
        given = written_rows(bounded.brought_near(rows, self._far))
        found = np.zeros_like(given)
        for entries, column in zip(given.T, self._map, strict=True):
            found += entries[:, np.newaxis] * column
        return found


def written_rows(rows: "Matrix") -> Floats:
    """All of them, written out."""
    return np.concatenate([np.zeros((0, rows.shape[1])), *(part for _, part in rows.chunks())])


def typical_norm(mapped: Floats, share: float) -> float:
    """The length that this share of public rows, mapped with r = 1, stays below. Raises InvalidInput for another share, and rows of zeros."""
    if not (is_finite(share) and 0 < share < 1):
        raise InvalidInput(f"the share of public rows kept at full length must lie between 0 and 1; {share!r} was given.")
    typical = float(np.quantile(np.linalg.norm(mapped, axis=1), share))
    if not (typical > 0 and math.isfinite(typical)):
        raise InvalidInput("the public rows are all zero, so they show no directions.")
    return typical


def require_no_metric(schema: "Schema", what: str) -> None:
    """Raise SchemaError where the schema has one: `what` needs rows as the columns make them."""
    if schema.metric is not None:
        raise SchemaError(
            f"{what} needs rows in the units of their columns, but the schema has a metric, which is for fits. Use a schema without it."
        )
