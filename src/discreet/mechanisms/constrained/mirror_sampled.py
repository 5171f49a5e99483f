"""Noisy mirror descent on Poisson batches, add-remove only (proof note mirror_sampled.md).

    every step: each record takes part with probability q, exactly, in secret;   y_t = (sum over the batch of gradients + noise on a grid) / q

The composed curve is that of T subsampled Gaussian steps (accounting/subsampled.py) beside one Gaussian of mu_e, which pays for rounding errors, as
those may differ between neighbours whether or not the record takes part:

    mu = (S / w) / (s sqrt(1 - a)),   mu_e = 2 E sqrt(T) / (s sqrt(a)),   E = e / w + sqrt(d) / 2,   a = 1/64

w the grid, s the noise in its steps, S = B R_2, e the bound of rounding errors of a gradient. Replace-one is refused: nothing is proved for it here.
At equal T and total, full gradients have less noise; the note says what batches are good for.
"""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np

from discreet.accounting import Json, beyond, closeness
from discreet.accounting.subsampled import subsampled_gaussian
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.core.rounding import raising
from discreet.mechanisms.constrained.base import GaussianSteps, GradientSteps, check_gaussian_target, checked_steps
from discreet.mechanisms.constrained.mirror_descent import AUTO, Plan, plan
from discreet.noise import Noise
from discreet.objectives import PredictionSum
from discreet.problems import SetRisk
from discreet.words.constrained import MIRROR_SAMPLED

RATE_BITS = 20
ERROR_SHARE = 1.0 / 64.0
_FINENESS = 16
_LEAST_SCALE = 2.0**10
_UP = raising(4_096)


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledMirrorDescent(GradientSteps):
    """Mirror descent on Poisson batches: (epsilon, delta)-private, add-remove."""

    name = "mirror-descent-sampled"
    theorem = MIRROR_SAMPLED
    rate: int
    """q in units of 2^-20."""
    plan: Plan

    @classmethod
    def calibrate(
        cls, problem: SetRisk, *, epsilon: float, delta: float, rate: float, steps: int, neighbours: Neighbours, mirror_map: str = AUTO
    ) -> Self:
        """The least noise (to 0.1 %) for (epsilon, delta) at sampling `rate` in (0, 1] and `steps` T. Raises InvalidInput, for replace-one too."""
        if neighbours is not ADD_REMOVE:
            raise InvalidInput("Poisson batches need add-remove; for replace-one use full gradients (NoisyMirrorDescent).")
        check_gaussian_target(epsilon, delta)
        units = round(rate * 2**RATE_BITS) if isinstance(rate, float | int) and 0 < rate <= 1 else 0
        if not 1 <= units <= 2**RATE_BITS:
            raise InvalidInput(f"the sampling rate must lie in [2^-20, 1]; {rate!r} was given.")
        count = checked_steps(steps)
        step = 2.0 ** math.floor(math.log2(problem.gradient_bound / math.sqrt(problem.dimension)) - _FINENESS)

        def spent(scale: float) -> float:
            return sampled_delta(problem, rate=units, steps=GaussianSteps(count=count, step=step, scale=scale), epsilon=epsilon)

        low = high = problem.gradient_bound / step
        while spent(high) > delta:
            low, high = high, 2.0 * high
        while high == low or (low > _LEAST_SCALE and spent(low) <= delta):
            low, high = low / 2.0, min(high, low) if spent(low) <= delta else high
        while high / low > 1.001:
            middle = math.sqrt(low * high)
            low, high = (low, middle) if spent(middle) <= delta else (middle, high)
        made = GaussianSteps(count=count, step=step, scale=high)
        share = units / 2.0**RATE_BITS
        # The batch itself is noise for the descent: a record's gradient, included with probability q and divided by q.
        records = float(problem.domain.records or 10_000)
        sampling = problem.gradient_bound * math.sqrt(records * (1.0 - share) / share)
        deviation = math.hypot(made.deviation / share, sampling / math.sqrt(problem.dimension))
        chosen = plan(problem, sensitivity=deviation / math.sqrt(count), mu=1.0, mirror_map=mirror_map, steps=count)
        return cls(rate=units, noise_steps=made, epsilon=epsilon, plan=chosen, neighbours=neighbours)

    def delta(self, problem: SetRisk) -> float:
        """See the module docstring."""
        return sampled_delta(problem, rate=self.rate, steps=self.noise_steps, epsilon=self.epsilon)

    def parameters(self) -> dict[str, Json]:
        """See Mechanism."""
        return {"rate": self.rate, **GradientSteps.parameters(self), **self.plan.to_dict()}

    def point(self, problem: SetRisk, objective: PredictionSum, noise: Noise) -> Floats:
        """See ConstrainedMechanism."""
        share = self.rate / 2.0**RATE_BITS

        def released(point: Floats) -> Floats:
            return self.noise_steps.release(objective.gradient(point, batch(noise, objective.records, self.rate)), noise) / share

        return self.plan.average(problem.constraint, self.noise_steps.count, released)


def batch(noise: Noise, records: int, rate: int) -> Floats:
    """1.0 for records that take part, 0.0 for others, (records,): the top 20 bits of a uniform word are below `rate`, exactly rate / 2^20."""
    words = noise.words()(records)
    return (words >> np.uint64(64 - RATE_BITS) < np.uint64(rate)).astype(np.float64)


def sampled_delta(problem: SetRisk, *, rate: int, steps: GaussianSteps, epsilon: float) -> float:
    """delta at `epsilon` of all steps together; 1 where nothing is proved."""
    dimension, count, scale = problem.dimension, steps.count, steps.scale
    apart = closeness(count * dimension, scale, stages=count)
    if not (scale >= _LEAST_SCALE and apart.total < epsilon <= 500.0 and 1 <= rate <= 2**RATE_BITS):
        return 1.0
    error = problem.gradient_error / steps.step + 0.5 * math.sqrt(dimension)
    curve = subsampled_gaussian(
        mu=problem.gradient_bound / steps.step / (scale * math.sqrt(1.0 - ERROR_SHARE)) * _UP,
        rate=rate / 2.0**RATE_BITS,
        count=count,
        extra_mu=2.0 * error * math.sqrt(count) / (scale * math.sqrt(ERROR_SHARE)) * _UP,
    )
    return min(1.0, math.exp(apart.upper) * (curve.delta(epsilon - apart.total) + beyond(epsilon, stages=count)) * _UP)
