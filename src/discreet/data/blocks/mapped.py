"""Blocks of NumPy arrays in .npy files, mapped into memory: pages come from the file when they are read, and the system drops them when it must."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from discreet.core.errors import FileFormatError, InvalidInput
from discreet.core.files.reading import opened
from discreet.core.files.whole_file import reason_of
from discreet.core.private import holds_records
from discreet.core.workers import map_in_order
from discreet.data.block_table import Block, BlockTable, SomeBlocks, block_rows
from discreet.matrices import as_matrix
from discreet.matrices.base import cuts

R = TypeVar("R")


@holds_records
class NpyTable(BlockTable):
    """Rows (n, d) in one file; targets (n,) or (n, m), weights and person ids (n,) in other files, each optional.

    `rows_in_block` is chosen from d by default. Raises InvalidInput for missing files or shapes that do not match, FileFormatError for files without
    an array of numbers.
    """

    __slots__ = ("_parts", "_persons", "_rows", "_targets", "_weights")

    def __init__(
        self,
        rows: str | Path,
        targets: str | Path | None = None,
        *,
        weights: str | Path | None = None,
        persons: str | Path | None = None,
        rows_in_block: int | None = None,
    ) -> None:
        """Open the files; nothing is read yet."""
        self._rows = _mapped(rows)
        self._targets, self._weights, self._persons = (None if path is None else _mapped(path) for path in (targets, weights, persons))
        if self._rows.ndim != 2 or not len(self._rows) or not self._rows.shape[1]:
            raise InvalidInput(f"{str(rows)!r} must hold a table of shape (n, d) with at least one row and one column.")
        if self._targets is not None and self._targets.ndim == 2 and self._targets.shape[1] == 1:
            self._targets = self._targets[:, 0]  # a column of them, as some write it
        several = 1 if self._targets is None or self._targets.ndim != 2 else int(self._targets.shape[1])
        first = self._targets if self._targets is None or several == 1 else self._targets[:, 0]
        if any(column is not None and column.shape != self._rows.shape[:1] for column in (first, self._weights, self._persons)):
            raise InvalidInput("rows, targets, weights and persons must have the same length.")
        super().__init__(int(self._rows.shape[1]), slow=False, targets=several)
        self._parts = cuts(len(self._rows), block_rows(self.features) if rows_in_block is None else rows_in_block)

    def map(self, work: Callable[[int, Block], R], jobs: int) -> Iterator[R]:
        """See BlockTable."""
        yield from map_in_order(lambda place: work(place[0], self._block(place[1])), enumerate(self._parts), jobs)

    def quick(self) -> SomeBlocks:
        """See BlockTable: all, as far as the system keeps the files' pages."""
        return SomeBlocks(range(len(self._parts)), lambda number: self._block(self._parts[number]))

    def _block(self, rows: slice) -> Block:
        targets, persons = (None if column is None else np.array(column[rows]) for column in (self._targets, self._persons))
        weights = None if self._weights is None else np.array(self._weights[rows], dtype=np.float64)
        return Block(as_matrix(_window(self._rows, rows)), targets, weights, persons)


def _window(whole: npt.NDArray[Any], rows: slice) -> npt.NDArray[Any]:
    """Some rows, mapped on their own, so that their pages leave this process when the block does; of an array by columns, a view of the whole."""
    if not (isinstance(whole, np.memmap) and whole.flags.c_contiguous):
        return np.asarray(whole[rows])
    start = whole.offset + rows.start * whole.strides[0]
    return np.asarray(np.memmap(str(whole.filename), dtype=whole.dtype, mode="r", offset=start, shape=(rows.stop - rows.start, whole.shape[1])))


def _mapped(path: str | Path) -> npt.NDArray[Any]:
    name = str(path)
    try:
        with opened(path):  # an ordinary file: NumPy would wait for a pipe
            return np.load(path, mmap_mode="r", allow_pickle=False)
    except FileNotFoundError:
        refusal = InvalidInput(f"there is no file {name!r}. Check the path.")
    except OSError as error:
        refusal = InvalidInput(f"{name!r} cannot be opened ({reason_of(error)}). A readable file is needed.")
    except (ValueError, EOFError):
        refusal = FileFormatError(f"{name!r} is not a .npy file with an array of numbers. Write it with numpy.save.")
    raise refusal
