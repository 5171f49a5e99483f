"""Cuts and a fit on them, under one guarantee (proof note cuts.md, theorem 2).

    delta(epsilon) = E over the noisy counts of delta_fit(epsilon - loss of the counts)

where delta_fit is the whole curve of the fit, and not the point that its own certificate states: two Gaussian mechanisms cost what one does whose
mu^2 is the sum of theirs. Cuts have a share of mu^2 and the fit the rest; for delta = 0 these are shares of epsilon, which add. The fit has the same
public problem whatever the cuts are (choose.py), so its curve is known before a record is read.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

from discreet.accounting import ApproximateDP, Guarantee, Json, PureDP, compose, epsilon_for, gaussian_delta, gaussian_mu
from discreet.accounting.algebra import AnyGuarantee
from discreet.accounting.base import scope
from discreet.certificates import Certificate
from discreet.core.arrays import is_finite
from discreet.core.errors import InfeasibleTarget, InvalidInput
from discreet.core.neighbours import Neighbours
from discreet.mechanisms.counting import GaussianCounting
from discreet.mechanisms.cuts.release import CutsPlan, Interval
from discreet.mechanisms.selection import whole_curve

CUTS_THEN_FIT = "cuts-then-fit"
SHARE = 0.1
_CLOSE = 1e-3
"""A total this much below the target, or less, is good enough."""
_ATTEMPTS = 12
_LEFT = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class CutsThenFit:
    """What both may spend, settled before a record is read: public."""

    cuts: CutsPlan
    fit: Certificate
    """The one planned: that of the fit is the same but for its value, its noise and what is declared."""
    target: tuple[float, float]
    """(epsilon, delta) of the fit alone."""
    guarantee: PureDP | ApproximateDP
    """Of both together."""

    @classmethod
    def calibrate(
        cls,
        columns: Sequence[Interval],
        *,
        epsilon: float,
        delta: float,
        neighbours: Neighbours,
        share: float,
        planned: Callable[[float, float], Certificate],
    ) -> Self:
        """The largest fit target (to a thousandth) that `share` leaves of (epsilon, delta); `planned` is the certificate of a fit for such a target.

        Where a search finds none, both have shares of epsilon and of delta, which add.

        Raises InvalidInput for numbers out of range, InfeasibleTarget where nothing is left for the fit; and what `planned` raises.
        """
        if not (is_finite(epsilon) and epsilon > 0 and 0 <= delta < 1):
            raise InvalidInput(f"private cuts need 0 < epsilon < infinity and 0 <= delta < 1; epsilon={epsilon!r}, delta={delta!r} were given.")
        if not 0 < share < 1:
            raise InvalidInput(f"the share of the cuts must lie strictly between 0 and 1; {share!r} was given.")
        first = share * epsilon if delta == 0 else _epsilon_of(gaussian_mu(epsilon, delta) * share**0.5, delta, epsilon)
        cuts = CutsPlan.calibrate(columns, epsilon=first, delta=delta, neighbours=neighbours)
        target = epsilon * (1.0 - share) if delta == 0 else _epsilon_of(gaussian_mu(epsilon, delta) * (1.0 - share) ** 0.5, delta, epsilon)
        rest, best, tried = delta, None, _Tried(epsilon)
        for _ in range(_ATTEMPTS):
            fit = planned(target, rest)
            if 0 < rest == delta and isinstance(_curve(fit), ApproximateDP):
                # Known at one point only: the delta of that point is in the total whatever the counts are. It leaves some for them, from here on.
                rest = _LEFT * delta
                fit = planned(target, rest)
            total = together(cuts, fit)
            reached = epsilon_for(total, delta)
            if reached <= epsilon:
                best = cls(cuts=cuts, fit=fit, target=(target, rest), guarantee=_stated(total, epsilon, delta))
                if delta == 0 or reached >= epsilon * (1.0 - _CLOSE):
                    break
            target = tried.following(target, reached)
        return best or cls._by_sums(columns, epsilon=epsilon, delta=delta, neighbours=neighbours, share=share, planned=planned)

    @classmethod
    def _by_sums(
        cls,
        columns: Sequence[Interval],
        *,
        epsilon: float,
        delta: float,
        neighbours: Neighbours,
        share: float,
        planned: Callable[[float, float], Certificate],
    ) -> Self:
        """Where the search found nothing: shares of epsilon and of delta, which add."""
        kept, left = 1.0 - _CLOSE, _LEFT * delta
        cuts = CutsPlan.calibrate(columns, epsilon=share * kept * epsilon, delta=(1.0 - _LEFT) * kept * delta, neighbours=neighbours)
        target = (1.0 - share) * kept * epsilon
        fit = planned(target, left)
        total = compose([cuts.mechanism.guarantee(cuts.queries), fit.guarantee], planned=delta > 0)
        if epsilon_for(total, delta) > epsilon:
            raise InfeasibleTarget(f"no fit is left within epsilon={epsilon:g}, delta={delta:g} once cuts have their share; raise either.")
        return cls(cuts=cuts, fit=fit, target=(target, left), guarantee=_stated(total, epsilon, delta))

    def parameters(self, fit: Certificate) -> dict[str, Json]:
        """For certificates; `fit` is the one that was issued."""
        cuts = self.cuts.mechanism
        return {
            "neighbours": str(self.guarantee.neighbours),
            "epsilon": self.guarantee.epsilon,
            "delta": self.guarantee.delta(self.guarantee.epsilon),
            "cuts": _record(cuts.name, cuts.parameters(), self.cuts.queries.to_dict(), cuts.guarantee(self.cuts.queries)),
            "fit": _record(fit.mechanism, dict(fit.parameters), dict(fit.problem), fit.guarantee),
        }


class _Tried:
    """Targets of a fit that were tried: the next is on the chord of the last two, between the largest that does and the smallest that does not."""

    def __init__(self, epsilon: float) -> None:
        self.epsilon = epsilon
        self.low, self.high = 0.0, math.inf
        self.last: tuple[float, float] | None = None

    def following(self, target: float, reached: float) -> float:
        """After `target` reached so much."""
        if reached <= self.epsilon:
            self.low = max(self.low, target)
        else:
            self.high = min(self.high, target)
        proposed = target * max(0.5, min(1.5, self.epsilon / max(reached, 1e-300))) * (1.0 - 0.3 * _CLOSE)
        if self.last is not None and math.isfinite(reached) and math.isfinite(self.last[1]) and target != self.last[0]:
            slope = (reached - self.last[1]) / (target - self.last[0])
            if slope > 0:
                proposed = target + (self.epsilon * (1.0 - 0.3 * _CLOSE) - reached) / slope
        self.last = (target, reached)
        if self.low < proposed < self.high:
            return proposed
        return 0.5 * (self.low + self.high) if math.isfinite(self.high) else 1.5 * self.low


def together(cuts: CutsPlan, fit: Certificate) -> AnyGuarantee:
    """What both promise."""
    whole = _curve(fit)
    first = cuts.mechanism.curve(cuts.queries) if isinstance(cuts.mechanism, GaussianCounting) else cuts.mechanism.guarantee(cuts.queries)
    pure = isinstance(whole, PureDP) and isinstance(first, PureDP)
    return compose([first, whole], planned=not pure)


def _curve(fit: Certificate) -> Guarantee:
    return whole_curve(fit.mechanism, fit.parameters, fit.problem, fit.guarantee)


def _epsilon_of(mu: float, delta: float, most: float) -> float:
    """Where one Gaussian mechanism of this mu has this delta, at `most`; any number would do, as the total is computed."""
    low, high = 0.0, most
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if gaussian_delta(middle, mu) > delta else (low, middle)
    return high


def _stated(total: AnyGuarantee, epsilon: float, delta: float) -> PureDP | ApproximateDP:
    shared = scope(total)
    return PureDP(epsilon=epsilon, **shared) if delta == 0 else ApproximateDP(epsilon=epsilon, delta_at_epsilon=delta, **shared)


def _record(mechanism: str, parameters: dict[str, Json], problem: dict[str, Json], guarantee: Guarantee) -> dict[str, Json]:
    return {"mechanism": mechanism, "parameters": parameters, "problem": problem, "guarantee": guarantee.to_dict()}
