"""Public parameters in files: how those of a named thing (a loss, a kernel, a constraint set) are written and found again, and readers of one value.

A reader gives the value of a JSON record, typed, or raises TypeError or ValueError for whoever knows the record's name to put into words.
"""

import dataclasses
import re
from collections.abc import Iterable, Mapping
from inspect import isabstract
from typing import Any, ClassVar, TypeAlias, TypeVar

import numpy as np

from discreet.core.arrays import is_finite
from discreet.core.errors import InvalidInput, quietly

T = TypeVar("T", bound="Named")
Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
"""What a certificate may hold."""

_SHA256 = re.compile(r"[0-9a-f]{64}")


class Named:
    """A frozen dataclass of public parameters."""

    __slots__ = ()
    name: ClassVar[str]
    """Standard name, used in files, certificates and on the command line."""

    @property
    def parameters(self) -> dict[str, Any]:
        """Constructor arguments as numbers, lists and dictionaries, for certificates and files."""
        fields: Any = self
        return {field.name: _plain(getattr(self, field.name)) for field in dataclasses.fields(fields)}


def exported(package: Mapping[str, Any], base: type[T]) -> list[type[T]]:
    """The classes of `base` that a package exports (its `globals()`), abstract ones left out."""
    kinds = (package[name] for name in package["__all__"])
    return [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, base) and not isabstract(kind)]


def made_by_name(kinds: Iterable[type[T]], what: str, name: str, parameters: Mapping[str, Any] | None) -> T:
    """The one of `kinds` that is called `name`, with these parameters. Raises InvalidInput, with the list of names, for others."""
    known = {kind.name: kind for kind in kinds}
    if name not in known:
        raise InvalidInput(f"{what} must be one of {sorted(known)}; {name!r} was given.")
    refusal = InvalidInput(f"{what} {name!r} takes other parameters than {sorted(parameters or {})}.")
    return quietly(lambda: known[name](**(parameters or {})), refusal, TypeError)


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


def _plain(value: object) -> object:
    """A parameter as files have it."""
    if isinstance(value, Named):
        return {"name": value.name, "parameters": value.parameters}
    return value.tolist() if isinstance(value, np.ndarray) else list(value) if isinstance(value, tuple) else value
