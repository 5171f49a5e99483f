"""Public parameters in files: how those of a named thing (a loss, a kernel, a constraint set) are written and found again, and readers of one value.

Users add kinds of their own: `enrol` keeps a class with a check of what it states, and from then on it is found by its name like the library's own.
Whether a thing is known, so that its certificate can be read again, is asked before anything is spent (`require_known`).

A reader gives the value of a JSON record, typed, or raises TypeError or ValueError for whoever knows the record's name to put into words.
"""

import dataclasses
import json
import re
from collections.abc import Callable, Iterable, Mapping
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
    """The classes of `base` that a package exports (its `globals()`), abstract ones left out, and those that were enrolled."""
    kinds = (*(package[name] for name in package["__all__"]), *_OWN)
    return [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, base) and not getattr(kind, "__abstractmethods__", None)]


_OWN: dict[type[Named], Callable[[Any], None]] = {}
"""Kinds of users, with what checks one of them and raises InvalidInput."""
_CHECKED: set[tuple[type[Named], str]] = set()
"""Those that were found to be what they state, by their parameters."""


def enrol(example: Named, check: Callable[[Any], None], *, taken: Iterable[type[Named]]) -> None:
    """Keep the class of `example`, once `check` has passed it. Raises InvalidInput for a name that another class has, and as `check` does."""
    kind = type(example)
    place = (kind.__module__, kind.__qualname__)
    if kind.__module__.partition(".")[0] == "discreet" or not dataclasses.is_dataclass(kind):
        raise InvalidInput(f"{kind.__qualname__} cannot be registered: a frozen dataclass of your own is needed, with a name.")
    if any(one.name == kind.name and (one.__module__, one.__qualname__) != place for one in taken):
        raise InvalidInput(f"the name {kind.name!r} is taken; give the class another one.")
    check(example)
    for old in [one for one in _OWN if (one.__module__, one.__qualname__) == place]:  # a cell of a notebook that is run again
        del _OWN[old]
    _OWN[kind] = check
    _CHECKED.add(_key(example))


def _key(thing: Named) -> tuple[type[Named], str]:
    return type(thing), json.dumps(thing.parameters, sort_keys=True, default=repr)


def is_own(thing: Named) -> bool:
    """Whether a user added its kind."""
    return type(thing) in _OWN


def require_known(thing: object) -> None:
    """Raise InvalidInput for a named thing, or a part of one, whose kind is not the library's nor enrolled: its certificates could not be read."""
    if not isinstance(thing, Named):
        return
    kind = type(thing)
    if kind.__module__.partition(".")[0] != "discreet":
        if kind not in _OWN:
            raise InvalidInput(
                f"{kind.__qualname__} ({kind.name!r}) is not registered, so nobody could verify a certificate that names it. Register it "
                "first with discreet.losses.register, discreet.losses.predictions.register or discreet.sets.register. Nothing was spent."
            )
        if _key(thing) not in _CHECKED:
            _OWN[kind](thing)
            _CHECKED.add(_key(thing))
    for field in dataclasses.fields(thing):  # type: ignore[arg-type]
        require_known(getattr(thing, field.name))


def made_by_name(kinds: Iterable[type[T]], what: str, name: str, parameters: Mapping[str, Any] | None) -> T:
    """The one of `kinds` that is called `name`, with these parameters. Raises InvalidInput, with the list of names, for others."""
    known = {kind.name: kind for kind in kinds}
    if name not in known:
        own = "" if what == "kernel" else " Register your own before you use it."
        raise InvalidInput(f"{what} must be one of {sorted(known)}; {name!r} was given.{own}")
    refusal = InvalidInput(f"{what} {name!r} does not take the parameters {sorted(parameters or {})}.")
    made = quietly(lambda: known[name](**(parameters or {})), refusal, TypeError)
    require_known(made)
    return made


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


def names(value: Iterable[Json]) -> tuple[str, ...]:
    """Names of several things: texts, none of them empty, each once."""
    found = tuple(text(name) for name in value)
    if "" in found or len(set(found)) < len(found):
        raise ValueError
    return found
