"""Parameters of the wrong type, refused by the name of their class before a record is looked at.

Types are those that the fields of a class state: True or False, whole numbers, numbers, texts, None. A parameter that may be something else besides,
such as a loss or a list of labels, is left to those who read it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import lru_cache
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import numpy as np

from discreet.core.errors import InvalidInput
from discreet.core.validate import given

_TRUTH = (bool, np.bool_)
_WORDS = {bool: "True or False", int: "a whole number", float: "a number", str: "a text", NoneType: "None"}
_TAKEN: dict[Any, tuple[type, ...]] = {bool: _TRUTH, int: (Integral,), float: (Real,), str: (str,), NoneType: (NoneType,)}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Typed:
    """A field whose types are known."""

    name: str
    types: tuple[Any, ...]

    def takes(self, value: Any) -> bool:
        """Whether it is of one of the types; what is true or false is no number."""
        if isinstance(value, _TRUTH):
            return bool in self.types
        return any(isinstance(value, _TAKEN[one]) for one in self.types if one is not bool)

    @property
    def words(self) -> str:
        """In a message."""
        *first, last = (_WORDS[one] for one in self.types)
        return f"{', '.join(first)} or {last}" if first else last


def refuse_wrong_types(estimator: Any) -> None:
    """Raise InvalidInput for the first parameter that is of none of the types that its field states."""
    kind: Any = type(estimator)
    for one in _typed(kind):
        value = getattr(estimator, one.name)
        if not one.takes(value):
            raise InvalidInput(f"{kind.__name__}: {one.name} must be {one.words}; {given(value)} was given.")


@lru_cache(maxsize=64)
def _typed(kind: type) -> tuple[_Typed, ...]:
    found = ((one.name, tuple(_members(one.type))) for one in fields(kind) if one.init)
    return tuple(_Typed(name=name, types=types) for name, types in found if types and all(type_ in _WORDS for type_ in types))


def _members(stated: Any) -> Iterator[Any]:
    """Of a union, the first of what stands in Annotated[..]."""
    if get_origin(stated) is Annotated:
        yield from _members(get_args(stated)[0])
    elif get_origin(stated) in (Union, UnionType):
        yield from get_args(stated)
    else:
        yield stated
