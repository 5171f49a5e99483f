"""Convex losses of the margin m = y <w, x>, with the constants that privacy proofs ask of them.

A loss owns its constants: nothing outside this package ever types a Lipschitz or smoothness constant. `|l'|` is called the
slope's size q in [0, L]; `kappa(q) = sup { l''(m) : |l'(m)| = q }` links the two derivatives, and is what makes the Jacobian
term of objective perturbation vanish for losses whose curvature dies where their slope is largest (learning notes, theorem T1).

Value, slope and curvature take NumPy arrays, and arrays of another library where rows are on a device (`discreet.core.arrays.namespace`).

Every loss here is non-increasing (the slope never changes sign) and has a concave kappa with kappa(tq) >= t^2 kappa(q) for t in [0, 1];
the property tests check all of it.
"""

from abc import ABC, abstractmethod

from discreet.core.arrays import Floats
from discreet.core.fields import Named


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
