"""What reports on plans share: budgets to compare with, the guarantee that a fit would have, and words."""

from typing import Protocol

from discreet.accounting import ApproximateDP, PureDP
from discreet.core.neighbours import Neighbours
from discreet.pages import Block, Text, Tone

EPSILONS = (0.1, 0.3, 1.0, 3.0)
"""Budgets that are compared with the one that was asked for."""


class Planned(Protocol):
    """The privacy of a plan."""

    @property
    def epsilon(self) -> float:
        """> 0."""

    @property
    def delta(self) -> float:
        """0 or more."""

    @property
    def neighbours(self) -> Neighbours:
        """The relation."""


def planned_guarantee(plan: Planned) -> PureDP | ApproximateDP:
    """What a fit by this plan promises."""
    if plan.delta > 0:
        return ApproximateDP(epsilon=plan.epsilon, delta_at_epsilon=plan.delta, neighbours=plan.neighbours, theorem="as planned")
    return PureDP(epsilon=plan.epsilon, neighbours=plan.neighbours, theorem="as planned")


def epsilons(asked: float) -> list[float]:
    """Those to compare, the one that was asked for among them, rising."""
    return sorted({*EPSILONS, asked})


def lead(words: str) -> list[Block]:
    """The first words of the page."""
    return [
        Text(words=words, tone=Tone.LEAD),
        Text(words="Nothing has been spent: no table was read for this page, and every number in it is public.", tone=Tone.NOTE),
    ]


def never() -> list[str]:
    """Limits of any plan."""
    return [
        "Bounds, norms and numbers of records that a plan is made with must be public: never take them from the private table.",
        "A plan promises no privacy by itself; the fit does, with its own certificate.",
    ]
