"""Moment reconstruction: released rows of a class, moved so that their mean and covariance are those of the records.

    x^_i = m_c + T_c' (x~_i - m_c),     T_c' W_c T_c = W_c - (n_c - 1) Sigma, made positive definite (module `corrected`)

m_c and W_c the mean and the centred second moments of the released rows of class c. T_c is symmetric in units of the noise, and the identity as the
noise vanishes: whatever is trained on x^ becomes what is trained on the records. For records that are normal within classes x^ has the records' own
law in every class, so a classifier trained on it estimates the same one (Freedman, Fainberg, Kipnis, Midthune, Carroll 2004); for others it is right
to second order. It needs labels without noise, and works for any loss: nothing has to be solved for.

What it was chosen against (docs/consumers.md): regression calibration, which moves all rows by one map and attenuates strong effects; the conditional
score of Stefanski and Carroll (1987), which is consistent for logistic models and breaks down at strong noise (it refines this one where it
holds); corrected losses, which are not convex. The expected loss that Farokhi (2020) minimises by training on noisy rows as they are is what is being
corrected: that classifier is best for NEW rows with the same noise, and wrong for rows without.

The conditional score, for logistic regression with normal noise of known covariance and features of any law, refines what moments gave. With
h_i = 1 for the second class and 0 for the first, D_i = x~_i + h_i Sigma w is sufficient for x_i at fixed (w, b), and

    P(h_i = 1 | D_i) = 1 / (1 + e^{-m_i}),   m_i = <w, D_i> + b - w'Sigma w / 2

whatever x_i is; so where the logistic model holds, sum_i (h_i - P(h_i = 1 | D_i)) (D_i, 1) has mean zero at the true (w, b). It is solved from a
start. The equations have other roots, and with noise of the size of the effects (w'Sigma w well above 4) the one that is found may be far off: so
they are used where w'Sigma w <= 4 at the start, and the root is taken if it is within half a length of the start. On weak noise it leaves a third of
what moment reconstruction leaves for skewed features (docs/consumers.md).
"""

import numpy as np
import numpy.typing as npt
from scipy.optimize import root
from scipy.special import expit

from discreet.consumers.corrected import spectrum
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput

LARGEST = 4.0
"""Of w'Sigma w."""
_NEAR = 0.5


def reconstructed_rows(rows: Floats, codes: npt.NDArray[np.intp], noise: Floats) -> tuple[Floats, int]:
    """Moved rows (n, d), and how many directions of classes were raised to the noise floor.

    `rows` (n, d) released, `codes` (n,) classes 0 .. K - 1, `noise` (d, d) the covariance of the noise on a row. One covariance serves all classes
    where one of them has too few rows (at most 2 d). Raises InvalidInput for fewer rows than that in all.
    """
    size = rows.shape[1]
    counts = np.bincount(codes)
    centred = rows - np.stack([rows[codes == code].mean(axis=0) for code in range(len(counts))])[codes]
    moved = rows - centred
    if len(rows) - len(counts) < size + 1:
        raise InvalidInput(f"{len(rows)} released rows are too few for {size} features: at least {size + 1 + len(counts)} are needed.")
    together = bool(np.min(counts) <= 2 * size)
    drowned = 0
    for members, free in [(np.ones(len(rows), dtype=bool), len(counts))] if together else [(codes == code, 1) for code in range(len(counts))]:
        part = centred[members]
        found = spectrum(part.T @ part, noise, removed=float(len(part) - free), rows=len(part))
        moved[members] += part @ found.transport()
        drowned += found.raised
    return moved, drowned


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
