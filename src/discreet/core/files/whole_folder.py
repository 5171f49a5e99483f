"""Folders that appear whole or not at all.

Files are written into a temporary folder beside the target, each is flushed to the disk (fsync), and the temporary folder takes the target's name in
one step. Whatever goes wrong on the way, an interrupt included, leaves no trace; only a process that is killed outright can leave a temporary folder,
named `.discreet-....part`, and never a target that is half written.

An existing folder is replaced only if the caller's `replaceable` says that it is one of its own: nothing else is ever deleted.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from discreet.core.errors import InvalidInput
from discreet.core.files.whole_file import beside, exists_already, flush_entries, no_parent, not_written, try_bytes

_MOST_TRIED = 1 << 24


def check_folder(path: str | Path, *, overwrite: bool, replaceable: Callable[[Path], bool]) -> None:
    """Raise InvalidInput unless `whole_folder` could write here now: tried with an empty temporary folder, so before anything is spent."""
    target = _target(path, overwrite=overwrite, replaceable=replaceable)
    temporary = beside(target)
    try:
        temporary.mkdir()
        temporary.rmdir()
    except OSError as error:
        refusal = not_written(path, error, what="the folder ")
    else:
        return
    raise refusal


def check_room(path: str | Path, size: int) -> None:
    """Raise InvalidInput where the disk has no room for so many bytes: it is asked, and some are written, for limits that it does not know."""
    target = Path(os.path.realpath(path))
    try:
        full = shutil.disk_usage(target.parent).free < size
        if not full:
            try_bytes(target, min(size, _MOST_TRIED))
    except OSError:
        full = True
    if full:
        raise InvalidInput(f"the disk of {str(path)!r} is too full: up to {size / 2**20:.0f} MiB are needed. Nothing was spent.")


@contextmanager
def whole_folder(path: str | Path, *, overwrite: bool, replaceable: Callable[[Path], bool]) -> Iterator[Path]:
    """A temporary folder to write into; it becomes `path` when the block ends well, and vanishes when it does not.

    Raises InvalidInput where the target exists (unless it is empty, or `overwrite` and `replaceable`) or cannot be written; then nothing has changed.
    """
    target = _target(path, overwrite=overwrite, replaceable=replaceable)
    temporary = beside(target)
    try:
        temporary.mkdir()
        yield temporary
        _flush(temporary)
        _into_place(temporary, target, overwrite=overwrite)
    except OSError as error:
        refusal = not_written(path, error, what="the folder ")
    else:
        flush_entries(target.parent)
        return
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    raise refusal


def _target(path: str | Path, *, overwrite: bool, replaceable: Callable[[Path], bool]) -> Path:
    """The folder that `path` stands for, links followed. Raises InvalidInput for anything that must not be written to."""
    if str(path) in {"-", ""}:
        raise InvalidInput("give the name of a folder; standard output cannot be one.")
    try:
        target = Path(os.path.realpath(path))
        if target.exists() and not target.is_dir():
            refusal = InvalidInput(f"{str(path)!r} is a file, and a folder is needed. Give the path of a folder.")
        elif target.exists() and any(target.iterdir()) and not overwrite:
            refusal = exists_already(f"the folder {str(path)!r} exists already and is not empty")
        elif target.exists() and any(target.iterdir()) and not replaceable(target):
            refusal = InvalidInput(f"the folder {str(path)!r} contains something else, which is never deleted. Choose another path.")
        elif not target.parent.is_dir():
            refusal = no_parent(path)
        else:
            return target
    except (OSError, ValueError) as error:
        refusal = not_written(path, error, what="the folder ")
    raise refusal


def _into_place(temporary: Path, target: Path, *, overwrite: bool) -> None:
    """Give the folder its name. An old one is moved aside first, and back again where the new one cannot take its place."""
    old: Path | None = None
    if target.exists():
        if overwrite:
            old = beside(target, "old")
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
            flush_entries(inner)
    flush_entries(folder)
