"""What a solver returns, and what it raises instead."""

from dataclasses import dataclass
from enum import StrEnum

from discreet.core.arrays import Floats
from discreet.core.errors import SolverFailure


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
        f"the {solver} solver could not certify a gradient norm of {tolerance:.3g} in dimension {dimension}. "
        "Ask for a larger tolerance, or for stronger regularisation; double precision ends at about 1e-12 a record."
    )
