"""Rows within bounds: entries clipped; rows shortened, none lengthened, and a small norm is never divided by."""

import warnings

import numpy as np
import pytest

from discreet.matrices import clip_entries, safe_shortening, shortening
from tests.matrices.test_matrices import KINDS, make

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


@pytest.mark.parametrize("kind", KINDS)
def test_clipping_clips_every_entry_and_nothing_else(kind):
    matrix, explicit = make(kind, np.random.default_rng(0), 3000)
    clipped, expected = clip_entries(matrix, 0.6), np.clip(explicit, -0.6, 0.6)
    assert clipped.shape == matrix.shape
    assert clip_entries(matrix, 100.0) is matrix
    weights, coefficients = np.linspace(-1.0, 1.0, matrix.shape[1]), np.linspace(-1.0, 1.0, matrix.shape[0])
    assert np.allclose(clipped.matvec(weights), expected @ weights, atol=1e-12)
    assert np.allclose(clipped.rmatvec(coefficients), coefficients @ expected, atol=1e-10)
    assert np.allclose(clipped.row_norms(), np.linalg.norm(expected, axis=1))
    assert np.allclose(clipped.gram(coefficients**2), (expected.T * coefficients**2) @ expected, atol=1e-9)
    assert np.allclose(clipped.gram_diagonal(coefficients**2), coefficients**2 @ expected**2)
