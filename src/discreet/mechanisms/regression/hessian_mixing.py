"""Iterative Hessian mixing: one noisy sketch for the curvature, then noisy gradients (proof note hessian_mixing.md; Lev et al. 2026).

    k rows N(0, X'X + v I)                                            the sketch of release/sketch.md, of the features alone
    T times: g~ = sum x clip(y - <x, theta_j>) + noise,   theta_{j+1} = theta_j + A~^{-1} g~, shrunk as in module `belief`,   A~ = W / k - v I

The first gradient is at zero and clips at |x r| <= R B, so not at all; the others clip at a quarter of it. The curve of the whole is the numerical
composition of the sketch's profile with mu-GDP, mu^2 = T (1 or 2)^2 / nu^2 (accounting/composition.md), in place of published Renyi curves; discrete
noise costs what it does in module `sums`:

    delta(epsilon) <= e^A (delta_composed(epsilon - A - B) + e^epsilon T e^-800)
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from discreet.accounting import ApproximateDP, GaussianDP, Json, NoGuarantee, Profile, beyond, closeness, compose, gaussian_mu
from discreet.core.errors import InfeasibleTarget
from discreet.core.neighbours import Neighbours
from discreet.data import Records
from discreet.mechanisms.learning.base import GaussianGrid
from discreet.mechanisms.noisy_sums import LARGEST_SCALE, LEAST_SCALE, stated
from discreet.mechanisms.regression.base import Fitted, GradientMechanism
from discreet.mechanisms.regression.belief import Belief
from discreet.mechanisms.regression.mixing import calibrated_sketch, drawn_moments, of_records, rows_for, sketched
from discreet.mechanisms.regression.sums import UP, LeastSquares, step_reach, step_scales, whole_steps
from discreet.mechanisms.release.sketch import GaussianSketch
from discreet.mechanisms.release.sketch import sketch_profile as curve_of_sketch
from discreet.noise import Noise
from discreet.words.regression import HESSIAN_MIXING
from discreet.words.sketch import SECRET

STEPS = 3
_SHARE = 0.5
"""Of mu^2, about, the sketch's."""
_LATER_CLIP = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class HessianMixing(GradientMechanism):
    """A sketch of the features, and `steps` noisy gradients."""

    name = "least-squares-hessian-mixing"
    sketch: GaussianSketch

    @staticmethod
    def calibrate(
        problem: LeastSquares, *, epsilon: float, delta: float, neighbours: Neighbours, steps: int | None = None, rows: int | None = None
    ) -> "HessianMixing":
        """The least noise of gradients that (epsilon, delta) leaves beside a sketch of about half of the budget (of mu^2).

        Raises InvalidInput for numbers out of range, InfeasibleTarget where rounding errors cannot be hidden.
        """
        return _calibrated(problem, epsilon, delta, neighbours, whole_steps(steps, usual=STEPS, least=1), rows_for(problem, rows))

    def promise(self, problem: LeastSquares) -> ApproximateDP | NoGuarantee:
        """See the module docstring."""
        delta = self.delta(problem, sketch_profile(problem, self.sketch, self.epsilon))
        return stated(self.epsilon, delta, self.neighbours, HESSIAN_MIXING, secret=SECRET)

    def delta(self, problem: LeastSquares, profile: Profile) -> float:
        """delta at `epsilon`, an upper bound, from the sketch's curve."""
        integers, (least, largest) = self.steps * problem.domain.dimension, step_scales(problem, self.step_noise)
        if not (least >= LEAST_SCALE and largest < LARGEST_SCALE):
            return 1.0
        apart = closeness(integers, least, stages=self.steps)
        if not self.epsilon > apart.total:
            return 1.0
        mu = math.sqrt(self.steps) * step_reach(self.neighbours) / self.step_noise * UP
        whole = compose([profile, GaussianDP(mu=mu, neighbours=self.neighbours, theorem=HESSIAN_MIXING)], planned=True)
        return min(1.0, math.exp(apart.upper) * (whole.delta(self.epsilon - apart.total) + beyond(self.epsilon, stages=self.steps)) * UP)

    def parameters(self) -> dict[str, Json]:
        """See RegressionMechanism."""
        of_sketch = {f"sketch_{name}": value for name, value in self.sketch.parameters().items() if name != "neighbours"}
        return {**of_sketch, "step_noise": self.step_noise, "steps": self.steps, "epsilon": self.epsilon, "neighbours": str(self.neighbours)}

    def explained(self, problem: LeastSquares) -> str:
        """See RegressionMechanism."""
        query, radius, bound = sketched(problem, target_weight=None), problem.domain.radius, problem.domain.target_bound
        variance = self.sketch.noise_variance(query)
        return (
            f"1. {self.sketch.rows} random combinations of the rows, with noise of variance {variance:.4g} on every number ({self.neighbours}): the "
            f"curvature, off by {variance * math.sqrt(2.0 / self.sketch.rows):.4g}.\n"
            f"2. {self.steps} gradients with noise of deviation {self.step_noise * radius * bound:.4g} in each coordinate of the first, a quarter "
            "of it in the others, whose residuals are clipped at a quarter."
        )

    def fitted(self, problem: LeastSquares, data: Records, noise: Noise) -> Fitted:
        """See RegressionMechanism."""
        query, radius, bound = sketched(problem, target_weight=None), problem.domain.radius, problem.domain.target_bound
        variance = self.sketch.noise_variance(query)
        products = drawn_moments(self.sketch, query, of_records(problem, data, query), noise) - variance * np.eye(query.columns)
        belief = Belief.before(products, deviation=variance * math.sqrt(2.0 / self.sketch.rows), prior=bound / radius)
        for step in range(self.steps):
            length = radius * bound * (_LATER_CLIP if step else 1.0)
            belief = belief.after(self.noisy_gradient(problem, data, noise, belief.mean, length), deviation=self.step_noise * length)
        return Fitted(belief.mean, None, None)


