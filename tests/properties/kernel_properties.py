"""What every kernel must satisfy, as functions that raise AssertionError.

Frequencies come from fixed public seeds, so an outcome never changes. The level of the comparison is Hoeffding's: a mean of 20,000 cosines is off by
0.05 with probability below 3e-11.
"""

import numpy as np

from discreet.kernels import draw_frequencies
from discreet.kernels.feature_map import FeatureMap

COUNT = 20_000
LEVEL = 0.05
FEATURES = 4


def points(kernel, seed=0):
    """Rows of a size at which the kernel of two of them is about 1 / 2: (12, 4)."""
    rows = np.random.default_rng(seed).standard_normal((12, FEATURES))
    above = np.triu_indices(len(rows), 1)
    low, high = -60.0, 60.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        near = np.median(kernel.value(rows * np.exp(middle), rows * np.exp(middle))[above]) > 0.5
        low, high = (middle, high) if near else (low, middle)
    return rows * np.exp(low)


def check_value(kernel):
    """1 at distance zero, symmetric, at most 1, and a function of x - x' with no negative eigenvalues."""
    rows = points(kernel)
    values = kernel.value(rows, rows)
    assert values.shape == (12, 12)
    np.testing.assert_allclose(np.diag(values), 1.0, rtol=1e-7, err_msg="k(x, x) is not 1")
    np.testing.assert_allclose(values, values.T, rtol=1e-12)
    assert values.max() <= 1 + 1e-12
    assert 0.3 < np.median(values) < 0.8
    np.testing.assert_allclose(kernel.value(rows + 3.0 * rows[0], rows + 3.0 * rows[0]), values, rtol=1e-6, atol=1e-6)
    assert np.linalg.eigvalsh(values).min() > -1e-9, "not positive definite"


def check_features_approximate(kernel, orthogonal):
    """Inner products of paired features are within Hoeffding's bound of the kernel."""
    rows = points(kernel)
    frequencies = draw_frequencies(kernel, seed=1, features=FEATURES, count=COUNT, orthogonal=orthogonal)
    features = FeatureMap(frequencies=frequencies).features(rows)
    gap = np.abs(features @ features.T - kernel.value(rows, rows)).max()
    assert gap < LEVEL, "the frequencies are not drawn from the kernel's spectral measure"


def check_independent_features(kernel):
    """With independent frequencies."""
    check_features_approximate(kernel, orthogonal=False)


def check_orthogonal_features(kernel):
    """With orthogonal ones, where the kernel has them."""
    check_features_approximate(kernel, orthogonal=True)


def check_rows_have_norm_one(kernel):
    """Whatever the rows: small, large, equal to zero."""
    rows = np.vstack([points(kernel) * size for size in (1e-300, 1e-3, 1.0, 1e3, 1e30)] + [np.zeros((1, FEATURES))])
    features = FeatureMap(frequencies=draw_frequencies(kernel, seed=2, features=FEATURES, count=7)).features(rows)
    np.testing.assert_allclose(np.linalg.norm(features, axis=1), 1.0, rtol=1e-14)


def check_parameters(kernel):
    """They rebuild the kernel, `gamma` is among them, and equal kernels draw equal frequencies from equal seeds."""
    again = type(kernel)(**kernel.parameters)
    assert again == kernel
    assert "gamma" in kernel.parameters
    first, second = (draw_frequencies(one, seed=3, features=2, count=5) for one in (kernel, again))
    assert first.shape == (5, 2)
    np.testing.assert_array_equal(first, second)


def check_rotation(kernel):
    """What it says of rotations is true."""
    rows = points(kernel)
    turn = np.linalg.qr(np.random.default_rng(5).standard_normal((FEATURES, FEATURES)))[0]
    same = np.allclose(kernel.value(rows @ turn, rows @ turn), kernel.value(rows, rows), rtol=1e-6)
    assert same == kernel.rotation_invariant, "the kernel is not what it says under rotations"


LAWS = [
    check_value,
    check_independent_features,
    check_orthogonal_features,
    check_rows_have_norm_one,
    check_parameters,
    check_rotation,
]
