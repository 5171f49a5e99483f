"""A sketch whose noise is lowered by a private look at the least eigenvalue of the second moments (proof note sketch.md, section 4).

    1  lambda~ = max(0, lambda_min(Z'Z) + noise - a quantile of the noise):  (epsilon_a, delta_a); lambda~ <= lambda_min but for delta_b
    2  sigma^2 = min(beta, beta + C^2 - lambda~), at least 0, and the sketch of module `sketch` with it:  (epsilon_b, delta_c)

    together (epsilon_a + epsilon_b, delta_a + delta_b + delta_c), for both relations: an eigenvalue moves by at most C^2, without one record it is
    at least lambda_min - C^2, so beta is reached on the good event. The released number lambda~ is in the certificate, and so is sigma^2.

The eigenvalue is computed within a sure error, rounded to a grid and released with discrete Gaussian integers. (Lev et al. 2025, algorithm 1, has the
idea; its printed constants are too small for C > 1.) It pays where lambda_min is far above beta: long tables with independent columns.
"""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.special import ndtr, ndtri

from discreet.accounting import ApproximateDP, NoGuarantee, gaussian_mu
from discreet.core.errors import InfeasibleTarget, InvalidInput
from discreet.core.neighbours import Neighbours
from discreet.core.rounding import lowering, raising
from discreet.data import Records
from discreet.mechanisms.base import Drawn, Mechanism
from discreet.mechanisms.learning.base import GaussianGrid
from discreet.mechanisms.release.arithmetic import Arithmetic
from discreet.mechanisms.release.rows import LARGEST_SCALE, moved_delta
from discreet.mechanisms.release.sketch import TOO_ROUGH, arithmetic_of, check_target, promised, sketch_delta, sketched, solve
from discreet.noise import Noise, least_drawable
from discreet.queries import SecondMoments
from discreet.queries.base import UP
from discreet.statements.sketch import EIGENVALUE_SKETCH

_LAST = 1e-3
"""The last stage's share of the sketch's epsilon; of its delta, a tenth of that."""
_LEAST_SCALE = 2.0**12


