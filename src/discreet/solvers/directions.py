"""How a descent method asks for its next direction."""

from typing import Protocol

from discreet.arrays import Floats
from discreet.solvers.objective import Objective
from discreet.solvers.solution import Status


class Directions(Protocol):
    """A source of descent directions v with <v, gradient> < 0, typically near minus the inverse Hessian times the gradient."""

    @property
    def status(self) -> Status:
        """What a solution found this way is called."""

    def propose(self, objective: Objective, margins: Floats, gradient: Floats, contraction: float) -> Floats:
        """A direction (d,). `contraction` is the last ratio of gradient norms: near 0 the last direction was excellent, near or above 1 poor."""
