"""The logistic loss of K classes together: of margins z in R^K and a class y,

    l(z; y) = ln sum_k e^{z_k} - z_y        slope g = p - e_y,  p = softmax(z)        Hessian S(p) = diag(p) - p p'

Constants where no two margins of a record differ by more than s, proved here. With q = 1 - p_y = -g_y and h = e^s:

    |g|_2   <= B(s),  B^2 = max over m = 1 .. K - 1 of ((m h + K - 1 - m)^2 + m h^2 + K - 1 - m) / (m h + K - m)^2
    |g|_inf <= q <= q(s) = (K - 1) h / (1 + (K - 1) h)
    |<g, z'>| <= q(s) s'       = |sum_{k /= y} p_k (z'_k - z'_y)|, for any z' of which no two entries differ by more than s'
    z'S(p)z' <= s'^2 / 4       the variance of z'_k under p (Popoviciu)

Proof of the first two. What p may be is the set of probabilities with p_j <= h p_k for all j, k: linear conditions, so a polytope, and
|p - e_y|_2^2 and q are convex in p, so largest at its vertices. Those lie on extreme rays of the cone of these conditions. A ray whose entries are
not all its least or h times that has one strictly between, which may be raised and lowered: not extreme. So p has two levels, t and h t. If
p_y = h t, lowering it to t and dividing by the new sum raises all others in the same share, and with them q, which is their sum, and the sum of their
squares. So p_y = t, with m of the others at h t, and q is largest at m = K - 1. |g|_inf: g_y = -q, and the others are at most their sum.

B is sqrt((K - 1) / K) at s = 0 and grows to sqrt 2.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.fields import Named
from discreet.core.rounding import raising
from discreet.core.validate import whole

_UP = raising(1_024)
_FARTHEST = 300.0
MOST = 100_000
"""Classes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Softmax(Named):
    """Of `classes` K from 3 to 100,000; targets are the numbers 0 .. K - 1 of classes. Raises InvalidInput for another K."""

    name: ClassVar[str] = "softmax"
    classes: int

    def __post_init__(self) -> None:
        """See class docstring."""
        if whole(self.classes, "the number of classes of the softmax", least=3) > MOST:
            raise InvalidInput(f"a softmax takes at most {MOST} classes; {self.classes} were given.")

    def largest(self, spread: float) -> tuple[float, float]:
        """(q, B) of the module docstring, rounded up, for margins of a record that differ by at most `spread`."""
        return _largest(self.classes, spread)

    def codes(self, targets: Floats) -> npt.NDArray[np.intp]:
        """The number of the class that each target is nearest to, (n,)."""
        return np.asarray(np.rint(np.clip(targets, 0.0, self.classes - 1.0)), dtype=np.intp)

    def value(self, margins: Floats, targets: Floats) -> Floats:
        """l, (n,), of margins (n, K)."""
        top = margins.max(axis=1)
        sums: Floats = top + np.log(np.exp(margins - top[:, np.newaxis]).sum(axis=1))
        return sums - margins[np.arange(len(margins)), self.codes(targets)]

    def slopes(self, margins: Floats, targets: Floats, *, wrong: float = math.inf, length: float = math.inf) -> Floats:
        """g, (n, K), each shortened so that -g_y <= `wrong` and |g|_2 <= `length`: by a factor, so that its entries still add up to 0."""
        found: Floats = np.exp(margins - margins.max(axis=1, keepdims=True))
        found /= found.sum(axis=1, keepdims=True)
        places = np.arange(len(margins)), self.codes(targets)
        found[places] -= 1.0
        if math.isfinite(min(wrong, length)):
            sizes = np.maximum(np.abs(found[places]) / wrong, np.sqrt(np.square(found).sum(axis=1)) / length)
            found /= np.maximum(sizes, 1.0)[:, np.newaxis]
        return found


@lru_cache(maxsize=256)
def _largest(classes: int, spread: float) -> tuple[float, float]:
    if spread >= _FARTHEST:
        return 1.0, math.sqrt(2.0) * _UP
    # Divided by h, so that nothing overflows.
    low, above = math.exp(-spread), np.arange(1.0, classes)
    below = classes - 1.0 - above
    missed, total = above + below * low, above + (below + 1.0) * low
    squares = (np.square(missed) + above + below * low * low) / np.square(total)
    return min(1.0, (classes - 1.0) / (classes - 1.0 + low) * _UP), math.sqrt(min(2.0, float(squares.max()))) * _UP
