"""What the mechanisms over a constraint set share: a released point of the set, and how many steps lead there, from public numbers.

After T steps whose points are optimal up to an expected regret a T^p each (p = 1/2 when the budget is shared by Gaussian composition, p = 1 by basic
composition), and with 2 / T for (1 + ln T) / (2 T), which is within 40 % for T <= 100 (module `walk`),

    E F(theta) - min F <= 2 Gamma / T + a T^p            least at T = (2 Gamma / (p a))^{1 / (1 + p)}

Gamma = n c spread^2 is a worst case: with it T is several times too large in practice. SHARE of it is used, a public number that was chosen on
synthetic tables (docs/frank-wolfe.md).

Under add-remove n is private, and T may only depend on a number of records that the caller declares public, or on none: T is then that of NOMINAL
records, and grows like n^(2/3), so that being wrong about n by a factor of ten costs a factor of about two in the excess risk.
"""

import math
from abc import abstractmethod

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.core.rounding import raising
from discreet.data import Records
from discreet.mechanisms.base import Drawn, Mechanism
from discreet.noise import Noise
from discreet.problems import ConstrainedRisk, PredictionSum

SHARE = 1.0 / 24.0
NOMINAL = 10_000
MOST_STEPS = 2_000


class ConstrainedMechanism(Mechanism[ConstrainedRisk, Records]):
    """A mechanism whose value is a point of the problem's set, (dimension,)."""

    __slots__ = ()

    @abstractmethod
    def point(self, problem: ConstrainedRisk, objective: PredictionSum, noise: Noise) -> Floats:
        """One output, (dimension,), from F on the records."""

    def draw(self, problem: ConstrainedRisk, data: Records, noise: Noise) -> Drawn:
        """See Mechanism."""
        return Drawn.of(self.point(problem, problem.objective(data), noise))


def default_steps(problem: ConstrainedRisk, *, regret: float, power: float) -> int:
    """T for an expected regret of `regret` T^`power` a step; see module docstring. Raises InvalidInput for a loss with a kink."""
    require_smooth(problem)
    records = NOMINAL if problem.domain.records is None else problem.domain.records
    best = (2.0 * SHARE * records * problem.curvature / (power * regret)) ** (1.0 / (1.0 + power))
    return int(min(MOST_STEPS, max(2.0, round(best))))


def checked_steps(steps: int) -> int:
    """A number of steps that the caller chose; InvalidInput unless it is a positive integer, at most 100,000."""
    if isinstance(steps, bool) or not isinstance(steps, int) or not 1 <= steps <= 100_000:
        raise InvalidInput(f"the number of steps must be an integer from 1 to 100000, chosen without looking at the records; {steps!r} was given.")
    return steps


def require_smooth(problem: ConstrainedRisk) -> None:
    """Refuse a loss with a kink, over which the Frank-Wolfe method need not come near the minimum."""
    if problem.smoothness == float("inf"):
        raise InvalidInput(
            f"the Frank-Wolfe method needs a smooth loss; {problem.loss.name!r} has a kink. "
            "Use a smooth one ('huber', 'log-cosh', 'softplus-hinge'), or mirror descent."
        )


def check_gaussian_target(epsilon: float, delta: float) -> None:
    """Raise InvalidInput for what Gaussian noise cannot reach."""
    if not (0 < epsilon < math.inf and 0 < delta < 1):
        raise InvalidInput(f"Gaussian noise needs 0 < epsilon < infinity and 0 < delta < 1; epsilon={epsilon!r}, delta={delta!r} were given.")


def gradient_distance(problem: ConstrainedRisk, neighbours: Neighbours) -> float:
    """How far apart the computed gradients of neighbours can be: k B R_2, and the rounding errors of two gradients."""
    return (problem.gradient_bound * (1.0 if neighbours is ADD_REMOVE else 2.0) + 2.0 * problem.gradient_error) * raising(16)
