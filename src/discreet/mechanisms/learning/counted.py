"""A number of records that is secret, counted with noise beside a fit whose settings then follow from it.

    n~ = n + N(0, s^2),     integers in parts of 2^-20 of a record, discrete Gaussian noise of scale 2^20 s

The deviation is 200 records where that costs between .1 and 5 % of mu^2, else that share. What follows from n~ is public; that a fit has the same
curve whatever it is, is for each mechanism to prove (theorem 4 of regression/objective.md, theorem T4 of objective_perturbation.md).
"""

import math
from functools import partial

import numpy as np

from discreet.core.neighbours import PARTS
from discreet.data import Records
from discreet.noise import Noise, drawable

_WITHIN, _LEAST_SHARE, _MOST_SHARE = 200.0, 0.001, 0.05
_FINEST = 2.0**40
"""Records of deviation, beyond which nobody counts."""
_MANY, _MOST_OF_FEW = 4_000.0, 2.0


def standard_share(mu: float) -> float:
    """Of mu^2, for a noisy number of records where nobody says otherwise."""
    return min(_MOST_SHARE, max(_LEAST_SHARE, (_WITHIN * mu) ** -2.0))


def scale_of_count(mu: float, share: float) -> float:
    """s, for this share of mu^2; 0 where that is no noise to count with."""
    counts = share > 0 and mu * math.sqrt(share) * _FINEST > 1.0
    return drawable(PARTS / (mu * math.sqrt(share))) / PARTS if counts else 0.0


def noisy_count(data: Records, scale: float, noise: Noise, *, largest: float = 1.0) -> float:
    """n~, of `scale` s; a record of the `largest` weight, the bound of all, counts 1."""
    parts = sum(data.map(partial(parts_of, largest=largest)))
    drawn = int(noise.discrete_gaussian(scale=scale * PARTS, dimension=1, draws=1)[0, 0])
    return (parts + drawn) / PARTS


def parts_of(_: int, block: Records, *, largest: float = 1.0) -> int:
    """How many parts of a record the rows of a block are: each `PARTS` times its weight over the largest, rounded down; `PARTS` a person at most."""
    if block.weights is None:
        return PARTS * block.records
    return int(np.sum(np.floor(PARTS * np.clip(block.weights / largest, 0.0, 1.0)).astype(np.int64)))


def more_of_few(records: float) -> float:
    """How many times the lambda of many records so few of two classes are fitted with (module `choose`)."""
    return min(_MOST_OF_FEW, max(1.0, (_MANY / max(records, 1.0)) ** (1.0 / 3.0)))
