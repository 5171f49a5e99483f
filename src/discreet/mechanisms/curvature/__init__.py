"""The curvature of a fitted model, privately, with its proof note beside it (curvature.md)."""

from discreet.mechanisms.curvature.gaussian import GaussianCurvature
from discreet.mechanisms.curvature.query import Curvature, CurvatureQuery, CurvatureRecords

__all__ = ["Curvature", "CurvatureQuery", "CurvatureRecords", "GaussianCurvature"]
