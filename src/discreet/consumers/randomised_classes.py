"""What categories and classes were reported as, and what follows for those that they are: the channel of k-ary response, and any other that is known.

    P(reported j | own i) = M_ij,     E[(M^-1)_{report, i} | own] = 1 for i = own, else 0

so row j of the inverse are unbiased numbers for a report of j. For k-ary response with a share f of reports of another category, each as likely, they
are (1{report = i} - q) / (p - q), p = 1 - f, q = f / (k - 1), as in mechanisms/release/categories.md. Whatever is linear in the indicator of the own
category has an unbiased stand-in: the same with these numbers.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.consumers.base import numbers_of
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput

_SINGULAR = 1e-9


def unbiased_codes(codes: npt.NDArray[np.intp], kinds: int, noise: Any, name: str) -> Floats:
    """(n, kinds), whose rows add up to 1, for reported `codes` (n,); `noise` as `label_noise` of the consumers, and `name` what messages call it.

    Raises InvalidInput for what is no channel, or one that tells nothing.
    """
    given = numbers_of(noise, name)
    if given.ndim == 0:
        # With one kind there is no other one to report.
        other = float(given) / max(1, kinds - 1)
        if not (given >= 0 and 1.0 - float(given) - other > _SINGULAR):
            most = f"{1 - 1 / max(2, kinds):.6g}, the point at which a report of {kinds} categories is pure noise"
            raise InvalidInput(f"{name} must be at least 0 and below {most}; {noise!r} was given.")
        given = other + (1.0 - float(given) - other) * np.eye(kinds) if kinds > 1 else np.ones((1, 1))
    if given.shape != (kinds, kinds) or np.any(given < 0) or not np.allclose(given.sum(axis=1), 1.0, rtol=0.0, atol=1e-9):
        raise InvalidInput(
            f"{name} must be a probability, or the ({kinds}, {kinds}) probabilities of each report given each own one, whose rows add up to 1."
        )
    if np.linalg.svd(given, compute_uv=False)[-1] <= _SINGULAR:
        raise InvalidInput(f"{name} has no inverse: two categories are reported with the same probabilities. Merge them.")
    return np.asarray(np.linalg.inv(given)[codes])


def adding_up(numbers: Floats) -> Floats:
    """The same (n, k) with rows that add up to 1, as their means do: unbiased still, and with less noise."""
    return numbers + (1.0 - numbers.sum(axis=1, keepdims=True)) / numbers.shape[1]
