"""What is asked of a smooth sum over records, G(w) = L(m(w)) with m linear in w, whole or a part of it: by solvers, and by those who add parts up."""

from typing import Protocol

from discreet.core.arrays import Floats


class Slopes(Protocol):
    """First derivatives of a sum over records. `margins` are those of the same point."""

    def margins(self, point: Floats) -> Floats:
        """m(w), shape (n,)."""

    def gradient(self, point: Floats, margins: Floats) -> Floats:
        """grad G(w), shape (d,)."""

    def slope_along(self, step: float, margins: Floats, change: Floats, base: float, bend: float) -> float:
        """d/dt G(w + t v) at t = `step`; `change` = m(v), base = <ridge w + linear, v>, bend = ridge |v|^2."""


class Curves(Protocol):
    """A function with second derivatives."""

    @property
    def hessian_passes(self) -> tuple[float, float]:
        """About what a sampled Hessian and a whole one cost, each with its factor, in passes over all records; zeros where each is worth it.

        A function of the shape.
        """

    def curvatures(self, margins: Floats) -> Floats:
        """The weights (n,) that make the Hessian at this point."""

    def hessian(self, curvatures: Floats, *, single_precision: bool = False) -> Floats:
        """(d, d)."""

    def hessian_product(self, curvatures: Floats, direction: Floats) -> Floats:
        """Hessian times `direction` (d,)."""
