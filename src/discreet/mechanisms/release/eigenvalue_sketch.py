"""A sketch whose noise is lowered by a private look at the least eigenvalue of the second moments (proof note sketch.md, section 4).

    1  lambda~ = max(0, lambda_min(Z'Z) + noise - a quantile of the noise):  mu-GDP but for its integers; lambda~ <= lambda_min but for delta_b
    2  sigma^2 = min(beta, beta + C^2 - lambda~), at least 0, and the sketch of module `sketch` with it: its curve delta_S, whatever lambda~ is

    together  delta(epsilon) = delta_b + e^A (delta_composed(epsilon - A - B) + e^epsilon e^-800),    composed of delta_S and mu-GDP (composition.md)

for both relations: an eigenvalue moves by at most C^2, without one record it is at least lambda_min - C^2, so beta is reached on the good event. The
released number lambda~ is in the certificate, and so is sigma^2. A and B are what discrete noise costs (residual_stage.md, lemma 2).

The eigenvalue is computed within a sure error, rounded to a grid and released with discrete Gaussian integers. (Lev et al. 2025, algorithm 1, has the
idea; its printed constants are too small for C > 1.) It pays where lambda_min is far above beta: long tables with independent columns.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtr, ndtri

from discreet.accounting import ApproximateDP, GaussianDP, NoGuarantee, beyond, closeness, compose, gaussian_epsilon, gaussian_mu
from discreet.core.errors import InfeasibleTarget, InvalidInput
from discreet.core.neighbours import Neighbours
from discreet.core.remembered import remembered
from discreet.core.rounding import lowering
from discreet.data import Records
from discreet.mechanisms.base import Drawn, Mechanism
from discreet.mechanisms.learning.base import GaussianGrid
from discreet.mechanisms.release.answers import exact_moments
from discreet.mechanisms.release.arithmetic import Arithmetic
from discreet.mechanisms.release.rows import LARGEST_SCALE
from discreet.mechanisms.release.sketch import TOO_ROUGH, arithmetic_of, check_target, promised, sketch_profile, sketched, solve
from discreet.noise import Noise, drawable
from discreet.queries import SecondMoments
from discreet.queries.base import UP
from discreet.words.sketch import EIGENVALUE_SKETCH, EigenvalueSketchSpec

_LAST = 1e-3
"""The last stage's share of the sketch's epsilon; of its delta, a tenth of that."""
_MISSED = 0.1
"""Of delta, that the eigenvalue is said to be larger than it is."""
_LEAST_SCALE = 2.0**12


@dataclass(frozen=True, slots=True, kw_only=True)
class EigenvalueSketch(EigenvalueSketchSpec, Mechanism[SecondMoments, Records]):
    """k noisy random combinations of the records, with noise that the table's own spread lowers."""

    @classmethod
    def calibrate(
        cls, query: SecondMoments, *, rows: int, epsilon: float, delta: float, neighbours: Neighbours, eigenvalue_share: float = 0.06
    ) -> "EigenvalueSketch":
        """For (epsilon, delta); about `eigenvalue_share` of the budget, of mu^2, goes to the eigenvalue."""
        check_target(epsilon, rows)
        if not 0 < eigenvalue_share < 1:
            raise InvalidInput(
                f"the share of the budget for the eigenvalue, eigenvalue_share, must lie between 0 and 1; {eigenvalue_share!r} was given."
            )
        mu, missed = gaussian_mu(epsilon, delta), _MISSED * delta
        of_sketch = gaussian_epsilon(math.sqrt(1.0 - eigenvalue_share) * mu, delta, most=epsilon)
        last = _LAST * of_sketch
        parts = solve(query, rows, of_sketch - last, (delta - missed) * (1.0 - 0.2 * _LAST), neighbours)
        if parts is None:
            raise InfeasibleTarget(TOO_ROUGH.format(rows=rows, records=query.most_records))
        floor = math.ceil(parts[0])
        bounds = arithmetic_of(query, rows, floor, floor)
        grid = GaussianGrid.calibrate(radius=bounds.radius, dimension=rows * query.columns, epsilon=last, delta=0.1 * _LAST * delta)
        made = cls(
            rows=rows,
            floor=floor,
            step=grid.step,
            scale=grid.scale,
            eigenvalue_step=2.0 ** math.floor(math.log2((query.norm / query.unit) ** 2 / 2.0**20)),
            eigenvalue_scale=LARGEST_SCALE,
            quantile=1,
            neighbours=neighbours,
            epsilon=epsilon,
            last_epsilon=last,
        )
        found = made._with_least_noise(query, mu, delta, missed)
        if found is None or max(found.eigenvalue_scale, grid.scale) >= LARGEST_SCALE:
            raise InfeasibleTarget(TOO_ROUGH.format(rows=rows, records=query.most_records))
        return found

    @remembered
    def _with_least_noise(self, query: SecondMoments, mu: float, delta: float, missed: float) -> "EigenvalueSketch | None":
        """The least noise on the eigenvalue (to 1e-4) that is left beside the sketch; None where there is none."""
        moved = _moved(query, self.arithmetic(query), self.eigenvalue_step)

        def at(part: float) -> "EigenvalueSketch":
            scale = drawable(max(_LEAST_SCALE, moved / part))
            return replace(self, eigenvalue_scale=scale, quantile=math.ceil(-scale * float(ndtri(missed)) * (1.0 + 1e-9)) + 1)

        low, high = 1e-3 * mu, mu
        if not at(low).delta(query) <= delta:
            return None
        while high > low * (1.0 + 1e-4):
            middle = math.sqrt(low * high)
            low, high = (middle, high) if at(middle).delta(query) <= delta else (low, middle)
        return at(low)

    def promise(self, query: SecondMoments) -> ApproximateDP | NoGuarantee:
        """See the module docstring."""
        return promised(EIGENVALUE_SKETCH, self.delta(query), self.epsilon, self.neighbours)

    def delta(self, query: SecondMoments) -> float:
        """delta at `epsilon`; 1 where a lemma does not apply."""
        bounds, apart = self.arithmetic(query), closeness(1, self.eigenvalue_scale)
        if not (math.isfinite(bounds.closeness) and self.eigenvalue_scale >= _LEAST_SCALE and apart.total < self.epsilon):
            return 1.0
        mu = _moved(query, bounds, self.eigenvalue_step) / self.eigenvalue_scale * UP
        last = GaussianGrid(step=self.step, scale=self.scale, epsilon=self.last_epsilon)
        profile = sketch_profile(query, bounds, last, self.floor, self.neighbours, self.epsilon, EIGENVALUE_SKETCH)
        whole = compose([profile, GaussianDP(mu=mu, neighbours=self.neighbours, theorem=EIGENVALUE_SKETCH)], planned=True)
        both = math.exp(apart.upper) * (whole.delta(self.epsilon - apart.total) + beyond(self.epsilon))
        return min(1.0, (float(ndtr(-self.quantile / self.eigenvalue_scale)) + both) * UP)

    def arithmetic(self, query: SecondMoments) -> Arithmetic:
        """The bounds of rounding errors; the floor holds on the good event, the only one that they are needed for."""
        return arithmetic_of(query, self.rows, self.floor, self.floor)

    def draw(self, query: SecondMoments, data: Records, noise: Noise) -> Drawn:
        """See Mechanism."""
        moments, bounds = exact_moments(query, data), self.arithmetic(query)
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
        return min(int(self.floor), max(0, math.ceil(self.floor - credit)))


def _moved(query: SecondMoments, bounds: Arithmetic, step: float) -> float:
    """How many steps the rounded eigenvalue moves between neighbours, at most."""
    return ((query.norm / query.unit) ** 2 + 2.0 * bounds.eigenvalue_error) / step * UP + 1.0
