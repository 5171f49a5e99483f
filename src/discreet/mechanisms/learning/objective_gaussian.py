"""Gaussian objective perturbation (theorem T1 of the proof note objective_perturbation.md).

    b ~ N(0, sigma^2 I),   f = argmin G + <b, .>,   release f' + N(0, sigma_2^2 I) with |grad| <= tau at f'

    delta(epsilon + epsilon_2) <= delta_T1(epsilon) + delta_G(epsilon_2; 2 tau / (lambda sigma_2))

delta_T1 is computed in module `gaussian_profile`; for the logistic loss with lambda >= R^2 / epsilon it is the profile of one Gaussian
mechanism, with no slack at all.
"""

from dataclasses import dataclass
from typing import Self

from discreet.arrays import Floats
from discreet.certificates import Hypothesis
from discreet.data import Dataset
from discreet.errors import InfeasibleTarget
from discreet.guarantees import ApproximateDP, gaussian_delta, gaussian_mu
from discreet.mechanisms.base import LearningMechanism
from discreet.mechanisms.hypotheses import minimiser_hypothesis, noise_hypothesis, problem_hypotheses
from discreet.mechanisms.learning.gaussian_profile import objective_delta, objective_scale
from discreet.mechanisms.learning.minimise import default_tolerance, minimisers, residual_share
from discreet.mechanisms.learning.ridge import infeasible, least_ridge
from discreet.neighbours import Neighbours
from discreet.noise import Noise
from discreet.problems import RegularisedRisk


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianObjectivePerturbation(LearningMechanism):
    """Objective perturbation with Gaussian noise, (epsilon, delta)-private."""

    scale: float
    """sigma, the standard deviation of each coordinate of the linear term."""
    epsilon: float
    """epsilon at which delta_T1 is evaluated."""
    tolerance: float
    """tau, the largest gradient norm of the minimiser."""
    residual_scale: float
    """sigma_2 of the residual stage."""
    residual_epsilon: float
    """epsilon_2 of the residual stage."""
    neighbours: Neighbours

    @property
    def name(self) -> str:
        """Name in certificates."""
        return "objective-perturbation-gaussian"

    @classmethod
    def calibrate(cls, problem: RegularisedRisk, *, epsilon: float, delta: float, neighbours: Neighbours) -> Self:
        """The least noise for a total of (epsilon, delta). Raises InfeasibleTarget when lambda is too small for any noise."""
        refusal = infeasible(problem, epsilon=epsilon, delta=delta, neighbours=neighbours)
        rough = _scale(problem, epsilon * (1.0 - 1e-3), delta * (1.0 - 1e-3), neighbours, refusal)
        tolerance = default_tolerance(problem, rough * problem.dimension**0.5)
        sensitivity = 2.0 * tolerance / problem.strong_convexity
        share = residual_share(problem, first_noise=rough, residual_noise=sensitivity / gaussian_mu(epsilon, delta))
        return cls(
            scale=_scale(problem, epsilon * (1.0 - share), delta * (1.0 - share), neighbours, refusal),
            epsilon=epsilon * (1.0 - share),
            tolerance=tolerance,
            residual_scale=sensitivity / gaussian_mu(epsilon * share, delta * share * (1.0 - 1e-6)),
            residual_epsilon=epsilon * share * (1.0 - 1e-13),
            neighbours=neighbours,
        )

    def guarantee(self, problem: RegularisedRisk) -> ApproximateDP:
        """See module docstring."""
        first = objective_delta(problem, scale=self.scale, epsilon=self.epsilon, neighbours=self.neighbours)
        second = gaussian_delta(self.residual_epsilon, 2.0 * self.tolerance / (problem.strong_convexity * self.residual_scale))
        return ApproximateDP(
            epsilon=self.epsilon + self.residual_epsilon,
            delta_at_epsilon=first + second,
            neighbours=self.neighbours,
            theorem="objective perturbation, theorem T1 with residual stage",
        )

    def hypotheses(self, problem: RegularisedRisk) -> tuple[Hypothesis, ...]:
        """See LearningMechanism."""
        law = noise_hypothesis(f"Gaussian with standard deviation {self.scale:.10g} in every coordinate")
        return (*problem_hypotheses(problem, self.neighbours), law, minimiser_hypothesis(self.tolerance))

    def draw(self, problem: RegularisedRisk, data: Dataset, noise: Noise, count: int) -> Floats:
        """See LearningMechanism."""
        linears = noise.gaussian(scale=self.scale, dimension=problem.dimension, draws=count)
        weights = minimisers(problem, data, linears, self.tolerance)
        return weights + noise.gaussian(scale=self.residual_scale, dimension=problem.dimension, draws=count)


def _scale(problem: RegularisedRisk, epsilon: float, delta: float, neighbours: Neighbours, refusal: InfeasibleTarget) -> float:
    if problem.strong_convexity > least_ridge(problem, epsilon):
        try:
            return objective_scale(problem, epsilon=epsilon, delta=delta, neighbours=neighbours)
        except InfeasibleTarget:
            raise refusal from None
    raise refusal
