"""Words for messages about a schema: what was given, and the known name that is nearest to it. Public contents only."""

import difflib
from collections.abc import Iterable


def quoted(names: Iterable[str], *, most: int = 8) -> str:
    """`'a', 'b' and 3 more`."""
    listed = list(names)
    shown = ", ".join(repr(name) for name in listed[:most])
    return shown if len(listed) <= most else f"{shown} and {len(listed) - most} more"


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """` Did you mean 'x'?`, or nothing where no known name is near."""
    by_lower_case = {name.lower(): name for name in known}
    near = difflib.get_close_matches(given.lower(), by_lower_case, n=1)
    return f" Did you mean {by_lower_case[near[0]]!r}?" if near else ""


def kind(value: object) -> str:
    """The kind of a TOML or JSON value in a user's words."""
    return _KINDS.get(type(value), f"a {type(value).__name__}")


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
