"""Files that appear whole or not at all.

The text goes to a temporary file in the target's folder, from there to the disk (fsync), and takes the target's name in one step. Whatever goes wrong
on the way, an interrupt included, leaves the folder as it was; only a process that is killed outright can leave a temporary file, named
`.discreet-....part`, and never a target that is half written.
"""

import os
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from discreet.core.errors import InvalidInput

_TRIED = 1 << 16
_NEVER = frozenset({".pdf", ".png", ".jpg", ".jpeg", ".gif", ".docx", ".xlsx", ".xls", ".zip"})
"""What a text under such a name would not be."""


def check_writable(path: str | Path, *, overwrite: bool, as_text: bool = True) -> None:
    """Raise InvalidInput unless `write_whole` could write here now: tried with a temporary file of some size, so before anything is spent."""
    target = _target(path, overwrite=overwrite, as_text=as_text)
    try:
        try_bytes(target, _TRIED)
    except OSError as error:
        refusal = not_written(path, error)
    else:
        return
    raise refusal


def try_bytes(target: Path, size: int) -> None:
    """Write so many bytes beside the target, and take them away again. Raises OSError where they cannot be written."""
    temporary = beside(target)
    try:
        with temporary.open("xb") as file:
            for start in range(0, size, _TRIED):
                file.write(bytes(min(_TRIED, size - start)))
    finally:
        _remove(temporary)


def write_whole(path: str | Path, text: str | bytes, *, overwrite: bool, mode: int = 0o666) -> None:
    """Write `text` as UTF-8, or bytes as they are, readable for whom `mode` (less the umask) says.

    Raises InvalidInput where the target exists (unless `overwrite`) or cannot be written; then nothing has changed.
    """
    target = _target(path, overwrite=overwrite, as_text=isinstance(text, str))
    temporary = beside(target)
    try:
        with open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            file.write(text.encode() if isinstance(text, str) else text)
            file.flush()
            os.fsync(file.fileno())
        _into_place(temporary, target, overwrite=overwrite)
    except OSError as error:
        refusal = not_written(path, error)
    else:
        flush_entries(target.parent)
        return
    finally:
        _remove(temporary)
    raise refusal


def _target(path: str | Path, *, overwrite: bool, as_text: bool) -> Path:
    """The file that `path` stands for, links followed. Raises InvalidInput for anything that must not be written to."""
    if str(path) == "-":
        raise InvalidInput(
            "give the name of a file: '-' (standard output) is not possible here, because the file is written completely or not at all."
        )
    if as_text and Path(path).suffix.lower() in _NEVER:
        raise InvalidInput(
            f"{str(path)!r} has an ending that is not supported. Pages end in .html (a browser prints them as PDF), pictures in .svg, "
            "tables in .csv, everything else in .json."
        )
    try:
        target = Path(os.path.realpath(path))
        exists = _exists(target)
        if exists and not target.is_file():
            refusal = InvalidInput(f"{str(path)!r} is not an ordinary file, so it is not overwritten. Give the path of a file.")
        elif exists and not overwrite:
            refusal = exists_already(f"{str(path)!r} exists already")
        elif not target.parent.is_dir():
            refusal = no_parent(path)
        else:
            return target
    except (OSError, ValueError) as error:
        refusal = not_written(path, error)
    raise refusal


def _exists(target: Path) -> bool:
    """Whether something has this name; OSError for a name that the system cannot have, where Path.exists would say no."""
    try:
        target.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def beside(target: Path, ending: str = "part") -> Path:
    """A new name in the same folder, hence on the same file system."""
    return target.with_name(f".discreet-{uuid4().hex}.{ending}")


def _into_place(temporary: Path, target: Path, *, overwrite: bool) -> None:
    """Give the file its name; without `overwrite` by a link, which fails where a target has appeared in the meantime and a rename does not."""
    if not overwrite:
        try:
            target.hardlink_to(temporary)
        except FileExistsError:
            raise
        except OSError:
            pass  # no links on this file system: the check at the beginning has to do
        else:
            return
    temporary.replace(target)


def flush_entries(folder: Path) -> None:
    """Flush the folder's own entries where the system can: after a power failure what is in it should still be there."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _remove(temporary: Path) -> None:
    with suppress(OSError):
        temporary.unlink(missing_ok=True)


def reason_of(error: Exception) -> str:
    """What the system says, in its own words, without a path; else the name of the exception."""
    return (error.strerror if isinstance(error, OSError) else None) or type(error).__name__


def not_written(path: str | Path, error: Exception, *, what: str = "") -> InvalidInput:
    """The refusal for whatever the system says; `what` stands before the path."""
    return InvalidInput(f"{what}{str(path)!r} cannot be written ({reason_of(error)}). Choose another path, or make this one writable.")


def exists_already(what: str) -> InvalidInput:
    """The refusal of something that is there and was not to be written over."""
    return InvalidInput(f"{what}. Choose another path, or allow overwriting (overwrite=True, --overwrite on the command line).")


def no_parent(path: str | Path) -> InvalidInput:
    """The refusal where there is nothing to write into."""
    return InvalidInput(f"there is no folder {str(Path(path).parent)!r} to write to. Create it, or choose another path.")
