"""Newton directions by conjugate gradients, for tables too wide for a (d, d) matrix.

H v = -grad G is solved with products X^T (h * (X v)) + ridge v, preconditioned as the objective proposes, to a residual of
min(0.1, sqrt(|grad G| / |grad G at the start|)) |grad G| (Dembo, Eisenstat, Steihaug 1982: superlinear convergence). Every iterate of conjugate
gradients from zero is a descent direction, so stopping early is safe.
"""

import numpy as np

from discreet.core.arrays import Floats
from discreet.solvers.objective import Objective, Status

_PRODUCTS = 1000


class ConjugateDirections:
    """Directions that solve the Newton equations roughly."""

    __slots__ = ("_first",)

    def __init__(self) -> None:
        """Remember nothing but the norm of the first gradient."""
        self._first: float | None = None

    @property
    def status(self) -> Status:
        """Newton's method with conjugate gradients."""
        return Status.CONJUGATE_GRADIENTS

    def learn(self, sample: Objective, point: Floats, share: float) -> None:
        """See Directions: nothing, the curvature is asked for anew in every step."""

    def propose(
        self,
        objective: Objective,
        point: Floats,  # noqa: ARG002 - part of the protocol
        margins: Floats,
        gradient: Floats,
        contraction: float,  # noqa: ARG002 - part of the protocol
    ) -> Floats:
        """See Directions."""
        norm = float(np.linalg.norm(gradient))
        self._first = norm if self._first is None else max(norm, self._first)
        target = min(0.1, float(np.sqrt(norm / self._first))) * norm
        curvatures = objective.curvatures(margins)
        precondition = objective.preconditioner(curvatures)
        solution = np.zeros_like(gradient)
        residual = -gradient
        scaled = precondition(residual)
        search = scaled.copy()
        energy = float(residual @ scaled)
        for _ in range(_PRODUCTS):
            product = objective.hessian_product(curvatures, search)
            bend = float(search @ product)
            if not bend > 0:
                break
            solution += (energy / bend) * search
            residual -= (energy / bend) * product
            if np.linalg.norm(residual) <= target:
                break
            scaled = precondition(residual)
            energy, previous = float(residual @ scaled), energy
            search = scaled + (energy / previous) * search
        return solution if solution @ gradient < 0 else -precondition(gradient)
