"""Rows of any design, brought within a norm bound and given a constant column; lazily, and where they are.

x'_i = (min(1, bound / |x_i|) x_i, constant)        factors rounded down, so that no exact norm exceeds the bound (module `shortening`)
"""

from dataclasses import replace
from functools import singledispatch

import numpy as np

from discreet.designs import travel
from discreet.designs.augmented import AugmentedDesign
from discreet.designs.base import Design
from discreet.designs.device import DeviceDesign
from discreet.designs.ordered import ordered_row_norms
from discreet.designs.shortening import safe_shortening
from discreet.errors import InvalidInput

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
def shortened_in_order(rows: Design, *, bound: float | None, constant: float) -> Design:
    """The same with norms of module `ordered`: every x'_i is a function of x_i alone, to the last bit. No `bound` shortens nothing."""
    scale = None if bound is None else safe_shortening(ordered_row_norms(rows), bound, width=rows.shape[1])
    return AugmentedDesign(rows, scale=scale, constant=constant)


@shortened_in_order.register
def _device_in_order(rows: DeviceDesign, *, bound: float | None, constant: float) -> Design:
    if not rows.there.plain:
        return shortened_in_order.dispatch(object)(rows, bound=bound, constant=constant)
    scale = None if bound is None else safe_shortening(ordered_row_norms(rows), bound, width=rows.shape[1])
    return rows.of(replace(rows.there, scale=None if scale is None else travel.there(scale, rows.there.table), constant=constant))


@singledispatch
def check_finite(rows: Design) -> None:
    """Raise InvalidInput unless all rows are finite, and their norms."""
    if not np.all(np.isfinite(rows.row_norms())):
        raise InvalidInput(_NOT_FINITE)


@check_finite.register
def _device_finite(rows: DeviceDesign) -> None:
    if not rows.finite():
        raise InvalidInput(_NOT_FINITE)
