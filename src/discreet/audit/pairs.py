"""Worst neighbouring tables of linear models, as signed records v = y x with multiplicities.

alone      nothing, and one record v of the largest norm
pulled     others at -v: the minimiser lies where the record's slope is largest, and the others' curvature with it
far        very many very short others, which pull the minimiser as far to the other side as one likes with next to no curvature: the record moves
           the gradient by its whole bound, and nothing damps it; the pair that output perturbation is calibrated for
turned     replace-one: two records in nearly opposite directions (cos t, sin t) and (-cos t, sin t), the others far along -(0, 1), so that both
           have their largest slope at once. The slopes of *exactly* opposite records add up to one bound only: such an audit sees no missing
           factor 2
"""

from typing import NamedTuple

import numpy as np

from discreet.audit.densities import Counted
from discreet.core.neighbours import ADD_REMOVE, Neighbours

_SHORT = 0.01
_MARGIN = 12.0
_ANGLE = 0.15


class Pair(NamedTuple):
    """Two neighbouring tables of signed records, and what they are in words."""

    first: Counted
    second: Counted
    words: str


def worst_pairs(*, radius: float, ridge: float, neighbours: Neighbours, spread: float = 0.0) -> tuple[Pair, ...]:
    """The pairs above for rows of norm at most `radius` and lambda = `ridge`; `spread` is how far noise moves margins, which others must outweigh."""
    margin = _MARGIN + 6.0 * spread
    if neighbours is ADD_REMOVE:
        return tuple(
            Pair(Counted.of(*others, ((radius,), 1.0)), Counted.of(*(others or [((radius,), 0.0)])), f"{words}, and one record more at +R")
            for others, words in _others(radius, ridge, margin)
        )
    along = _far_count(radius, ridge, margin / np.sin(_ANGLE))
    others = ((0.0, -_SHORT * radius), along)
    across, up = radius * np.cos(_ANGLE), radius * np.sin(_ANGLE)
    return (
        Pair(
            Counted.of(others, ((across, up), 1.0)),
            Counted.of(others, ((-across, up), 1.0)),
            f"{along:g} records at (0, -{_SHORT:g} R), and one record of norm R at a right angle to them replaced by the nearly opposite one",
        ),
        Pair(Counted.of(((radius, 0.0), 1.0)), Counted.of(((-radius, 0.0), 1.0)), "one record of norm R alone, its sign flipped"),
    )


def _others(radius: float, ridge: float, margin: float) -> list[tuple[list[tuple[tuple[float, ...], float]], str]]:
    far = _far_count(radius, ridge, margin)
    return [
        ([], "no records"),
        ([((-radius,), 3.0)], "3 records at -R"),
        ([((-radius,), 300.0)], "300 records at -R"),
        ([((-_SHORT * radius,), far)], f"{far:g} records at -{_SHORT:g} R"),
    ]


def _far_count(radius: float, ridge: float, margin: float) -> float:
    """How many short records pull the minimiser to a margin of about `margin` on a row of norm R: half a slope each, against lambda |f|."""
    return float(np.ceil(2.0 * ridge * margin / (_SHORT * radius**2)))
