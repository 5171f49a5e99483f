"""Studies: what the papers ran, run again beside our calibrations. `python -m studies` runs them; docs/studies.md says how to add one.

They stand outside the package, in the checkout only, and use what it exports, as a user would.
"""

from studies.base import Cell, Record, Study, Value, seed_of
from studies.figures import Line, Panel, figure
from studies.page import Comparison, Figure, Page, Verdict, numbers
from studies.registry import STUDIES, study_named
from studies.results import Results, summary
from studies.runner import Outcome, run
from studies.tables import Table, Tables

__all__ = [
    "STUDIES",
    "Cell",
    "Comparison",
    "Figure",
    "Line",
    "Outcome",
    "Page",
    "Panel",
    "Record",
    "Results",
    "Study",
    "Table",
    "Tables",
    "Value",
    "Verdict",
    "figure",
    "numbers",
    "run",
    "seed_of",
    "study_named",
    "summary",
]
