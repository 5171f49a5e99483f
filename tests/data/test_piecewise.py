"""A cell at which a library panics is null, and the others are what they are."""

import os

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.core.errors import InvalidInput
from discreet.data import Dialect
from discreet.data.cells import moments_of
from discreet.data.clock import moment_days, moment_texts
from discreet.data.labels import UNREADABLE
from discreet.data.piecewise import piecewise


class Panic(BaseException):
    """As polars raises it, after it has printed."""


def panicking(series):
    if (series == 13).any():
        os.write(2, b"thread panicked at 13")
        raise Panic
    return series * 2


@given(st.lists(st.sampled_from([1, 13, 2])))
def test_cells_are_read_one_by_one_where_one_of_them_is_panicked_at(cells):
    found = piecewise(panicking, pl.Series("x", cells, dtype=pl.Int64), pl.Int64)
    assert found.to_list() == [None if cell == 13 else 2 * cell for cell in cells]
    assert found.dtype == pl.Int64


def test_a_panic_is_not_printed_and_what_is_no_panic_passes(capfd):
    assert piecewise(panicking, pl.Series([13, 1]), pl.Int64).to_list() == [None, 2]
    assert capfd.readouterr() == ("", "")
    for error in (KeyboardInterrupt, MemoryError, InvalidInput):

        def failing(_, error=error):
            raise error

        with pytest.raises(error):
            piecewise(failing, pl.Series([1]), pl.Int64)


def test_a_panic_of_polars_in_dates_and_moments_concerns_its_cell(monkeypatch):
    """Each of its functions that knows a calendar, at the first of two cells."""

    def at_first(name, space):
        known = getattr(space, name)

        def panicking(self, *arguments, **settings):
            found = known(self, *arguments, **settings)
            if self._s.len() > 1:
                raise Panic
            panicking.calls += 1
            return pl.Series([None], dtype=found.dtype) if panicking.calls == 1 else found

        panicking.calls = 0
        return panicking

    moments = pl.Series([0, 3_600_000_000]).cast(pl.Datetime("us", "UTC"))
    with monkeypatch.context() as patched:
        patched.setattr(type(moments.dt), "to_string", at_first("to_string", type(moments.dt)))
        assert moment_texts(moments).to_list() == [UNREADABLE, "1970-01-01T01:00:00"]
    with monkeypatch.context() as patched:
        patched.setattr(type(moments.dt), "replace_time_zone", at_first("replace_time_zone", type(moments.dt)))
        assert moment_days(moments).tolist() == [0, 1 / 24]
    texts = pl.Series(["1970-01-01", "1970-01-02"])
    with monkeypatch.context() as patched:
        patched.setattr(type(texts.str), "strptime", at_first("strptime", type(texts.str)))
        assert moments_of(texts, Dialect()).to_list() == [None, 86_400_000_000]
