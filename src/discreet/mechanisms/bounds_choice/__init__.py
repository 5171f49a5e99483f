"""A private choice of bounds for numeric columns and row norms, with its proof note beside it (bounds_choice.md)."""

from discreet.mechanisms.bounds_choice.choice import BoundsChoice, OpenColumns
from discreet.mechanisms.bounds_choice.grid import BoundsGrid, grid_named
from discreet.mechanisms.bounds_choice.release import ReleasedBounds, choose_bounds, choose_norm

__all__ = ["BoundsChoice", "BoundsGrid", "OpenColumns", "ReleasedBounds", "choose_bounds", "choose_norm", "grid_named"]
