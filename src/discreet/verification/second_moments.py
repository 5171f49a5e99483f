"""What a stranger computes from the certificate of released second moments: how far a record moves them, found by search, and delta from that.

The calibration has the supremum in closed form. Here M - M' of two records is written down in the plane that holds them, number by number, with the
weights in which the noise is of one size, and the largest length is looked for over their lengths and the angle between them, finer and finer.
"""

import math
from collections.abc import Iterator

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.fields import whole
from discreet.core.neighbours import ADD_REMOVE
from discreet.verification.base import Check, Stated, delta_check, verifies
from discreet.verification.numerics import LEAST_SCALE, discrete_integral
from discreet.verification.rows import release_of
from discreet.words.moments import MomentsSpec

_POINTS, _FINER = 41, 6


@verifies(MomentsSpec)
def _moments(stated: Stated, spec: MomentsSpec) -> Iterator[Check]:
    problem, read = release_of(stated)
    noise, step, epsilon = spec.moment_noise, spec.step, spec.epsilon
    bound = min(read.length, float(np.linalg.norm(read.entries)))
    constant = 2.0 ** round(math.log2(bound) - 1.5)
    length = math.hypot(bound, constant)
    records = whole(problem.most_records)
    unit = 2.0 ** (math.ceil(math.log2(length)) - min(20, (62 - math.ceil(math.log2(records))) // 2))
    yield Check("grid", math.isclose(step, unit / max(1.0, constant**2), rel_tol=1e-9), "the unit of integers of which so many records fit 64 bits")
    size = read.columns + 1
    least = noise * (length / unit) ** 2 / math.sqrt(2.0)
    yield Check("noise", least >= LEAST_SCALE, f"{least:.6g} units; at least {LEAST_SCALE:g} are needed")
    moved = _farthest(alone=stated.guarantee.neighbours is ADD_REMOVE) * (1.0 - 1e-9)
    computed = discrete_integral(epsilon, moved / noise, integers=size * (size + 1) // 2, scale=least)
    yield delta_check(stated, epsilon, computed, "numerical integral of the Gaussian curve, the farthest move by search")


def _farthest(*, alone: bool) -> float:
    """The largest move of (a^2, b^2, a b) between (a, b) and (c, d) in the unit disc, the product of weight sqrt(2); from nothing if `alone`."""
    low, high = np.zeros(3), np.array([1.0, 0.0 if alone else 1.0, math.pi])
    best, found = -1.0, np.zeros(3)
    for _ in range(_FINER):
        axes = [np.linspace(start, end, _POINTS) for start, end in zip(low, high, strict=True)]
        first, second, angle = np.meshgrid(*axes, indexing="ij")
        moves = _move(first, second, angle)
        place = np.unravel_index(int(np.argmax(moves)), moves.shape)
        best, found = float(moves[place]), np.array([axis[index] for axis, index in zip(axes, place, strict=True)])
        width = (high - low) * 2.0 / (_POINTS - 1)
        low, high = np.maximum(found - width, 0.0), np.minimum(found + width, [1.0, 0.0 if alone else 1.0, math.pi])
    return best


def _move(first: Floats, second: Floats, angle: Floats) -> Floats:
    """Of records of these lengths at this angle."""
    square = first**2 - (second * np.cos(angle)) ** 2
    other = (second * np.sin(angle)) ** 2
    product = second**2 * np.cos(angle) * np.sin(angle)
    return np.asarray(np.sqrt(square**2 + other**2 + 2.0 * product**2))
