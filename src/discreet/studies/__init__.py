"""Studies: what the papers ran, run again beside our calibrations. `discreet study` runs them; docs/studies.md says how to add one.

Why they are part of the package: `discreet study` must work where nothing but the wheel is installed, in a checkout and in a wheel alike, and the
studies' code is typed, linted and tested as everything else. They stand on top, use what other packages export, and nothing but the command line
imports them.
"""

from discreet.studies.base import Cell, Record, Study, Value, seed_of
from discreet.studies.figures import Line, Panel, figure
from discreet.studies.page import Comparison, Figure, Page, Verdict, numbers
from discreet.studies.registry import STUDIES, study_named
from discreet.studies.results import Results, summary
from discreet.studies.runner import Outcome, run
from discreet.studies.tables import Table, Tables

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
