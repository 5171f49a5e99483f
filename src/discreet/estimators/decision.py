"""The decision of a linear model: one rule for estimators and for models read from files.

    <w, x> min(1, data_norm / |x|) + intercept

Rows are shortened as they were when the model was fitted.
"""

import numpy as np

from discreet.arrays import Floats
from discreet.designs import Design


def linear_decision(rows: Design, *, weights: Floats, intercept: float, data_norm: float) -> Floats:
    """Decisions (n,) for `rows` (n, d) and `weights` (d,)."""
    shortening = np.minimum(1.0, data_norm / np.maximum(rows.row_norms(), np.finfo(np.float64).tiny))
    decision: Floats = rows.matvec(weights) * shortening + intercept
    return decision
