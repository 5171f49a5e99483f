"""Queries: public questions about private records, with the farthest that one record moves the computed answer."""

from discreet.queries.base import Released, RowQuery, Rows, Target
from discreet.queries.linear import LinearMap, Projection, WeightedRows
from discreet.queries.second_moments import SecondMoments

__all__ = ["LinearMap", "Projection", "Released", "RowQuery", "Rows", "SecondMoments", "Target", "WeightedRows"]
