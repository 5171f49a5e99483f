"""A bound of row norms, and a fit of rows divided by it, under one guarantee (proof note bounds_choice.md, theorem 2).

    N among 2^-7, .., 2^29, by the exponential mechanism of this package;     rows x / N, shortened to norm 1

Whatever N is, the problem of the fit is the same: rows of norm at most 1. So what the fit promises is known before a record is read. Multiplying by a
power of two is exact, so weights of rows in their own unit are those that were released divided by N, to the last bit.

The privacy loss of one choice of range w lies in [t - w, t] for some t in [0, w], and the largest delta of all such laws is

    (1 - e^{-(w - epsilon) / 2})^2 / (1 - e^{-w})        (Durfee and Rogers 2019; accounting/bounded_range.py)

convex in e^epsilon: chords between points are above it. Like any such curve it is that of some pair of laws, and composes as theirs does. Beside
Gaussian noise it costs about what a Gaussian mechanism of mu = w / 2 does: neither loss has a variance above w^2 / 4.
"""

from dataclasses import dataclass, replace

import numpy as np

from discreet.accounting import Guarantee, Profile, bounded_range_delta, gaussian_mu
from discreet.core.arrays import Floats
from discreet.core.neighbours import Neighbours, Persons
from discreet.core.rounding import raising
from discreet.mechanisms.base import Numbers
from discreet.mechanisms.bounds_choice.choice import BoundsChoice, OpenColumns
from discreet.mechanisms.bounds_choice.grid import BoundsGrid
from discreet.mechanisms.selection.then_fit import Chosen
from discreet.noise import Noise

NORM = "row norm"
CANDIDATES = tuple(2.0**power for power in range(-7, 30))
"""Public: whatever the records are, and each a bound that a domain can have."""
_KNOTS = 64
_DEAR = 2
"""Times the toll of other bounds: a row beyond the norm is only shortened, and a step too far doubles the noise: one choice in twenty takes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NormPlan(Chosen[BoundsChoice, OpenColumns]):
    """See module docstring; a `Choice`."""

    pure: bool
    """Whether both together are to be pure."""

    @classmethod
    def calibrate(cls, *, epsilon: float, delta: float, neighbours: Neighbours, persons: Persons | None = None) -> "NormPlan":
        """A choice of range epsilon, or, for delta > 0, of range 2 mu with the mu of (epsilon, delta). Raises InvalidInput for what is no target."""
        problem = OpenColumns({NORM: BoundsGrid(lower=(0.0,), upper=(0.0, *CANDIDATES))}, persons)
        width = epsilon if delta == 0 else 2.0 * gaussian_mu(epsilon, delta)
        made = BoundsChoice.calibrate(problem, epsilon=width, delta=0.0, neighbours=neighbours)
        return cls(mechanism=replace(made, toll=min(_DEAR * made.toll, 1 << 40)), problem=problem, pure=delta == 0)

    @property
    def curve(self) -> Guarantee:
        """Of one choice of range `rate`, at every epsilon."""
        stated = self.mechanism.guarantee(self.problem)
        if self.pure:
            return stated
        width = self.mechanism.rate * raising(8)
        knots = np.linspace(0.0, width, _KNOTS + 1)
        deltas = [bounded_range_delta(width, 1, float(knot)) for knot in knots]
        points = tuple(knots.tolist())
        return Profile(epsilons=points, deltas_at=tuple(deltas), neighbours=stated.neighbours, unit=stated.unit, theorem=stated.theorem)

    def chosen(self, norms: Floats, noise: Noise, *, weights: Floats | None = None) -> float:
        """N, for norms of rows (n,), and their weights where persons have several; spends what the plan says, nowhere."""
        return float(self.mechanism.run(self.problem, Numbers([norms], weights=weights), noise).value[0, 1])
