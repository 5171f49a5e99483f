"""What noisy moments and noisy gradients say about the least-squares weights: a normal belief, updated (post-processing; no privacy rests on it).

    theta ~ N(0, tau^2 I),  tau = B / R                                        before: predictions of about the targets' size
    b~ = A theta + noise                                                        the normal equations: A = sum x x', b = sum x y
    g~ = A (theta - theta_j) + noise                                            a gradient at theta_j

A is known with noise E itself; the least-squares weights satisfy b~ = A~ theta + (e - E theta), so the noise of the equations has about the variance

    v = sd(b~)^2 + (sd(A~)^2 / 2) |theta|^2,     |theta|^2 expected under the belief (its spread around theta_j for a gradient)

per coordinate, for symmetric E with diagonal deviation sd(A~) and off-diagonal entries smaller by sqrt 2. E is counted twice: it is the same in all
equations, and the curvature used is A~ itself. The update is Bayes' rule for a linear
equation: with A~ = V diag(w) V', negative w set to 0,

    mean <- mean + (A~ A~ / v + P^-1)^-1 A~ (b~ - A~ mean) / v,     P <- (A~ A~ / v + P^-1)^-1

so that a direction is shrunk by v / (tau^2 w^2), not by ridge / w: where the curvature w is below the noise, next to nothing is believed.
The noise of a gradient counts for less and less, since its E meets theta - theta_j instead of theta, and its bound is that of a residual, not of a
target. AdaSSP's ridge (Wang 2018) is one number added to all w; Bernstein and Sheldon (2019) sample from a belief like this one.
"""

import math
from dataclasses import dataclass

import numpy as np

from discreet.arrays import Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Belief:
    """A normal law of the least-squares weights, and what is known of A."""

    mean: Floats
    """(m,)."""
    precision: Floats
    """The inverse of P, (m, m)."""
    curvature: Floats
    """A~ without its negative part, (m, m)."""
    curvature_noise: float
    """sd(A~), on the diagonal."""

    @classmethod
    def before(cls, products: Floats, *, deviation: float, prior: float) -> "Belief":
        """The belief before any equation: `products` A~, its `deviation`, and tau."""
        values, vectors = np.linalg.eigh(products)
        curvature = (vectors * np.maximum(values, 0.0)) @ vectors.T
        size = len(products)
        return cls(mean=np.zeros(size), precision=np.eye(size) / prior**2, curvature=curvature, curvature_noise=deviation)

    @property
    def covariance(self) -> Floats:
        """P, (m, m)."""
        inverse = np.asarray(np.linalg.inv(self.precision), dtype=np.float64)
        return 0.5 * (inverse + inverse.T)

    def after(self, difference: Floats, *, deviation: float) -> "Belief":
        """The belief after A (theta - mean) + noise = `difference`, where `deviation` is that of its own noise, E not counted."""
        variance = deviation**2 + self.curvature_noise**2 * float(np.trace(self.covariance))
        gain = self.curvature / math.sqrt(variance)
        added = gain @ gain
        precision = self.precision + 0.5 * (added + added.T)
        mean = self.mean + np.linalg.solve(precision, gain @ (difference / math.sqrt(variance)))
        return Belief(mean=mean, precision=precision, curvature=self.curvature, curvature_noise=self.curvature_noise)

    def spread(self, residual_deviation: float, prior: float) -> Floats:
        """Covariance of mean - theta*, theta* the weights of the population: that of the noise, and of the sample, s^2 (A~ + (s / tau)^2 I)^-1."""
        ridge = (residual_deviation / prior) ** 2
        sampling = np.linalg.inv(self.curvature + max(ridge, 1e-12) * np.eye(len(self.mean)))
        total: Floats = self.covariance + residual_deviation**2 * 0.5 * (sampling + sampling.T)
        return total
