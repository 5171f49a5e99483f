"""What the mechanisms over a constraint set share: a released point of the set, noisy gradients, and how many steps lead there, from public numbers.

After T steps whose points are optimal up to an expected regret a T^p each (p = 1/2 when the budget is shared by Gaussian composition, p = 1 by basic
composition), and with 2 / T for (1 + ln T) / (2 T), which is within 40 % for T <= 100 (module `frank_wolfe`),

    E F(theta) - min F <= 2 Gamma / T + a T^p            least at T = (2 Gamma / (p a))^{1 / (1 + p)}

Gamma = n c spread^2 is a worst case: with it T is several times too large in practice. SHARE of it is used, a public number that was chosen on
synthetic tables (docs/frank-wolfe.md).

Under add-remove n is private, and T may only depend on a number of records that the caller declares public, or on none: T is then that of NOMINAL
records, and grows like n^(2/3), so that being wrong about n by a factor of ten costs a factor of about two in the excess risk.

Noisy gradients: many adaptive releases of a vector, each rounded to a grid with exact discrete Gaussian noise, at the price of Gaussian ones.

    y_t = w (round(g_t / w) + K_t),    g_t in R^d a function of the records and of y_1 .. y_{t-1},    t = 1 .. T

K_t independent integers of P(k) proportional to exp(-k^2 / (2 s^2)). If neighbours move every computed g_t by at most `distance` in Euclidean norm
(rounding errors of its computation included), the rounded vectors differ by at most D = distance / w + sqrt(d), and

    delta(epsilon) <= `discrete_delta` for d T integers in T stages and mu = D sqrt(T) / s

(proof note frank_wolfe.md, lemma 1: lemma 2 of the residual stage, T times; T = 1 is that lemma). With w = distance / (2^16 sqrt(d)), or less, s is
above 2^16 sqrt(d T) / mu, and what the lemma adds to epsilon is below 1e-9 mu^2 or so: T discrete steps cost one Gaussian of that mu.
"""

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from discreet.accounting import ApproximateDP, Json, discrete_delta, gaussian_mu
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.core.rounding import raising
from discreet.data import Records
from discreet.mechanisms.base import Drawn, Mechanism, at_epsilon
from discreet.noise import Noise, least_drawable
from discreet.objectives import PredictionSum, sum_over_set
from discreet.problems import SetRisk

SHARE = 1.0 / 24.0
NOMINAL = 10_000
MOST_STEPS = 2_000
_FINENESS = 16
_UP = raising(4_096)
_LEAST_SCALE = 2.0**10
_LARGEST = 2.0**62


class ConstrainedMechanism(Mechanism[SetRisk, Records]):
    """A mechanism whose value is a point of the problem's set, (dimension,)."""

    __slots__ = ()

    @abstractmethod
    def point(self, problem: SetRisk, objective: PredictionSum, noise: Noise) -> Floats:
        """One output, (dimension,), from F on the records."""

    def draw(self, problem: SetRisk, data: Records, noise: Noise) -> Drawn:
        """See Mechanism."""
        return Drawn.of(self.point(problem, sum_over_set(problem, data), noise))


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianSteps:
    """The noise of every step, and how many there are."""

    count: int
    """T."""
    step: float
    """w, a power of two."""
    scale: float
    """s, in steps of the grid."""

    @classmethod
    def calibrate(cls, *, distance: float, dimension: int, epsilon: float, delta: float, count: int, first: float | None = None) -> Self:
        """The least noise (to 1e-6) with which all of them together are (epsilon, delta)-private; `first` as in `delta`.

        Raises InfeasibleTarget where none can be drawn.
        """
        step = fine_step(distance, dimension)
        apart = cls(count=count, step=step, scale=1.0).apart(distance, dimension, first)
        least = max(_LEAST_SCALE, apart / gaussian_mu(epsilon, delta * (1.0 - 1e-9)))

        def enough(scale: float) -> bool:
            return cls(count=count, step=step, scale=scale).delta(epsilon, distance=distance, dimension=dimension, first=first) <= delta

        return cls(count=count, step=step, scale=least_drawable(least, enough))

    def to_dict(self) -> dict[str, Json]:
        """What a certificate states of it: plain numbers and words."""
        return {"steps": self.count, "scale": self.scale, "grid_step": self.step}

    @property
    def deviation(self) -> float:
        """w s, about the standard deviation of the noise on every coordinate."""
        return self.step * self.scale

    def delta(self, epsilon: float, *, distance: float, dimension: int, first: float | None = None) -> float:
        """delta at `epsilon` of all releases together; 1 where the lemma does not apply. `first`: the distance of the first one, where it is less."""
        mu = self.apart(distance, dimension, first) / self.scale * _UP
        if self.scale < _LEAST_SCALE:
            return 1.0
        return discrete_delta(epsilon, mu, integers=self.count * dimension, scale=self.scale, stages=self.count)

    def apart(self, distance: float, dimension: int, first: float | None) -> float:
        """How far all releases together move, in steps."""
        each = _apart(distance, self.step, dimension)
        return each * math.sqrt(self.count) if first is None else math.hypot(each * math.sqrt(self.count - 1.0), _apart(first, self.step, dimension))

    def release(self, vector: Floats, noise: Noise) -> Floats:
        """One of the releases: `vector` (d,) on the grid, with noise. Raises InvalidInput for a vector beyond the grid: no number of it is shown."""
        scaled = np.rint(vector / self.step)
        if not np.all(np.abs(scaled) < _LARGEST):
            raise InvalidInput("a sum over the records exceeds the grid for which the noise was calibrated.")
        drawn = noise.discrete_gaussian(scale=self.scale, dimension=len(vector), draws=1)[:, 0]
        total: Floats = (scaled.astype(np.int64) + drawn).astype(np.float64) * self.step
        return total


