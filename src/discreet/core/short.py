"""How a value says in one line what it is: `__repr__ = short_repr` in the body of a dataclass.

    LinearSVC's model -> Model(kind='linear-svc', schema=Schema(name='patients', ...), weights=<array of 6>, certificate=Certificate(...))

Long parts are shortened, never left out: what they hold stands in the attribute of the same name. A line has at most 300 characters whatever it is
about, so that a session in which results are looked at can be read.
"""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np

MOST = 300
"""Characters of a line."""
_WORDS = 48
"""Characters of a text, or of a part that is no number, text or array."""
_ITEMS = 4
"""Entries of a list that are shown."""


def short_repr(one: Any) -> str:  # noqa: ANN401 - any dataclass
    """`Name(field=value, ...)`, of the fields that a repr shows."""
    said = ", ".join(f"{part.name}={_short(getattr(one, part.name))}" for part in fields(one) if part.repr)
    line = f"{type(one).__qualname__}({said})"
    return line if len(line) <= MOST else f"{line[: MOST - 4]}...)"


def _short(value: object) -> str:  # noqa: PLR0911 - one return a type
    match value:
        case Enum():
            return repr(value.value)
        case float():
            return f"{value:.6g}"
        case str() | Path():
            return repr(_cut(str(value)))
        case np.ndarray():
            return f"<array of {' x '.join(map(str, value.shape)) or 1}>"
        case Mapping():
            return _listed("{}", [f"{_cut(repr(key))}: {_short(entry)}" for key, entry in list(value.items())[:_ITEMS]], len(value))
        case tuple() | list() | set() | frozenset():
            return _listed("[]" if isinstance(value, list) else "()", [_short(entry) for entry in list(value)[:_ITEMS]], len(value))
        case _ if is_dataclass(value) and not isinstance(value, type):
            return f"{type(value).__qualname__}(...)"
        case _:
            return _cut(" ".join(repr(value).split()))


def _cut(words: str) -> str:
    return words if len(words) <= _WORDS else f"{words[: _WORDS - 3]}..."


def _listed(ends: str, shown: list[str], count: int) -> str:
    more = [f"... {count} in all"] if count > len(shown) else []
    return f"{ends[0]}{', '.join([*shown, *more])}{ends[1]}"
