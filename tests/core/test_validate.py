"""Public numbers are checked in one place: a plain number comes back, or one sentence says what was needed."""

import math

import numpy as np
import pytest

from discreet.core.errors import InvalidInput
from discreet.core.validate import each, interval_level, not_negative, number, positive, probability, small_delta, whole


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        (number, [1, 2.5, np.float32(0.5), math.inf], [True, "1", None, 10**400]),
        (positive, [1, 1e-300, np.int64(3)], [0, -1.0, math.inf, math.nan, True, "1", 10**400, 10**5000]),
        (not_negative, [0, 0.0, 7], [-1e-9, math.inf, math.nan, False, -(10**5000)]),
        (probability, [0.5, 1e-12], [0, 1, 1.5, math.nan, True, 10**5000]),
        (whole, [1, np.int64(7), 10**18], [0, 1.0, True, "2", 10**400, -(10**5000)]),
    ],
)
def test_each_check_takes_its_numbers_and_no_others(check, good, bad):
    for value in good:
        found = check(value, "the thing")
        assert found == value
        assert type(found) in (int, float)
    for value in bad:
        with pytest.raises(InvalidInput, match=r"^the thing must "):
            check(value, "the thing")


def test_several_values_are_checked_under_their_names():
    each(positive, width=1.0, height=2.0)
    with pytest.raises(InvalidInput, match=r"^height must be a positive"):
        each(positive, width=1.0, height=0.0)
    with pytest.raises(InvalidInput, match="at least 3"):
        whole(2, "the count", least=3)


@pytest.mark.parametrize(("check", "good", "words"), [(interval_level, 0.95, "level of an interval"), (small_delta, 0, "^delta")])
def test_levels_and_deltas_are_numbers_of_their_range(check, good, words):
    assert check(good) == good
    for bad in (-0.1, 1, math.nan, "0.5", None, True):
        with pytest.raises(InvalidInput, match=words):
            check(bad)
