"""How much worse least squares on a Gaussian sketch does on the records: theorem 2 of Showkatbakhsh et al. (2018), without unknown constants.

theta^ is least squares from k rows of S [X, y] + sigma N, theta_R ridge on the records with penalty sigma^2, and eta as in `noisy_regression`:

    eta <= eta_1 eta_2 eta_3,    eta_1 <= (1 + l_2)^2,   eta_2 <= 1 + l_1,   l_1 = sigma^2 (max_j s_j / (s_j^2 + sigma^2))^2 r^2
                                                                             l_2 = sigma^2 / (s_min^2 + sigma^2) r

The paper bounds eta_3, the loss by sketching a regression with d coefficients, by (1 + delta)^2 with constants that are not stated. For Gaussian S
its law is exact, whatever the records:

    eta_3 - 1 = T,    T (k - d + 1) / d ~ F(d, k - d + 1),     E T = d / (k - d - 1),    k >= d (k > d + 1 for the mean)

since in coordinates where X has orthonormal columns T is the squared length of (S_x'S_x)^{-1} S_x' g, S_x (k, d) and g (k,) independent normal: a
Hotelling statistic. So with probability at least 1 - p

    eta <= (1 + l_2)^2 (1 + l_1) (1 + d / (k - d + 1) F^{-1}_{d, k-d+1}(1 - p))

With noise of variance s^2 on the target's column too (our sketches), T is a share of the residual with that noise in it, and the bound becomes

    (1 + l_2)^2 (1 + l_1) (1 + t) + t s^2 / |X theta* - y|^2,     t the quantile of T

The printed corollary 3 needs |X theta*|, as in its proof, for |X theta* - y|.
"""

import numpy as np
from scipy.special import fdtri

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.validate import each, not_negative, positive, probability, whole


def sketch_loss_quantile(*, features: int, rows: int, failure: float) -> float:
    """The number that eta_3 exceeds with probability `failure`, exactly: 1 + d / (k - d + 1) F^{-1}(1 - failure)."""
    _check(features, rows, least=features)
    probability(failure, "failure")
    freedom = rows - features + 1
    return 1.0 + features / freedom * float(fdtri(features, freedom, 1.0 - failure))


def sketch_loss_mean(*, features: int, rows: int) -> float:
    """E eta_3 = 1 + d / (k - d - 1)."""
    _check(features, rows, least=features + 2)
    return 1.0 + features / (rows - features - 1)


def sketch_risk(*, rows: int, variance: float, singular_values: Floats, fit: float, failure: float, target_share: float = 0.0) -> float:
    """The bound of eta that holds with probability at least 1 - failure; `variance` is sigma^2, `singular_values` (d,) those of X, `fit` r.

    `target_share` is s^2 / |X theta* - y|^2 where the target's column has noise too.
    """
    each(not_negative, variance=variance, fit=fit, target_share=target_share)
    values = np.asarray(singular_values, dtype=np.float64)
    if values.ndim != 1 or len(values) == 0 or not np.all(np.isfinite(values)):
        raise InvalidInput("sketch_risk needs the singular values of the features, (d,).")
    each(positive, least=float(np.min(values)))
    squares = np.square(values)
    first = variance * float(np.max(values / (squares + variance))) ** 2 * fit**2
    second = variance / (float(np.min(squares)) + variance) * fit
    quantile = sketch_loss_quantile(features=len(values), rows=rows, failure=failure)
    return (1.0 + second) ** 2 * (1.0 + first) * quantile + (quantile - 1.0) * target_share


def _check(features: int, rows: int, *, least: int) -> None:
    each(whole, features=features, rows=rows)
    if rows < least:
        raise InvalidInput(f"a sketch for {features} features needs at least {least} rows here; {rows} was given.")
