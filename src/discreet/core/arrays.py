"""Array types shared by every floor: float64 NumPy arrays, shapes given in docstrings."""

import hashlib
import json
import math
from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
"""Any float64 array."""

AnyFloats: TypeAlias = npt.NDArray[np.floating]
"""A two-dimensional array that may be float32 (Hessian approximations) or float64."""


def as_float(value: Any) -> float:  # noqa: ANN401 - whatever can be a float
    """`value` as float64; a whole number beyond its range is infinite."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def as_floats(values: Any) -> Floats:  # noqa: ANN401 - whatever can be an array of floats
    """The same for numbers in any arrangement."""
    try:
        return np.asarray(values, dtype=np.float64)
    except OverflowError:
        given = np.asarray(values, dtype=object)
    return np.array([as_float(value) for value in given.ravel()]).reshape(given.shape)


def is_finite(value: Any) -> bool:  # noqa: ANN401 - any number
    """Whether a number is finite as a float64."""
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def two_sum(left: Floats, right: Floats) -> tuple[Floats, Floats]:
    """left + right as a rounded sum and its exact error (Knuth)."""
    total = left + right
    shadow = total - left
    return total, (left - (total - shadow)) + (right - shadow)


def length(vector: Floats) -> float:
    """|v|_2 of one vector, to the bits of NumPy's norm, which looks for longer at what it is asked than a short one takes."""
    return math.sqrt(vector.dot(vector))


def namespace(values: Any) -> Any:  # noqa: ANN401 - a module of functions, whose library is known at run time only
    """The functions that suit `values`: NumPy's for its arrays and for numbers, those of the array API standard for an array of another library.

    Formulas that use what both have (exp, log1p, abs, clip, minimum, ..) are written once for rows in memory and for rows on a device.
    """
    if isinstance(values, np.ndarray | np.generic | float | int):
        return np
    from array_api_compat import array_namespace  # noqa: PLC0415 - an optional dependency, which whoever holds such an array has

    return array_namespace(values)


def at_most(values: Any, most: float) -> Any:  # noqa: ANN401 - as above
    """`values`, or `most` where they are larger; of NumPy's arrays by its minimum, which takes a third of the time of its clip for a few."""
    return np.minimum(values, most) if isinstance(values, np.ndarray) else namespace(values).clip(values, None, most)


def digest_of(value: Floats) -> str:
    """SHA-256 of the shape and the little-endian float64 numbers of an array."""
    numbers = np.ascontiguousarray(value, dtype="<f8")
    return digest_of_blocks(numbers.shape, (numbers,))


def digest_of_blocks(shape: tuple[int, ...], blocks: Iterable[Floats]) -> str:
    """The same of an array of this shape whose rows come some at a time."""
    digest = hashlib.sha256(json.dumps(shape).encode())
    for block in blocks:
        digest.update(np.ascontiguousarray(block, dtype="<f8").data)
    return digest.hexdigest()
