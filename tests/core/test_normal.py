"""The normal distribution function, compared with forty digits and with SciPy's."""

import mpmath
import numpy as np
import pytest
from scipy import special

from discreet.core.normal import log_ndtr, ndtr, ndtri

PLACES = np.concatenate((np.linspace(-37.0, 37.0, 371), np.linspace(-3.0, 3.0, 121)))


def errors(found, of):
    """Relative ones, at PLACES."""
    with mpmath.workdps(40):
        exact = [of(mpmath.mpf(float(place))) for place in PLACES]
        return np.array([float(abs(mpmath.mpf(float(each)) / right - 1)) for each, right in zip(found, exact, strict=True)])


@pytest.mark.parametrize(
    ("function", "exact"),
    [(ndtr, mpmath.ncdf), (log_ndtr, lambda z: mpmath.log(mpmath.ncdf(z)) if z < 0 else mpmath.log1p(-mpmath.ncdf(-z)))],
    ids=["ndtr", "log_ndtr"],
)
def test_values_are_right_to_what_is_said(function, exact):
    rounded = np.square(np.minimum(PLACES, 0.0)) if function is ndtr else np.square(PLACES)
    assert np.all(errors(function(PLACES), exact) <= 2e-15 + 2.0**-53 * rounded)


def test_that_test_would_notice_a_coefficient():
    assert errors(ndtr(PLACES * (1.0 + 1e-14)), mpmath.ncdf).max() > 1e-13


def test_ends_are_ends():
    far = np.array([-np.inf, -1e200, 1e200, np.inf])
    assert ndtr(far).tolist() == [0.0, 0.0, 1.0, 1.0]
    assert np.all(log_ndtr(far)[:2] < -1e290)
    assert log_ndtr(far)[2:].tolist() == [0.0, 0.0]
    assert np.isnan(ndtr(np.array([np.nan])))
    assert float(ndtr(0.0)) == pytest.approx(0.5, rel=1e-15)


@pytest.mark.parametrize("p", [1e-300, 1e-20, 0.003, 0.3, 0.5, 0.7, 0.975, 1.0 - 1e-14])
def test_quantiles_are_those_of_scipy(p):
    assert ndtri(p) == pytest.approx(float(special.ndtri(p)), rel=1e-14, abs=1e-15)
