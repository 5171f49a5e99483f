"""Readers of one value of a record: a number beyond float64 is refused as any other, with the errors that they promise."""

import math

import pytest

from discreet.core.fields import finite, not_negative, numbers, positive, real

BEYOND = 10**400


@pytest.mark.parametrize("read", [finite, positive, not_negative, lambda value: numbers({"a": value})])
@pytest.mark.parametrize("value", [BEYOND, -BEYOND, math.inf, math.nan, True, "1", None])
def test_what_is_no_finite_number_is_refused(read, value):
    with pytest.raises((TypeError, ValueError)):
        read(value)


@pytest.mark.parametrize("value", [BEYOND, -BEYOND])
def test_a_whole_number_beyond_float64_is_no_real_number(value):
    with pytest.raises(ValueError):  # noqa: PT011 - whoever knows the record's name puts it into words
        real(value)
    assert real(10**300) == 1e300
    assert real(math.inf) == math.inf
