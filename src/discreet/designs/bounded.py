"""Rows of any design, brought within a norm bound and given a constant column; lazily, and where they are.

x'_i = (min(1, bound / |x_i|) x_i, constant)        factors rounded down, so that no exact norm exceeds the bound (module `shortening`)
"""

from dataclasses import replace
from functools import singledispatch

import numpy as np

from discreet.arrays import Floats
from discreet.designs import travel
from discreet.designs.augmented import AugmentedDesign
from discreet.designs.base import Design
from discreet.designs.cut import rows_of, thread_cuts
from discreet.designs.device import DeviceDesign
from discreet.designs.ordered import ordered_row_norms
from discreet.designs.shortening import safe_shortening
from discreet.errors import InvalidInput
from discreet.workers import map_in_order

_NOT_FINITE = "rows must be finite, and so must their norms."


@singledispatch
def shortened(rows: Design, *, bound: float, constant: float) -> Design:
    """The design of the x'_i. Raises InvalidInput for rows, or norms, that are not finite."""
    norms = rows.row_norms()
    if not np.all(np.isfinite(norms)):
        raise InvalidInput(_NOT_FINITE)
    return AugmentedDesign(rows, scale=safe_shortening(norms, bound, width=rows.width), constant=constant, norms=norms)


@shortened.register
def _device(rows: DeviceDesign, *, bound: float, constant: float) -> Design:
    if not rows.there.plain:
        return shortened.dispatch(object)(rows, bound=bound, constant=constant)
    check_finite(rows)
    return rows.scaled(safe_shortening(rows.norms_there, bound, width=rows.width), constant)


@singledispatch
def shortened_in_order(rows: Design, *, bound: float | None, constant: float, jobs: int = 1) -> Design:
    """The same with norms of module `ordered`: every x'_i is a function of x_i alone, to the last bit. No `bound` shortens nothing."""
    return AugmentedDesign(rows, scale=None if bound is None else _factors(rows, bound, jobs), constant=constant)


@shortened_in_order.register
def _device_in_order(rows: DeviceDesign, *, bound: float | None, constant: float, jobs: int = 1) -> Design:
    if not rows.there.plain:
        return shortened_in_order.dispatch(object)(rows, bound=bound, constant=constant, jobs=jobs)
    scale = None if bound is None else safe_shortening(ordered_row_norms(rows), bound, width=rows.shape[1])
    return rows.of(replace(rows.there, scale=None if scale is None else travel.there(scale, rows.there.table), constant=constant))


def _factors(rows: Design, bound: float, jobs: int) -> Floats | None:
    """By what rows are multiplied; None for ones, as a row that is clearly shorter than the bound has, whatever order its squares are added up in."""
    if np.all(rows.row_norms() <= bound * (1.0 - 1e-9 - rows.width * 2.0**-50)):
        return None
    return safe_shortening(_norms(rows, jobs), bound, width=rows.shape[1])


def _norms(rows: Design, jobs: int) -> Floats:
    """Each the norm of one row, whatever the others are and wherever the table is cut."""
    cut = thread_cuts(rows) if jobs > 1 else []
    if len(cut) < 2:
        return ordered_row_norms(rows)
    return np.concatenate(list(map_in_order(lambda part: ordered_row_norms(rows_of(rows, part)), cut, jobs)))


@singledispatch
def check_finite(rows: Design) -> None:
    """Raise InvalidInput unless all rows are finite, and their norms."""
    if not np.all(np.isfinite(rows.row_norms())):
        raise InvalidInput(_NOT_FINITE)


@check_finite.register
def _device_finite(rows: DeviceDesign) -> None:
    if not rows.finite():
        raise InvalidInput(_NOT_FINITE)