def sketch_profile(problem: LeastSquares, sketch: GaussianSketch, epsilon: float) -> Profile:
    """The whole curve of the released sketch, at points up to three times `epsilon`."""
    query = sketched(problem, target_weight=None)
    grid = GaussianGrid(step=sketch.step, scale=sketch.scale, epsilon=sketch.last_epsilon)
    return curve_of_sketch(query, sketch.arithmetic(query), grid, sketch.variance, sketch.neighbours, epsilon, HESSIAN_MIXING)


@lru_cache(maxsize=32)
def _calibrated(problem: LeastSquares, epsilon: float, delta: float, neighbours: Neighbours, steps: int, rows: int) -> HessianMixing:
    """A second's work, kept for the next fit: a function of public numbers."""
    query, mu = sketched(problem, target_weight=None), gaussian_mu(epsilon, delta)
    of_sketch = _epsilon_of(math.sqrt(_SHARE) * mu, delta, epsilon)
    sketch = calibrated_sketch(query, rows, of_sketch, delta, neighbours)
    profile = sketch_profile(problem, sketch, epsilon)

    def made(of_steps: float) -> HessianMixing:
        noise = math.sqrt(steps) * step_reach(neighbours) / of_steps
        return HessianMixing(sketch=sketch, step_noise=noise, steps=steps, epsilon=epsilon, neighbours=neighbours)

    low, high = 0.1 * mu, mu
    if made(low).delta(problem, profile) > delta:
        raise InfeasibleTarget(f"epsilon={epsilon:g}, delta={delta:g} leaves no budget for gradients after the sketch; use mechanism='refined'.")
    while high > low * (1.0 + 1e-6):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if made(middle).delta(problem, profile) <= delta else (low, middle)
    return made(low)


def _epsilon_of(mu: float, delta: float, above: float) -> float:
    """About the epsilon of mu-GDP at this delta."""
    low, high = 1e-6 * above, above
    while high > low * (1.0 + 1e-9):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if gaussian_mu(middle, delta) <= mu else (low, middle)
    return low
