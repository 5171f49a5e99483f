"""Least squares from noisy moments and a few noisy gradients (proof note refined.md): the mechanism with intervals.

    1. release  A~ = A + E,  b~ = b + e,  s~ = s + noise          one joint Gaussian answer of weighted moments (module `sums`)
    2. believe what they say about the least-squares weights      (module `belief`)
    3. T times: release g~ = sum x clip(y - <x, theta_j>) + noise at the weights theta_j believed in, and update the belief

The clipping length is twice the root mean square of a residual times that of a row, both from what was released before. T = 0 is one-shot
perturbation of the sufficient statistics, with noise for their joint sensitivity. All sums are exact integers, and all noise is discrete.
"""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np

from discreet.accounting import ApproximateDP, NoGuarantee
from discreet.core.arrays import Floats
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.data import Records
from discreet.mechanisms.noisy_sums import LARGEST_SCALE, composed_delta, integers, least_noise, stated
from discreet.mechanisms.regression.base import Fitted, GradientMechanism
from discreet.mechanisms.regression.belief import Answer, Belief, solved
from discreet.mechanisms.regression.sums import (
    LeastSquares,
    moment_reach,
    moment_scales,
    noisy_moments,
    step_reach,
    step_scales,
    total_mu,
    whole_steps,
)
from discreet.noise import Noise
from discreet.words.regression import MOMENTS

