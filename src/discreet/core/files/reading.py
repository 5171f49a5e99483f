"""What is there already: what a path names, and files of text, read whole, with one sentence for whatever is wrong with them.

A path may be anything: a name that the system refuses (too long, say) names nothing, where pathlib raises. It may also be a pipe that nobody writes
to, which would be waited for without end: whatever somebody named is opened by `opened`, and by nothing else.
"""

import errno
import os
import stat
from collections.abc import Callable
from io import BufferedReader
from pathlib import Path
from typing import TypeVar

from discreet.core.errors import FileFormatError, InvalidInput
from discreet.core.files.whole_file import reason_of

Parsed = TypeVar("Parsed")

NOT_ORDINARY = "a pipe or a device, where an ordinary file is needed"
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


def opened(path: str | Path) -> BufferedReader:
    """The bytes of an ordinary file. Raises OSError as `open` does, and for a pipe or a device; ValueError for a name that no file can have."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0))
    mode = os.fstat(handle).st_mode
    if stat.S_ISREG(mode):
        return os.fdopen(handle, "rb")
    os.close(handle)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    raise OSError(errno.EINVAL, NOT_ORDINARY, str(path))


def whole_text(path: str | Path) -> str:
    """The text of a file, a byte-order mark left out. Raises as `opened` does, OSError for what is too large too, and UnicodeDecodeError."""
    with opened(path) as file:
        if os.fstat(file.fileno()).st_size > LARGEST:  # a read of at most so many bytes would set aside as many, whatever there is
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
        return file.read().decode("utf-8-sig")


def read_text(path: str | Path, *, what: str, remedy: str) -> str:
    """The text of a file, a byte-order mark left out. `what` names it in messages ("model file"), `remedy` ends the one for a file that is not there.

    Raises InvalidInput where there is none, or it cannot be read; FileFormatError for one that is no text.
    """
    try:
        return whole_text(path)
    except UnicodeDecodeError:
        refusal: InvalidInput = FileFormatError(f"{str(path)!r} is not a usable {what}: it is not UTF-8 text.")
    except FileNotFoundError:
        refusal = InvalidInput(f"there is no {what} {str(path)!r}. {remedy}")
    except (OSError, ValueError) as error:
        refusal = InvalidInput(f"the {what} {str(path)!r} cannot be read ({reason_of(error)}). A readable file is needed.")
    raise refusal


def read_parsed(path: str | Path, parse: Callable[[str], Parsed], *, what: str, remedy: str) -> Parsed:
    """What `parse` makes of the text. Raises as `read_text`, and FileFormatError, with the path, for what `parse` refuses."""
    text = read_text(path, what=what, remedy=remedy)
    try:
        return parse(text)
    except FileFormatError as error:
        refusal = FileFormatError(f"{str(path)!r} is not a usable {what}: {error}")
    raise refusal
