"""What the mechanisms for least squares have in common: weights, what is known of their error, and words that explain the noise.

The value released is the weights (m,); the covariance of their error and the residuals' deviation are functions of the same noisy answers, so they
may be published with the weights at no further cost.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import NamedTuple

from discreet.certificates import Release
from discreet.core.arrays import Floats, is_finite
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Neighbours
from discreet.data import Records
from discreet.mechanisms.base import Drawn, Mechanism
from discreet.mechanisms.regression.belief import Equations
from discreet.mechanisms.regression.sums import LeastSquares, noisy_gradient
from discreet.noise import Noise


class Fitted(NamedTuple):
    """Post-processing of noisy answers: public."""

    weights: Floats
    """(m,)."""
    covariance: Floats | None
    """Of the weights' error, (m, m): noise and sample together; None where nothing is known of it."""
    residual_deviation: float | None
    """The root mean square of y - <x, theta>, or cautiously more where it is known with noise only."""
    equations: Equations | None = None
    """What is known of the population's weights without a prior, whatever law errors have."""
    symmetric: Equations | None = None
    """The same if errors are symmetric around the line."""


def checked_ridge(ridge: float) -> float:
    """Raise InvalidInput for one that is not positive and finite."""
    if not (is_finite(ridge) and ridge > 0):
        raise InvalidInput(f"the ridge must be a positive finite number; {ridge!r} was given.")
    return ridge


class RegressionMechanism(Mechanism[LeastSquares, Records]):
    """A mechanism whose value is the weights of a linear regression, (dimension,), with the `Fitted` that they are part of beside them."""

    __slots__ = ()

    @abstractmethod
    def explained(self, problem: LeastSquares) -> str:
        """What is released with how much noise, and why, in words with public numbers."""

    @abstractmethod
    def fitted(self, problem: LeastSquares, data: Records, noise: Noise) -> Fitted:
        """One output; `require` has passed."""

    def draw(self, problem: LeastSquares, data: Records, noise: Noise) -> Drawn:
        """See Mechanism."""
        found = self.fitted(problem, data, noise)
        return Drawn.of(found.weights, beside=found)


@dataclass(frozen=True, slots=True, kw_only=True)
class GradientMechanism(RegressionMechanism):
    """A mechanism that asks for noisy gradients after other answers."""

    step_noise: float
    """nu: the deviation of each coordinate of a gradient over the bound of its contributions' length; 0 without steps."""
    steps: int
    """T."""
    epsilon: float
    """At which delta is stated."""
    neighbours: Neighbours

    def noisy_gradient(self, problem: LeastSquares, data: Records, noise: Noise, weights: Floats, length: float) -> Floats:
        """g~ at public weights (m,), with contributions of at most `length`."""
        return noisy_gradient(problem, data, noise, weights, length=length, deviation=self.step_noise * length)


def fitted_of(release: Release) -> Fitted:
    """What such a mechanism released beside its weights."""
    if not isinstance(release.beside, Fitted):
        raise TypeError("no linear regression is beside this release")
    return release.beside
