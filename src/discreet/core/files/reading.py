"""What is there already: what a path names, and files of text, read whole, with one sentence for whatever is wrong with them.

A path may be anything: a name that the system refuses (too long, say) names nothing, where pathlib raises.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from discreet.core.errors import FileFormatError, InvalidInput

Parsed = TypeVar("Parsed")

LARGEST = 1 << 30
"""Bytes; no file of ours comes near."""


def exists(path: str | Path) -> bool:
    """Whether there is something."""
    return os.path.exists(path)  # noqa: PTH110 - see the module


def is_file(path: str | Path) -> bool:
    """Whether there is a file."""
    return os.path.isfile(path)  # noqa: PTH113 - see the module


def is_folder(path: str | Path) -> bool:
    """Whether there is a folder."""
    return os.path.isdir(path)  # noqa: PTH112 - see the module


def read_text(path: str | Path, *, what: str, remedy: str) -> str:
    """The text of a file, a byte-order mark left out. `what` names it in messages ("model file"), `remedy` ends the one for a file that is not there.

    Raises InvalidInput where there is none, or it cannot be read; FileFormatError for one that is no text, or too large.
    """
    try:
        with Path(path).open("rb") as file:
            content = file.read(LARGEST + 1)  # a device says no size, and may have no end
        if len(content) <= LARGEST:
            return content.decode("utf-8-sig")
        refusal: InvalidInput = FileFormatError(f"{str(path)!r} is not a usable {what}: it is too large.")
    except UnicodeDecodeError:
        refusal = FileFormatError(f"{str(path)!r} is not a usable {what}: it is not UTF-8 text.")
    except FileNotFoundError:
        refusal = InvalidInput(f"there is no {what} {str(path)!r}. {remedy}")
    except (OSError, ValueError) as error:
        refusal = InvalidInput(f"the {what} {str(path)!r} cannot be read ({type(error).__name__}). A readable file is needed.")
    raise refusal


def read_parsed(path: str | Path, parse: Callable[[str], Parsed], *, what: str, remedy: str) -> Parsed:
    """What `parse` makes of the text. Raises as `read_text`, and FileFormatError, with the path, for what `parse` refuses."""
    text = read_text(path, what=what, remedy=remedy)
    try:
        return parse(text)
    except FileFormatError as error:
        refusal = FileFormatError(f"{str(path)!r} is not a usable {what}: {error}")
    raise refusal
