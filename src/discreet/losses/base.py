"""Convex losses of the margin m = y <w, x>, with the constants that privacy proofs ask of them.

A loss owns its constants: nothing outside this package ever types a Lipschitz or smoothness constant. `|l'|` is called the
slope's size q in [0, L]; `kappa(q) = sup { l''(m) : |l'(m)| = q }` links the two derivatives, and is what makes the Jacobian
term of objective perturbation vanish for losses whose curvature dies where their slope is largest (learning notes, theorem T1).

Value, slope and curvature take NumPy arrays, and arrays of another library where rows are on a device (`discreet.core.arrays.namespace`).

A loss that decreases strictly tells probabilities: it is proper composite (Reid and Williamson 2010, theorem 5 and corollary 12), and the decision f
that minimises p l(f) + (1 - p) l(-f) over all functions has log odds ln |l'(-f)| - ln |l'(f)|. With a flat part that is 0 / 0, and there is no link.

Every loss here is non-increasing (the slope never changes sign) and has a concave kappa with kappa(tq) >= t^2 kappa(q) for t in [0, 1];
the property tests check all of it.
"""

from abc import ABC, abstractmethod

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.fields import Named

_FAR = 30.0
"""Widths of the bend beyond a margin of 1, where what decreases strictly still has a slope in floating point, and what has a flat part has none."""


class MarginLoss(Named, ABC):
    """A convex, non-increasing, continuously differentiable loss of the margin, a frozen dataclass of its parameters."""

    __slots__ = ()

    @property
    @abstractmethod
    def lipschitz(self) -> float:
        """L = sup |l'|."""

    @property
    @abstractmethod
    def smoothness(self) -> float:
        """c = sup l''."""

    @property
    @abstractmethod
    def slope_curvature_ratio(self) -> float:
        """Smallest M with l'' <= M q (L - q) / L, q = |l'|; infinity when there is none."""

    @abstractmethod
    def value(self, margins: Floats) -> Floats:
        """l(m), elementwise, any shape."""

    @abstractmethod
    def slope(self, margins: Floats) -> Floats:
        """l'(m), elementwise, within 16 units in the last place of L at a margin within 4 units of m: solvers certify their gradients by that."""

    @abstractmethod
    def curvature(self, margins: Floats) -> Floats:
        """l''(m), elementwise (at a kink of l', the larger one-sided value)."""

    @abstractmethod
    def curvature_on_slopes(self, low: Floats, high: Floats) -> Floats:
        """An upper bound of l'' over all margins with low <= |l'| <= high, elementwise; tight as the interval shrinks."""

    @property
    def linked(self) -> bool:
        """Whether decisions are probabilities in another scale: whether l' < 0 everywhere, told by the slope far beyond the bend."""
        return bool(self.slope(np.array([1.0 + _FAR * self.lipschitz / self.smoothness]))[0] < 0.0)

    def proper_log_odds(self, decision: Floats) -> Floats:
        """Those of the best decision of all functions, of decision values of any shape; for a loss that is `linked`.

        From the slopes, unless a loss says it in a form that keeps its accuracy where slopes underflow.
        """
        against, by = (np.log(np.maximum(-self.slope(sign * decision), np.finfo(np.float64).tiny)) for sign in (-1.0, 1.0))
        return np.asarray(against - by)

    def log_odds(self, decision: Floats) -> Floats:
        """What is told of the decisions of a linear model, which penalty and noise have moved; the proper ones, unless a loss says otherwise."""
        return self.proper_log_odds(decision)
