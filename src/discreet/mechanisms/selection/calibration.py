"""What one run of a random-stopping search may spend, so that the whole search spends a target.

Pure: fit and score have e together, the largest e with e + ln C(e) <= epsilon; the score has the share s of it.

With delta: a fit is calibrated for (e_0, 0.9 delta / E K), the score has discrete Gaussian noise of scale 1 / (sqrt(s) mu_0), where mu_0 is the one
Gaussian mechanism with this e_0 and delta: s is the share of the score in mu^2. The total is computed from the curves of all settings, and e_0 is
moved until it is just below epsilon. What is returned is checked by the total itself, so how e_0 was found does not matter.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from discreet.accounting import GaussianDP, Guarantee, PureDP, epsilon_for, gaussian_mu
from discreet.accounting.selection import log_tilt, selected
from discreet.accounting.stopping import NegativeBinomialRuns
from discreet.core.errors import InfeasibleTarget, InvalidInput
from discreet.core.neighbours import Neighbours, Privacy
from discreet.mechanisms.selection.score import GAUSSIAN, LAPLACE, CountNoise
from discreet.mechanisms.selection.stopping import RandomStopping

_CLOSE = 5e-3
"""A total this much below the target, or less, is good enough."""
_SMALLEST = 1e-300
_ATTEMPTS = 14
_INNER_DELTA = 0.9

CurvesAt = Callable[[float, float], Sequence[Guarantee]]
"""From (epsilon, delta) of one fit to the curve of every setting that is calibrated for it."""
Made = Callable[[str, float], RandomStopping]
"""From law and scale of the noise of scores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InnerTarget:
    """What every fit is calibrated for, and the mechanism around it."""

    epsilon: float
    delta: float
    mechanism: RandomStopping


def calibrated(
    privacy: Privacy,
    *,
    law: NegativeBinomialRuns,
    score_share: float,
    curves_at: CurvesAt,
    score: Callable[..., CountNoise] = CountNoise,
) -> InnerTarget:
    """The largest fit target (to half a percent) with which the search spends at most (epsilon, delta); `score` takes the law and scale of its noise.

    Raises InvalidInput for numbers out of range, InfeasibleTarget where no target is left; and what `curves_at` raises.
    """
    epsilon, delta = privacy.epsilon, privacy.delta
    if not privacy.adds_noise:
        raise InvalidInput(
            f"a private search needs 0 < epsilon < infinity and 0 <= delta < 1; epsilon={epsilon!r}, delta={delta!r} were given. "
            "Without privacy, use scikit-learn's own search."
        )
    if not 0 < score_share < 1:
        raise InvalidInput(f"score_share must lie strictly between 0 and 1; {score_share!r} was given.")

    def mechanism(law_of_noise: str, scale: float) -> RandomStopping:
        return RandomStopping(law=law, score=score(law=law_of_noise, scale=scale), neighbours=privacy.neighbours)

    if delta == 0:
        return _pure(epsilon, law, score_share, mechanism, curves_at)
    return _approximate(epsilon, delta, law, score_share, mechanism, curves_at)


def _pure(epsilon: float, law: NegativeBinomialRuns, share: float, made: Made, curves_at: CurvesAt) -> InnerTarget:
    low, high = 0.0, epsilon
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if middle + log_tilt(law, middle, 0.0) <= epsilon * (1.0 - 1e-9) else (low, middle)
    if not low * share > _SMALLEST:
        raise InfeasibleTarget("this epsilon is too small to divide among the fits and their scores; raise epsilon.")
    fit = low * (1.0 - share)
    mechanism = made(LAPLACE, 1.0 / (low * share))
    curves = curves_at(fit, 0.0)
    total = mechanism.guarantee(curves)
    if not (isinstance(total, PureDP) and total.epsilon <= epsilon):
        raise InfeasibleTarget("the fits need delta > 0, so the search does too; pass delta > 0.")
    return InnerTarget(epsilon=fit, delta=0.0, mechanism=mechanism)


def _approximate(epsilon: float, delta: float, law: NegativeBinomialRuns, share: float, made: Made, curves_at: CurvesAt) -> InnerTarget:
    inner_delta = _INNER_DELTA * delta / law.mean

    def mechanism_at(fit: float) -> RandomStopping:
        return made(GAUSSIAN, 1.0 / (math.sqrt(share) * gaussian_mu(fit, inner_delta)))

    fit = _guess(epsilon, delta, law, share, inner_delta)
    best: InnerTarget | None = None
    for _ in range(_ATTEMPTS):
        mechanism = mechanism_at(fit)
        total = epsilon_for(mechanism.guarantee(curves_at(fit, inner_delta)), delta)
        if total <= epsilon:
            best = InnerTarget(epsilon=fit, delta=inner_delta, mechanism=mechanism)
            if total >= epsilon * (1.0 - _CLOSE):
                break
        fit *= max(0.2, min(2.0, epsilon / total)) * (1.0 - 0.3 * _CLOSE)
    if best is None:
        raise InfeasibleTarget(f"epsilon={epsilon:g}, delta={delta:g} are too small for this search; raise either, or expect fewer runs.")
    return best


@lru_cache(maxsize=64)
def _guess(epsilon: float, delta: float, law: NegativeBinomialRuns, share: float, inner_delta: float) -> float:
    """The fit target if every fit were one Gaussian mechanism, which none is better than: kept, a function of public numbers."""
    low, high = 0.0, epsilon
    for _ in range(12):
        middle = 0.5 * (low + high)
        base = GaussianDP(mu=gaussian_mu(middle, inner_delta) * math.sqrt(1.0 + share), neighbours=Neighbours.ADD_REMOVE, theorem="a guess")
        low, high = (middle, high) if epsilon_for(selected(base, law), delta) <= epsilon else (low, middle)
    return high
