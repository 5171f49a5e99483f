"""What callers may declare public, line by line, besides what a mechanism always takes for granted."""

import re
from collections.abc import Iterable

CLASSES = "the classes"
LABELS_THAT_OCCUR = "the set of labels that occur in y, since classes=None"
SCHEMA = "the schema: columns, bounds, categories and classes"
THE_SETTINGS = "the settings that are searched over"
KERNEL = "the kernel with its scale, the number of features and their seed"


def by_schema(lines: Iterable[str]) -> tuple[str, ...]:
    """The same lines where a schema brings the classes."""
    return tuple(SCHEMA if line == CLASSES else line for line in lines)


def about_records(records: int, *, steps: bool = False) -> str:
    """A number of records under add-remove, where it is secret by itself."""
    return f"about {records} records" + (", which the number of steps was chosen for" if steps else "")


_ABOUT = re.compile(r"about ([1-9][0-9]*) records(, which the number of steps was chosen for)?")
_KNOWN = (
    re.compile(re.escape(CLASSES)),
    re.compile(re.escape(SCHEMA)),
    re.compile(re.escape(LABELS_THAT_OCCUR)),
    re.compile(re.escape(THE_SETTINGS)),
    re.compile(re.escape(KERNEL)),
    _ABOUT,
)


def unknown_lines(lines: Iterable[str], of_mechanism: Iterable[str]) -> list[str]:
    """Those that nobody writes."""
    always = set(of_mechanism)
    return [line for line in lines if line not in always and not any(known.fullmatch(line) for known in _KNOWN)]


def public_records(lines: Iterable[str]) -> int | None:
    """The number of records that was declared public, where one was."""
    found = [int(match[1]) for line in lines if (match := _ABOUT.fullmatch(line))]
    return found[0] if len(found) == 1 else None
