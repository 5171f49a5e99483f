"""Rows are shortened to their bound, none lengthened, and a small norm is never divided by."""

import warnings

import numpy as np
import pytest

from discreet.matrices import safe_shortening, shortening

NORMS = np.array([0.0, 5e-324, 1e-300, 0.5, 1.0, np.nextafter(1.0, 2.0), 3.0, 1e300])


@pytest.mark.parametrize("bound", [1e-3, 1.0, 1e6])
def test_no_row_is_longer_than_the_bound_and_short_ones_stay(bound):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        factors, safe = shortening(NORMS, bound), safe_shortening(NORMS, bound, width=5)
    assert np.all(factors[bound >= NORMS] == 1.0)
    assert np.all(factors * NORMS <= bound * (1 + 1e-15))
    assert np.all(safe <= factors)
    assert np.all(safe * NORMS * (1 + 5 * 2.0**-53) < bound)


def test_there_are_no_factors_where_no_row_is_long():
    assert safe_shortening(NORMS[:4], 1.0, width=5) is None
    assert safe_shortening(np.array([1.0]), 1.0, width=5) is not None
