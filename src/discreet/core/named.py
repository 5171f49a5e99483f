"""Things with a standard name and a few public parameters: losses, kernels, constraint sets; and how files find them again."""

import dataclasses
from collections.abc import Iterable, Mapping
from inspect import isabstract
from typing import Any, ClassVar, TypeVar

import numpy as np

from discreet.core.errors import InvalidInput
from discreet.core.quiet import quietly

T = TypeVar("T", bound="Named")


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


def _plain(value: object) -> object:
    """A parameter as files have it."""
    if isinstance(value, Named):
        return {"name": value.name, "parameters": value.parameters}
    return value.tolist() if isinstance(value, np.ndarray) else list(value) if isinstance(value, tuple) else value
