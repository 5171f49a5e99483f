"""Every error a user of Discreet can meet, each with an exit code for scripts.

A message says what is needed, what was given and what to do, with public numbers only: no value, count or row number
that comes from the records ever reaches one. Below them the words that messages have in common.

A refusal carries nothing of the records either: the exception of polars, pandas or the standard library that it stands for is dropped, not chained.
`raise ... from None` only hides the original from the printed traceback and still keeps it on the new exception, where a logger may find the value
in its message. So a refusal is raised after the handler has ended (`quietly`), and nowhere in the package does a handler raise anything but what it
caught. What holds records in its frames is left behind at the doors (module `frameless`).
"""

import difflib
import json
from collections.abc import Callable, Iterable
from typing import ClassVar, TypeVar

T = TypeVar("T")


class DiscreetError(Exception):
    """Base class of all deliberate errors. `exit_code` is the exit code of the command line."""

    exit_code: ClassVar[int] = 1


class PrivacyWarning(UserWarning):
    """Something that was not declared public was taken from the records and will be published without noise; the message names the remedy."""


class PrivacyAdvice(PrivacyWarning):
    """Something legal tells more of the records than its user may think; certificates say what is guaranteed. The message names the remedy."""


class InvalidInput(DiscreetError, ValueError):
    """An argument, a table or a file does not meet what the caller must guarantee."""

    exit_code = 3


class InvalidType(DiscreetError, TypeError):
    """An argument is of a kind that cannot be used here."""

    exit_code = 3


class SchemaError(InvalidInput):
    """A schema contradicts itself, or the header of a table contradicts its schema."""


class FileFormatError(InvalidInput):
    """A file is not what its name says: corrupt, truncated, or of an unknown version."""


class InfeasibleTarget(DiscreetError, ValueError):
    """No noise level reaches the asked guarantee for this public problem; the message names the remedy."""

    exit_code = 4


class SolverFailure(DiscreetError, RuntimeError):
    """The solver did not reach the tolerance that the proof needs. The budget counts as spent; nothing is released."""

    exit_code = 5


class VerificationFailure(DiscreetError, ValueError):
    """A certificate does not support what it claims."""

    exit_code = 6


class PrivateDataError(DiscreetError, TypeError):
    """Something tried to copy, pickle or print private records."""


_KINDS = {
    bool: "a boolean",
    int: "a number",
    float: "a number",
    str: "a string",
    list: "a list",
    tuple: "a list",
    dict: "a table",
    type(None): "null",
}


_LONGEST_NAME = 200


def quoted(names: Iterable[str], *, most: int = 8) -> str:
    """`'a', 'b' and 3 more`."""
    listed = list(names)
    shown = ", ".join(repr(name) for name in listed[:most])
    return shown if len(listed) <= most else f"{shown} and {len(listed) - most} more"


def brief(value: object) -> str:
    """A value of a file, short enough for a message."""
    text = f"{value:.10g}" if isinstance(value, float) else json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """` Did you mean 'x'?`, or nothing where no known name is near, or begins so."""
    if len(given) > _LONGEST_NAME:  # what is near takes the square of its length to find
        return ""
    by_lower_case = {name.lower(): name for name in known}
    begun = [name for name in by_lower_case if len(given) > 2 and name.startswith(given.lower())]
    near = difflib.get_close_matches(given.lower(), by_lower_case, n=1) or begun
    return f" Did you mean {by_lower_case[near[0]]!r}?" if near else ""


def kind(value: object) -> str:
    """The kind of a TOML or JSON value in a user's words."""
    return _KINDS.get(type(value), f"a {type(value).__name__}")


def quietly(action: Callable[[], T], refusal: Exception, *kinds: type[Exception]) -> T:
    """The result of `action`; what it raises becomes `refusal`, with no cause and no context.

    With `kinds` these only, and everything else passes. Without, whatever it is but our own errors: a panic of polars derives from BaseException and
    is caught too; an interrupt, an exit or a lack of memory is not.
    """
    try:
        return action()
    except kinds:
        pass
    except (DiscreetError, KeyboardInterrupt, SystemExit, GeneratorExit, MemoryError):
        raise
    except BaseException:  # the point of this function: see above
        if kinds:
            raise
    raise refusal
