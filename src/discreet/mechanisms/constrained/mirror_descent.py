"""Noisy mirror descent over a set (proof note mirror_descent.md).

    y_t = grad F(theta_t) + noise on a grid,    theta_{t+1} = argmin_{theta in C} <eta y_t, theta> + B_Psi(theta, theta_t),    t = 1 .. T
    theta_1 = argmin_C Psi,    released: an average of the points

Talwar, Thakurta and Zhang (2014), Algorithm 1, and the strongly convex variant of their appendix A, with the noise of exact Gaussian composition
(module `gaussian_steps`) in place of the printed constants: T steps together are one Gaussian release of mu = S sqrt(T) / sigma, S = k B R_2 plus
twice
the bound of rounding errors, k = 1 under add-remove and 2 under replace-one. Everything after y_t is post-processing. F is the SUM of the losses, so
eta is a step size for sums. Any loss with bounded slopes will do: with a kink (the hinge), or clipped to `max_slope` record by record.

Which map, T and eta: module `mirror_geometry`, from public numbers; what is then proved of the risk: bounds/geometry.py.
"""

from dataclasses import dataclass
from typing import Self

from discreet.accounting import ApproximateDP, Json, gaussian_mu
from discreet.core.arrays import Floats, is_finite
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Neighbours
from discreet.mechanisms.base import at_epsilon
from discreet.mechanisms.constrained.base import ConstrainedMechanism, check_gaussian_target, checked_steps, gradient_distance
from discreet.mechanisms.constrained.gaussian_steps import GaussianSteps
from discreet.mechanisms.constrained.mirror_geometry import AUTO, Plan, plan
from discreet.noise import Noise
from discreet.problems import ConstrainedRisk, PredictionSum
from discreet.statements.constrained import MIRROR_DESCENT


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyMirrorDescent(ConstrainedMechanism):
    """Mirror descent on gradients with Gaussian noise: (epsilon, delta)-private."""

    name = "mirror-descent"
    noise_steps: GaussianSteps
    """Number of noisy gradients, grid and scale."""
    epsilon: float
    """epsilon at which delta is stated."""
    plan: Plan
    """Map, schedule and step size."""
    neighbours: Neighbours

    @classmethod
    def calibrate(
        cls,
        problem: ConstrainedRisk,
        *,
        epsilon: float,
        delta: float,
        neighbours: Neighbours,
        steps: int | None = None,
        mirror_map: str = AUTO,
        ridge: float = 0.0,
    ) -> Self:
        """The least noise for (epsilon, delta).

        `steps` noisy gradients and the `mirror_map` ("euclidean", "p-norm", "power", "entropy") are chosen from public numbers where they are left
        out.
        `ridge` lambda > 0 adds lambda |theta - theta_1|^2 / 2 to F and takes the strongly convex schedule. Raises InvalidInput for numbers out of
        range and maps that the set has not.
        """
        check_gaussian_target(epsilon, delta)
        if not (isinstance(ridge, int | float) and is_finite(ridge) and ridge >= 0):
            raise InvalidInput(f"ridge must be a finite number of at least 0; {ridge!r} was given.")
        distance = gradient_distance(problem, neighbours)
        chosen = plan(
            problem,
            sensitivity=distance,
            mu=gaussian_mu(epsilon, delta),
            mirror_map=mirror_map,
            steps=None if steps is None else checked_steps(steps),
            ridge=float(ridge),
        )
        found = GaussianSteps.calibrate(distance=distance, dimension=problem.dimension, epsilon=epsilon, delta=delta, count=chosen.noisy_gradients)
        return cls(noise_steps=found, epsilon=epsilon, plan=chosen, neighbours=neighbours)

    def guarantee(self, problem: ConstrainedRisk) -> ApproximateDP:
        """See module docstring."""
        delta = self.noise_steps.delta(self.epsilon, distance=gradient_distance(problem, self.neighbours), dimension=problem.dimension)
        return at_epsilon(self.epsilon, delta, self.neighbours, MIRROR_DESCENT)

    def risk_bound(self) -> float:
        """Bound of the excess of the mean loss, E F / n - min F / n, for the n that the plan was made for; ideal Gaussian noise."""
        return self.plan.excess / self.plan.records

    def parameters(self) -> dict[str, Json]:
        """See Mechanism."""
        return {**self.noise_steps.to_dict(), "epsilon": self.epsilon, "neighbours": str(self.neighbours), **self.plan.to_dict()}

    def point(self, problem: ConstrainedRisk, objective: PredictionSum, noise: Noise) -> Floats:
        """See ConstrainedMechanism."""
        return self.plan.average(problem.constraint, self.noise_steps.count, lambda point: self.noise_steps.release(objective.gradient(point), noise))
