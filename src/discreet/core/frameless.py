"""What leaves a public door as an exception: its kind and its sentence, and no variable of a frame that held records.

Every frame of a call holds what it was given, and error reporters collect the variables of whatever is raised: in frames of this package, of the
libraries that it calls, and of a caller's own loss, scorer or block function, since these are given records too. So what passes a door,

    a refusal of ours        leaves its traceback behind: it is a sentence of its own
    anything else            keeps the lines of its traceback, with no variable in any of them, nor in those that called them; a line goes whose frame
                             cannot be emptied, because it still runs or is no function's

and so do its causes, contexts and parts, as far as the exception that the caller was handling, which is theirs. `f.__wrapped__` has no door.

Doors are functions that are `frameless`; of a class made by `Frameless` they are all public methods that take records, inherited ones too.
"""

import sys
from abc import ABCMeta
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from inspect import isfunction, unwrap
from types import FrameType, MethodType, TracebackType
from typing import Any, ParamSpec, TypeVar

from discreet.core.errors import DiscreetError

T = TypeVar("T")
P = ParamSpec("P")
RECORDS = frozenset({"X", "y", "rows", "frame", "table"})
"""What parameters that take records are called in methods."""


def frameless(function: Callable[P, T]) -> Callable[P, T]:
    """`function`, whose exceptions take no record along: see the module docstring."""

    @wraps(function)
    def door(*args: P.args, **kwargs: P.kwargs) -> T:
        handled = sys.exception()
        try:
            return function(*args, **kwargs)
        except BaseException as error:
            del args, kwargs
            _leave_records(error, handled)
            del handled
            raise

    return door


_DOOR = frameless(unwrap).__code__


def is_frameless(found: object) -> bool:
    """Whether a function, or what a class has under the name of a method, is a door."""
    return isinstance(found, _Conditional) or getattr(getattr(found, "__func__", found), "__code__", None) is _DOOR


def is_door(frame: FrameType) -> bool:
    """Whether a frame is that of a door, which stands between a function and who called it."""
    return frame.f_code is _DOOR


class Frameless(ABCMeta):
    """Of classes whose public methods take records: all of these are doors, after every mixin and decorator has had its turn."""

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **kwargs: object) -> None:
        """Methods of others, such as scikit-learn's mixins, are doors of this class alone, and never come before another base's own."""
        super().__init__(name, bases, namespace, **kwargs)
        found = {name: value for kind in reversed(cls.__mro__) for name, value in vars(kind).items() if name not in vars(kind).get("_borrowed", ())}
        doors = {name for name, value in found.items() if not name.startswith("_") and RECORDS & _parameters(value) and not is_frameless(value)}
        for method in doors:
            setattr(cls, method, _made_door(found[method]))
        cls._borrowed = frozenset(doors - namespace.keys())


class _Conditional:
    """A method that is there under a condition (scikit-learn's `available_if`), as a door."""

    def __init__(self, inner: Any) -> None:  # noqa: ANN401 - a descriptor of any kind
        self._inner, self._method = inner, frameless(inner.__wrapped__)
        self.__wrapped__, self.__doc__ = inner.__wrapped__, inner.__doc__

    def __get__(self, instance: object, owner: type | None = None) -> Any:  # noqa: ANN401 - as it returns
        found = self._inner.__get__(instance, owner)  # raises AttributeError where it is not there
        return frameless(found) if instance is None else MethodType(self._method, instance)


def _made_door(value: Any) -> Any:  # noqa: ANN401 - whatever stands for a method in a class
    if isinstance(value, classmethod | staticmethod):
        return type(value)(frameless(value.__func__))
    return frameless(value) if isfunction(value) else _Conditional(value)


def _parameters(value: object) -> frozenset[str]:
    """Those of a method; none of what is no method."""
    function: Any = getattr(value, "__func__", value)
    code = getattr(unwrap(function), "__code__", None)
    return frozenset() if code is None else frozenset(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])


def _leave_records(error: BaseException, handled: BaseException | None) -> None:
    """Of the error, of what it holds of others, and of theirs; not of what was `handled` before."""
    waiting: list[BaseException | None] = [error]
    seen = {id(handled)} - {id(error)}
    while waiting:
        one = waiting.pop()
        if one is not None and id(one) not in seen:
            seen.add(id(one))
            waiting += [one.__cause__, one.__context__, *(one.exceptions if isinstance(one, BaseExceptionGroup) else ())]
            one.__traceback__ = None if isinstance(one, DiscreetError) else _emptied(one.__traceback__)
            if isinstance(one, AttributeError):  # it keeps what has no such attribute
                one.obj = None


def _emptied(traceback: TracebackType | None) -> TracebackType | None:
    entries: list[TracebackType] = []
    while traceback is not None:
        entries.append(traceback)
        traceback = traceback.tb_next
    kept: TracebackType | None = None
    for entry in reversed(entries):
        if _empty(entry.tb_frame):
            entry.tb_next = kept
            kept = entry
    return kept


def _empty(frame: FrameType) -> bool:
    """Whether neither a frame nor those that called it hold a variable any more, as far as one that still runs: the door, and its callers."""
    at: FrameType | None = frame
    with suppress(RuntimeError):  # it still runs
        while at is not None:
            at.clear()
            if at.f_locals:
                return False
            at = at.f_back
    return at is not frame
