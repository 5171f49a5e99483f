"""Mechanisms that release a data set, with their proof notes beside them."""

from typing import TYPE_CHECKING

from discreet.core.lazily import names_of
from discreet.core.parts import also_of

if TYPE_CHECKING:
    from discreet.mechanisms.release.bounded_columns import BoundedColumns
    from discreet.mechanisms.release.bounded_noise import BoundedNoise
    from discreet.mechanisms.release.categories import Categories, RandomisedCategories
    from discreet.mechanisms.release.clear_target_sketch import ClearTargetSketch
    from discreet.mechanisms.release.eigenvalue_sketch import EigenvalueSketch
    from discreet.mechanisms.release.fisher_noise import FisherNoise
    from discreet.mechanisms.release.fresh_projection import FreshProjection
    from discreet.mechanisms.release.laplace_rows import LaplaceRelease
    from discreet.mechanisms.release.moments import GaussianMoments
    from discreet.mechanisms.release.null_space_noise import NullSpaceNoise
    from discreet.mechanisms.release.published_sketch import PublishedSketch
    from discreet.mechanisms.release.rows import GaussianRelease, InformationRelease
    from discreet.mechanisms.release.shuffled_rows import ShuffledGaussianRows, ShuffledLaplaceRows
    from discreet.mechanisms.release.sketch import GaussianSketch
    from discreet.mechanisms.release.sketch_information import InformationSketch
else:
    _own_name, __dir__ = names_of(__name__)
    _PRINTED = ("farokhi_theorem_5", "showkatbakhsh_16", "tu_factor_1", "tu_factor_2", "tu_theorem_1")
    __getattr__ = also_of(_own_name, dict.fromkeys(_PRINTED, "papers"))

__all__ = [
    "BoundedColumns",
    "BoundedNoise",
    "Categories",
    "ClearTargetSketch",
    "EigenvalueSketch",
    "FisherNoise",
    "FreshProjection",
    "GaussianMoments",
    "GaussianRelease",
    "GaussianSketch",
    "InformationRelease",
    "InformationSketch",
    "LaplaceRelease",
    "NullSpaceNoise",
    "PublishedSketch",
    "RandomisedCategories",
    "ShuffledGaussianRows",
    "ShuffledLaplaceRows",
]
