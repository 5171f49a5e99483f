"""How a data set adds up its guarantees, and how much of its total (epsilon, delta) they take.

Adding up. An accountant is chosen when a data set is declared, and its name stays in the file. The guarantees of a ledger are chosen one after the
other, possibly in view of earlier releases and of what is left, so an accountant must be valid as a privacy filter: whatever the choices, everything
that was granted together satisfies the total. Each of these adds one number, and is one:

    basic         pure and (epsilon, delta): epsilons add, deltas add      (Rogers, Roth, Ullman, Vadhan 2016)
    gaussian      Gaussian only: mu^2 adds                                 (Koskela, Tobaben, Honkela 2023)
    concentrated  pure, Gaussian and concentrated: rho adds                (Feldman and Zrnic 2021)

A data set has one accountant for ever. If each spending could pick the one that suits it, the choice would depend on the releases, and only the sum
of the deltas of all accountants would be proved. For the same reason a Renyi curve that is read at its best order in the end is no filter.

Cost. The accountant turns the guarantees of all entries that touch one record into one guarantee g, which costs

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
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from discreet.accounting import ApproximateDP, ConcentratedDP, GaussianDP, Guarantee, Json, NoGuarantee, PureDP, compose, epsilon_for, to_concentrated
from discreet.core.arrays import as_float
from discreet.core.errors import InvalidInput

Accountant: TypeAlias = Callable[[Sequence[Guarantee]], Guarantee]
"""From the guarantees of several releases on the same records, each possibly chosen after seeing the ones before, to that of all of them together."""

_ROUNDING = 1e-9
BASIC = "basic"


def _added(name: str, parts: Sequence[Guarantee]) -> Guarantee:
    """Everything together, for an accountant of `_ADDING`. Raises InvalidInput for kinds that it does not add up."""
    kinds = _ADDING[name]
    for part in parts:
        if not isinstance(part, (*kinds, NoGuarantee)):
            raise InvalidInput(
                f"the accountant {name!r} adds up {', '.join(kind.__name__ for kind in kinds)}; {type(part).__name__} was given. "
                "Convert the guarantee (to_approximate, to_concentrated), or declare a data set with another accountant."
            )
    return compose([normal_form(name, part) for part in parts])


_CONCENTRATED = "concentrated"
_ADDING: dict[str, tuple[type[Guarantee], ...]] = {
    BASIC: (PureDP, ApproximateDP),
    "gaussian": (GaussianDP,),
    _CONCENTRATED: (PureDP, GaussianDP, ConcentratedDP),
}
"""Those that give the same for many guarantees of one kind as for one with their sum (module `tallies`), with the kinds that they add up."""
_REGISTERED: dict[str, Accountant] = {name: partial(_added, name) for name in _ADDING}


def register_accountant(name: str, accountant: Accountant) -> None:
    """Register an accountant under a name; do so in every process that spends.

    It must be a privacy filter; see the module docstring. It runs while the file is locked, so it should be fast. Raises InvalidInput if the name is
    taken.
    """
    if _REGISTERED.setdefault(name, accountant) is not accountant:
        raise InvalidInput(f"an accountant {name!r} is already registered.")


def adds(name: str) -> bool:
    """Whether the accountant of this name needs no more than sums."""
    return name in _ADDING


def normal_form(name: str, part: Guarantee) -> Guarantee:
    """`part` as the accountant of this name adds it up: in its concentrated form, or as it is."""
    return to_concentrated(part) if name == _CONCENTRATED and isinstance(part, PureDP | GaussianDP | ConcentratedDP) else part


def accountant_named(name: str) -> Accountant:
    """The accountant of this name. Raises InvalidInput where nobody has registered it."""
    found = _REGISTERED.get(name)
    if found is None:
        raise InvalidInput(
            f"there is no accountant {name!r}; there are {sorted(_REGISTERED)}. Import the module that registers it, or use a newer version "
            "of discreet."
        )
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """A pair (epsilon, delta): a total, the part spent, or the part left."""

    epsilon: float
    delta: float = 0.0

    def exceeds(self, total: "Amount") -> bool:
        """Whether either number passes that of `total`; see the module docstring for rounding. NaN exceeds everything."""
        tolerance = 1.0 + _ROUNDING
        return not (self.epsilon <= total.epsilon * tolerance and self.delta <= total.delta * tolerance)

    def left_of(self, total: "Amount") -> "Amount":
        """`total` less this, at least zero."""
        return Amount(epsilon=_remainder(total.epsilon, self.epsilon), delta=_remainder(total.delta, self.delta))

    def to_dict(self) -> dict[str, Json]:
        """For JSON, which has no infinity: null then."""
        return {"epsilon": self.epsilon if math.isfinite(self.epsilon) else None, "delta": self.delta}

    def written(self, digits: int = 3) -> str:
        """As people write it: epsilon to six digits, delta to so many."""
        return f"epsilon {self.epsilon:.6g}, delta {self.delta:.{digits}g}"

    __str__ = written


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
        raise InvalidInput("the accountant returned a guarantee with another neighbouring relation or unit than the ones it was given.")
    return together


def _remainder(whole: float, part: float) -> float:
    rest = whole - part
    return rest if rest > whole * _ROUNDING else 0.0
