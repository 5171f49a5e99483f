"""A schema as a step of a scikit-learn Pipeline: scaling and encoding by public bounds and categories, which learn nothing from records.

A scaler that is fitted tells of the records that it saw, and no guarantee of the estimator behind it covers that. Here `fit` looks at nothing; the
rows that `transform` makes have the norm bound `schema.norm_bound`, which is what to say as the estimator's data_norm.
"""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin

from discreet.core.errors import InvalidType
from discreet.core.frameless import Frameless
from discreet.data import Schema


class LearnsNothing(TransformerMixin, BaseEstimator, metaclass=Frameless):  # type: ignore[misc]
    """A step whose `fit` looks at nothing."""

    def __sklearn_is_fitted__(self) -> bool:
        """Always: there is nothing to learn."""
        return True

    def __sklearn_tags__(self) -> Any:
        """It asks for no fit."""
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags


class SchemaTransformer(LearnsNothing):
    """Rows of a table as a schema encodes them.

    Parameters: `schema`; `sparse_output` whether rows are a compressed sparse array, or written out.
    """

    def __init__(self, schema: Schema, *, sparse_output: bool = True) -> None:
        """Keep the parameters."""
        self.schema = schema
        self.sparse_output = sparse_output

    def fit(self, X: Any = None, y: Any = None) -> Self:  # noqa: ARG002 - as steps of pipelines have it
        """Nothing: neither X nor y is looked at. Raises InvalidType for what is no schema."""
        if not isinstance(self.schema, Schema):
            raise InvalidType(f"a row transformer needs a Schema; {type(self.schema).__name__} was given.")
        return self

    def transform(self, X: Any) -> Any:
        """The features (n, d) of a data frame or another table that `Schema.encode` takes, each row by itself. Raises as that does."""
        rows = self.fit().schema.encode(X, target=False).rows
        parts = [entries for _, entries in rows.chunks()]
        if self.sparse_output:
            made = [sparse.csr_array(part) for part in parts]
            return sparse.vstack(made, format="csr") if made else sparse.csr_array(rows.shape)
        return np.vstack(parts) if parts else np.zeros(rows.shape)

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> npt.NDArray[Any]:  # noqa: ARG002
        """Such as "age" and "town=A", (d,)."""
        return np.asarray(self.schema.feature_names, dtype=object)

    def __sklearn_tags__(self) -> Any:
        """It takes texts."""
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags
