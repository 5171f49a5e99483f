"""The conditional score of Stefanski and Carroll (1987): logistic regression with normal noise of known covariance, for features of any law.

With h_i = 1 for the second class and 0 for the first, D_i = x~_i + h_i Sigma w is sufficient for x_i at fixed (w, b), and

    P(h_i = 1 | D_i) = 1 / (1 + e^{-m_i}),   m_i = <w, D_i> + b - w'Sigma w / 2

whatever x_i is; so where the logistic model holds, sum_i (h_i - P(h_i = 1 | D_i)) (D_i, 1) has mean zero at the true (w, b). It is solved from a
start. The equations have other roots, and with noise of the size of the effects (w'Sigma w well above 4) the one that is found may be far off: so
they are used where w'Sigma w <= 4 at the start, and the root is taken if it is within half a length of the start. On weak noise it leaves a third of
what moment reconstruction leaves for skewed features (docs/consumers.md).
"""

import numpy as np
from scipy.optimize import root
from scipy.special import expit

from discreet.core.arrays import Floats

LARGEST = 4.0
"""Of w'Sigma w."""
_NEAR = 0.5


def refined(rows: Floats, hits: Floats, noise: Floats, slopes: Floats, intercept: float) -> tuple[Floats, float]:
    """(w, b): the root near (slopes, intercept), or these themselves. `rows` (n, d) released, `hits` (n,) of 0 and 1, `noise` (d, d)."""
    if not 0 < float(slopes @ noise @ slopes) <= LARGEST:
        return slopes, intercept
    scales = rows.std(axis=0)
    scales[scales == 0] = 1.0

    def score(point: Floats) -> Floats:
        weights = point[:-1] / scales
        shift = noise @ weights
        rest = hits - expit(rows @ weights + hits * float(shift @ weights) + point[-1] - 0.5 * float(shift @ weights))
        return np.append((rest @ rows + float(rest @ hits) * shift) / scales, rest.sum()) / len(rows)

    found = root(score, np.append(slopes * scales, intercept), tol=1e-10)
    weights = np.asarray(found.x[:-1] / scales)
    length, away = (float(np.linalg.norm(one * scales)) for one in (slopes, weights - slopes))
    return (weights, float(found.x[-1])) if found.success and away <= _NEAR * length else (slopes, intercept)
