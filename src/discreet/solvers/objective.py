"""What solvers ask of an objective: a smooth convex function of the margins of a table, plus a ridge and a linear term."""

from collections.abc import Callable
from typing import Protocol

from discreet.core.arrays import Floats


class Objective(Protocol):
    """G(w) = L(m(w)) + (ridge / 2) |w|^2 + <linear, w>, m linear in w, L convex with Lipschitz slopes. `margins` are those of the same point."""

    @property
    def dimension(self) -> int:
        """d."""

    @property
    def ridge(self) -> float:
        """Strong convexity, > 0."""

    @property
    def linear(self) -> Floats | None:
        """(d,), or None for zero."""

    @property
    def hessian_at_hand(self) -> bool:
        """Whether the last point's Hessian costs nothing once its gradient is known: then a fresh one is always used."""

    def with_linear(self, linear: Floats | None) -> "Objective":
        """The same function with another linear term."""

    def sample(self) -> "Objective | None":
        """That of some records, ridge and linear term multiplied by their share, so that its minimiser is near; None where passes are cheap."""

    def margins(self, point: Floats) -> Floats:
        """m(w), shape (n,)."""

    def gradient(self, point: Floats, margins: Floats) -> Floats:
        """grad G(w), shape (d,)."""

    def curvatures(self, margins: Floats) -> Floats:
        """The weights (n,) that make the Hessian at this point."""

    def hessian(self, curvatures: Floats, *, single_precision: bool = False) -> Floats:
        """(d, d)."""

    def hessian_product(self, curvatures: Floats, direction: Floats) -> Floats:
        """Hessian times `direction` (d,)."""

    def hessian_diagonal(self, curvatures: Floats) -> Floats:
        """(d,)."""

    def preconditioner(self, curvatures: Floats) -> Callable[[Floats], Floats]:
        """A cheap positive definite stand-in for the inverse Hessian, applied to (d,): what conjugate gradients start from."""

    def slope_along(self, step: float, margins: Floats, change: Floats, base: float, bend: float) -> float:
        """d/dt G(w + t v) at t = `step`; `change` = m(v), base = <ridge w + linear, v>, bend = ridge |v|^2."""

    def certified_gradient_norm(self, point: Floats) -> float:
        """A number >= |grad G(w)| in exact arithmetic."""

    def certified_gradients(self, points: Floats, linears: Floats | None) -> tuple[Floats, Floats]:
        """Gradients (d, k) and certified norms (k,) at columns (d, k), with the columns of `linears` for linear terms."""
