"""A private choice of where the columns of a schema are cut, with its proof note beside it (cuts.md)."""

from discreet.mechanisms.cuts.columns import choose_cuts
from discreet.mechanisms.cuts.grid import ColumnCells, ColumnHistograms
from discreet.mechanisms.cuts.release import CutsPlan, Interval, ReleasedCuts

__all__ = ["ColumnCells", "ColumnHistograms", "CutsPlan", "Interval", "ReleasedCuts", "choose_cuts"]
