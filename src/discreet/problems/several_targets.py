"""Empirical risks of several targets of the same records, one after the other.

    F_k(w_k) = sum_i l(<x_i, w_k>; y_ik / u_k),        k = 1, .., m,        |x_i| <= R,  |y_ik| <= u_k b

u_k, the public unit of target k, makes all of them alike: one loss, one bound b. Weights stand one after the other, (m d,), those of target k for
predictions in units of u_k.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from discreet.accounting import Json
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Persons
from discreet.core.short import short_repr
from discreet.data.domain import Domain, Held, check_scale
from discreet.losses.predictions import PredictionLoss
from discreet.problems.prediction_risk import PredictionRisk

MOST_TARGETS = 1000


class HeldTogether(Protocol):
    """Records with several targets, as what is public knows them."""

    @property
    def each(self) -> Sequence[Held]:
        """With one of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeveralTargets:
    """The public problem: holds no data. Raises InvalidInput for less than two units, and ones that nothing can be computed with."""

    each: PredictionRisk
    """Of one target, in its unit."""
    units: tuple[float, ...]
    """u_k, (m,)."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """See class docstring."""
        if not 2 <= len(self.units) <= MOST_TARGETS:
            raise InvalidInput(f"from 2 to {MOST_TARGETS} targets can be learnt together; {len(self.units)} were given.")
        for unit in self.units:
            check_scale(unit, "target_bound")

    @property
    def targets(self) -> int:
        """m, the number of targets."""
        return len(self.units)

    @property
    def domain(self) -> Domain:
        """Of records with one of them."""
        return self.each.domain

    @property
    def loss(self) -> PredictionLoss:
        """The loss of each target."""
        return self.each.loss

    @property
    def persons(self) -> Persons | None:
        """See Domain."""
        return self.each.persons

    @property
    def dimension(self) -> int:
        """Number of all weights."""
        return self.targets * self.each.dimension

    def to_dict(self) -> dict[str, Json]:
        """What a certificate states of it: plain numbers and words."""
        return {**self.each.to_dict(), "target_units": list(self.units)}

    def require(self, data: HeldTogether) -> None:
        """Raise InvalidInput for records of another domain, or of another number of targets."""
        if len(data.each) != self.targets:
            raise InvalidInput(f"the problem is of {self.targets} targets, and the records have another number of them.")
        self.each.require(data.each[0])
