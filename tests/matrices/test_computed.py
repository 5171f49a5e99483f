"""Which matrices compute their rows when they are asked for."""

import numpy as np

from discreet.data import Domain, Records
from discreet.kernels.feature_map import FeatureMap
from discreet.kernels.matrix import FeatureMapMatrix
from discreet.matrices import AugmentedMatrix, DenseMatrix
from discreet.matrices.entries import computed_rows

ROWS = DenseMatrix(np.random.default_rng(0).standard_normal((10, 3)))
MAP = FeatureMap(frequencies=np.ones((2, 3)))


def test_features_that_are_not_held_are_computed():
    streamed, held = FeatureMapMatrix(ROWS, MAP, held_bytes=0), FeatureMapMatrix(ROWS, MAP)
    for matrix, expected in ((ROWS, False), (held, False), (streamed, True)):
        assert computed_rows(matrix) is expected
        assert computed_rows(AugmentedMatrix(matrix, scale=None, constant=0.5)) is expected
        data = Records(rows=matrix, targets=np.ones(10), domain=Domain(features=matrix.shape[1], norm_bound=1.0, classes=2))
        assert data.slow is expected
