"""A line of a packed file that unpacks to more than there is memory is refused after its first megabytes, wherever it is in the table."""

import gzip
import tracemalloc

import pytest

from discreet.core.errors import FileFormatError
from discreet.data import read_header, read_table
from discreet.data.csv_text import LONGEST_HEADER, LONGEST_LINE
from tests.canary import CANARY, assert_silent

MEGABYTE = 1 << 20
UNPACKED = 1 << 11
"""Megabytes of a line, which is a few megabytes on the disk: whoever held it would be noticed."""
HELD = 256 * MEGABYTE
"""Bytes that the longest line may take, as text and as fields."""
FILLINGS = {
    "one name": f"x{CANARY}",
    "many names": f"{CANARY},",
    "names over many lines": f'"{CANARY}\n",',
    "one open quote": f'"{CANARY}',
}


def packed(path, first, filling):
    """A table that begins with `first`, and goes on with hundreds of megabytes without an end of the line."""
    piece = gzip.compress(filling.encode() * (MEGABYTE // len(filling)))
    path.write_bytes(gzip.compress(first.encode()) + UNPACKED * piece)
    return path


@pytest.mark.at_most(1)
@pytest.mark.parametrize("first", ["", "a,b\n", "a,b\n1,2\n"], ids=["header", "first record", "second record"])
@pytest.mark.parametrize("filling", FILLINGS.values(), ids=FILLINGS)
def test_a_line_without_an_end_is_refused_before_it_is_held(tmp_path, first, filling):
    path = packed(tmp_path / "t.csv.gz", first, filling)
    for read in (lambda: read_table(path, ["a"]), *([] if first else [lambda: read_header(path)])):
        tracemalloc.start()
        with pytest.raises(FileFormatError, match=r"has a line of more than|not valid CSV") as refused:
            read()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < HELD
        assert_silent(refused.value)


@pytest.mark.more
def test_lines_as_long_as_they_may_be_are_read(tmp_path):
    names = [f"name {number}" for number in range(330_000)]
    header = ",".join(names)
    assert LONGEST_HEADER * 0.9 < len(header) + 1 <= LONGEST_HEADER
    cell = "x" * (LONGEST_LINE // len(names) - 2)
    path = tmp_path / "t.csv"
    path.write_text(f"{header}\n{','.join([cell] * len(names))}\n")
    assert read_header(path) == names
    assert read_table(path, [names[-1]]).rows() == [(cell,)]
