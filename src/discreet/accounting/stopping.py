"""Laws of the number of runs of a random-stopping search, by what the theorem of `selection` asks of them.

K is a number of runs, m = E K its mean, f(z) = E z^K its generating function; f' is non-decreasing on [0, 1] with f'(1) = m.

    NegativeBinomialRuns(eta, gamma)   P(K = k) proportional to (1 - gamma)^k prod_{j < k} (j + eta) / (j + 1), k >= 1; eta > -1, 0 < gamma < 1
        eta = 1 geometric, eta = 0 logarithmic: P(K = k) proportional to (1 - gamma)^k / k              (Papernot, Steinke 2022, definition 1)
        f'(z) proportional to (1 - (1 - gamma) z)^{-(eta + 1)}
    PoissonRuns(mean)                  f'(z) = mean e^{mean (z - 1)}
    BinomialRuns(trials, probability)  f'(z) proportional to (1 - p + p z)^{trials - 1}

The last two may make no run at all, and then nothing is released.
"""

import math
from dataclasses import dataclass
from typing import Protocol

from discreet.core.errors import InvalidInput
from discreet.core.validate import whole

_SMALLEST = 1e-12


class RunsLaw(Protocol):
    """The law of a number of runs, independent of the records."""

    @property
    def mean(self) -> float:
        """E K."""

    def log_slope(self, miss: float) -> float:
        """ln f'(1 - miss) up to one constant for all miss in [0, 1]; written in 1 - z, where nothing cancels."""

    def reaching(self, delta: float) -> float:
        """f(1) - f(1 - delta): the probability that one of K runs meets an event of probability delta; at most E K delta."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NegativeBinomialRuns:
    """The truncated negative binomial law: at least one run."""

    eta: float
    gamma: float

    def __post_init__(self) -> None:
        """Refuse what is no law."""
        if not (math.isfinite(self.eta) and self.eta > -1 and _SMALLEST <= self.gamma < 1):
            raise InvalidInput(
                f"the number of runs needs eta > -1 and {_SMALLEST:g} <= gamma < 1; eta={self.eta!r}, gamma={self.gamma!r} were given."
            )

    @classmethod
    def with_mean(cls, mean: float, *, eta: float) -> "NegativeBinomialRuns":
        """The law of this eta whose mean is `mean` or next to it; gamma is a multiple of 2^-40, so that runs can be drawn exactly.

        Raises InvalidInput unless 1 < mean <= 10^6.
        """
        if not 1.0 < mean <= 1e6:
            raise InvalidInput(f"the expected number of runs, expected_runs, must be more than 1 and at most 10^6; {mean!r} was given.")
        # The mean falls as gamma rises, over many powers of ten: halved on the logarithm.
        low, high = math.log(_SMALLEST), -1e-12
        while high - low > 1e-13:
            middle = 0.5 * (low + high)
            low, high = (middle, high) if cls(eta=eta, gamma=math.exp(middle)).mean > mean else (low, middle)
        return cls(eta=eta, gamma=max(1.0, min(round(math.exp(high) * 2.0**40), 2.0**40 - 1.0)) * 2.0**-40)

    @property
    def mean(self) -> float:
        """See RunsLaw."""
        odds = (1.0 - self.gamma) / self.gamma
        if self.eta == 0:
            return odds / -math.log(self.gamma)
        return odds * self.eta / -math.expm1(self.eta * math.log(self.gamma))

    def log_slope(self, miss: float) -> float:
        """See RunsLaw; 1 - (1 - gamma) z = gamma + (1 - gamma) (1 - z)."""
        return -(self.eta + 1.0) * math.log(self.gamma + (1.0 - self.gamma) * miss)

    def reaching(self, delta: float) -> float:
        """See RunsLaw."""
        more = math.log1p((1.0 - self.gamma) * delta / self.gamma)
        if self.eta == 0:
            return more / -math.log(self.gamma)
        return math.expm1(-self.eta * more) / math.expm1(self.eta * math.log(self.gamma))


@dataclass(frozen=True, slots=True, kw_only=True)
class PoissonRuns:
    """A Poisson number of runs; none with probability e^-mean."""

    mean: float

    def __post_init__(self) -> None:
        """Refuse what is no law."""
        if not (math.isfinite(self.mean) and self.mean > 0):
            raise InvalidInput(f"a Poisson number of runs needs a positive finite mean; {self.mean!r} was given.")

    def log_slope(self, miss: float) -> float:
        """See RunsLaw."""
        return -self.mean * miss

    def reaching(self, delta: float) -> float:
        """See RunsLaw."""
        return -math.expm1(-self.mean * delta)


@dataclass(frozen=True, slots=True, kw_only=True)
class BinomialRuns:
    """A binomial number of runs: each of `trials` is made with this probability."""

    trials: int
    probability: float

    def __post_init__(self) -> None:
        """Refuse what is no law; probability 1, a fixed number of runs, has no bound at all."""
        whole(self.trials, "the number of trials")
        if not 0 < self.probability < 1:
            raise InvalidInput(f"a binomial number of runs needs a probability strictly between 0 and 1; {self.probability!r} was given.")

    @property
    def mean(self) -> float:
        """See RunsLaw."""
        return self.trials * self.probability

    def log_slope(self, miss: float) -> float:
        """See RunsLaw."""
        return (self.trials - 1) * math.log1p(-self.probability * miss)

    def reaching(self, delta: float) -> float:
        """See RunsLaw."""
        return -math.expm1(self.trials * math.log1p(-self.probability * delta))
