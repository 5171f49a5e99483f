"""The logistic loss of many classes: its slope, and constants that are neither too small nor too large."""

import numpy as np
import pytest

from discreet.core.errors import InvalidInput
from discreet.losses.softmax import Softmax


@pytest.mark.parametrize("spread", [0.0, 0.5, 2.0, pytest.param(8.0, marks=pytest.mark.more), 299.0, 1e4])
@pytest.mark.parametrize("classes", [3, 4, pytest.param(30, marks=pytest.mark.more)])
def test_slopes_keep_their_bounds_and_reach_them(classes, spread):
    loss, rng = Softmax(classes=classes), np.random.default_rng(0)
    wrong, length = loss.largest(spread)
    beside = np.tri(classes, k=-1)[:, [-1, *range(classes - 1)]]  # of the first class, some others
    margins = spread * np.concatenate([rng.uniform(size=(3000, classes)), rng.integers(0, 2, (3000, classes)), beside])
    found = loss.slopes(margins, np.zeros(len(margins)))
    assert np.abs(found).max() <= wrong
    assert np.linalg.norm(found, axis=1).max() <= length
    assert np.abs(found).max() >= wrong * (1.0 - 1e-9)
    assert np.linalg.norm(found, axis=1).max() >= length * (1.0 - 1e-9)
    shortened = loss.slopes(margins, np.zeros(len(margins)), wrong=0.9 * wrong, length=0.8 * length)
    assert np.abs(shortened).max() <= 0.9 * wrong * (1.0 + 1e-12)
    assert np.linalg.norm(shortened, axis=1).max() <= 0.8 * length * (1.0 + 1e-12)
    np.testing.assert_allclose(shortened.sum(axis=1), 0.0, atol=1e-12)


def test_the_slope_is_that_of_the_loss_and_the_curvature_is_a_variance():
    loss, rng = Softmax(classes=4), np.random.default_rng(1)
    margins, targets, along = rng.normal(0, 2, (50, 4)), rng.integers(0, 4, 50).astype(float), rng.normal(size=(50, 4))
    step = 1e-4
    above, here, below = (loss.value(margins + move * along, targets) for move in (step, 0.0, -step))
    np.testing.assert_allclose((above - below) / (2 * step), (loss.slopes(margins, targets) * along).sum(axis=1), atol=1e-7)
    assert np.all((above - 2 * here + below) / step**2 <= np.ptp(along, axis=1) ** 2 / 4 + 1e-6)


@pytest.mark.parametrize("classes", [2, 100_001, 3.0])
def test_other_numbers_of_classes_are_refused(classes):
    with pytest.raises(InvalidInput, match="class"):
        Softmax(classes=classes)
