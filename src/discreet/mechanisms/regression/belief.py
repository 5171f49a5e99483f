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

The belief is for weights that predict well. Intervals do not rest on its prior: longer weights than tau would be shrunk, and not covered. They come
from the equations themselves (`Answer`, `solved`), each of which says, without a prior and to the last term,

    A~ theta = c_j + noise_j + E (theta - theta_j),     c_j = g~_j + A~ theta_j   (b~ is the gradient at 0)

They are averaged, with shares that make the error least at the weights believed in, and module `solvers.noisy_equations` gives the error of the
solution. A gradient of clipped residuals is that of least squares only for errors that are symmetric around the line, so that clipping takes as much
on both sides; and then it is flatter by the share p of residuals that are clipped: p A (theta - theta_j), with p = 2/5, is counted as
an error (.3 was seen in a first step).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from discreet.core.arrays import AnyFloats, Floats
from discreet.solvers import NoisyMatrix

_CLIPPED = 0.4
"""p."""


class Belief(NamedTuple):
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
        """The covariance P (m, m) of what is believed."""
        inverse = np.asarray(np.linalg.inv(self.precision), dtype=np.float64)
        return 0.5 * (inverse + inverse.T)

    def after(self, difference: Floats, *, deviation: float) -> "Belief":
        """The belief after A (theta - mean) + noise = `difference`, where `deviation` is that of its own noise, E not counted."""
        variance = deviation**2 + self.curvature_noise**2 * float(np.trace(self.covariance))
        gain = self.curvature / math.sqrt(variance)
        added = gain @ gain
        precision = self.precision + 0.5 * (added + added.T)
        mean = self.mean + np.linalg.solve(precision, gain @ (difference / math.sqrt(variance)))
        return self._replace(mean=mean, precision=precision)

    def spread(self, residual_deviation: float, prior: float) -> Floats:
        """Covariance of mean - theta*, theta* the weights of the population: that of the noise, and of the sample, s^2 (A~ + (s / tau)^2 I)^-1."""
        ridge = (residual_deviation / prior) ** 2
        sampling = np.linalg.inv(self.curvature + max(ridge, 1e-12) * np.eye(len(self.mean)))
        total: Floats = self.covariance + residual_deviation**2 * 0.5 * (sampling + sampling.T)
        return total


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Answer:
    """A noisy gradient at known weights, sum x (y - <x, theta_j>) + noise."""

    value: Floats
    """g~, (m,)."""
    place: Floats
    """theta_j, (m,)."""
    deviation: float
    """Of the noise on each coordinate."""
    clipped: bool
    """Whether residuals were clipped."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Equations:
    """What noisy answers say about the least-squares weights of the population, without a prior."""

    noisy: NoisyMatrix
    """A~."""
    solution: Floats
    """(m,)."""
    errors: AnyFloats
    """Covariance of what A~ solution is off, but for E times the error of the solution."""

    def covariance(self, deviations: float) -> AnyFloats | None:
        """Of the error of `solution` in an interval of so many deviations, (m, m); None where A~ does not stand out of its noise."""
        found = self.noisy.errors(self.errors, deviations=deviations)
        return None if found is None else found[0]


def solved(products: AnyFloats, answers: Sequence[Answer], *, deviation: float, residual: float, believed: Floats) -> Equations:
    """The equations of `answers` as one: `products` A~ of this `deviation`, the `residual` of records, and the weights believed in."""
    noisy = NoisyMatrix(matrix=products, variance=0.5 * deviation**2)
    places = np.array([answer.place for answer in answers])
    clipped = np.array([_CLIPPED if answer.clipped else 0.0 for answer in answers])
    away = believed - places
    flat = (clipped[:, np.newaxis] * away) @ products
    doubt = np.diag([answer.deviation**2 for answer in answers]) + noisy.variance * away @ away.T + flat @ flat.T / len(believed)
    shares = np.linalg.solve(doubt + 1e-12 * np.trace(doubt) * np.eye(len(answers)), np.ones(len(answers)))
    shares /= shares.sum()
    right = sum(share * (answer.value + products @ answer.place) for share, answer in zip(shares, answers, strict=True))
    solution = np.asarray(np.linalg.lstsq(products, right, rcond=None)[0])
    own = float(sum((share * answer.deviation) ** 2 for share, answer in zip(shares, answers, strict=True)))
    missed = products @ ((shares * clipped) @ (solution - places))
    errors: AnyFloats = own * np.eye(len(solution)) + noisy.met(solution - shares @ places) + np.outer(missed, missed) + residual**2 * products
    return Equations(noisy=noisy, solution=solution, errors=errors)
