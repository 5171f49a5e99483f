"""Rows of any matrix, brought within a norm bound and given a constant column; lazily, and where they are.

x'_i = (min(1, bound / |x_i|) x_i, constant)        factors rounded down, so that no exact norm exceeds the bound

min(1, bound / |x_i|) is computed as bound / max(|x_i|, bound), which never divides by a small norm: an overflow there would be a warning, and would
tell of one record.
"""

from dataclasses import replace
from functools import singledispatch

import numpy as np

from discreet.core.arrays import Floats, namespace
from discreet.core.workers import map_in_order
from discreet.matrices import travel
from discreet.matrices.augmented import AugmentedMatrix
from discreet.matrices.base import Matrix
from discreet.matrices.cut import rows_of, thread_cuts
from discreet.matrices.device import DeviceMatrix
from discreet.matrices.near import brought_near
from discreet.matrices.ordered import ordered_row_norms


@singledispatch
def shortened(rows: Matrix, *, bound: float, constant: float) -> Matrix:
    """The matrix of the x'_i. Raises InvalidInput for rows that are not finite."""
    near = brought_near(rows, bound)
    norms = near.row_norms()
    return AugmentedMatrix(near, scale=safe_shortening(norms, bound, width=rows.width), constant=constant, norms=norms, given=rows)


@shortened.register
def _device(rows: DeviceMatrix, *, bound: float, constant: float) -> Matrix:
    if not rows.there.plain or brought_near(rows, bound) is not rows:
        return shortened.dispatch(object)(rows, bound=bound, constant=constant)
    return rows.scaled(safe_shortening(rows.norms_there, bound, width=rows.width), constant)


@singledispatch
def shortened_in_order(rows: Matrix, *, bound: float | None, constant: float, jobs: int = 1) -> Matrix:
    """The same with norms of module `ordered`: every x'_i is a function of x_i alone, to the last bit. No `bound` shortens nothing."""
    if bound is None:
        return AugmentedMatrix(rows, scale=None, constant=constant)
    near = brought_near(rows, bound)
    return AugmentedMatrix(near, scale=_factors(near, bound, jobs), constant=constant, given=rows)


@shortened_in_order.register
def _device_in_order(rows: DeviceMatrix, *, bound: float | None, constant: float, jobs: int = 1) -> Matrix:
    if not rows.there.plain or (bound is not None and brought_near(rows, bound) is not rows):
        return shortened_in_order.dispatch(object)(rows, bound=bound, constant=constant, jobs=jobs)
    scale = None if bound is None else safe_shortening(ordered_row_norms(rows), bound, width=rows.shape[1])
    return rows.of(replace(rows.there, scale=None if scale is None else travel.there(scale, rows.there.table), constant=constant))


def _factors(rows: Matrix, bound: float, jobs: int) -> Floats | None:
    """By what rows are multiplied; None for ones, as a row that is clearly shorter than the bound has, whatever order its squares are added up in.

    How much shorter that is follows from the number of columns, not from the fullest row: that may be another record.
    """
    width = rows.shape[1]
    if np.all(rows.row_norms() <= bound * (1.0 - 1e-9 - width * 2.0**-50)):
        return None
    return safe_shortening(_norms(rows, jobs), bound, width=width)


def _norms(rows: Matrix, jobs: int) -> Floats:
    """Each the norm of one row, whatever the others are and wherever the table is cut."""
    cut = thread_cuts(rows) if jobs > 1 else []
    if len(cut) < 2:
        return ordered_row_norms(rows)
    return np.concatenate(list(map_in_order(lambda part: ordered_row_norms(rows_of(rows, part)), cut, jobs)))


def shortening(norms: Floats, bound: float) -> Floats:
    """Factors (n,) for rows of these norms (n,) and a bound > 0."""
    factors: Floats = bound / namespace(norms).clip(norms, bound, None)
    return factors


def safe_shortening(norms: Floats, bound: float, *, width: int) -> Floats | None:
    """The factors, rounded down so that no exact norm exceeds the bound; None when all are 1.

    A computed norm of `width` numbers is within a relative width 2^-53 of the exact one; the room left is twice that and 1e-12.
    """
    safe = bound * (1.0 - 1e-12 - width * 2.0**-52)
    return shortening(norms, safe) if bool(namespace(norms).any(norms > safe)) else None
