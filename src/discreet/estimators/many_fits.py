"""What `fit_many` returns."""

from dataclasses import dataclass

from discreet.certificates import Certificate
from discreet.core.arrays import Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class ManyFits:
    """Independent private fits of one model on the same records, under one certificate for all of them together."""

    coef: Floats
    """(count, d), with K > 2 classes (count, K, d)."""
    intercept: Floats
    """(count,), with K > 2 classes (count, K)."""
    certificate: Certificate
