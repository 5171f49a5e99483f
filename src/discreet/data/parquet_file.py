"""Parquet: names from the file's own schema, columns from polars, messages from neither.

On a damaged file the decoder of polars may panic, and a panic prints numbers of rows to standard error before Python hears of it: while a file is
decoded, standard error is closed to it. A file damaged so that the decoder asks for more memory than there is ends the process; nothing in Python
can catch that.
"""

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

import polars as pl

from discreet.core.errors import FileFormatError
from discreet.core.quiet import quietly
from discreet.data.frames import check_present


def parquet_header(path: str) -> list[str]:
    """The names of the columns. Raises FileFormatError where the file is no Parquet file."""
    with silent():
        return quietly(lambda: pl.scan_parquet(path, glob=False).collect_schema().names(), _damaged(path))


def parquet_table(path: str, columns: Sequence[str]) -> pl.DataFrame:
    """`columns` of the file. Raises SchemaError where it lacks one, FileFormatError where it is damaged."""
    check_present(parquet_header(path), columns, source=repr(path))
    with silent():
        return quietly(lambda: pl.read_parquet(path, columns=list(columns), glob=False).select(columns), _damaged(path))


def _damaged(path: str) -> FileFormatError:
    return FileFormatError(f"{path!r} is no readable Parquet file: it is damaged, truncated, or not what its name says. Write it again.")


class _Quiet:
    """How many are decoding, in all threads, and standard error as it was."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.inside = 0
        self.kept: int | None = None


_quiet = _Quiet()


@contextmanager
def silent() -> Iterator[None]:
    """Standard error of the process leads nowhere until the last of those that are inside leaves; without one, nothing is to be done."""
    with _quiet.lock:
        _quiet.inside += 1
        if _quiet.inside == 1:
            with suppress(OSError):
                _quiet.kept = os.dup(2)
            if _quiet.kept is not None:
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, 2)
                os.close(nowhere)
    try:
        yield
    finally:
        with _quiet.lock:
            _quiet.inside -= 1
            if _quiet.inside == 0 and _quiet.kept is not None:
                os.dup2(_quiet.kept, 2)
                os.close(_quiet.kept)
                _quiet.kept = None
