"""Checks of what sets are given, and the direction in which their constants are rounded."""

from typing import Any

import numpy as np

from discreet.core.arrays import Floats, as_floats
from discreet.core.errors import InvalidInput


def vector(values: Floats, dimension: int, what: str) -> Floats:
    """`values` as float64 of shape (dimension,), all finite. The message never repeats them: gradients come from records."""
    array = as_floats(values)
    if array.shape != (dimension,):
        raise InvalidInput(f"{what} must have shape ({dimension},); an array of shape {array.shape} was given.")
    if not np.isfinite(array).all():
        raise InvalidInput(f"{what} must be made of finite numbers; one of the given numbers is infinite or not a number.")
    return array


def outward(value: float, dimension: int) -> float:
    """`value` rounded up by more than the rounding errors of a norm of `dimension` terms and of the formula of the value itself: (d + 64) 2^-52."""
    return value * (1.0 + (dimension + 64) * 2.0**-52)


def read_only(values: Any, dimensions: int, what: str) -> Floats:  # noqa: ANN401 (a constructor's argument, checked here)
    """A read-only float64 copy of a non-empty array of finite numbers with that many dimensions."""
    array = as_floats(values).copy()
    if array.ndim != dimensions or array.size == 0 or not np.isfinite(array).all():
        raise InvalidInput(
            f"{what} must be a non-empty array of finite numbers with {dimensions} dimension(s); an array of shape {array.shape} was given."
        )
    array.flags.writeable = False
    return array
