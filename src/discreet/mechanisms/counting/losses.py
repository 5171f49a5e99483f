"""Logarithmic losses as whole numbers that do not depend on what stands beside a record, not by a last bit.

    round(L min(-log p, C) / C),   L = 1024 levels,   C public

Logarithms are not taken: a probability is compared with public numbers, those at which the level grows by one.
"""

import math
from functools import lru_cache

import numpy as np

from discreet.core.arrays import Floats
from discreet.noise import Integers

LEVELS = 1024


def loss_levels(likely: Floats, bound: float) -> Integers:
    """round(L min(-log p, C) / C) of probabilities p (n,), found by comparing each with public numbers."""
    levels = np.searchsorted(_steps(bound), -likely, side="left")
    return np.where(likely > 0.0, levels, LEVELS).astype(np.int64)


@lru_cache(maxsize=16)
def _steps(bound: float) -> Floats:
    """Minus the probabilities p at which the level grows by one, rising, (L,)."""
    return np.array([-math.exp(-bound * (level + 0.5) / LEVELS) for level in range(LEVELS)])
