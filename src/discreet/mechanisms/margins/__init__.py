"""Contingency tables of columns in exact integers, the later ones chosen by what the earlier ones show, with their proof note beside them."""

from typing import TYPE_CHECKING

from discreet.core.lazily import names_of

if TYPE_CHECKING:
    from discreet.mechanisms.margins.gaussian import GaussianMargins, pair_scale
    from discreet.mechanisms.margins.problem import Counts, Margins
else:
    __getattr__, __dir__ = names_of(__name__)

__all__ = ["Counts", "GaussianMargins", "Margins", "pair_scale"]
