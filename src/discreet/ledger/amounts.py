"""How much of a total (epsilon, delta) the recorded guarantees take.

Every entry holds a guarantee. The accountant of the data set (module `accountants`) turns the guarantees of all entries that touch one record into
one guarantee g, and g costs

    (epsilon, 0)            for pure epsilon-DP
    (epsilon, delta)        for (epsilon, delta)-DP
    (e, delta of the total) for any other curve, e the least number with g.delta(e) <= delta of the total, rounded up
    (infinity, 1)           for no guarantee

The cost must not exceed the total in either number.

Disjoint parts. Let every record belong to exactly one of the declared parts, and let an entry on part p touch the records of p only. Two
neighbouring data sets differ in one part p*, so every entry on another part has the same law on both, and the cost for p* is that of the
entries on p* and on the whole. Over all p* the cost is at most the largest of these, number by number. This needs that a neighbour changes one
part only: under add-remove any rule that looks at one record at a time will do; under replace-one the part of a record must be public and not
change when its content is replaced (the hospital it came from, its row number), since moving a record changes two parts.

Rounding. 0.1 + 0.2 is 0.30000000000000004 in a computer's numbers, so a total counts as exceeded when it is passed by more than one part in
10^9.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from discreet.accounting import ApproximateDP, Guarantee, NoGuarantee, PureDP, epsilon_for
from discreet.core.arrays import as_float
from discreet.core.errors import InvalidInput
from discreet.ledger.accountants import Accountant

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """A pair (epsilon, delta): a total, what is spent of it, or what is left."""

    epsilon: float
    delta: float = 0.0

    def exceeds(self, total: "Amount") -> bool:
        """Whether either number passes that of `total`; see the module docstring for rounding. NaN exceeds everything."""
        tolerance = 1.0 + _ROUNDING
        return not (self.epsilon <= total.epsilon * tolerance and self.delta <= total.delta * tolerance)

    def left_of(self, total: "Amount") -> "Amount":
        """`total` less this, at least zero."""
        return Amount(epsilon=_remainder(total.epsilon, self.epsilon), delta=_remainder(total.delta, self.delta))

    def __str__(self) -> str:
        """In one line."""
        return f"epsilon={self.epsilon:.6g}, delta={self.delta:.6g}"


def total(epsilon: float, delta: float) -> Amount:
    """A budget. Raises InvalidInput unless 0 < epsilon < infinity and 0 <= delta < 1, in float64."""
    given = Amount(epsilon=_number(epsilon, "epsilon"), delta=_number(delta, "delta"))
    if not (0 < given.epsilon < math.inf and 0 <= given.delta < 1):
        raise InvalidInput(f"a total needs 0 < epsilon < infinity and 0 <= delta < 1; epsilon={given.epsilon!r}, delta={given.delta!r} were given.")
    return given


def _number(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInput(f"{name} of a total must be a number; {value!r} was given.")
    return as_float(value)


def cost(guarantee: Guarantee, delta: float) -> Amount:
    """What `guarantee` takes from a total with this delta; see the module docstring."""
    match guarantee:
        case PureDP(epsilon=epsilon):
            return Amount(epsilon=epsilon)
        case ApproximateDP(epsilon=epsilon, delta_at_epsilon=own):
            return Amount(epsilon=epsilon, delta=own)
        case NoGuarantee():
            return Amount(epsilon=math.inf, delta=1.0)
    epsilon = epsilon_for(guarantee, delta)
    return Amount(epsilon=epsilon, delta=delta if math.isfinite(epsilon) else 1.0)


def cost_of_all(guarantees: Sequence[tuple[str | None, Guarantee]], delta: float, *, accountant: Accountant, part: str | None = None) -> Amount:
    """What the recorded (part, guarantee) pairs take together from a total with this delta; part None is the whole data set.

    With `part`, what they take from the records of this part; otherwise the largest over all parts, number by number.
    """
    whole = [guarantee for label, guarantee in guarantees if label is None]
    labels = {label for label, _ in guarantees if label is not None}
    if part is not None:
        labels &= {part}
    groups = [whole, *([*whole, *(guarantee for other, guarantee in guarantees if other == label)] for label in sorted(labels))]
    costs = [cost(_together(group, accountant), delta) for group in groups if group]
    return Amount(epsilon=max((each.epsilon for each in costs), default=0.0), delta=max((each.delta for each in costs), default=0.0))


def _together(guarantees: Sequence[Guarantee], accountant: Accountant) -> Guarantee:
    first, together = guarantees[0], accountant(guarantees)
    if (together.neighbours, together.unit) != (first.neighbours, first.unit):
        raise InvalidInput("the accountant returned a guarantee with another neighbouring relation or unit than those that it was given.")
    return together


def _remainder(whole: float, part: float) -> float:
    rest = whole - part
    return rest if rest > whole * _ROUNDING else 0.0
