"""Folders that appear whole or not at all.

Files are written into a temporary folder beside the target, each is flushed to the disk (fsync), and the temporary folder takes the target's name in
one step. Whatever goes wrong on the way, an interrupt included, leaves no trace; only a process that is killed outright can leave a temporary folder,
named `.discreet-....part`, and never a target that is half written.

An existing folder is replaced only if the caller's `replaceable` says that it is one of its own: nothing else is ever deleted.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

from discreet.core.errors import InvalidInput


def check_folder(path: str | Path, *, overwrite: bool, replaceable: Callable[[Path], bool]) -> None:
    """Raise InvalidInput unless `whole_folder` could write here now: tried with an empty temporary folder, so before anything is spent."""
    target = _target(path, overwrite=overwrite, replaceable=replaceable)
    temporary = _beside(target, "part")
    try:
        temporary.mkdir()
        temporary.rmdir()
    except OSError as error:
        refusal = _refusal(path, error)
    else:
        return
    raise refusal


def check_room(path: str | Path, size: int) -> None:
    """Raise InvalidInput where the disk has no room for so many bytes."""
    try:
        free = shutil.disk_usage(Path(os.path.realpath(path)).parent).free
    except OSError:
        return  # not known: writing will show
    if free < size:
        raise InvalidInput(f"the disk of {str(path)!r} has too little room: up to {size / 2**20:.0f} MiB are needed. Nothing was spent.")


@contextmanager
def whole_folder(path: str | Path, *, overwrite: bool, replaceable: Callable[[Path], bool]) -> Iterator[Path]:
    """A temporary folder to write into; it becomes `path` when the block ends well, and vanishes when it does not.

    Raises InvalidInput where the target exists (unless it is empty, or `overwrite` and `replaceable`) or cannot be written; then nothing has changed.
    """
    target = _target(path, overwrite=overwrite, replaceable=replaceable)
    temporary = _beside(target, "part")
    try:
        temporary.mkdir()
        yield temporary
        _flush(temporary)
        _into_place(temporary, target, overwrite=overwrite)
    except OSError as error:
        refusal = _refusal(path, error)
    else:
        _flush_entry(target.parent)
        return
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    raise refusal


def _target(path: str | Path, *, overwrite: bool, replaceable: Callable[[Path], bool]) -> Path:
    """The folder that `path` stands for, links followed. Raises InvalidInput for anything that must not be written to."""
    if str(path) in {"-", ""}:
        raise InvalidInput("the name of a folder is needed; standard output cannot be one.")
    try:
        target = Path(os.path.realpath(path))
        if target.exists() and not target.is_dir():
            refusal = InvalidInput(f"{str(path)!r} is a file and is not written over. Give the path of a folder.")
        elif target.exists() and any(target.iterdir()) and not overwrite:
            refusal = InvalidInput(
                f"the folder {str(path)!r} exists already and is not empty. Choose another path, or allow overwriting "
                "(overwrite=True, --overwrite on the command line)."
            )
        elif target.exists() and any(target.iterdir()) and not replaceable(target):
            refusal = InvalidInput(f"the folder {str(path)!r} holds something else, and nothing else is ever deleted. Choose another path.")
        elif not target.parent.is_dir():
            refusal = InvalidInput(f"there is no folder {str(Path(path).parent)!r} to write to. Create it, or choose another path.")
        else:
            return target
    except (OSError, ValueError) as error:
        refusal = _refusal(path, error)
    raise refusal


def _beside(target: Path, ending: str) -> Path:
    """A new name in the same folder, hence on the same file system."""
    return target.with_name(f".discreet-{uuid4().hex}.{ending}")


def _into_place(temporary: Path, target: Path, *, overwrite: bool) -> None:
    """Give the folder its name. An old one is moved aside first, and back again where the new one cannot take its place."""
    old: Path | None = None
    if target.exists():
        if overwrite:
            old = _beside(target, "old")
            target.rename(old)
        else:
            target.rmdir()  # empty, or this fails and nothing is lost
    try:
        temporary.rename(target)
    except OSError:
        if old is not None:
            old.rename(target)
        raise
    if old is not None:
        shutil.rmtree(old, ignore_errors=True)


def _flush(folder: Path) -> None:
    """Every file and every folder of it to the disk."""
    for inner in sorted(folder.rglob("*")):
        if inner.is_file():
            with inner.open("rb+") as file:
                os.fsync(file.fileno())
        else:
            _flush_entry(inner)
    _flush_entry(folder)


def _flush_entry(folder: Path) -> None:
    """Flush the folder's own entries where the system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _refusal(path: str | Path, error: Exception) -> InvalidInput:
    reason = (error.strerror if isinstance(error, OSError) else None) or type(error).__name__
    return InvalidInput(f"the folder {str(path)!r} cannot be written ({reason}). Choose another path, or make this one writable.")
