"""The curvature of a fitted model, privately, with its proof note beside it (curvature.md)."""

from typing import TYPE_CHECKING

from discreet.core.lazily import names_of

if TYPE_CHECKING:
    from discreet.mechanisms.curvature.gaussian import GaussianCurvature
    from discreet.mechanisms.curvature.query import Curvature, CurvatureQuery, CurvatureRecords
else:
    __getattr__, __dir__ = names_of(__name__)

__all__ = ["Curvature", "CurvatureQuery", "CurvatureRecords", "GaussianCurvature"]
