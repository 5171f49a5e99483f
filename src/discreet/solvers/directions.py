"""How a descent method asks for its next direction."""

from typing import Protocol

from discreet.core.arrays import Floats
from discreet.solvers.objective import Objective
from discreet.solvers.solution import Status


class Directions(Protocol):
    """A source of descent directions v with <v, gradient> < 0, typically near minus the inverse Hessian times the gradient."""

    @property
    def status(self) -> Status:
        """What a solution found this way is called."""

    def learn(self, sample: Objective, point: Floats, share: float) -> None:
        """Take the curvature from a sample of the records, `share` of all, at a point (d,) near its minimiser and theirs; may do nothing."""

    def propose(self, objective: Objective, point: Floats, margins: Floats, gradient: Floats, contraction: float) -> Floats:
        """A direction (d,) at `point`. `contraction` is the last ratio of gradient norms: near 0 if the last step was good, near 1 if not."""
