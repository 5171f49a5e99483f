"""Pure output perturbation (proof note output_perturbation.md; Chaudhuri, Monteleoni, Sarwate 2011, Algorithm 1).

    f = argmin G to |grad| <= tau,   release f + N, N of density proportional to exp(-beta |N|_2),   epsilon = beta (k G + 2 tau) / lambda

with G = c_max L R, and k = 1 record's gradient under add-remove, 2 under replace-one. No lower bound on lambda, no smoothness of the loss
is needed; the noise is larger than that of objective perturbation, which the curvature of the data shrinks.
"""

from dataclasses import dataclass
from typing import Self

from discreet.arrays import Floats
from discreet.certificates import Hypothesis
from discreet.data import Dataset
from discreet.guarantees import PureDP
from discreet.mechanisms.base import LearningMechanism
from discreet.mechanisms.hypotheses import minimiser_hypothesis, noise_hypothesis, problem_hypotheses
from discreet.mechanisms.learning.minimise import default_tolerance
from discreet.mechanisms.learning.sensitivity import minimiser_sensitivity, one_minimiser
from discreet.neighbours import Neighbours
from discreet.noise import Noise
from discreet.problems import RegularisedRisk


@dataclass(frozen=True, slots=True, kw_only=True)
class PureOutputPerturbation(LearningMechanism):
    """Output perturbation with spherical noise, epsilon-private."""

    rate: float
    """beta: the noise has norm about dimension / beta."""
    tolerance: float
    """tau, the largest gradient norm of the minimiser."""
    neighbours: Neighbours

    @property
    def name(self) -> str:
        """Name in certificates."""
        return "output-perturbation-pure"

    @classmethod
    def calibrate(cls, problem: RegularisedRisk, *, epsilon: float, neighbours: Neighbours) -> Self:
        """The least noise for epsilon; always feasible."""
        tolerance = default_tolerance(problem, 0.0)
        rate = epsilon / minimiser_sensitivity(problem, tolerance=tolerance, neighbours=neighbours) * (1.0 - 1e-13)
        return cls(rate=rate, tolerance=tolerance, neighbours=neighbours)

    def guarantee(self, problem: RegularisedRisk) -> PureDP:
        """See module docstring."""
        sensitivity = minimiser_sensitivity(problem, tolerance=self.tolerance, neighbours=self.neighbours)
        return PureDP(epsilon=self.rate * sensitivity, neighbours=self.neighbours, theorem="output perturbation, spherical noise")

    def hypotheses(self, problem: RegularisedRisk) -> tuple[Hypothesis, ...]:
        """See LearningMechanism."""
        law = noise_hypothesis(f"of density proportional to exp(-{self.rate:.10g} |N|)")
        return (*problem_hypotheses(problem, self.neighbours), law, minimiser_hypothesis(self.tolerance))

    def draw(self, problem: RegularisedRisk, data: Dataset, noise: Noise, count: int) -> Floats:
        """See LearningMechanism."""
        weights = one_minimiser(problem, data, self.tolerance)
        return weights + noise.spherical(rate=self.rate, dimension=problem.dimension, draws=count)