def fine_step(distance: float, dimension: int) -> float:
    """w: a power of two, far below what neighbours differ by in a coordinate."""
    return float(2.0 ** math.floor(math.log2(distance / math.sqrt(dimension)) - _FINENESS))


def _apart(distance: float, step: float, dimension: int) -> float:
    """D: how far rounded points are apart at most, in steps."""
    return (distance / step + math.sqrt(dimension)) * _UP


@dataclass(frozen=True, slots=True, kw_only=True)
class GradientSteps(ConstrainedMechanism):
    """A mechanism that learns from noisy gradients alone: (epsilon, delta)-private, whatever follows from them."""

    noise_steps: GaussianSteps
    """Number of noisy gradients, grid and scale."""
    epsilon: float
    """epsilon at which delta is stated."""
    neighbours: Neighbours
    theorem: ClassVar[str]
    """In certificates."""

    def first(self, problem: SetRisk) -> float | None:  # noqa: ARG002 - of methods that know where they start
        """How far apart the first gradients of neighbours can be, where that is less than elsewhere."""
        return None

    def delta(self, problem: SetRisk) -> float:
        """delta at `epsilon` of all of them together."""
        distance, first = gradient_distance(problem, self.neighbours), self.first(problem)
        return self.noise_steps.delta(self.epsilon, distance=distance, dimension=problem.dimension, first=first)

    def promise(self, problem: SetRisk) -> ApproximateDP:
        """See Mechanism."""
        return at_epsilon(self.epsilon, self.delta(problem), self.neighbours, self.theorem)

    def parameters(self) -> dict[str, Json]:
        """See Mechanism."""
        return {**self.noise_steps.to_dict(), "epsilon": self.epsilon, "neighbours": str(self.neighbours)}


def default_steps(problem: SetRisk, *, regret: float, power: float) -> int:
    """T for an expected regret of `regret` T^`power` a step; see module docstring. Raises InvalidInput for a loss with a kink."""
    require_smooth(problem)
    records = NOMINAL if problem.domain.records is None else problem.domain.records
    best = (2.0 * SHARE * records * problem.curvature / (power * regret)) ** (1.0 / (1.0 + power))
    return int(min(MOST_STEPS, max(2.0, round(best))))


def checked_steps(steps: int) -> int:
    """A number of steps that the caller chose; InvalidInput unless it is a positive integer, at most 100,000."""
    if isinstance(steps, bool) or not isinstance(steps, int) or not 1 <= steps <= 100_000:
        raise InvalidInput(
            f"the number of steps, n_iter, must be an integer from 1 to 100000, chosen without looking at the records; {steps!r} was given."
        )
    return steps


def require_smooth(problem: SetRisk) -> None:
    """Refuse a loss with a kink, over which the Frank-Wolfe method need not come near the minimum."""
    if problem.smoothness == float("inf"):
        raise InvalidInput(
            f"the Frank-Wolfe method needs a smooth loss, but {problem.loss.name!r} has a kink. Use a smooth one"
            " ('huber', 'log-cosh', 'softplus-hinge'), or mirror descent."
        )


def check_gaussian_target(epsilon: float, delta: float) -> None:
    """Raise InvalidInput for what Gaussian noise cannot reach."""
    if not (0 < epsilon < math.inf and 0 < delta < 1):
        raise InvalidInput(f"Gaussian noise needs 0 < epsilon < infinity and 0 < delta < 1; epsilon={epsilon!r}, delta={delta!r} were given.")


def gradient_distance(problem: SetRisk, neighbours: Neighbours, slopes: float = 1.0) -> float:
    """How far apart computed gradients of neighbours can be: k B R_2, and rounding errors of two; where slopes are at most this share of B."""
    return (problem.gradient_bound * slopes * (1.0 if neighbours is ADD_REMOVE else 2.0) + 2.0 * problem.gradient_error) * raising(16)
