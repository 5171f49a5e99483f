"""What solvers ask of an objective, what they return, and how they fail."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from discreet.core.arrays import Floats
from discreet.core.errors import SolverFailure
from discreet.core.smooth import Curves, Slopes


class Regularised(Protocol):
    """What is known without the records."""

    @property
    def dimension(self) -> int:
        """d."""

    @property
    def ridge(self) -> float:
        """lambda > 0, of the term lambda |w|^2 / 2."""

    @property
    def linear(self) -> Floats | None:
        """(d,), or None for zero."""

    def with_linear(self, linear: Floats | None) -> "Objective":
        """The same function with another linear term."""


class Sampled(Protocol):
    """What some of the records tell, where all of them are dear."""

    @property
    def hessian_at_hand(self) -> bool:
        """Whether the last point's Hessian costs nothing once its gradient is known: then a fresh one is always used."""

    def sampled_hessian(self, curvatures: Floats, *, single_precision: bool = False) -> Floats:
        """(d, d): that of some records, over their share."""

    def sampled_inverse_diagonal(self, curvatures: Floats) -> Callable[[Floats], Floats]:
        """The inverse of its diagonal, of fewer records, applied to (d, k)."""

    def sample(self) -> "Objective | None":
        """That of some records, ridge and linear term multiplied by their share, so that its minimiser is near; None where passes are cheap."""


class Objective(Slopes, Curves, Regularised, Sampled, Protocol):
    """G(w) = L(m(w)) + (ridge / 2) |w|^2 + <linear, w>, m linear in w, L convex with Lipschitz slopes."""

    def margins_at(self, point: Floats, margins: Floats, change: Floats, step: float) -> Floats:
        """m(w + t v), the `point`, for t = `step`, from m(w) and `change` = m(v): no pass where these are known."""

    def preconditioner(self, curvatures: Floats) -> Callable[[Floats], Floats]:
        """A cheap positive definite stand-in for the inverse Hessian, applied to (d,): what conjugate gradients start from."""

    def certified_gradients(self, points: Floats, linears: Floats | None) -> tuple[Floats, Floats]:
        """Gradients (d, k) at columns (d, k), with the columns of `linears` for linear terms, and numbers (k,) >= their norms in exact arithmetic."""


class Status(StrEnum):
    """How the minimiser was found; the values are messages."""

    NEWTON = "certified minimiser, by Newton's method with Cholesky factors"
    CONJUGATE_GRADIENTS = "certified minimiser, by Newton's method with conjugate gradients"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Solution:
    """A point whose gradient is certified to be small enough. Functions of the records, every field: release none without a mechanism."""

    weights: Floats
    """(d,)."""
    gradient_norm: float
    """An upper bound of the exact gradient norm at `weights`; at most the tolerance asked for."""
    iterations: int
    """Points at which the gradient was computed."""
    status: Status


def failure(*, solver: str, tolerance: float, dimension: int) -> SolverFailure:
    """The error for a tolerance that was not certified; public numbers only."""
    return SolverFailure(
        f"the {solver} solver could not certify a gradient norm of {tolerance:.3g} in dimension {dimension}. Use a larger tolerance or "
        "stronger regularisation; double precision reaches about 1e-12 per record."
    )
