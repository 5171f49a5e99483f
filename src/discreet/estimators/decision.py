"""The decision of a linear model: one rule for estimators and for models read from files.

    <w, x> min(1, data_norm / |x|) + intercept          for one function, or for each class its own w and intercept
    <w, (clipped and shortened x, t)>                   for a model over a set, whose constant t is among its features

Rows are shortened as they were when the model was fitted. Sums are taken in a fixed order, so that the decision about a record is a function of this
record and the model, to the last bit, whatever other records stand beside it: a count of correct decisions then changes by one record at most when
one record changes, as the sensitivity of a private score or evaluation says.
"""

import numpy as np

from discreet.core.arrays import Floats
from discreet.data import RealDomain, bounded_rows
from discreet.matrices import Design, ordered_matvec, ordered_row_norms, shortening
from discreet.matrices.near import brought_near


def linear_decision(rows: Design, *, weights: Floats, intercept: float | Floats, data_norm: float) -> Floats:
    """Decisions (n,) for `rows` (n, d) and `weights` (d,); (n, K) for `weights` (d, K) and `intercept` (K,)."""
    rows = brought_near(rows, data_norm)
    factors = shortening(ordered_row_norms(rows), data_norm)
    if weights.ndim == 1:
        return np.asarray(ordered_matvec(rows, weights) * factors + intercept)
    products = np.column_stack([ordered_matvec(rows, np.ascontiguousarray(column)) for column in weights.T])
    return np.asarray(products * factors[:, np.newaxis] + intercept)


def bounded_decision(rows: Design, *, weights: Floats, domain: RealDomain) -> Floats:
    """Decisions, or predicted numbers, (n,) for `rows` (n, features) that are brought within the domain, and `weights` (domain.dimension,)."""
    return ordered_matvec(bounded_rows(rows, domain), weights)
