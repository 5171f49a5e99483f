"""Confidence bounds on a probability from a count, without approximation (Clopper, Pearson 1934).

    lower(k of n) = the p at which P(Bin(n, p) >= k) = failure,     upper(k of n) = the p at which P(Bin(n, p) <= k) = failure

Each fails with probability at most `failure`, whatever p is. By the incomplete beta function, lower = B^-1(failure; k, n - k + 1) and
upper = B^-1(1 - failure; k + 1, n - k); the inverses are widened by a relative 1e-9 for rounding.
"""

import numpy as np
import numpy.typing as npt
from scipy.special import betainccinv, betaincinv

from discreet.core.arrays import Floats

_ROOM = 1e-9


def lower_share(hits: npt.ArrayLike, runs: int, failure: float) -> Floats:
    """Lower bounds on the probability of each event from its number of occurrences in `runs` independent runs; 0 for no occurrence."""
    k = np.asarray(hits, dtype=float)
    found = betaincinv(np.maximum(k, 1.0), runs - k + 1.0, failure)
    return np.where(k > 0, found * (1.0 - _ROOM), 0.0)


def upper_share(hits: npt.ArrayLike, runs: int, failure: float) -> Floats:
    """Upper bounds, likewise; 1 for an event that always occurred."""
    k = np.asarray(hits, dtype=float)
    found = betainccinv(k + 1.0, np.maximum(runs - k, 1.0), failure)
    return np.where(k < runs, np.minimum(1.0, found * (1.0 + _ROOM)), 1.0)
