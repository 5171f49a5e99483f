"""The support function of a set, and its Gaussian width by simulation.

    h_C(v) = sup_{x in C} <v, x> = <v, x*>,   x* = linear_minimiser(-v)
    G_C = E h_C(g),                           g ~ N(0, I_d)

The estimate is the mean of h_C over independent draws, with its standard error. h_C is l2_radius-Lipschitz, so Var h_C(g) <= l2_radius^2 (the
Gaussian Poincare inequality): 100 draws always suffice for a standard error of a tenth of the radius.
"""

import math
from typing import NamedTuple, Protocol

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.validate import whole
from discreet.sets.base import Constraint


class StandardNormals(Protocol):
    """Where public randomness comes from, such as a NumPy Generator. No secret may depend on it."""

    def standard_normal(self, size: int) -> Floats:
        """`size` independent N(0, 1) numbers."""


class WidthEstimate(NamedTuple):
    """A simulated Gaussian width."""

    value: float
    """The mean over draws."""
    standard_error: float
    """Of `value`."""


def support_function(constraint: Constraint, direction: Floats) -> float:
    """sup_{x in C} <direction, x>; direction of shape (d,)."""
    array = np.asarray(direction, dtype=np.float64)
    return float(array @ constraint.linear_minimiser(-array))


def estimate_width(constraint: Constraint, draws: int, generator: StandardNormals) -> WidthEstimate:
    """The Gaussian width of `constraint` from `draws` >= 2 linear minimisations. Raises InvalidInput for fewer."""
    whole(draws, "the number of draws", least=2)
    values = np.array([support_function(constraint, generator.standard_normal(constraint.dimension)) for _ in range(draws)])
    return WidthEstimate(float(values.mean()), float(values.std(ddof=1)) / math.sqrt(draws))
