"""Mirror maps: potentials that measure a set in the norm that suits it, and the step of mirror descent.

A map is a convex potential Psi over a set K of states, with a linear map from K onto the constraint set C; mostly K = C and the map is the identity,
for the entropy K is the simplex of weights of C's vertices. With a norm |.| on states, and B(a, b) = Psi(a) - Psi(b) - <grad Psi(b), a - b>:

    strong_convexity    Delta with B(a, b) >= (Delta / 2) |a - b|^2 for all a, b in K
    range               R >= max_K Psi - min_K Psi
    norm_radius         |Q|_2 >= |point(u)|_2 for every u with |u| <= 1 in the span of differences of states
    norm_width          G_Q >= E sup { <g, point(u)> } over the same u, g ~ N(0, I_d): the mean dual norm of noise
    step(a, v)          argmin_{b in K} <v, point(b)> + B(b, a)

Mirror descent from a_1 = start() = argmin_K Psi with steps eta (grad L(point(a_t)) + b_t), b_t ~ N(0, sigma^2 I), of a convex L whose gradients have
|.|_2 at most G, satisfies for every eta and T (Nemirovski and Yudin 1983; Talwar, Thakurta and Zhang 2014, theorem 3.2, with constants)

    E L(mean of points) - min_C L  <=  R / (eta T) + (eta / (2 Delta)) ( G |Q|_2 + sigma sqrt(G_Q^2 + |Q|_2^2) )^2

because the dual norm of a gradient is at most G |Q|_2, that of the noise has second moment at most sigma^2 (G_Q^2 + |Q|_2^2) (its mean, and the
Gaussian Poincare inequality), and norms in L_2 obey the triangle inequality. T points take T - 1 noisy gradients. Where losses are Lipschitz in |.|
itself, G |Q|_2 becomes that constant.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

from discreet.core.arrays import Floats
from discreet.core.fields import Named
from discreet.sets import Constraint
from discreet.sets.base import vector


@dataclass(frozen=True, slots=True, kw_only=True)
class MirrorMap(Named, ABC):
    """What mirror descent and its bounds need of a set. States are arrays that `start` and `step` return."""

    hilbert: ClassVar[bool] = False
    """Whether the norm is the Euclidean one."""
    strong_convexity: ClassVar[float] = 1.0
    """Delta."""
    constraint: Constraint
    """C."""

    @staticmethod
    @abstractmethod
    def serves(constraint: Constraint) -> bool:
        """Whether there is such a map over this set, and its step is affordable."""

    @property
    @abstractmethod
    def range(self) -> float:
        """R, an upper bound rounded up."""

    @property
    @abstractmethod
    def norm_radius(self) -> float:
        """|Q|_2, an upper bound rounded up."""

    @property
    def norm_l1_radius(self) -> float:
        """|Q|_1, the l1 radius of the same set, or an upper bound."""
        return math.sqrt(self.constraint.dimension) * self.norm_radius

    @property
    @abstractmethod
    def norm_width(self) -> float:
        """G_Q or an upper bound of it."""

    @abstractmethod
    def start(self) -> Floats:
        """The state where Psi is smallest."""

    @abstractmethod
    def step(self, state: Floats, direction: Floats) -> Floats:
        """The next state; `direction` (d,) is the step size times the gradient at `point(state)`."""

    def point(self, state: Floats) -> Floats:
        """The point of C, shape (d,), that a state stands for, linear in the state: here the state itself, a copy."""
        return vector(state, self.constraint.dimension, "the state").copy()

    @abstractmethod
    def norm(self, difference: Floats) -> float:
        """|difference| for a difference of states."""


@runtime_checkable
class Potential(Protocol):
    """Psi itself, over states."""

    def value(self, state: Floats) -> float:
        """Psi(state)."""

    def gradient(self, state: Floats) -> Floats:
        """grad Psi(state), the shape of the state."""

    def conjugate_gradient(self, dual: Floats) -> Floats:
        """The inverse of `gradient`: argmax <dual, a> - Psi(a) over all a for which Psi is defined."""


def bregman_divergence(potential: Potential, state: Floats, other: Floats) -> float:
    """B(state, other) = Psi(state) - Psi(other) - <grad Psi(other), state - other>, and 0 where rounding makes it negative."""
    linear = float(potential.gradient(other) @ (state - other))
    return max(potential.value(state) - potential.value(other) - linear, 0.0)
