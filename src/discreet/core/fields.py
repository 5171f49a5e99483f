"""Readers of one value of a JSON record: the value, typed, or TypeError or ValueError for whoever knows the record's name to put into words."""

import re
from typing import TypeAlias

from discreet.core.arrays import is_finite

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
"""What a certificate may hold."""

_SHA256 = re.compile(r"[0-9a-f]{64}")


def real(value: Json) -> float:
    """A number, infinite perhaps; no whole number beyond float64."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError
    if isinstance(value, int) and not is_finite(value):
        raise ValueError
    return float(value)


def finite(value: Json) -> float:
    """A finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not is_finite(value):
        raise TypeError
    return float(value)


def positive(value: Json) -> float:
    """A positive number."""
    number = finite(value)
    if number <= 0:
        raise ValueError
    return number


def not_negative(value: Json) -> float:
    """A number from 0 on."""
    number = finite(value)
    if number < 0:
        raise ValueError
    return number


def whole(value: Json) -> int:
    """A positive integer."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise TypeError
    return value


def count(value: Json) -> int:
    """An integer from 0 on."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise TypeError
    return value


def text(value: Json) -> str:
    """A string."""
    if not isinstance(value, str):
        raise TypeError
    return value


def sha256(value: Json) -> str:
    """A digest."""
    if not isinstance(value, str) or not _SHA256.fullmatch(value):
        raise ValueError
    return value


def flag(value: Json) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise TypeError
    return value


def numbers(value: Json) -> dict[str, float]:
    """Named numbers."""
    if not isinstance(value, dict):
        raise TypeError
    return {key: finite(number) for key, number in value.items()}
