"""The canary: a number that no repr, message, log, warning or file may ever show, and no exception may take along."""

import pickle
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from types import FrameType

import pytest

from discreet.core.errors import DiscreetError
from discreet.core.frameless import is_door

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


def assert_carries_nothing(error: BaseException) -> None:
    """Fail if the exception shows or takes along the canary, or anything else of records.

    In its text, arguments, attributes, notes and pickle, as a worker sends it; in its causes, contexts and parts, suppressed ones too, as a logger
    finds them; and in the variables of the frames of its tracebacks and of those that called them, as error reporters collect them. There nothing at
    all may be, but in the frames of who called: of tests, outside every door.
    """
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
        for text in said:
            assert_silent(text)
        assert getattr(one, "obj", None) is None, "what has no such attribute was taken along"
        for frame, _ in traceback.walk_tb(one.__traceback__):
            inside = list(_inside(frame))
            if not frame.f_code.co_filename.startswith(_TESTS) or is_door(inside[-1]):
                for each in inside:
                    kept = set(each.f_locals) - ({"function"} if is_door(each) else set())
                    assert not kept, f"{each.f_code.co_qualname} kept {sorted(kept)}"


def _inside(frame: FrameType | None) -> Iterator[FrameType]:
    """A frame, who called it, who called that, and so on, as far as a door."""
    while frame is not None:
        yield frame
        frame = None if is_door(frame) else frame.f_back
