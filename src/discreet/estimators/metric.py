"""A public metric: rows in coordinates in which directions that vary little count more, or less, than they do by themselves.

    z = A x / r,     A = (C / c + f I)^p,      C a public covariance, c its largest eigenvalue;      |z| <= 1 where a fit shortens rows to that

A fit of rows z has noise and ridge in the coordinates of z: in those of x the noise in the objective has the covariance A A', and the ridge pulls by
w' (A A')^-1 w. With p < 0 (p = -1/2 whitens) the ridge is on what weights do to predictions, and not on their size, which is worth much where records
are many enough for directions of little variance to be learnt; with p > 0 these are given up, which is right where they drown. No privacy is spent:
the map is public, each row is mapped by itself, and the norm bound that a guarantee rests on is that of z, to which a fit brings rows as any others.

Rows are sums over their entries in order, operations that IEEE 754 defines: what a row becomes does not depend on the others, to the last bit.
"""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from discreet.core.arrays import Floats, is_finite
from discreet.core.errors import InvalidInput
from discreet.core.validate import positive
from discreet.data import BlockTable
from discreet.data.blocks import TransformedTable
from discreet.data.domain import LARGEST, SMALLEST
from discreet.estimators.inputs import feature_rows
from discreet.estimators.transformer import LearnsNothing
from discreet.matrices import DenseMatrix, Matrix
from discreet.matrices.bounded import brought_near

_LONGEST = 2.0


