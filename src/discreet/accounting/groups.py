"""Groups of k records, replace-one as a group of two steps under add-remove, and releases on disjoint parts of the records.

Between two data sets that differ in k records lie k steps between neighbours. What follows for the k-step pair:

    pure           k epsilon                                                          exact
    approximate    (k epsilon, delta (1 + e^epsilon + ... + e^{(k-1) epsilon}))       (Dwork and Roth 2014, theorem 2.2, with its proof's constant)
    Gaussian       k mu                                                               exact: Dong, Roth, Su 2022, theorem 2.14
    concentrated   k^2 rho                                                            (Bun and Steinke 2016, proposition 1.9)
    Renyi          D_a(P, R) <= (a - 1/p)/(a - 1) D_{pa}(P, Q) + D_{(pa - 1)/(p - 1)}(Q, R) for every p > 1    (Mironov 2017, proposition 11)
    any curve      delta_{i+j}(epsilon) <= min over real a of delta_i(a) + e^a delta_j(epsilon - a)

The last needs delta at negative arguments: delta(-x) = 1 - e^{-x} + e^{-x} delta(x), by complements (the relation is symmetric). It gives the
group curve exactly where a curve is all that is known (note composition.md).

Replacing a record is removing it and adding another: two steps under add-remove. The converse is false: a mechanism may publish n and be
perfectly private under replace-one.

Nothing follows for groups from bits of mutual information, nor from a Cramer-Rao number: InvalidInput.

Persons. Let nobody own more than k records. All rows of one person are then a group: removing a person is at most k removals, one after the other, so
an add-remove guarantee about records is, for groups of k, one about persons. Under replace-one k steps replace what a person's rows say; a neighbour
with more or fewer rows is no such step, so how many rows each person has must be public and stay, which the caller states (not where k is 1).

Parallel composition. Let a public rule, fixed before the data are seen, send every record to one part, and let release i read part i only (and the
releases before it). Let delta_i be the curves.

1. Add-remove. Neighbours differ in one record, so in one part; all other releases have the same law on both. Together they satisfy max_i delta_i.
2. Replace-one, and the part of a record cannot change when its content is replaced (its row number, the hospital it came from): again one part
   differs, by one replaced record. Together max_i delta_i, with the replace-one curves.
   Where the unit is a person, 1 and 2 need all rows of a person in one part, whatever they say: the caller states that under either relation.
3. Replace-one, and the rule reads what is replaced. The record may move: two parts differ, one loses a record and one gains one, and their numbers
   of records change. Replace-one guarantees of the parts promise nothing then. Add-remove guarantees do: take 1 and replace in two steps
   (`to_replace_one`). `parallel` therefore refuses replace-one parts unless the caller states that the part of a record stays.

Proofs in the note composition.md. The curves may not be chosen in view of other parts' outcomes unless their maximum was fixed in advance.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any

import numpy as np

from discreet.accounting.base import ApproximateDP, Guarantee, NoGuarantee, PureDP, Unit, scope, sum_up, together
from discreet.accounting.conversions import to_profile
from discreet.accounting.gaussian import GaussianDP
from discreet.accounting.information import CramerRaoBound, MutualInformation
from discreet.accounting.profile import Profile, hull
from discreet.accounting.renyi import ConcentratedDP, RenyiDP
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE, Neighbours
from discreet.core.rounding import raising, up
from discreet.core.validate import whole

Parallel = PureDP | ApproximateDP | GaussianDP | ConcentratedDP | RenyiDP | MutualInformation | Profile | NoGuarantee
Grouped = PureDP | ApproximateDP | GaussianDP | ConcentratedDP | RenyiDP | Profile | NoGuarantee
GROUP_OF_A_PERSON = "all rows of one person, a group of"
ONE_ROW = "one row a person"
"""What a theorem says of a guarantee about records that became one about persons."""
_POINTS = 257
_AT_ONCE = 40_000
"""Numbers that stay in a processor's cache."""
_FARTHEST = 500.0
"""Splits stay below it: e^split must fit in a computer's numbers."""
_EXPONENTS = np.concatenate((1.0 + np.geomspace(0.02, 50.0, 40), [2.0]))


def group(part: Guarantee, size: int) -> Grouped:
    """The guarantee that `part` implies for `size` records together. Raises InvalidInput for kinds that imply none."""
    whole(size, "the size of a group")
    many = "persons" if part.unit is Unit.PERSON else "records"
    return _steps(part, size, f"group of {size} {many}" if size > 1 else "", relation=None)


