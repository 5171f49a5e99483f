"""Files that are a view of their numbers: every reader of Parquet takes them, and nothing else is taken for one."""

import io

import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest

from discreet.releases import plain_parquet
from discreet.releases.plain_parquet import layout_of

NAMES = [["x"], ["a", "b c", "é" * 90], [f"x{number}" for number in range(40)]]
ROWS = [0, 1, 7, 1000, 70_000]


def made(names, rows):
    """A layout, a file and its numbers."""
    layout = layout_of(names, rows)
    image, numbers = layout.image(), np.random.default_rng(rows).standard_normal((rows, len(names)))
    layout.numbers(image)[:] = numbers
    return layout, image, numbers


@pytest.mark.each_with_each
@pytest.mark.parametrize("names", NAMES, ids=len)
@pytest.mark.parametrize("rows", ROWS)
def test_readers_of_parquet_find_names_and_numbers(names, rows):
    layout, image, numbers = made(names, rows)
    assert layout.numbers(image).ctypes.data % 8 == image.ctypes.data % 8
    found = pl.read_parquet(io.BytesIO(image.tobytes()))
    assert found.columns == names
    assert set(found.dtypes) == {pl.Float64}
    assert np.array_equal(found.to_numpy(), numbers)
    other = pq.read_table(io.BytesIO(image.tobytes()))
    assert other.column_names == names
    assert np.array_equal(np.column_stack([column.to_numpy() for column in other.columns]), numbers)
    assert not any(field.nullable for field in other.schema)


@pytest.mark.parametrize("rows", ROWS)
def test_a_file_is_known_again_by_every_byte_but_the_numbers(rows):
    layout, image, numbers = made(NAMES[1], rows)
    assert layout.fits(image)
    assert np.array_equal(layout.numbers(image), numbers)
    spans = [slice(0, len(layout.lead)), slice(layout.end, layout.size)]
    spans += [slice(start - len(layout.between), start) for start in (len(layout.lead) + place * layout.pitch for place in (1, 2))]
    others = [place for span in spans for place in range(layout.size)[span]]
    assert len(others) + numbers.nbytes == layout.size
    for place in others:
        image[place] ^= 1
        assert not layout.fits(image)
        image[place] ^= 1
    assert not layout.fits(image[:-1])
    assert not layout_of(NAMES[1][::-1], rows).fits(image)
    assert not layout_of(NAMES[1], rows + 1).fits(image)


def test_there_is_none_for_a_page_that_parquet_cannot_have(monkeypatch):
    monkeypatch.setattr(plain_parquet, "_LARGEST_PAGE", 80)
    assert layout_of(["x"], 10) is not None
    assert layout_of(["x"], 11) is None
    assert layout_of([], 1) is None
