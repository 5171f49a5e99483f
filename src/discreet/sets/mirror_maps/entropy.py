"""The entropy of the weights of vertices, for any polytope C = conv{ v_1 .. v_k }.

    states a in the simplex of R^k,   point(a) = sum_i a_i v_i,   Psi(a) = sum_i a_i ln a_i

    norm |a|_1,  Delta = 1 (Pinsker's inequality),  R = ln k,  |Q|_2 = D / 2, D the diameter of C,  G_Q = G_C, the width of C
    step(a, v)_i proportional to a_i exp(-<v_i, v>)

Differences u of states sum to zero, so the dual norm of scores s = (<v_i, y>)_i is sup { <s, u> : |u|_1 <= 1 } = (max_i s_i - min_i s_i) / 2: for y =
g its mean is G_C, because g and -g have one law, and the longest |point(u)|_2 is that of (v_i - v_j) / 2. Neither changes when C is moved.

On C it is the map with conjugate ln sum_i exp <v_i, y>, 1-strongly convex in the gauge of Q = conv(C u -C): |point(u)|_Q <= |u|_1. Over the simplex
this is exponentiated gradient descent, over the l1 ball the same with 2 d weights (Kivinen and Warmuth 1997), and over vertices it replaces the
potential |x|_{Q,q}^2 of Talwar, Thakurta and Zhang (2014, fact 3.4): nothing has to be solved, and the bound has no constant beyond ln k.

Weights never fall below 2^-1000 of the largest, so that no vertex is lost for good to underflow: the step is exact up to that.
"""

import math
from dataclasses import dataclass

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidType
from discreet.sets import Constraint, Polytope
from discreet.sets.base import outward, vector
from discreet.sets.mirror_maps.base import MirrorMap

MOST_VERTICES = 1 << 17
"""Beyond, a step takes too long."""
_FAINTEST = 1000.0 * math.log(2.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class EntropyMap(MirrorMap):
    """The negative entropy of vertex weights."""

    name = "entropy"
    constraint: Polytope
    """C."""

    def __post_init__(self) -> None:
        """Refuse a set whose vertices cannot be listed."""
        if not isinstance(self.constraint, Polytope):
            raise InvalidType(f"EntropyMap needs a Polytope; a {type(self.constraint).__name__} was given. EuclideanMap takes any set.")

    @staticmethod
    def serves(constraint: Constraint) -> bool:
        """Polytopes with at most MOST_VERTICES vertices."""
        return isinstance(constraint, Polytope) and 2 <= constraint.vertex_count <= MOST_VERTICES

    @property
    def range(self) -> float:
        """ln k: from equal weights to a vertex."""
        return outward(math.log(self.constraint.vertex_count), 0)

    @property
    def norm_radius(self) -> float:
        """Half the diameter."""
        return self.constraint.diameter / 2.0

    @property
    def norm_l1_radius(self) -> float:
        """The l1 radius of the set."""
        return self.constraint.l1_radius

    @property
    def norm_width(self) -> float:
        """The Gaussian width of the set."""
        return self.constraint.gaussian_width

    def start(self) -> Floats:
        """Equal weights."""
        return np.full(self.constraint.vertex_count, 1.0 / self.constraint.vertex_count)

    def step(self, state: Floats, direction: Floats) -> Floats:
        """Weights multiplied by exponentials of scores."""
        logarithms = np.log(self._weights(state)) - self.constraint.vertex_scores(direction)
        return self.conjugate_gradient(logarithms)

    def point(self, state: Floats) -> Floats:
        """The mixture of vertices."""
        return self.constraint.combine(self._weights(state))

    def norm(self, difference: Floats) -> float:
        """|.|_1."""
        return float(np.abs(self._weights(difference)).sum())

    def value(self, state: Floats) -> float:
        """sum a ln a, with 0 ln 0 = 0."""
        weights = self._weights(state)
        present = weights[weights > 0.0]
        return float(np.sum(present * np.log(present)))

    def gradient(self, state: Floats) -> Floats:
        """1 + ln a, for positive weights."""
        return 1.0 + np.log(self._weights(state))

    def conjugate_gradient(self, dual: Floats) -> Floats:
        """Weights proportional to exponentials: Psi is defined on the simplex only, so constants do not count."""
        logarithms = self._weights(dual)
        weights = np.exp(np.maximum(logarithms - logarithms.max(), -_FAINTEST))
        return weights / weights.sum()

    def _weights(self, values: Floats) -> Floats:
        return vector(values, self.constraint.vertex_count, "the weights")
