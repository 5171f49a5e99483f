"""Intervals of means whose number of records is released with noise too."""

import pytest

from discreet.evaluation import NoiseLaw
from discreet.evaluation.means import Total, difference_of, mean_of
from discreet.noise.laws import DiscreteGaussian


@pytest.mark.parametrize("make", [mean_of, difference_of])
@pytest.mark.parametrize("mean", [0.01, 0.5, 0.99])
def test_what_samples_vary_by_is_never_left_out(make, mean):
    law = NoiseLaw.of(DiscreteGaussian(5.0))
    for spread in (mean * mean, mean):  # records that are all alike, and as different as may be
        found = make(Total(40_000 * mean, law), Total(40_000 * spread, law), Total(40_000.0, law), level=0.999)
        assert found.low <= found.noise_low < mean < found.noise_high <= found.high
    assert found.low < found.noise_low
