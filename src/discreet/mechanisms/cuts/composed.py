"""Cuts and a fit on them, under one guarantee: a choice, then a fit (selection/then_fit.py, proof note cuts.md, theorem 2).

The fit has the same public problem whatever the cuts are (choose.py).
"""

from collections.abc import Callable, Sequence

from discreet.certificates import Certificate
from discreet.core.neighbours import Neighbours, Persons
from discreet.mechanisms.cuts.release import CutsPlan, Interval
from discreet.mechanisms.selection import ThenFit

CUTS_THEN_FIT = "cuts-then-fit"


def cuts_then_fit(
    columns: Sequence[Interval],
    *,
    epsilon: float,
    delta: float,
    neighbours: Neighbours,
    share: float,
    planned: Callable[[float, float], Certificate],
    persons: Persons | None = None,
) -> ThenFit[CutsPlan]:
    """As `ThenFit.calibrate`, which see. Raises InvalidInput for no column too."""

    def chosen(epsilon: float, delta: float) -> CutsPlan:
        return CutsPlan.calibrate(columns, epsilon=epsilon, delta=delta, neighbours=neighbours, persons=persons)

    return ThenFit.calibrate(CUTS_THEN_FIT, chosen, epsilon=epsilon, delta=delta, share=share, planned=planned)
