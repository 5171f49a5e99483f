"""JSON, strictly: one object, every number finite, no key twice, not too deep, and texts that a terminal shows as they are.

The standard library reads NaN, takes 1e999 for infinity and keeps the last of two equal keys; a file that strangers check must leave no room for two
readings. And it reads lists in lists until its own stack is full, or nearly, so that whoever walks through what it read fails instead. JSON is read
here and nowhere else, so that every reader is safe from both.

One spelling for each document, so that digests and signatures are about what it says and not about its blanks:

    keys sorted by their UTF-16 code units, no blanks, every character as itself in UTF-8, no NaN and no infinity

as in RFC 8785, but for numbers: these are written as Python writes them (integers with all their digits, others in the fewest digits that are read
back exactly), so that 1 and 1.0, which this library tells apart, stay apart.
"""

import json
import math
from collections.abc import Callable, Mapping
from typing import Any, NoReturn, Protocol, TypeVar

from discreet.core.errors import DiscreetError, FileFormatError, kind, quoted

DEEPEST = 64
"""Lists and objects within each other: ours are less than ten deep."""


def read_object(text: str, *, what: str) -> dict[str, Any]:
    """The JSON object that `text` spells; FileFormatError, without any of its content, for everything else. `what` names it in messages."""
    try:
        record = json.loads(text, parse_constant=_no_number, parse_float=_finite, object_pairs_hook=_each_once)
    except FileFormatError:
        raise
    except json.JSONDecodeError as error:
        refusal = FileFormatError(f"it is not JSON, or cut off (line {error.lineno}, column {error.colno}).")
    except (ValueError, RecursionError):
        refusal = FileFormatError(f"a number in it is too long, or its lists are nested too deeply, for {what}.")
    else:
        if _too_deep(record):
            refusal = FileFormatError(f"its lists or objects are nested more than {DEEPEST} deep, which {what} never is.")
        elif isinstance(record, dict):
            return record
        else:
            refusal = FileFormatError(f"{what} is a JSON object; {kind(record)} was found.")
    raise refusal


def _too_deep(record: object) -> bool:
    """Whether it is deeper than that, found level by level, so that no depth is too deep to find out."""
    level = [record] if isinstance(record, dict | list) else []
    for _ in range(DEEPEST + 1):
        level = [inner for outer in level for inner in (outer.values() if isinstance(outer, dict) else outer) if isinstance(inner, dict | list)]
        if not level:
            return False
    return True


def printable(value: object) -> bool:
    """Whether every text in it, keys included, is free of control characters, which could disguise what the others say."""
    match value:
        case str():
            return value.isprintable()
        case list():
            return all(map(printable, value))
        case dict():
            return all(printable(key) and printable(inner) for key, inner in value.items())
        case _:
            return True


def agree(first: object, second: object, *, relative: float = 1e-6) -> bool:
    """Whether two JSON values say the same, numbers up to what another machine's arithmetic may change."""
    match first, second:
        case (bool(), _) | (_, bool()):
            return first is second
        case int() | float(), int() | float():
            return math.isclose(first, second, rel_tol=relative, abs_tol=1e-9)
        case list(), list():
            return len(first) == len(second) and all(agree(one, other, relative=relative) for one, other in zip(first, second, strict=True))
        case dict(), dict():
            return first.keys() == second.keys() and all(agree(value, second[key], relative=relative) for key, value in first.items())
        case _:
            return type(first) is type(second) and first == second


def _no_number(name: str) -> NoReturn:
    raise FileFormatError(f"it contains {name}; every number in it must be finite.")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise FileFormatError("it contains a number too large for float64; every number in it must be finite.")
    return number


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        raise FileFormatError("one of its objects has the same key twice.")
    return record


class Written(Protocol):
    """What was written as the JSON of `to_dict`."""

    def to_dict(self) -> Mapping[str, object]:
        """The document, all that follows included."""


Found = TypeVar("Found", bound=Written)
T = TypeVar("T")


def read_back(text: str, read: Callable[[dict[str, Any]], Found], *, what: str, format_: str, basis: str) -> Found:
    """What `read` makes of the document that the text spells, if its own document says the same, numbers up to rounding.

    So a file may say more than it must: what follows from the rest is computed again, and one in which it says anything else is refused.

    `what` names it in messages, `basis` what everything in it follows from. Raises FileFormatError for anything else, and for what `read` raises.
    """
    record = read_object(text, what=what)
    if record.get("format") != format_:
        raise FileFormatError(f"this version reads {what} of format {format_!r}; this file states another format, or none.")
    if not printable(record):
        raise FileFormatError("it contains control characters, which could make a terminal show something else.")
    found, again = understood(lambda: (made := read(record), made.to_dict()))
    if extra := set(record) - set(again):
        raise FileFormatError(f"it holds {quoted(sorted(extra))}, which {what} of this format does not have.")
    if differing := [name for name, value in again.items() if not agree(record.get(name), value)]:
        raise FileFormatError(f"it contradicts itself: {quoted(differing)} must follow from {basis}, but the file states something else.")
    return found


def understood(read: Callable[[], T]) -> T:
    """What `read` makes of a document. Raises FileFormatError, in words, for whatever it raises at one that no version of ours wrote."""
    try:
        return read()
    except FileFormatError:
        raise
    except DiscreetError as error:
        refusal = FileFormatError(f"it contradicts itself: {error}")
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, ArithmeticError):
        refusal = FileFormatError("it is incomplete, or has values of the wrong type.")
    raise refusal


def canonical_bytes(document: Mapping[str, Any]) -> bytes:
    """The spelling. Raises ValueError for a number that JSON does not have, or a text that is no Unicode."""
    return json.dumps(_sorted(document), separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def _sorted(value: Any) -> Any:  # noqa: ANN401 - any JSON
    if isinstance(value, Mapping):
        return {key: _sorted(value[key]) for key in sorted(value, key=lambda key: str(key).encode("utf-16-be", "surrogatepass"))}
    if isinstance(value, list | tuple):
        return [_sorted(inner) for inner in value]
    return value
