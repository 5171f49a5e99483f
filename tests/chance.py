"""What chance leaves of a stated share: a test that asks for no more fails a correct program about once in a million looks, of which it may take ten.

A mean of independent runs has Student's law of its scatter. Runs that mostly hold are skewed to the left, where a low mean has much scatter, so that
chance fails them less often than said. The hits of one thing in independent runs have the binomial law.
"""

import numpy as np
from scipy.stats import binom, t

LEVEL = 1e-6


def highest(runs):
    """Of a mean, which these independent runs allow but for LEVEL."""
    runs = np.asarray(runs, dtype=float)
    return runs.mean() + t.isf(LEVEL, len(runs) - 1) * runs.std(ddof=1) / np.sqrt(len(runs))


def lowest(runs):
    """The other side of `highest`."""
    return -highest(-np.asarray(runs, dtype=float))


def fewest(runs, share, *, looks=1):
    """Hits in so many independent runs of a chance of at least `share`: fewer come but for LEVEL, in any of so many `looks`."""
    return binom.ppf(LEVEL / looks, runs, share)
