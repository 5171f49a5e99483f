"""Checks of public numbers that callers pass: the value comes back as a plain number, or InvalidInput says what was needed and what was given.

Nothing here may see a record: messages repeat the value.
"""

import math
import os
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

import numpy as np

from discreet.core.arrays import as_float, is_finite
from discreet.core.errors import InvalidInput

_SMALLEST, _LARGEST = 1e-60, 1e60
"""Of what is squared and divided."""


def given(value: object) -> str:
    """A value in a message; Python writes no integer of more than 4,300 digits."""
    try:
        return repr(value)
    except ValueError:
        return "a number too long to be written out"


def number(value: Any, name: str) -> float:  # noqa: ANN401 - checked here, as everywhere in this module
    """A float, infinite and not a number included. Whole numbers must lie in the range of float64."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InvalidInput(f"{name} must be a number; {given(value)} was given.")
    found = as_float(value)
    if not isinstance(value, float | np.floating) and math.isinf(found):
        raise InvalidInput(f"{name} must be a number that float64 can hold (up to 1.8e308); a larger one was given.")
    return found


def positive(value: Any, name: str) -> float:  # noqa: ANN401
    """A finite number above 0."""
    if not (_is_real(value) and value > 0):
        raise InvalidInput(f"{name} must be a positive finite number; {given(value)} was given.")
    return float(value)


def needed_positive(what: str, value: Any, name: str, *, usual: float) -> None:  # noqa: ANN401
    """The same of a parameter that `what` needs, with a value to try."""
    if not (is_finite(value) and value > 0):
        raise InvalidInput(f"{what} needs a {name} > 0; {value!r} was given. Try {usual}.")


def measure(value: Any, name: str) -> float:  # noqa: ANN401
    """A positive number whose square, and the square of a ratio of two of these, are far within the range of float64."""
    if not (_is_real(value) and _SMALLEST <= value <= _LARGEST):
        raise InvalidInput(f"{name} must be a positive finite number, from {_SMALLEST:g} to {_LARGEST:g}; {given(value)} was given.")
    return float(value)


def bound_or_infinity(value: Any, name: str) -> float:  # noqa: ANN401
    """A bound that may be left out: infinity for None, else a positive finite number. Raises InvalidInput as `positive` does."""
    return math.inf if value is None else positive(value, name)


def not_negative(value: Any, name: str) -> float:  # noqa: ANN401
    """A finite number of at least 0."""
    if not (_is_real(value) and value >= 0):
        raise InvalidInput(f"{name} must be a finite number of at least 0; {given(value)} was given.")
    return float(value)


def share_below_one(value: Any, name: str) -> float:  # noqa: ANN401
    """A number of at least 0 and below 1."""
    if not (_is_real(value) and 0 <= value < 1):
        raise InvalidInput(f"{name} must be at least 0 and below 1; {given(value)} was given.")
    return float(value)


def probability(value: Any, name: str) -> float:  # noqa: ANN401
    """A number strictly between 0 and 1."""
    if not (_is_real(value) and 0 < value < 1):
        raise InvalidInput(f"{name} must lie strictly between 0 and 1; {given(value)} was given.")
    return float(value)


def interval_level(value: Any) -> float:  # noqa: ANN401
    """The level of an interval: as `probability`."""
    if not (_is_real(value) and 0 < value < 1):
        raise InvalidInput(f"the level of an interval must lie between 0 and 1; {given(value)} was given.")
    return float(value)


def small_delta(value: Any) -> float:  # noqa: ANN401
    """A delta: a number of at least 0 and less than 1."""
    if not (_is_real(value) and 0 <= value < 1):
        raise InvalidInput(f"delta must be at least 0 and less than 1; {given(value)} was given. Choose delta well below 1 / n.")
    return float(value)


def whole(value: Any, name: str, *, least: int = 1) -> int:  # noqa: ANN401
    """An integer of at least `least`, within the range of float64."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least or not is_finite(value):
        raise InvalidInput(f"{name} must be an integer of at least {least}, within the range of float64; {given(value)} was given.")
    return int(value)


def each(check: Callable[[Any, str], object], **values: Any) -> None:  # noqa: ANN401
    """Apply one of these checks to every value, under its name."""
    for name, value in values.items():
        check(value, name)


def job_count(n_jobs: int | None) -> int:
    """The number of threads that scikit-learn's `n_jobs` stands for: None is 1, -1 all processors that this process may use, -2 all but one.

    Raises InvalidInput for 0 and for what is no integer.
    """
    if n_jobs is None:
        return 1
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int) or n_jobs == 0:
        raise InvalidInput(f"n_jobs must be None, a positive integer, or a negative one that counts back from all processors; {n_jobs!r} was given.")
    return n_jobs if n_jobs > 0 else max(1, _processors() + 1 + n_jobs)


def _is_real(value: Any) -> bool:  # noqa: ANN401
    return not isinstance(value, bool) and isinstance(value, Real) and is_finite(value)


def _processors() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1