def to_persons(part: Guarantee, rows: int, *, numbers_are_public: bool = False) -> Grouped:
    """The guarantee about persons that follows from one about records, if nobody has more than `rows` records; the caller is responsible for that.

    A replace-one guarantee is converted for one row a person, or on the statement that the number of rows of each person is public and stays. Raises
    InvalidInput for other units, without that statement, and for the kinds from which nothing follows for groups.
    """
    whole(rows, "the most rows of a person")
    if part.unit is not Unit.RECORD:
        raise InvalidInput(f"a guarantee about one record becomes one about a person; the unit {str(part.unit)!r} was given.")
    if part.neighbours is REPLACE_ONE and rows > 1 and numbers_are_public is not True:
        raise InvalidInput(
            "under replace-one each person's number of rows must be public and fixed. State numbers_are_public=True if it is, or use an "
            "add-remove guarantee."
        )
    rule = f"{GROUP_OF_A_PERSON} {rows} records" if rows > 1 else ONE_ROW
    return _steps(part, rows, rule, relation=None, unit=Unit.PERSON)


def is_to_persons(converted: Guarantee, part: Guarantee) -> bool:
    """Whether the first is what `to_persons` makes of the second, for some number of rows."""
    *_, rule = converted.theorem.split("; ")
    rows = "1" if rule == ONE_ROW else rule.removeprefix(f"{GROUP_OF_A_PERSON} ").removesuffix(" records")
    if part.unit is not Unit.RECORD or not (rows.isdecimal() and rows.isascii() and len(rows) < 10):
        return False
    made = to_persons(part, int(rows), numbers_are_public=True)
    return made.to_dict() == converted.to_dict()


def to_replace_one(part: Guarantee) -> Grouped:
    """The replace-one guarantee that follows from an add-remove one. Raises InvalidInput for other relations; the converse does not hold."""
    if part.neighbours is not ADD_REMOVE:
        raise InvalidInput(f"an add-remove guarantee is needed to convert to replace-one; {str(part.neighbours)!r} was given.")
    return _steps(part, 2, "replacing is removing and adding", relation=REPLACE_ONE)


def parallel(parts: Sequence[Guarantee], *, part_of_a_record_stays: bool = False) -> Parallel:
    """The guarantee of releases on disjoint parts; see the module docstring.

    Raises InvalidInput for unlike scopes, for Cramer-Rao numbers, and, under replace-one or for persons, unless `part_of_a_record_stays` is stated.
    """
    shared = scope(together(parts, "parallel composition" if len(parts) > 1 else ""))
    if parts[0].unit is Unit.PERSON and not part_of_a_record_stays:
        raise InvalidInput(
            "the rows of one person may be in several parts, and a change of the person changes all of them. State "
            "part_of_a_record_stays=True if all rows of a person are in one part, whatever they contain."
        )
    if parts[0].neighbours is REPLACE_ONE and not part_of_a_record_stays:
        raise InvalidInput(
            "under replace-one a record may move to another part, which changes two parts. Use add-remove guarantees and convert the "
            "result with to_replace_one, or state part_of_a_record_stays=True if the rule reads nothing that is replaced."
        )
    kinds = {type(part) for part in parts}
    if CramerRaoBound in kinds:
        raise InvalidInput("a Cramer-Rao number is about the release of one record, so there is nothing to compose in parallel.")
    if NoGuarantee in kinds:
        return NoGuarantee(**shared)
    worst = _largest(parts)
    if worst is not None:
        return replace(worst, **shared)
    if MutualInformation in kinds:
        raise InvalidInput("bits of mutual information compose in parallel among themselves only.")
    # Between two neighbouring knots of all curves each is a chord in e^epsilon, so that their largest is convex there, and below its own chord.
    curves = [to_profile(part) for part in parts]
    knots = np.unique(np.concatenate([curve.epsilons for curve in curves]))
    epsilons, deltas = hull(knots, np.max([curve.deltas(knots) for curve in curves], axis=0))
    return Profile(epsilons=epsilons, deltas_at=deltas, **shared)


_SIZES: dict[type, str] = {PureDP: "epsilon", GaussianDP: "mu", ConcentratedDP: "rho", MutualInformation: "bits", ApproximateDP: "delta_at_epsilon"}
"""Kinds of one number, by which the largest of all promises what each of them does; of ApproximateDP where epsilons are equal."""


def _largest(parts: Sequence[Guarantee]) -> Any:  # noqa: ANN401 - of the kind of all parts
    """A guarantee whose numbers are the largest of all, where the kind has an order; else None."""
    first = parts[0]
    if any(type(part) is not type(first) for part in parts):
        return None
    if isinstance(first, RenyiDP) and len({part.orders for part in parts if isinstance(part, RenyiDP)}) == 1:
        curves = [part.divergences for part in parts if isinstance(part, RenyiDP)]
        return replace(first, divergences=tuple(max(values) for values in zip(*curves, strict=True)))
    if isinstance(first, ApproximateDP) and len({part.epsilon for part in parts if isinstance(part, ApproximateDP)}) > 1:
        return None
    size = _SIZES.get(type(first))
    return None if size is None else max(parts, key=attrgetter(size))


