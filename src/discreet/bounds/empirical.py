"""How far above its minimum a private mechanism leaves the regularised empirical risk J(f) = (1/n) sum l(y f.x) + (Lambda / 2) |f|^2.

As printed (Chaudhuri et al. 2011; |x| <= 1, |l'| <= 1, |l''| <= c, replace-one, each with probability at least 1 - delta):

    lemma 3  output perturbation      J(f_priv) - J(f*) <= 2 d^2 (c + Lambda eta) ln^2(d / delta) / (Lambda n epsilon)^2
    lemma 5  objective perturbation   J(f_priv) - J(f*) <= 4 d^2 ln^2(d / delta) / (Lambda (n epsilon')^2)

epsilon' is what Algorithm 2 keeps for noise: epsilon - ln(1 + 2 c / (n Lambda) + (c / (n Lambda))^2). The paper's lemma writes epsilon where its
proof has epsilon' (the noise is Gamma(d, 2 / epsilon')): here the argument is epsilon'.

Tight: both proofs bound J by |b|, and only then |b| by lemma 4. With the exact quantile q of |b|:

    output     f_priv = f* + b:                          J is (c R^2 + Lambda)-smooth with gradient 0 at f*, so <= q^2 (c R^2 + Lambda) / 2
    objective  f_priv minimises J + <b, f> / n:          J is Lambda-strongly convex with gradient -b / n at f_priv, so <= q^2 / (2 n^2 Lambda)

The second is half of the paper's (69), which bounds the same difference by Cauchy and Schwarz. Both tight forms are at most the printed ones, since a
quantile is never above a bound that holds with its probability.

The length of the noise, but for a probability delta:

    density prop. to exp(-rate |b|_2) on R^d     |b| ~ Gamma(d, 1 / rate)
    N(0, scale^2 I_d)                            |b| / scale ~ chi with d degrees of freedom

Lemma 4 bounds Gamma(k, theta) by k theta ln(k / delta) (a union bound over k exponentials). The exact quantile is smaller by a factor of about
ln(d / delta) for large d. Quantiles are found by special functions, and checked and rounded up from the other side.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from scipy.special import chdtrc, chdtri, gammaincc, gammainccinv

from discreet.core.errors import InfeasibleTarget
from discreet.core.rounding import raising
from discreet.core.validate import each, not_negative, positive, probability, whole


@runtime_checkable
class NoiseNorm(Protocol):
    """The law of |b|."""

    def quantile(self, delta: float) -> float:
        """The least q with P(|b| > q) <= delta, to 1e-9 of itself from above."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GammaNorm:
    """Of spherical noise."""

    dimension: int
    rate: float

    def __post_init__(self) -> None:
        """Refuse numbers that are no law."""
        whole(self.dimension, "dimension")
        positive(self.rate, "rate")

    def quantile(self, delta: float) -> float:
        """See NoiseNorm."""
        return _reached(gammainccinv, gammaincc, self.dimension, delta) / self.rate * raising(4_096)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChiNorm:
    """Of Gaussian noise."""

    dimension: int
    scale: float

    def __post_init__(self) -> None:
        """Refuse numbers that are no law."""
        whole(self.dimension, "dimension")
        positive(self.scale, "scale")

    def quantile(self, delta: float) -> float:
        """See NoiseNorm."""
        return math.sqrt(_reached(chdtri, chdtrc, self.dimension, delta)) * self.scale * raising(4_096)


def _reached(quantile: Callable[[int, float], float], beyond: Callable[[int, float], float], dimension: int, delta: float) -> float:
    """The quantile of the upper tail, raised until the tail itself is at most delta."""
    probability(delta, "delta")
    reached = float(quantile(dimension, delta))
    while not float(beyond(dimension, reached)) <= delta:
        reached *= raising(450_000)
    return reached


def lemma_4(shape: int, scale: float, delta: float) -> float:
    """k theta ln(k / delta): P(Gamma(k, theta) < this) >= 1 - delta (Chaudhuri et al. 2011, lemma 4)."""
    whole(shape, "shape")
    positive(scale, "scale")
    probability(delta, "delta")
    return shape * scale * math.log(shape / delta)


def lemma_3(*, dimension: int, records: int, epsilon: float, ridge: float, smoothness: float, delta: float, eta: float = 1.0) -> float:
    """Lemma 3 as printed; `ridge` is Lambda, `eta` the smoothness of the regulariser."""
    whole(records, "records")
    each(positive, epsilon=epsilon, ridge=ridge, eta=eta)
    not_negative(smoothness, "smoothness")
    length = lemma_4(dimension, 2.0 / (ridge * records * epsilon), delta)
    return 0.5 * length**2 * (smoothness + ridge * eta)


def lemma_5(*, dimension: int, records: int, epsilon_slack: float, ridge: float, delta: float) -> float:
    """Lemma 5 as printed, at epsilon' = `epsilon_slack` (see `published_slack`)."""
    whole(records, "records")
    each(positive, epsilon_slack=epsilon_slack, ridge=ridge)
    return lemma_4(dimension, 2.0 / epsilon_slack, delta) ** 2 / (ridge * records**2)


def published_slack(*, records: int, epsilon: float, ridge: float, smoothness: float) -> float:
    """epsilon' of Algorithm 2. Raises InfeasibleTarget where it is not positive: lemma 5 does not cover that case.

    n Lambda >= 4 c / epsilon is enough for epsilon' >= epsilon / 2, as theorem 4 needs (its proof has n Lambda > c / (4 epsilon), which is not).
    """
    whole(records, "records")
    each(positive, epsilon=epsilon, ridge=ridge)
    not_negative(smoothness, "smoothness")
    left = epsilon - 2.0 * math.log1p(smoothness / (records * ridge))
    if left <= 0:
        needed = smoothness / (records * math.expm1(0.5 * epsilon))
        raise InfeasibleTarget(
            f"Algorithm 2 has no epsilon left for its noise at Lambda={ridge:g}, n={records}, epsilon={epsilon:g}, c={smoothness:g}. "
            f"Lemma 5 needs Lambda > {needed:.4g}."
        )
    return left


def output_excess(norm: NoiseNorm, *, smoothness: float, ridge: float, delta: float, radius: float = 1.0) -> float:
    """Tight lemma 3: `norm` is the law of the noise on the weights, |x| <= `radius`."""
    not_negative(smoothness, "smoothness")
    each(positive, ridge=ridge, radius=radius)
    probability(delta, "delta")
    return 0.5 * norm.quantile(delta) ** 2 * (smoothness * radius**2 + ridge)


def objective_excess(norm: NoiseNorm, *, records: int, ridge: float, delta: float) -> float:
    """Tight lemma 5: `norm` is the law of b, where f_priv minimises n J(f) + <b, f>; pure (T2) or Gaussian (T1) noise alike."""
    whole(records, "records")
    positive(ridge, "ridge")
    return norm.quantile(delta) ** 2 / (2.0 * records**2 * ridge)