STEPS = 4
_SHARE = 0.8
"""Of mu^2, the moments' part, where gradients follow."""
_TARGET_WEIGHT = 0.85
_SQUARE_WEIGHT = 0.3
"""Under add-remove, where it costs noise. Under replace-one sqrt(a^2 + a^4 / 2) costs none."""
_CLIP = 2.0
_LEAST_CLIP, _LARGEST_LEAST_CLIP = 0.03, 0.15
"""Of R B: a residual's size that noise made too small must not make a gradient useless; where s~ is mostly noise, the second."""
_CAUTION = 1.2816
"""Deviations of the residuals' noisy sum of squares that are added to it for intervals: a bound that holds nine times in ten."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RefinedMoments(GradientMechanism):
    """Noisy moments, and `steps` noisy gradients."""

    name = "least-squares-moments"
    moment_noise: float
    """sigma: A~ has deviation sigma R^2 on the diagonal and sigma R^2 / sqrt 2 off it, b~ sigma R B / a, s~ sigma B^2 / g."""
    target_weight: float
    """a."""
    square_weight: float
    """g."""

    @classmethod
    def calibrate(cls, problem: LeastSquares, *, epsilon: float, delta: float, neighbours: Neighbours, steps: int | None = None) -> Self:
        """The least noise for (epsilon, delta), with `steps` gradients (0 for moments alone, None for four).

        Raises InvalidInput for numbers out of range, InfeasibleTarget where the integers have no room for the noise.
        """
        count, a = whole_steps(steps, usual=STEPS, least=0), _TARGET_WEIGHT
        g = _SQUARE_WEIGHT if neighbours is ADD_REMOVE else math.sqrt(a**2 + a**4 / 2.0) * (1.0 - 1e-9)
        reach, share = moment_reach(neighbours, target_weight=a, square_weight=g), _SHARE if count else 1.0
        return least_noise(
            lambda mu: cls(
                moment_noise=reach / (mu * math.sqrt(share)),
                target_weight=a,
                square_weight=g,
                step_noise=step_reach(neighbours) / (mu * math.sqrt((1.0 - share) / count) if count else math.inf),
                steps=count,
                epsilon=epsilon,
                neighbours=neighbours,
            ),
            lambda made: made.delta(problem) <= delta and max(*made.moment_scales(problem), step_scales(problem, made.step_noise)[1]) < LARGEST_SCALE,
            epsilon=epsilon,
            delta=delta,
            problem=problem,
        )

    def delta(self, problem: LeastSquares) -> float:
        """delta at `epsilon`, an upper bound."""
        reach = moment_reach(self.neighbours, target_weight=self.target_weight, square_weight=self.square_weight)
        mu = total_mu(reach, self.moment_noise, self.neighbours, self.steps, self.step_noise)
        size = problem.domain.dimension
        integers = size * (size + 1) // 2 + size + 1 + self.steps * size
        return composed_delta(self.epsilon, mu, integers=integers, stages=1 + self.steps, least_scale=min(self._scales(problem)))

    def moment_scales(self, problem: LeastSquares) -> tuple[float, float, float, float]:
        """Deviations in units: A's diagonal, A off it, b, s."""
        of_squares = self.moment_noise * (problem.domain.target_bound / problem.target_unit) ** 2 / self.square_weight
        return *moment_scales(problem, self.moment_noise, self.target_weight), of_squares

    def _scales(self, problem: LeastSquares) -> tuple[float, ...]:
        return (*self.moment_scales(problem), step_scales(problem, self.step_noise)[0]) if self.steps else self.moment_scales(problem)

    def promise(self, problem: LeastSquares) -> ApproximateDP | NoGuarantee:
        """See the module docstring."""
        return stated(self.epsilon, self.delta(problem), self.neighbours, MOMENTS)

    def explained(self, problem: LeastSquares) -> str:
        """See RegressionMechanism."""
        domain = problem.domain
        radius, bound, sigma = domain.radius, domain.target_bound, self.moment_noise
        free = (
            "the sum of squares costs no noise under replace-one" if self.neighbours is not ADD_REMOVE else "the sum of squares costs 3 % more noise"
        )
        of_target = sigma * radius * bound / self.target_weight
        first = (
            f"One joint Gaussian answer of all second moments ({self.neighbours}; {free}): deviation {sigma * radius**2:.4g} on sums of x_j^2, "
            f"{sigma * radius**2 / math.sqrt(2.0):.4g} on sums of x_j x_k, {of_target:.4g} on sums of x_j y."
        )
        if domain.records is not None:
            first += f" A mean of x_j y of {domain.records} records is off by {of_target / domain.records:.2g}."
        lines = [first]
        if self.steps:
            then = (
                f"{self.steps} gradients at the weights believed in so far, with noise {self.step_noise:.4g} times the bound on a record's part. "
                "That bound is twice the size of a residual, as the moments tell it: the better the fit, the less noise."
            )
            if domain.records is None and domain.intercept_scale == 0:
                then += " Here that size is not known, without an intercept or public_records, and the bound is that of a target."
            lines.append(then)
        lines.append(f"Weights are shrunk by v / (tau^2 w^2) where the curvature is w: v the noise, tau = {bound / radius:.4g}. Nothing is tuned.")
        return "\n".join(f"{place}. {line}" for place, line in enumerate(lines, start=1))

    def fitted(self, problem: LeastSquares, data: Records, noise: Noise) -> Fitted:
        """See RegressionMechanism."""
        domain = problem.domain
        products, targets, squares = self.noisy_moments(problem, data, noise)
        deviation, radius, bound = self.moment_noise * domain.radius**2, domain.radius, domain.target_bound
        prior = bound / radius
        belief = Belief.before(products, deviation=deviation, prior=prior)
        first = Answer(value=targets, place=belief.mean, deviation=self.moment_noise * radius * bound / self.target_weight, clipped=False)
        belief = belief.after(targets, deviation=first.deviation)
        answers = [first]
        count = _count(problem, products)
        square_noise = self.moment_noise * bound**2 / self.square_weight
        for _ in range(self.steps):
            residual = _residual(belief, targets, squares + 0.5 * square_noise, count, bound)
            length = self._length(problem, products, residual, count)
            gradient = self.noisy_gradient(problem, data, noise, belief.mean, length)
            answers.append(Answer(value=gradient, place=belief.mean, deviation=self.step_noise * length, clipped=True))
            belief = belief.after(gradient, deviation=self.step_noise * length)
        size = float(np.linalg.norm(belief.mean))
        doubt = math.hypot(square_noise, 2.0 * size * self.moment_noise * radius * bound / self.target_weight, size**2 * deviation)
        # The noisy sum may come out far too small, or negative: an interval must not read that as certainty.
        residual = _residual(belief, targets, squares, count, bound, doubt=_CAUTION * doubt)
        any_law, symmetric = (
            solved(products, given, deviation=deviation, residual=residual, believed=belief.mean) for given in (answers[:1], answers)
        )
        return Fitted(belief.mean, belief.spread(residual, prior), residual, any_law, symmetric)

    def _length(self, problem: LeastSquares, products: Floats, residual: float, count: float | None) -> float:
        """G, from what was released before: twice the residual's size times that of a row, within public limits."""
        radius, bound = problem.domain.radius, problem.domain.target_bound
        if count is None:
            return radius * bound
        row = min(radius, math.sqrt(max(float(np.trace(products)) / count, 0.01 * radius**2)))
        doubt = math.sqrt(self.moment_noise / self.square_weight / count)
        least = min(_LARGEST_LEAST_CLIP, max(_LEAST_CLIP, 0.5 * doubt)) * radius * bound
        return min(radius * bound, max(_CLIP * residual * row, least))

    def noisy_moments(self, problem: LeastSquares, data: Records, noise: Noise) -> tuple[Floats, Floats, float]:
        """A~ (m, m), b~ (m,) and s~."""
        exact = problem.moments(data)
        *scales, of_squares = self.moment_scales(problem)
        products, targets = noisy_moments(problem, exact, noise, scales)
        if self.neighbours is not ADD_REMOVE and problem.total_weight is not None and problem.domain.intercept_scale > 0:
            products[-1, -1] = problem.total_weight * problem.domain.intercept_scale**2  # public: the constant feature's
        return products, targets, (exact.squares + int(integers(noise, of_squares, 1)[0])) * problem.target_unit**2


def _count(problem: LeastSquares, products: Floats) -> float | None:
    """The number of records: public, or from the constant feature's noisy square sum; None where neither is there."""
    domain = problem.domain
    if problem.total_weight is not None:
        return float(problem.total_weight)
    return max(float(products[-1, -1]) / domain.intercept_scale**2, 1.0) if domain.intercept_scale > 0 else None


def _residual(belief: Belief, targets: Floats, squares: float, count: float | None, bound: float, *, doubt: float = 0.0) -> float:
    """About the root mean square residual at the mean of the belief, from noisy moments; at most B, which it is where the count is unknown."""
    if count is None:
        return bound
    mean = belief.mean
    total = squares - 2.0 * float(mean @ targets) + float(mean @ belief.curvature @ mean)
    return min(bound, math.sqrt((max(total, 0.0) + doubt) / count))
