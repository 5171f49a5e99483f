"""Second moments without their noise, positive definite whatever the noise did."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.consumers.corrected import SHARE, spectrum
from discreet.core.errors import InvalidInput


@given(seed=st.integers(0, 10_000), size=st.integers(1, 8), rows=st.integers(2, 200), scale=st.floats(1e-3, 1e3))
def test_the_matrix_is_positive_definite_and_the_transport_reaches_it(seed, size, rows, scale):
    draw = np.random.default_rng(seed)
    root = draw.standard_normal((size, size)) * scale
    noise = root @ root.T + 1e-3 * scale**2 * np.eye(size)
    table = draw.standard_normal((rows, size)) @ np.linalg.cholesky(noise).T
    moments = table.T @ table
    found = spectrum(moments, noise, removed=float(rows), rows=rows)
    matrix = found.matrix()
    assert np.linalg.eigvalsh(matrix)[0] > 0
    assert np.all(found.floored >= SHARE * 2 * np.sqrt(rows * size))
    if rows > 2 * size:  # the released moments are invertible
        moved = table @ found.transport()
        assert np.allclose(moved.T @ moved, matrix, rtol=1e-4, atol=1e-6 * np.trace(matrix))


def test_nothing_is_changed_where_noise_is_small():
    draw = np.random.default_rng(0)
    table = draw.standard_normal((10_000, 3))
    noise = np.diag([0.1, 0.2, 0.3])
    found = spectrum(table.T @ table, noise, removed=10_000.0, rows=10_000)
    assert found.raised == 0
    assert np.allclose(found.matrix(), table.T @ table - 10_000 * noise, rtol=1e-9, atol=1e-5)


def test_features_without_noise_are_left_as_they_are():
    draw = np.random.default_rng(1)
    table = draw.standard_normal((5000, 3))
    noise = np.diag([0.5, 0.0, 0.5])
    matrix = spectrum(table.T @ table, noise, removed=5000.0, rows=5000).matrix()
    assert matrix[1, 1] == pytest.approx(table[:, 1] @ table[:, 1], rel=1e-6)
    assert np.allclose(matrix, table.T @ table - 5000 * noise, rtol=1e-5, atol=1e-2)


def test_directions_that_noise_drowned_are_raised_and_counted():
    draw = np.random.default_rng(2)
    table = draw.standard_normal((1000, 4)) * 10.0 + np.outer(draw.standard_normal(1000), [100.0, 0.0, 0.0, 0.0])
    found = spectrum(table.T @ table, 100.0 * np.eye(4), removed=1000.0, rows=1000)
    assert found.raised == 3


def test_without_noise_columns_must_not_be_collinear():
    table = np.ones((10, 2))
    with pytest.raises(InvalidInput, match="collinear"):
        spectrum(table.T @ table, np.zeros((2, 2)), removed=10.0, rows=10)
    exact = spectrum(np.diag([3.0, 1.0]), np.zeros((2, 2)), removed=10.0, rows=10)
    assert np.allclose(exact.matrix(), np.diag([3.0, 1.0]))
    assert np.allclose(exact.transport(), np.eye(2))