@dataclass(frozen=True, slots=True, kw_only=True)
class EigenvalueSketch(Mechanism[SecondMoments, Records]):
    """k noisy random combinations of the records, with noise that the table's own spread lowers."""

    rows: int
    """k."""
    floor: int
    """beta / q^2."""
    step: float
    """Of the last stage's grid, in units of q."""
    scale: float
    """Of the last stage, in steps."""
    eigenvalue_step: float
    """g, a power of two, in q^2."""
    eigenvalue_scale: float
    """Of the eigenvalue's noise, in steps."""
    quantile: int
    """Steps that are subtracted."""
    neighbours: Neighbours
    epsilon: float
    """At which delta is stated, in total."""
    eigenvalue_epsilon: float
    """Of it, the eigenvalue's."""
    last_epsilon: float
    """Of it, the last stage's."""

    name = "release-eigenvalue-sketch"

    @classmethod
    def calibrate(
        cls, query: SecondMoments, *, rows: int, epsilon: float, delta: float, neighbours: Neighbours, eigenvalue_share: float = 0.2
    ) -> Self:
        """For (epsilon, delta); `eigenvalue_share` of epsilon, and two thirds of delta, go to the eigenvalue."""
        check_target(epsilon, rows)
        if not 0 < eigenvalue_share < 1:
            raise InvalidInput(f"the eigenvalue takes a share of epsilon between 0 and 1; {eigenvalue_share!r} was given.")
        first, third = eigenvalue_share * epsilon, delta / 3.0
        last = _LAST * (epsilon - first)
        parts = solve(query, rows, epsilon - first - last, third * (1.0 - 0.2 * _LAST), neighbours)
        if parts is None:
            raise InfeasibleTarget(TOO_ROUGH.format(rows=rows, records=query.most_records))
        floor = math.ceil(parts[0])
        bounds = arithmetic_of(query, rows, floor, floor)
        grid = GaussianGrid.calibrate(radius=bounds.radius, dimension=rows * query.columns, epsilon=last, delta=0.1 * _LAST * third)
        step = 2.0 ** math.floor(math.log2((query.norm / query.unit) ** 2 / 2.0**20))
        moved = _moved(query, bounds, step)
        scale = least_drawable(max(_LEAST_SCALE, moved / gaussian_mu(first, third)), lambda scale: moved_delta(first, moved, scale, 1) <= third)
        quantile = math.ceil(-scale * float(ndtri(third)) * (1.0 + 1e-9)) + 1
        made = cls(
            rows=rows,
            floor=floor,
            step=grid.step,
            scale=grid.scale,
            eigenvalue_step=step,
            eigenvalue_scale=scale,
            quantile=quantile,
            neighbours=neighbours,
            epsilon=epsilon,
            eigenvalue_epsilon=first,
            last_epsilon=last,
        )
        if max(scale, grid.scale) >= LARGEST_SCALE or made.delta(query) > delta * raising(4_096):
            raise InfeasibleTarget(TOO_ROUGH.format(rows=rows, records=query.most_records))
        return made

    def promise(self, query: SecondMoments) -> ApproximateDP | NoGuarantee:
        """See module docstring."""
        return promised(EIGENVALUE_SKETCH, self.delta(query), self.epsilon, self.neighbours)

    def delta(self, query: SecondMoments) -> float:
        """delta at `epsilon`; 1 where a lemma does not apply."""
        bounds = self.arithmetic(query)
        if not math.isfinite(bounds.closeness):
            return 1.0
        first = moved_delta(self.eigenvalue_epsilon, _moved(query, bounds, self.eigenvalue_step), self.eigenvalue_scale, 1)
        missed = float(ndtr(-self.quantile / self.eigenvalue_scale)) * UP
        second = sketch_delta(query, bounds, self.epsilon - self.eigenvalue_epsilon - self.last_epsilon, self.floor, self.neighbours)
        last = GaussianGrid(step=self.step, scale=self.scale, epsilon=self.last_epsilon)
        return min(1.0, (first + missed + second + last.delta(radius=bounds.radius, dimension=self.rows * query.columns)) * UP)

    def arithmetic(self, query: SecondMoments) -> Arithmetic:
        """The bounds of rounding errors; the floor holds on the good event, the only one that they are needed for."""
        return arithmetic_of(query, self.rows, self.floor, self.floor)

    def draw(self, query: SecondMoments, data: Records, noise: Noise) -> Drawn:
        """See Mechanism."""
        moments, bounds = query.answer(data), self.arithmetic(query)
        rounded = int(np.rint(bounds.least_eigenvalue(moments) / self.eigenvalue_step))
        noisy = rounded + int(noise.discrete_gaussian(scale=self.eigenvalue_scale, dimension=1, draws=1)[0, 0])
        variance = self.variance_for(query, noisy)
        grid = GaussianGrid(step=self.step, scale=self.scale, epsilon=self.last_epsilon)
        drawn = sketched(query, bounds, moments, variance, grid, noise)
        return drawn._replace(chosen={"noisy_eigenvalue": noisy, "variance": variance})

    def variance_for(self, query: SecondMoments, noisy: int) -> int:
        """sigma^2 / q^2 from the released integer: public arithmetic, rounded up."""
        bounds = self.arithmetic(query)
        lowered = self.eigenvalue_step * (noisy - self.quantile - 0.5) - bounds.eigenvalue_error
        credit = max(0.0, lowered) * lowering(4_096) - (query.norm / query.unit) ** 2 * UP
        return min(self.floor, max(0, math.ceil(self.floor - credit)))

    def noise_variance(self, query: SecondMoments, variance: int) -> float:
        """As for GaussianSketch, for the certificate's `variance`."""
        return query.unit**2 * (variance + (self.step * self.scale) ** 2)


def _moved(query: SecondMoments, bounds: Arithmetic, step: float) -> float:
    """How many steps the rounded eigenvalue moves between neighbours, at most."""
    return ((query.norm / query.unit) ** 2 + 2.0 * bounds.eigenvalue_error) / step * UP + 1.0
