"""The Euclidean map Psi(x) = |x - x_0|_2^2 / 2, x_0 the point of C nearest to the origin: projected gradient descent, over any set.

norm |.|_2,  Delta = 1,  R = max_C |x - x_0|^2 / 2 <= min(diameter, l2_radius + |x_0|)^2 / 2,  |Q|_2 = 1,  G_Q = E |g|_2 <= sqrt(d)
step(a, v) = project(a - v)
"""

from dataclasses import dataclass

from discreet.core.arrays import Floats
from discreet.sets import Constraint, L2Ball
from discreet.sets.base import outward, vector
from discreet.sets.mirror_maps.base import MirrorMap
from discreet.sets.thresholds import norm2


@dataclass(frozen=True, slots=True, kw_only=True)
class EuclideanMap(MirrorMap):
    """Half the squared Euclidean distance from the set's centre."""

    name = "euclidean"
    hilbert = True
    norm_radius = 1.0
    """The norm is |.|_2 itself."""
    constraint: Constraint
    """C, any set."""

    @staticmethod
    def serves(constraint: Constraint) -> bool:  # noqa: ARG004 - all have a projection
        """True: it serves every set."""
        return True

    @property
    def range(self) -> float:
        """Half the largest squared distance from the centre."""
        farthest = min(self.constraint.diameter, self.constraint.l2_radius + norm2(self.start()))
        return outward(farthest**2 / 2.0, self.constraint.dimension)

    @property
    def norm_width(self) -> float:
        """The mean length of the noise."""
        return L2Ball(dimension=self.constraint.dimension).gaussian_width

    def start(self) -> Floats:
        """The point nearest to the origin."""
        return self.constraint.project(self._vector([0.0] * self.constraint.dimension))

    def step(self, state: Floats, direction: Floats) -> Floats:
        """A gradient step, projected."""
        return self.constraint.project(self._vector(state) - self._vector(direction))

    def norm(self, difference: Floats) -> float:
        """|.|_2."""
        return norm2(self._vector(difference))

    def value(self, state: Floats) -> float:
        """Psi."""
        return norm2(self._vector(state) - self.start()) ** 2 / 2.0

    def gradient(self, state: Floats) -> Floats:
        """x - x_0."""
        return self._vector(state) - self.start()

    def conjugate_gradient(self, dual: Floats) -> Floats:
        """x_0 + dual."""
        return self._vector(dual) + self.start()

    def _vector(self, values: object) -> Floats:
        return vector(values, self.constraint.dimension, "a state or direction")  # type: ignore[arg-type]
