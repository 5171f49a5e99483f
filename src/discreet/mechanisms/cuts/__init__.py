"""A private choice of where the columns of a schema are cut, with its proof note beside it (cuts.md)."""

from typing import TYPE_CHECKING

from discreet.core.lazily import names_of

if TYPE_CHECKING:
    from discreet.mechanisms.cuts.columns import choose_cuts
    from discreet.mechanisms.cuts.grid import ColumnCells, ColumnHistograms
    from discreet.mechanisms.cuts.release import CutsPlan, Interval, ReleasedCuts
else:
    __getattr__, __dir__ = names_of(__name__)

__all__ = ["ColumnCells", "ColumnHistograms", "CutsPlan", "Interval", "ReleasedCuts", "choose_cuts"]
