"""Gaussian output perturbation (proof note output_perturbation.md).

    f = argmin G to |grad| <= tau,   release f + N(0, sigma^2 I),   delta(epsilon) = delta_G(epsilon; (k G + 2 tau) / (lambda sigma))

with G = c_max L R, and k = 1 under add-remove, 2 under replace-one; calibrated by the analytic Gaussian mechanism.
"""

from dataclasses import dataclass
from typing import Self

from discreet.arrays import Floats
from discreet.certificates import Hypothesis
from discreet.data import Dataset
from discreet.guarantees import ApproximateDP, gaussian_delta, gaussian_mu
from discreet.mechanisms.base import LearningMechanism
from discreet.mechanisms.hypotheses import minimiser_hypothesis, noise_hypothesis, problem_hypotheses
from discreet.mechanisms.learning.minimise import default_tolerance
from discreet.mechanisms.learning.sensitivity import minimiser_sensitivity, one_minimiser
from discreet.neighbours import Neighbours
from discreet.noise import Noise
from discreet.problems import RegularisedRisk


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianOutputPerturbation(LearningMechanism):
    """Output perturbation with Gaussian noise, (epsilon, delta)-private."""

    scale: float
    """sigma, the standard deviation of each coordinate."""
    epsilon: float
    """epsilon at which delta is stated."""
    tolerance: float
    """tau, the largest gradient norm of the minimiser."""
    neighbours: Neighbours

    @property
    def name(self) -> str:
        """Name in certificates."""
        return "output-perturbation-gaussian"

    @classmethod
    def calibrate(cls, problem: RegularisedRisk, *, epsilon: float, delta: float, neighbours: Neighbours) -> Self:
        """The least noise for (epsilon, delta); always feasible."""
        tolerance = default_tolerance(problem, 0.0)
        scale = minimiser_sensitivity(problem, tolerance=tolerance, neighbours=neighbours) / gaussian_mu(epsilon, delta * (1.0 - 1e-6))
        return cls(scale=scale, epsilon=epsilon, tolerance=tolerance, neighbours=neighbours)

    def guarantee(self, problem: RegularisedRisk) -> ApproximateDP:
        """See module docstring."""
        mu = minimiser_sensitivity(problem, tolerance=self.tolerance, neighbours=self.neighbours) / self.scale
        return ApproximateDP(
            epsilon=self.epsilon,
            delta_at_epsilon=gaussian_delta(self.epsilon, mu),
            neighbours=self.neighbours,
            theorem="output perturbation, analytic Gaussian noise",
        )

    def hypotheses(self, problem: RegularisedRisk) -> tuple[Hypothesis, ...]:
        """See LearningMechanism."""
        law = noise_hypothesis(f"Gaussian with standard deviation {self.scale:.10g} in every coordinate")
        return (*problem_hypotheses(problem, self.neighbours), law, minimiser_hypothesis(self.tolerance))

    def draw(self, problem: RegularisedRisk, data: Dataset, noise: Noise, count: int) -> Floats:
        """See LearningMechanism."""
        weights = one_minimiser(problem, data, self.tolerance)
        return weights + noise.gaussian(scale=self.scale, dimension=problem.dimension, draws=count)
