"""How much worse least squares on noisy rows does on the records: theorem 1 of Showkatbakhsh, Karakus, Diggavi (2018).

theta* is least squares of y on X (n, d), theta^ that of y on X + sigma N, N of independent N(0, 1) entries, and

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
"""

import math

import numpy as np

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
