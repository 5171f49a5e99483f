"""Queries: public questions about private records, with the farthest that one record moves the computed answer."""

from typing import TYPE_CHECKING

from discreet.core.lazily import names_of

if TYPE_CHECKING:
    from discreet.queries.base import Released, RowQuery, Rows, Target
    from discreet.queries.linear import LinearMap, Projection, WeightedRows
    from discreet.queries.second_moments import SecondMoments
else:
    __getattr__, __dir__ = names_of(__name__)

__all__ = ["LinearMap", "Projection", "Released", "RowQuery", "Rows", "SecondMoments", "Target", "WeightedRows"]
