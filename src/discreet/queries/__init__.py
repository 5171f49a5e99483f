"""Queries: public questions about private records, with the farthest that one record moves the computed answer."""

from discreet.queries.base import Released, RowQuery, Target
from discreet.queries.linear import LinearMap
from discreet.queries.projection import Projection
from discreet.queries.rows import Rows
from discreet.queries.second_moments import SecondMoments
from discreet.queries.weighted_rows import WeightedRows

__all__ = ["LinearMap", "Projection", "Released", "RowQuery", "Rows", "SecondMoments", "Target", "WeightedRows"]
