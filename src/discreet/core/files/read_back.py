"""Files that say more than they must: what follows from the rest is computed again, and a file in which it says anything else is refused."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

from discreet.core.errors import DiscreetError, FileFormatError
from discreet.core.files.strict_json import agree, printable, read_object
from discreet.core.words import quoted


class Written(Protocol):
    """What was written as the JSON of `to_dict`."""

    def to_dict(self) -> Mapping[str, object]:
        """The document, all that follows included."""


Found = TypeVar("Found", bound=Written)


def read_back(text: str, read: Callable[[dict[str, Any]], Found], *, what: str, format_: str, basis: str) -> Found:
    """What `read` makes of the document that the text spells, if its own document says the same, numbers up to rounding.

    `what` names it in messages, `basis` what everything in it follows from. Raises FileFormatError for anything else, and for what `read` raises.
    """
    record = read_object(text, what=what)
    if record.get("format") != format_:
        raise FileFormatError(f"this version reads {what} of the format {format_!r}; another or none is stated.")
    if not printable(record):
        raise FileFormatError("it holds control characters, which could disguise what it says on a terminal.")
    try:
        found = read(record)
        again = found.to_dict()
    except FileFormatError:
        raise
    except DiscreetError as error:
        refusal = FileFormatError(f"it contradicts itself: {error}")
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, ArithmeticError):
        refusal = FileFormatError("it is incomplete, or holds values of the wrong type.")
    else:
        if extra := set(record) - set(again):
            raise FileFormatError(f"it holds {quoted(sorted(extra))}, which {what} of this format has not.")
        if differing := [name for name, value in again.items() if not agree(record.get(name), value)]:
            raise FileFormatError(f"it contradicts itself: {quoted(differing)} must follow from {basis}, and something else is stated.")
        return found
    raise refusal