class PublicMetric(LearnsNothing):
    """Rows in the coordinates of a public covariance, a step before an estimator with data_norm=1.

    Parameters
    ----------
    covariance : (d, d), symmetric, without negative eigenvalues: of public rows, or from what is known of the columns. Never of the records.
    power : p, from -2 to 2; -1/4 unless said.
    floor : f, > 0: eigenvalues are raised by this share of the largest one.
    norm : r, > 0, in the unit of A x: longer rows are shortened to it by the fit. `of_rows` takes a typical one of public rows.

    Raises InvalidInput, where it is used, for what is none of these.

    Examples
    --------
    >>> import numpy as np
    >>> from discreet import LinearSVC, PublicMetric
    >>> from sklearn.pipeline import make_pipeline
    >>> draw = np.random.default_rng(0)
    >>> X = draw.uniform(-1.0, 1.0, (20_000, 2)) * [10.0, 0.1]
    >>> metric = PublicMetric.of_rows(X[:1_000])  # rows of people who agreed that they are public
    >>> model = make_pipeline(metric, LinearSVC(epsilon=1.0, data_norm=metric.norm, classes=["no", "yes"]))
    >>> model.fit(X[1_000:], np.where(X[1_000:, 0] > 0.0, "yes", "no")).predict([[9.0, 0.0], [-9.0, 0.0]])
    array(['yes', 'no'], dtype='<U3')
    """

    def __init__(self, covariance: Any, *, power: float = -0.25, floor: float = 0.01, norm: float = 1.0) -> None:
        """Keep the parameters."""
        self.covariance = covariance
        self.power = power
        self.floor = floor
        self.norm = norm

    @classmethod
    def of_rows(cls, rows: Any, *, power: float = -0.25, floor: float = 0.01, share: float = 0.5) -> Self:
        """From public rows (n, d): their second moments over n, and as `norm` the length that this share of them, mapped, stays below.

        Raises InvalidInput for rows that are none, or a share outside (0, 1).
        """
        public = _written(feature_rows(rows))
        if not len(public):
            raise InvalidInput("a metric needs public rows; none were given.")
        if not (is_finite(share) and 0 < share < 1):
            raise InvalidInput(f"the share of public rows kept at full length must lie between 0 and 1; {share!r} was given.")
        made = cls(public.T @ public / len(public), power=power, floor=floor)
        typical = float(np.quantile(np.linalg.norm(made.transform(public), axis=1), share))
        if not typical > 0:
            raise InvalidInput("the public rows are all zero, so they show no directions.")
        return cls(made.covariance, power=power, floor=floor, norm=typical)

    def fit(self, X: Any = None, y: Any = None) -> Self:  # noqa: ARG002 - as steps of pipelines have it
        """Nothing: neither X nor y is looked at."""
        return self

    def transform(self, X: Any) -> Floats:
        """Rows z (n, d) of rows (n, d), each by itself. Raises InvalidInput for another number of columns."""
        return _Mapped(self._map()).rows(feature_rows(X))

    def table(self, table: BlockTable) -> BlockTable:
        """The same of a table in blocks, block by block wherever it is; targets, weights and persons stay."""
        return TransformedTable(table, _Mapped(self._map()), features=table.features)

    def moved(self, coef: Any) -> Floats:
        """Coefficients (d,) or (K, d) of rows x as those of rows z: a `prior` in these coordinates."""
        return np.asarray(np.linalg.solve(self._map(), np.asarray(coef, dtype=np.float64).T).T)

    def coefficients(self, coef: Any) -> Floats:
        """Coefficients of rows z as those of rows x, (d,) or (K, d): what a model says of rows that are not shortened."""
        return np.asarray(np.asarray(coef, dtype=np.float64) @ self._map())

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> npt.NDArray[Any]:  # noqa: ARG002 - mixtures of all
        """Such as "z0"."""
        return np.asarray([f"z{number}" for number in range(len(self._map()))], dtype=object)

    def __sklearn_tags__(self) -> Any:
        """It takes sparse rows."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _map(self) -> Floats:
        """A / r, (d, d), symmetric."""
        given = np.asarray(self.covariance, dtype=np.float64)
        if given.ndim != 2 or given.shape[0] != given.shape[1] or not len(given) or not np.all(np.isfinite(given)):
            raise InvalidInput("the covariance of a metric must be a square table of finite numbers, (d, d).")
        if not np.allclose(given, given.T, rtol=1e-9, atol=0.0):
            raise InvalidInput("the covariance of a metric must be symmetric; (C + C.T) / 2 is.")
        values, vectors = np.linalg.eigh(0.5 * (given + given.T))
        floor, power = positive(self.floor, "floor"), self.power
        if not (values[-1] > 0 and values[0] >= -1e-9 * values[-1]):
            raise InvalidInput("the covariance of a metric must have no negative eigenvalue, and a positive one.")
        if not (is_finite(power) and abs(power) <= _LONGEST):
            raise InvalidInput(f"the power of a metric must lie between -{_LONGEST:g} and {_LONGEST:g}; {power!r} was given. -0.5 whitens.")
        raised = (np.maximum(values, 0.0) / values[-1] + floor) ** power / positive(self.norm, "norm")
        if not SMALLEST <= raised.min() <= raised.max() <= LARGEST:
            raise InvalidInput(f"a metric may change lengths by factors from {SMALLEST:g} to {LARGEST:g} only; use another floor, power or norm.")
        return np.asarray((vectors * raised) @ vectors.T)


class _Mapped:
    """Blocks of rows as blocks of mapped ones; holds public numbers only."""

    __slots__ = ("_far", "_map")

    def __init__(self, matrix: Floats) -> None:
        self._map = matrix
        self._far = min(max(2.0 / float(np.linalg.eigvalsh(matrix)[0]), SMALLEST), LARGEST)

    def __call__(self, rows: Matrix) -> Matrix:
        return DenseMatrix(self.rows(rows))

    def rows(self, rows: Matrix) -> Floats:
        """The sums of x_j times column j, in order. Rows so far out that any of them is shortened are brought nearer, so that nothing overflows."""
        if rows.shape[1] != len(self._map):
            raise InvalidInput(f"the metric is for {len(self._map)} columns; rows with {rows.shape[1]} were given.")
        given = _written(brought_near(rows, self._far))
        found = np.zeros_like(given)
        for entries, column in zip(given.T, self._map, strict=True):
            found += entries[:, np.newaxis] * column
        return found


def _written(rows: Matrix) -> Floats:
    return np.concatenate([np.zeros((0, rows.shape[1])), *(part for _, part in rows.chunks())])
