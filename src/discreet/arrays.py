"""Array types shared by every floor: float64 NumPy arrays, shapes given in docstrings."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
"""Any float64 array."""

Matrix: TypeAlias = npt.NDArray[np.floating]
"""A two-dimensional array that may be float32 (Hessian approximations) or float64."""


def two_sum(left: Floats, right: Floats) -> tuple[Floats, Floats]:
    """left + right as a rounded sum and its exact error (Knuth)."""
    total = left + right
    shadow = total - left
    return total, (left - (total - shadow)) + (right - shadow)
