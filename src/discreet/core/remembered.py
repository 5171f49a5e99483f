"""What is a function of public numbers alone is computed once in a process: calibrations and promises, which the next fit asks for again.

The key is every argument, spelt out: numbers to the last bit, words, enumerations, and the fields of this package's own frozen classes, each with its
type. Anything else has no spelling: an array, a record, a long tuple, a loss or a set of somebody else's (whose equality may say less than its
numbers do). A call with one is computed anew, every time, and nothing of it is kept. So no memory is keyed by data or holds any.

What is remembered must be immutable, and must not depend on anything but its arguments. A refusal is not remembered.
"""

import os
import threading
from collections.abc import Callable, Hashable
from dataclasses import fields
from enum import Enum
from functools import lru_cache, wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np

P = ParamSpec("P")
T = TypeVar("T")

_MOST = 256
"""Results of one function; the oldest goes first."""
_LONGEST = 1000
"""Parts of a tuple in a key: longer ones are not spelt, so that keys stay small."""
_LOCK = threading.Lock()
if hasattr(os, "register_at_fork"):  # not on every system; a child must not wait for a thread that it does not have
    os.register_at_fork(before=_LOCK.acquire, after_in_parent=_LOCK.release, after_in_child=_LOCK.release)
_MEMORIES: list[dict[Hashable, Any]] = []
_MISSING = object()
_PLAIN = frozenset({int, bool, str, bytes, type(None)})
_FLOATS = frozenset({float, np.float64})


class _Unspelt(Exception):
    """An argument that is no public number or word."""


def remembered(work: Callable[P, T]) -> Callable[P, T]:
    """`work`, computed once for each list of public arguments; see the module docstring."""
    found: dict[Hashable, T] = {}
    _MEMORIES.append(found)

    @wraps(work)
    def remembering(*given: P.args, **named: P.kwargs) -> T:
        try:
            key = (*map(spelt, given), *((name, spelt(named[name])) for name in sorted(named)))
        except _Unspelt:
            return work(*given, **named)
        known: Any = found.get(key, _MISSING)
        if known is _MISSING:
            known = work(*given, **named)
            with _LOCK:
                while len(found) >= _MOST:
                    del found[next(iter(found))]
                found[key] = known
        result: T = known
        return result

    return remembering


def forget() -> None:
    """Begin anew: for tests, which replace what is computed."""
    with _LOCK:
        for memory in _MEMORIES:
            memory.clear()


def spelt(value: object) -> Hashable:
    """The value as a key that is equal for equal values of one type only. Raises for what has no such spelling."""
    kind: type = type(value)
    if kind in _PLAIN:
        return kind, value
    if kind in _FLOATS:
        return kind, value.hex()  # type: ignore[attr-defined] # a float
    if isinstance(value, Enum):
        return kind, value.name
    if isinstance(value, tuple) and kind is tuple and len(value) <= _LONGEST:
        return (tuple, *[spelt(part) for part in value])
    names = _compared(kind)
    if names is None:
        raise _Unspelt
    return (kind, *[spelt(getattr(value, name)) for name in names])


@lru_cache(maxsize=256)
def _compared(kind: type) -> tuple[str, ...] | None:
    """The fields that make two objects of a class equal; None for a class that is not for us to spell."""
    ours = kind.__module__.partition(".")[0] == __name__.partition(".")[0]
    stated: Any = getattr(kind, "__dataclass_params__", None) if ours and "__dataclass_params__" in vars(kind) else None
    return tuple(field.name for field in fields(kind) if field.compare) if stated is not None and stated.frozen and stated.eq else None
