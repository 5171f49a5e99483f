"""Least squares on released data, for the records: theorems 1 and 2 of Showkatbakhsh, Karakus, Diggavi (2018), without unknown constants.

Noisy rows, theorem 1. theta* is least squares of y on X (n, d), theta^ that of y on X + sigma N, N of independent N(0, 1) entries, and

    eta = |X theta^ - y|^2 / |X theta* - y|^2,    kappa = s_max / s_min of X,   r = |X theta*| / |X theta* - y|

With probability at least 1 - p, if k = kappa (Delta + delta) < 1,

    eta <= (1 + q)^2   as printed (11);      eta <= 1 + q^2,      q = k / (1 - k) (kappa + r)
    Delta = sigma (sqrt n + sqrt d) / s_max,    delta = sigma sqrt(2 ln(2 / p)) / s_max

(Wedin's bound on |X (theta^ - theta*)|, and |sigma N| <= sigma (sqrt n + sqrt d + t) but for 2 e^{-t^2/2}.) The printed condition is kappa Delta < 1,
which is not enough. The second form is sharper since the residual is orthogonal to what theta moves. Both are vacuous where the paper experiments: on
uniform data the condition needs more than one bit an entry. What happens is predicted far better by

    eta_ridge(lambda) = 1 + sum_j (lambda / (s_j^2 + lambda))^2 (u_j'y)^2 / |X theta* - y|^2,    lambda = n sigma^2

the error of ridge: noise on n rows adds n sigma^2 I to X'X, and little else. All arguments are numbers that an experimenter knows; those of a private
table are private.

A Gaussian sketch, theorem 2. theta^ is least squares from k rows of S [X, y] + sigma N, theta_R ridge on the records with penalty sigma^2, and eta as
above:

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

import math

import numpy as np
from scipy.special import fdtri

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.validate import each, not_negative, positive, probability, whole


def noisy_rows_risk(
    *, records: int, features: int, deviation: float, largest: float, least: float, fit: float, failure: float, printed: bool = False
) -> float:
    """A bound of eta with probability at least 1 - failure; infinity where its condition fails. `largest`, `least` are s_max, s_min; `fit` is r."""
    each(whole, records=records, features=features)
    each(positive, largest=largest, least=least)
    each(not_negative, deviation=deviation, fit=fit)
    probability(failure, "failure")
    if least > largest:
        raise InvalidInput(f"the least singular value exceeds the largest: {least!r} and {largest!r} were given.")
    condition = largest / least
    moved = deviation * (math.sqrt(records) + math.sqrt(features) + math.sqrt(2.0 * math.log(2.0 / failure))) / least
    if moved >= 1:
        return math.inf
    change = moved / (1.0 - moved) * (condition + fit)
    return (1.0 + change) ** 2 if printed else 1.0 + change**2


def ridge_risk(*, penalty: float, singular_values: Floats, projections: Floats, residual: float) -> float:
    """eta_ridge: `projections` are u_j'y (d,), for the singular values (d,); `residual` is |X theta* - y|^2. `penalty` = n sigma^2 for noisy rows."""
    not_negative(penalty, "penalty")
    positive(residual, "residual")
    squares, along = np.square(np.asarray(singular_values, dtype=np.float64)), np.asarray(projections, dtype=np.float64)
    if squares.ndim != 1 or squares.shape != along.shape or not (np.all(squares > 0) and np.all(np.isfinite(squares)) and np.all(np.isfinite(along))):
        raise InvalidInput("ridge_risk needs one finite projection of y for each positive singular value.")
    return 1.0 + float(np.sum(np.square(penalty / (squares + penalty) * along))) / residual


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
