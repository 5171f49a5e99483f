"""The canary: a number that no repr, message, log, warning or file may ever show, and no exception may take along."""

import pickle
import traceback
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from pathlib import Path

import pytest

from discreet.core.errors import DiscreetError

CANARY = 918273.645
DIGITS = ("918273", "918_273", "918,273", "9.18273", "273.645")
_TESTS = str(Path(__file__).parent)


def assert_silent(text: object) -> None:
    """Fail if any spelling of the canary's digits is in the text."""
    shown = str(text)
    for digits in DIGITS:
        assert digits not in shown, "a private value was shown"


def assert_refused_in_silence(calls: Iterable[Callable[[], object]]) -> None:
    """Fail unless each call raises, without a warning, and says nothing of the canary."""
    for call in calls:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises((DiscreetError, ValueError)) as refusal:
                call()
        assert_silent(refusal.value)


def assert_carries_nothing(error: BaseException, given: object = ()) -> None:
    """Fail if the exception shows or takes along the canary.

    In its text, arguments, attributes, notes and pickle, as a worker sends it; in its causes and contexts, suppressed ones too, as a logger finds
    them; and in the local variables of its tracebacks, as error reporters collect them. There, texts, numbers and exceptions count, and containers of
    them, unless they are what the caller handed over (`given`), who has them in his own frames, or as long as a table.
    """
    theirs = set(_containers(given))
    waiting, seen = [error], set()
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        waiting += [other for other in (one.__cause__, one.__context__, *getattr(one, "exceptions", ())) if other is not None]
        said = [str(one), repr(one), *map(repr, one.args), repr(vars(one)), *traceback.format_exception(one, chain=False)[-1:]]
        with suppress(Exception):  # what does not pickle goes nowhere
            said.append(repr(pickle.dumps(one)))
        for frame, _ in traceback.walk_tb(one.__traceback__):
            if not frame.f_code.co_filename.startswith(_TESTS):
                found = list(_told(frame.f_locals, theirs))
                waiting += [value for value in found if isinstance(value, BaseException)]
                said += [f"{frame.f_code.co_qualname}: {value!r}" for value in found]
        for text in said:
            assert_silent(text)


def _containers(value):
    """The identities of a container and of all containers in it."""
    if isinstance(value, Mapping | Sequence | AbstractSet) and not isinstance(value, str | bytes):
        yield id(value)
        for inner in value.values() if isinstance(value, Mapping) else value:
            yield from _containers(inner)


_TABLE = 10
"""So many things in a container make it a table."""


def _told(value, theirs, depth=4):
    """Texts, numbers and exceptions in a container; nothing of other objects, whose repr is not an exception's business."""
    if isinstance(value, str | bytes | int | float | complex | BaseException):
        yield value
    elif depth and id(value) not in theirs and isinstance(value, Mapping | list | tuple | set | frozenset) and len(value) < _TABLE:
        for inner in [*value, *value.values()] if isinstance(value, Mapping) else value:
            yield from _told(inner, theirs, depth - 1)
