"""Which designs compute their rows when they are asked for."""

import numpy as np

from discreet.data import Domain, Records
from discreet.kernels.design import FeatureMapDesign
from discreet.kernels.feature_map import FeatureMap
from discreet.matrices import AugmentedDesign, DenseDesign
from discreet.matrices.computed import computed_rows

ROWS = DenseDesign(np.random.default_rng(0).standard_normal((10, 3)))
MAP = FeatureMap(frequencies=np.ones((2, 3)))


def test_features_that_are_not_held_are_computed():
    streamed, held = FeatureMapDesign(ROWS, MAP, held_bytes=0), FeatureMapDesign(ROWS, MAP)
    for design, expected in ((ROWS, False), (held, False), (streamed, True)):
        assert computed_rows(design) is expected
        assert computed_rows(AugmentedDesign(design, scale=None, constant=0.5)) is expected
        data = Records(rows=design, targets=np.ones(10), domain=Domain(features=design.shape[1], norm_bound=1.0, classes=2))
        assert data.slow is expected
