"""Checks that all calculators share. Nothing here has seen a record: every argument is a public number."""

from discreet.core.arrays import is_finite
from discreet.core.errors import InvalidInput


def positive(**values: float) -> None:
    """Raise InvalidInput unless every value is a positive finite number."""
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not (is_finite(value) and value > 0):
            raise InvalidInput(f"{name} must be a positive finite number; {value!r} was given.")


def not_negative(**values: float) -> None:
    """Raise InvalidInput unless every value is a finite number of at least 0."""
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not (is_finite(value) and value >= 0):
            raise InvalidInput(f"{name} must be a finite number of at least 0; {value!r} was given.")


def probability(**values: float) -> None:
    """Raise InvalidInput unless every value lies strictly between 0 and 1."""
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1:
            raise InvalidInput(f"{name} must lie strictly between 0 and 1; {value!r} was given.")


def whole(**values: int) -> None:
    """Raise InvalidInput unless every value is an integer of at least 1."""
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < 1 or not is_finite(value):
            raise InvalidInput(f"{name} must be an integer of at least 1, within the range of float64; {value!r} was given.")
