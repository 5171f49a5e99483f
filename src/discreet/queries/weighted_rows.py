"""Records under a weighting:  answer_i = z_i T,  T = Pi^{1/4} symmetric, for noise whose covariance is proportional to Pi^{-1/2}.

Noise of one size on z T is noise of covariance proportional to (T T')^{-1} on z, once the rows are multiplied by the inverse of T, which is public
(`restore`). The larger the weight of a number, the less noise it gets (Farokhi 2020, theorem 2.4).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from discreet.accounting import Json
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Neighbours
from discreet.data import Domain, Records
from discreet.queries.base import Released, Target, released
from discreet.queries.linear import LinearMap
from discreet.queries.projection import Projection


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WeightedRows:
    """Build it with `of`."""

    shaped: Projection
    """z T."""
    weights: Floats
    """Pi."""

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
            raise InvalidInput("weights must be positive: a column of weight 0 would have no noise.")
        root = (vectors * values**0.25) @ vectors.T
        return cls(shaped=Projection(domain=domain, target=read.target, map=LinearMap.on_grid(0.5 * (root + root.T))), weights=matrix)

    @property
    def read(self) -> Released:
        """See RowQuery."""
        return self.shaped.read

    @property
    def columns(self) -> int:
        """See RowQuery."""
        return self.shaped.columns

    def sensitivity(self, neighbours: Neighbours) -> float:
        """See RowQuery."""
        return self.shaped.sensitivity(neighbours)

    def require(self, data: Records) -> None:
        """See RowQuery."""
        self.read.require(data)

    def answer(self, data: Records) -> Iterator[tuple[slice, Floats]]:
        """See RowQuery."""
        return self.shaped.answer(data)

    def restore(self, rows: Floats) -> Floats:
        """Released rows (n, m) times the inverse of T: on the records' own scales."""
        return np.asarray(np.linalg.solve(self.shaped.map.matrix.T, rows.T).T, dtype=np.float64)

    def to_dict(self) -> dict[str, Json]:
        """See RowQuery."""
        return {**self.shaped.to_dict(), "query": "weighted-rows", "weights": [[float(v) for v in row] for row in self.weights]}