def _steps(  # noqa: C901, PLR0911 - one case for each kind
    part: Guarantee, size: int, rule: str, relation: Neighbours | None, unit: Unit | None = None
) -> Grouped:
    shared = scope(together([part], rule))
    if unit is not None:
        shared["unit"] = unit
    if relation is not None:
        shared["neighbours"] = relation
    match part:
        case NoGuarantee():
            return NoGuarantee(**shared)
        case PureDP(epsilon=epsilon):
            return PureDP(epsilon=sum_up([(epsilon, size)]), **shared)
        case ApproximateDP():
            return _approximate(part, size, shared)
        case GaussianDP(mu=mu):
            return GaussianDP(mu=sum_up([(mu, size)]), **shared)
        case ConcentratedDP(rho=rho):
            return ConcentratedDP(rho=sum_up([(rho, size * size)]), **shared)
        case RenyiDP():
            curve = part
            for _ in range(size - 1):
                curve = _renyi_step(curve, part)
            return replace(curve, **shared)
        case MutualInformation() | CramerRaoBound():
            raise InvalidInput(f"nothing follows for groups from {type(part).__name__}.")
        case _:
            whole = to_profile(part)
            curve_so_far = whole
            for _ in range(size - 1):
                curve_so_far = _profile_step(curve_so_far, whole)
            return replace(curve_so_far, **shared)


def _approximate(part: ApproximateDP, size: int, shared: dict[str, Any]) -> ApproximateDP | NoGuarantee:
    failures = math.fsum(math.exp(min(700.0, step * part.epsilon)) for step in range(size))
    delta = up(part.delta_at_epsilon * failures) if size > 1 else part.delta_at_epsilon
    if delta >= 1:
        return NoGuarantee(**{**shared, "theorem": f"{shared['theorem']} (delta reaches 1)"})
    return ApproximateDP(epsilon=sum_up([(part.epsilon, size)]), delta_at_epsilon=delta, **shared)


def _renyi_step(far: RenyiDP, near: RenyiDP) -> RenyiDP:
    """One more step: the best p for each order; orders at which the curves end are left out."""
    kept = []
    for order in far.orders:
        best = math.inf
        # Any p is valid (Hoelder's inequality with exponents p and p / (p - 1)); the grid costs tightness only.
        for p in _EXPONENTS.tolist():
            first, second = p * order, (p * order - 1.0) / (p - 1.0)
            if first <= far.orders[-1] and second <= near.orders[-1]:
                best = min(best, (order - 1.0 / p) / (order - 1.0) * far.divergence(first) + near.divergence(second))
        if math.isfinite(best):
            kept.append((order, up(best)))
    if not kept:
        raise InvalidInput("the Renyi curve ends at too low an order for a group of this size.")
    return replace(far, orders=tuple(order for order, _ in kept), divergences=tuple(value for _, value in kept))


def _profile_step(far: Profile, near: Profile) -> Profile:
    """One more step, minimised over a grid of splits; any split is valid."""
    last = far.epsilons[-1] + near.epsilons[-1]
    epsilons = np.linspace(0.0, max(last, 1e-9), _POINTS)
    # delta(epsilon) <= delta_far(split) + e^split delta_near(epsilon - split); the kinks of the first curve are where the best split often is.
    splits = np.concatenate((np.linspace(-near.epsilons[-1], last, 2 * _POINTS), np.asarray(far.epsilons)))
    splits = np.minimum(splits, _FARTHEST)
    first, factors = _extended(far, splits), np.exp(splits)
    some = np.array_split(epsilons, 1 + _POINTS * len(splits) // _AT_ONCE)
    least = [np.min(first + factors * _extended(near, np.subtract.outer(part, splits)), axis=1) for part in some]
    knots, deltas = hull(epsilons, np.minimum(np.concatenate(least) * raising(4_096), 1.0))
    return replace(far, epsilons=knots, deltas_at=deltas)


def _extended(curve: Profile, epsilons: Floats) -> Floats:
    """The curve at any real numbers; see the module docstring."""
    extended = curve.deltas(np.abs(epsilons).ravel()).reshape(epsilons.shape)
    negative = epsilons < 0
    below_zero = epsilons[negative]
    extended[negative] = -np.expm1(below_zero) + np.exp(below_zero) * extended[negative]
    return extended
