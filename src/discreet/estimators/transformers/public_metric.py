"""A public metric: rows in coordinates in which directions that vary little count more, or less, than they do by themselves.

    z = A x / r,     A = (C / c + f I)^p,      C a public covariance, c its largest eigenvalue;      |z| <= 1 where a fit shortens rows to that

A fit of rows z has noise and ridge in the coordinates of z: in those of x the noise in the objective has the covariance A A', and the ridge pulls by
w' (A A')^-1 w. With p < 0 (p = -1/2 whitens) the ridge is on what weights do to predictions, and not on their size, which is worth much where records
are many enough for directions of little variance to be learnt; with p > 0 these are given up, which is right where they drown. No privacy is spent:
the map is public, each row is mapped by itself, and the norm bound that a guarantee rests on is that of z, to which a fit brings rows as any others.

Rows are sums over their entries in order, operations that IEEE 754 defines: what a row becomes does not depend on the others, to the last bit.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput, SchemaError
from discreet.data import BlockTable, EncodedTable, Schema
from discreet.data.blocks import TransformedTable
from discreet.data.metric import MappedRows, Metric, metric_map, typical_norm, written_rows
from discreet.estimators.inputs import feature_rows
from discreet.estimators.transformers.schema_transformer import LearnsNothing


class PublicMetric(LearnsNothing):
    """Rows in the coordinates of a public covariance; a step before an estimator with data_norm=1.

    Parameters
    ----------
    covariance : (d, d), symmetric, without negative eigenvalues: of public rows, or from public knowledge of the columns. Never of the records.
    power : p, from -2 to 2; -1/4 by default.
    floor : f, > 0: eigenvalues are raised by this share of the largest one.
    norm : r, > 0, in the unit of A x: the fit scales longer rows down to it. `of_rows` chooses one that is typical of public rows.

    Raises InvalidInput, when used, for invalid parameters.

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
        """From public rows (n, d), or an EncodedTable: second moments over n, and as `norm` the norm that this share of the mapped rows stays below.

        Raises InvalidInput for invalid rows, or a share outside (0, 1).
        """
        public = written_rows(rows.rows if isinstance(rows, EncodedTable) else feature_rows(rows))
        if not len(public):
            raise InvalidInput("a metric needs public rows; none were given.")
        made = cls(public.T @ public / len(public), power=power, floor=floor)
        return cls(made.covariance, power=power, floor=floor, norm=typical_norm(made.transform(public), share))

    def fit(self, X: Any = None, y: Any = None) -> Self:  # noqa: ARG002 - as steps of pipelines have it
        """Does nothing: neither X nor y is read."""
        return self

    def transform(self, X: Any) -> Floats:
        """The mapped rows z (n, d) of rows (n, d), each by itself. Raises InvalidInput for another number of columns."""
        return MappedRows(self._map()).rows(feature_rows(X))

    def table(self, table: BlockTable) -> BlockTable:
        """The same for a table in blocks, block by block where it is; targets, weights and persons do not change."""
        return TransformedTable(table, MappedRows(self._map()), features=table.features)

    def moved(self, coef: Any) -> Floats:
        """Coefficients (d,) or (K, d) for rows x, converted to rows z: a `prior` in these coordinates."""
        return np.asarray(np.linalg.solve(self._map(), np.asarray(coef, dtype=np.float64).T).T)

    def coefficients(self, coef: Any) -> Floats:
        """Coefficients for rows z, converted to rows x, (d,) or (K, d): the model for rows that are not scaled down."""
        return np.asarray(np.asarray(coef, dtype=np.float64) @ self._map())

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> npt.NDArray[Any]:  # noqa: ARG002 - mixtures of all
        """The names, such as "z0"."""
        return np.asarray([f"z{number}" for number in range(len(self._map()))], dtype=object)

    def __sklearn_tags__(self) -> Any:
        """It takes sparse rows."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def on(self, schema: Schema) -> Schema:
        """The schema whose encoded rows are in these coordinates, at norm 1: for fits of its tables, and in the files of their models.

        Raises InvalidInput for a metric of another number of features, SchemaError for a schema that has one already, or has too many.
        """
        if schema.metric is not None:
            raise SchemaError("the schema has a metric already. Pass the schema without it.")
        matrix = self._map()
        if len(matrix) != schema.features:
            raise InvalidInput(f"the metric is for {len(matrix)} columns; the schema gives {schema.features} features.")
        return replace(schema, metric=Metric.of(matrix))

    def _map(self) -> Floats:
        """A / r, (d, d), symmetric."""
        return metric_map(self.covariance, power=self.power, floor=self.floor, norm=self.norm)
