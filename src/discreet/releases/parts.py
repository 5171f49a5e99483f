"""The numbers of a release on disk: Parquet files of float64 columns, written one after the other while rows come, and read the same way.

    data/part-00000.parquet, data/part-00001.parquet, ...        each of at most about 2^23 numbers

so that neither writing nor reading needs memory for more than one of them. They are not compressed: noise has little to compress, and LZ4 took longer
than drawing it, for files of three quarters of the size. So a file is a view of its numbers (`plain_parquet`), and no library is needed to write or
read it. Reading trusts nothing: names are those above and no others, and a file that is no Parquet file of finite float64 numbers with the columns
of the manifest is refused. Whatever else is such a file, one of earlier versions say, is read by polars.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import FileFormatError, quietly
from discreet.core.files.reading import opened
from discreet.core.lazily import lazily
from discreet.data.parquet_file import parquet_header, parquet_table
from discreet.releases.plain_parquet import Bytes, layout_of

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazily("polars")

FOLDER = "data"
PROJECTION = "projection.parquet"
PART_NUMBERS = 1 << 23
"""Of a part, rounded up to whole rows; the last one holds what is left. So parts do not depend on the blocks that rows came in."""

_HELD = 1 << 28
"""Bytes of a file that is read whole, at most: more than a part has."""
_TURNED = 1024
"""Rows whose numbers are moved at a time, which stay in the processor's caches."""
_NUMBERS, _FEWEST = 1 << 15, 64
"""Of a block that is looked at, and its rows at least."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One file of numbers."""

    path: str
    """Within the release's folder, with forward slashes."""
    rows: int
    size: int
    """In bytes."""
    sha256: str


def part_path(number: int) -> str:
    """Of the part with this number, from 0."""
    return f"{FOLDER}/part-{number:05d}.parquet"


