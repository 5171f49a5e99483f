import numpy as np
import pytest
from scipy.stats import binom

from discreet.audit.binomial import lower_share, upper_share


@pytest.mark.parametrize("failure", [1e-6, 1e-3, 0.2])
@pytest.mark.parametrize("runs", [1, 7, 60])
def test_the_bounds_fail_at_most_as_often_as_they_say(runs, failure):
    counts = np.arange(runs + 1)
    lower, upper = lower_share(counts, runs, failure), upper_share(counts, runs, failure)
    for share in np.concatenate((np.linspace(0.0, 1.0, 101), lower, upper)):
        masses = binom.pmf(counts, runs, share)
        # At a bound itself the count that gave it may or may not be above: it fails with `failure` in the limit.
        assert masses[lower > share].sum() <= failure * (1 + 1e-6)
        assert masses[upper < share].sum() <= failure * (1 + 1e-6)


def test_extreme_counts_have_their_closed_forms():
    assert lower_share(10, 10, 0.01) == pytest.approx(0.01**0.1, rel=1e-8)
    assert upper_share(0, 10, 0.01) == pytest.approx(1 - 0.01**0.1, rel=1e-8)
    assert lower_share(0, 10, 0.01) == 0.0
    assert upper_share(10, 10, 0.01) == 1.0


def test_bounds_that_were_too_tight_would_be_seen():
    """The plug-in share instead of a bound fails about half of the time."""
    counts = np.arange(61)
    assert binom.pmf(counts, 60, 0.5)[counts / 60 > 0.5].sum() > 0.4
