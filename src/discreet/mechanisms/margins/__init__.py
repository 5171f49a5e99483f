"""Contingency tables of columns in exact integers, the later ones chosen by what the earlier ones show, with their proof note beside them."""

from discreet.mechanisms.margins.gaussian import GaussianMargins, pair_scale
from discreet.mechanisms.margins.problem import Counts, Margins

__all__ = ["Counts", "GaussianMargins", "Margins", "pair_scale"]
