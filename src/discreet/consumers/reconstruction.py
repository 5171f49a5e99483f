"""Moment reconstruction: released rows of a class, moved so that their mean and covariance are those of the records.

    x^_i = m_c + T_c' (x~_i - m_c),     T_c' W_c T_c = W_c - (n_c - 1) Sigma, made positive definite (module `corrected`)

m_c and W_c the mean and the centred second moments of the released rows of class c. T_c is symmetric in units of the noise, and the identity as the
noise vanishes: whatever is trained on x^ becomes what is trained on the records. For records that are normal within classes x^ has the records' own
law in every class, so a classifier trained on it estimates the same one (Freedman, Fainberg, Kipnis, Midthune, Carroll 2004); for others it is right
to second order. It needs labels without noise, and works for any loss: nothing has to be solved for.

What it was chosen against (docs/consumers.md): regression calibration, which moves all rows by one map and attenuates strong effects; the conditional
score of Stefanski and Carroll (1987), which is consistent for logistic models and breaks down at strong noise (it is used after this one where it
holds); corrected losses, which are not convex. The expected loss that Farokhi (2020) minimises by training on noisy rows as they are is what is being
corrected: that classifier is best for NEW rows with the same noise, and wrong for rows without.
"""

import numpy as np
import numpy.typing as npt

from discreet.consumers.corrected import spectrum
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput


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