class PartWriter:
    """Takes blocks of rows and writes parts. `leading` rows at the beginning are kept apart: they are the projection of a fresh one."""

    __slots__ = ("_filled", "_folder", "_image", "_leading", "_left", "_names", "begun", "parts")

    def __init__(self, names: Sequence[str], *, leading: int = 0) -> None:
        """For rows of these columns; say where with `into`."""
        self._names, self._left = list(names), leading
        self._folder = Path()
        self._leading: list[Floats] = []
        self._image, self._filled = Image.of(self._names, -(-PART_NUMBERS // len(self._names))), 0
        self.parts: list[Part] = []
        self.begun = False
        """Whether any row has come, so that the release has been drawn, in part at least."""

    def into(self, folder: Path) -> None:
        """Write into `folder`, which exists and is ours."""
        (folder / FOLDER).mkdir()
        self._folder = folder

    def keep(self, block: Floats) -> None:
        """Write some more rows."""
        self.begun = True
        if self._left:
            first, block = block[: self._left], block[self._left :]
            self._left -= len(first)
            self._leading.append(first.copy())
        while len(block):
            taken, block = np.split(block, [len(self._image.rows) - self._filled])
            _move(taken, self._image.rows[self._filled : self._filled + len(taken)])
            self._filled += len(taken)
            if self._filled == len(self._image.rows):
                self._write(self._image)

    def finish(self) -> tuple[Part, ...]:
        """Write what is left, and say what there is; at least one file, which may be empty."""
        if self._filled or not self.parts:
            last = Image.of(self._names, self._filled)
            last.rows[:] = self._image.rows[: self._filled]
            self._write(last)
        return tuple(self.parts)

    @property
    def leading(self) -> Floats:
        """The rows that were kept apart."""
        return np.concatenate(self._leading)

    def _write(self, image: "Image") -> None:
        """The next part."""
        self._filled = 0
        self.parts.append(image.write(self._folder, part_path(len(self.parts)), self._names))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Image:
    """A file in memory. Build it with `of`."""

    rows: Floats
    """Its numbers, (rows, columns), to be filled in."""
    content: Bytes | None
    """All of it, of which the numbers are a view; None where it is not a plain file."""

    @classmethod
    def of(cls, names: Sequence[str], rows: int) -> Self:
        """All numbers zero, or anything."""
        layout = layout_of(names, rows)
        if layout is None:
            return cls(rows=np.empty((rows, len(names)), order="F"), content=None)
        content = layout.image()
        return cls(rows=layout.numbers(content), content=content)

    def write(self, folder: Path, path: str, names: Sequence[str]) -> Part:
        """The file. Raises OSError where it cannot be written."""
        if self.content is not None:
            (folder / path).write_bytes(self.content.data)
            return Part(path=path, rows=len(self.rows), size=len(self.content), sha256=hashlib.sha256(self.content.data).hexdigest())
        frame = pl.DataFrame(dict(zip(names, self.rows.T, strict=True)))
        quietly(lambda: frame.write_parquet(folder / path), OSError("Parquet: it cannot be written"), pl.exceptions.PolarsError)
        return described(folder, path, len(self.rows))


def write_part(folder: Path, path: str, names: Sequence[str], rows: Floats) -> Part:
    """One file, (n, columns). Raises OSError where it cannot be written."""
    image = Image.of(names, len(rows))
    _move(rows, image.rows)
    return image.write(folder, path, names)


def described(folder: Path, path: str, rows: int) -> Part:
    """The file as it is on disk."""
    digest = hashlib.sha256()
    size = 0
    with opened(folder / path) as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
            size += len(piece)
    return Part(path=path, rows=rows, size=size, sha256=digest.hexdigest())


class PartReader:
    """Reads parts, in any order, all into the same memory, and remembers of each file whether it is as listed."""

    __slots__ = ("_content", "_folder", "_seen")

    def __init__(self, folder: Path) -> None:
        """The folder of the release."""
        self._folder, self._content = folder, np.empty(0, dtype=np.uint8)
        self._seen: dict[str, bool] = {}

    def as_listed(self, part: Part) -> bool:
        """Whether the file has the size and SHA-256 of the manifest; one whose rows were read here, when they were."""
        if part.path not in self._seen:
            try:
                self._seen[part.path] = described(self._folder, part.path, part.rows) == part
            except OSError:
                self._seen[part.path] = False
        return self._seen[part.path]

    def blocks(self, part: Part, names: Sequence[str]) -> Iterator[Floats]:
        """Its rows, contiguous, some at a time. Raises FileFormatError for a file that is not what the manifest says."""
        rows, size = self._rows(part, names), max(_FEWEST, _NUMBERS // len(names))
        for start in range(0, len(rows), size):
            block = np.ascontiguousarray(rows[start : start + size])
            if not np.isfinite(block).all():
                raise _other_numbers(part)
            yield block

    def whole(self, part: Part, names: Sequence[str]) -> Floats:
        """All its numbers, (rows, columns), contiguous. Raises as `blocks` does."""
        rows = self._rows(part, names)
        found = np.empty(rows.shape)
        _move(rows, found)
        if not np.isfinite(found).all():
            raise _other_numbers(part)
        return found

    def _rows(self, part: Part, names: Sequence[str]) -> Floats:
        """(rows, columns), a view of what the next call changes."""
        layout = layout_of(names, part.rows)
        if layout is not None and layout.size == part.size <= _HELD and self._read(part) and layout.fits(self._content):
            return layout.numbers(self._content)
        return _parsed(self._folder, part, names)

    def _read(self, part: Part) -> bool:
        """Whether the whole file could be read at once."""
        try:
            with opened(self._folder / part.path) as file:
                if len(self._content) != part.size:
                    self._content = np.empty(part.size, dtype=np.uint8)
                if file.readinto(self._content.data) != part.size or file.read(1):
                    return False
        except OSError:
            return False
        self._seen[part.path] = hashlib.sha256(self._content.data).hexdigest() == part.sha256
        return True


def read_part(folder: Path, part: Part, names: Sequence[str]) -> Floats:
    """Its numbers, as `PartReader.whole` gives them."""
    return PartReader(folder).whole(part, names)


def _parsed(folder: Path, part: Part, names: Sequence[str]) -> Floats:
    """The numbers of any Parquet file."""
    path = str(folder / part.path)
    if not (folder / part.path).is_file():
        raise FileFormatError(f"the release lacks its file {part.path!r}. Copy the whole folder.")
    if parquet_header(path) != list(names):
        raise FileFormatError(f"{part.path!r} has other columns than the manifest says.")
    frame = parquet_table(path, names)
    if any(dtype != pl.Float64 for dtype in frame.dtypes) or any(column.null_count() for column in frame):
        raise FileFormatError(f"{part.path!r} holds something else than float64 numbers.")
    rows = np.asarray(frame.to_numpy(), dtype=np.float64)
    if rows.shape != (part.rows, len(names)):
        raise _other_numbers(part)
    return rows


def _other_numbers(part: Part) -> FileFormatError:
    return FileFormatError(f"{part.path!r} does not hold {part.rows} rows of finite numbers, as the manifest says.")


def _move(rows: Floats, to: Floats) -> None:
    """Copy numbers into an array of the other layout, row by row or column by column."""
    for start in range(0, len(rows), _TURNED):
        to[start : start + _TURNED] = rows[start : start + _TURNED]


def read_parts(folder: Path, parts: Sequence[Part], names: Sequence[str]) -> Iterator[Floats]:
    """The rows of all parts in order, one part at a time."""
    for part in parts:
        yield read_part(folder, part, names)
