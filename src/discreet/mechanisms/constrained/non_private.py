"""No privacy: the Frank-Wolfe method without noise, as epsilon = infinity asks.

Kept as a mechanism so that it carries a certificate, which says that there is no guarantee. Shares 2 / (t + 2): F - min F <= 2 Gamma / (T + 2).
"""

from dataclasses import dataclass

from discreet.accounting import NoGuarantee
from discreet.core.arrays import Floats
from discreet.core.neighbours import Neighbours
from discreet.mechanisms.constrained.base import ConstrainedMechanism, require_smooth
from discreet.mechanisms.constrained.walk import Walk
from discreet.noise import Noise
from discreet.problems import ConstrainedRisk, PredictionSum
from discreet.statements.learning import NON_PRIVATE


@dataclass(frozen=True, slots=True, kw_only=True)
class NonPrivateFrankWolfe(ConstrainedMechanism):
    """Frank-Wolfe without noise."""

    steps: int = 1000
    neighbours: Neighbours

    @property
    def name(self) -> str:
        """Name in certificates."""
        return "frank-wolfe-non-private"

    def guarantee(self, problem: ConstrainedRisk) -> NoGuarantee:
        """None."""
        require_smooth(problem)
        return NoGuarantee(neighbours=self.neighbours, theorem=NON_PRIVATE)

    def point(self, problem: ConstrainedRisk, objective: PredictionSum, noise: Noise) -> Floats:  # noqa: ARG002 - no noise is drawn
        """See ConstrainedMechanism."""
        walk = Walk.from_start(objective, problem.constraint)
        for step in range(1, self.steps + 1):
            walk.towards(problem.constraint.linear_minimiser(walk.gradient()), share=2.0 / (step + 2.0))
        return walk.point
