"""A private choice of bounds for numeric columns and row norms, with its proof note beside it (bounds_choice.md)."""

from typing import TYPE_CHECKING

from discreet.core.lazily import names_of

if TYPE_CHECKING:
    from discreet.mechanisms.bounds_choice.choice import BoundsChoice, OpenColumns
    from discreet.mechanisms.bounds_choice.grid import BoundsGrid, grid_named
    from discreet.mechanisms.bounds_choice.release import ReleasedBounds, choose_bounds, choose_norm
else:
    __getattr__, __dir__ = names_of(__name__)

__all__ = ["BoundsChoice", "BoundsGrid", "OpenColumns", "ReleasedBounds", "choose_bounds", "choose_norm", "grid_named"]
