"""What is chosen privately, and a fit on what was chosen, under one guarantee (proof notes cuts.md, theorem 2, and bounds_choice.md, theorem 2).

    delta(epsilon) = E over the first release of delta_fit(epsilon - its privacy loss)

where delta_fit is the whole curve of the fit, and not the point that its own certificate states: two Gaussian mechanisms cost what one does whose
mu^2 is the sum of theirs. What is chosen has a share of mu^2 and the fit the rest; for delta = 0 these are shares of epsilon, which add. The fit has
the same public problem whatever was chosen, so its curve is known before a record is read.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, Self, TypeAlias, TypeVar

from discreet.accounting import ApproximateDP, Guarantee, Json, PureDP, compose, epsilon_for, gaussian_epsilon, gaussian_mu
from discreet.accounting.algebra import AnyGuarantee
from discreet.accounting.base import scope
from discreet.certificates import Certificate
from discreet.core.arrays import is_finite
from discreet.core.errors import InfeasibleTarget, InvalidInput
from discreet.mechanisms.base import Mechanism, certified
from discreet.mechanisms.selection.curves import whole_curve

SHARE = 0.1
"""Of the budget, for what is chosen, where nobody says otherwise."""
_CLOSE = 1e-3
"""A total this much below the target, or less, is good enough."""
_ATTEMPTS = 12
_LEFT = 0.9
"""Of delta, for a fit of which one point is known, beside what is chosen."""
_WORTH = 0.9
"""Of its share of epsilon: where a search leaves the fit less than this, shares that add leave it more."""


class Choice(Protocol):
    """A private choice, settled before a record is read: public."""

    @property
    def mechanism(self) -> Mechanism[Any, Any]:
        """The calibrated mechanism that is run."""

    @property
    def problem(self) -> Any:  # noqa: ANN401 - that of its mechanism
        """The public problem of the mechanism."""

    @property
    def curve(self) -> Guarantee:
        """All that is known of its privacy loss: at least what its own certificate states."""


M_co = TypeVar("M_co", bound=Mechanism[Any, Any], covariant=True)
Q_co = TypeVar("Q_co", covariant=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen(Generic[M_co, Q_co]):
    """A `Choice` whose mechanism and public problem are held as they are."""

    mechanism: M_co
    problem: Q_co


C = TypeVar("C", bound=Choice)
Planned: TypeAlias = Callable[[float, float], Certificate]
"""A target (epsilon, delta) to the certificate of a fit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThenFit(Generic[C]):
    """What both may spend, settled before a record is read: public."""

    name: str
    """In certificates and ledgers: "cuts-then-fit" or "norm-then-fit"; the first word is what certificates call the choice."""
    choice: C
    fit: Certificate
    """The one planned: that of the fit is the same but for its value, its noise and what is declared."""
    target: tuple[float, float]
    """(epsilon, delta) of the fit alone."""
    guarantee: PureDP | ApproximateDP
    """Of both together."""

    @classmethod
    def calibrate(
        cls,
        name: str,
        chosen: Callable[..., C],
        *,
        epsilon: float,
        delta: float,
        share: float,
        planned: Planned,
    ) -> Self:
        """The largest fit target (to a thousandth) that `share` leaves of (epsilon, delta).

        `chosen(epsilon=, delta=)` makes the choice for such a target, as a plan's `calibrate` does, and `planned` the certificate of a fit.

        Where a search finds none, or less than that, both have shares of epsilon and of delta, which add.

        Raises InvalidInput for numbers out of range, InfeasibleTarget where nothing is left for the fit; and what `planned` raises.
        """
        if not (is_finite(epsilon) and epsilon > 0 and 0 <= delta < 1):
            raise InvalidInput(f"{name} needs 0 < epsilon < infinity and 0 <= delta < 1; epsilon={epsilon!r}, delta={delta!r} were given.")
        if not 0 < share < 1:
            raise InvalidInput(f"the share of the first part of {name} must lie strictly between 0 and 1; {share!r} was given.")
        first = share * epsilon if delta == 0 else gaussian_epsilon(gaussian_mu(epsilon, delta) * share**0.5, delta, most=epsilon)
        choice = chosen(epsilon=first, delta=delta)
        target = epsilon * (1.0 - share) if delta == 0 else gaussian_epsilon(gaussian_mu(epsilon, delta) * (1.0 - share) ** 0.5, delta, most=epsilon)
        rest, best, tried = delta, None, _Tried(epsilon)
        for _ in range(_ATTEMPTS):
            fit = planned(target, rest)
            if 0 < rest == delta and isinstance(_curve(fit), ApproximateDP):
                # Known at one point only: the delta of that point is in the total whatever the counts are. It leaves some for them, from here on.
                rest = _LEFT * delta
                fit = planned(target, rest)
            total = together(choice, fit)
            reached = epsilon_for(total, delta)
            if reached <= epsilon:
                best = cls(name=name, choice=choice, fit=fit, target=(target, rest), guarantee=_stated(total, epsilon, delta))
                if delta == 0 or reached >= epsilon * (1.0 - _CLOSE):
                    break
            target = tried.following(target, reached)
        if best is None or best.target[0] < _WORTH * (1.0 - share) * epsilon:
            return cls._by_sums(name, chosen, epsilon=epsilon, delta=delta, share=share, planned=planned)
        return best

    @classmethod
    def _by_sums(cls, name: str, chosen: Callable[..., C], *, epsilon: float, delta: float, share: float, planned: Planned) -> Self:
        """Where the search found less: shares of epsilon and of delta, which add."""
        kept, left = 1.0 - _CLOSE, _LEFT * delta
        choice = chosen(epsilon=share * kept * epsilon, delta=(1.0 - _LEFT) * kept * delta)
        target = (1.0 - share) * kept * epsilon
        fit = planned(target, left)
        total = compose([choice.mechanism.guarantee(choice.problem), fit.guarantee], planned=delta > 0)
        if epsilon_for(total, delta) > epsilon:
            raise InfeasibleTarget(f"epsilon={epsilon:g}, delta={delta:g} of {name} leave no budget for a fit after the choice; raise either.")
        return cls(name=name, choice=choice, fit=fit, target=(target, left), guarantee=_stated(total, epsilon, delta))

    @property
    def planned(self) -> Certificate:
        """What both promise, but for value, noise and what is released on the way. It never verifies."""
        fit, source = self.fit, "none was drawn: a plan"
        return certified(self.name, self.parameters(fit), dict(fit.problem), self.guarantee, fit.digest, source, noise_private=False)

    def parameters(self, fit: Certificate) -> dict[str, Json]:
        """For certificates; `fit` is the one that was issued."""
        made = self.choice.mechanism
        return {
            "neighbours": str(self.guarantee.neighbours),
            "epsilon": self.guarantee.epsilon,
            "delta": self.guarantee.delta(self.guarantee.epsilon),
            self.name.partition("-")[0]: _record(made.name, made.parameters(), self.choice.problem.to_dict(), made.guarantee(self.choice.problem)),
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


def together(choice: Choice, fit: Certificate) -> AnyGuarantee:
    """What choice and fit promise together."""
    whole, first = _curve(fit), choice.curve
    pure = isinstance(whole, PureDP) and isinstance(first, PureDP)
    return compose([first, whole], planned=not pure)


def _curve(fit: Certificate) -> Guarantee:
    return whole_curve(fit.mechanism, fit.parameters, fit.problem, fit.guarantee)


def _stated(total: AnyGuarantee, epsilon: float, delta: float) -> PureDP | ApproximateDP:
    shared = scope(total)
    return PureDP(epsilon=epsilon, **shared) if delta == 0 else ApproximateDP(epsilon=epsilon, delta_at_epsilon=delta, **shared)


def _record(mechanism: str, parameters: dict[str, Json], problem: dict[str, Json], guarantee: Guarantee) -> dict[str, Json]:
    return {"mechanism": mechanism, "parameters": parameters, "problem": problem, "guarantee": guarantee.to_dict()}
