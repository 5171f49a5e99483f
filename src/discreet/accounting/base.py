"""Guarantees as values: what a release promises, to whom, and by which theorem.

A guarantee is a curve delta(epsilon) over all epsilon >= 0: whatever event S is watched for, P(S) <= e^epsilon P'(S) + delta(epsilon) for
every pair of neighbouring data sets, in either order. It always states its scope: the neighbouring relation, the unit (what one neighbour
may change) and whether every record was randomised by its owner. Two guarantees whose scopes differ never mix. It also states what must stay
secret for the theorem to hold, beyond the noise itself.

The least such curve is convex in e^epsilon, non-increasing, and at most 1. Every module here uses that and nothing more.

Here are the guarantees that are points: pure privacy, P(S) <= e^epsilon P'(S), whose profile is delta(epsilon') = (e^epsilon - e^epsilon') / (1 +
e^epsilon) for epsilon' < epsilon, attained by randomised response (Kairouz, Oh, Viswanath 2015, theorem 3.1 for one release); one pair (epsilon,
delta); and none, a value of its own, so that nothing without a proof can pass for something with one.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from fractions import Fraction
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np

from discreet.core.arrays import Floats, is_finite
from discreet.core.errors import InvalidInput
from discreet.core.fields import Json
from discreet.core.neighbours import REPLACE_ONE, Neighbours
from discreet.core.rounding import lowering


class Unit(StrEnum):
    """What a neighbour changes."""

    RECORD = "record"
    ENTRY = "entry"
    """One number of one record; its other numbers and all other records are known to the adversary."""
    FEATURES = "features of a record"
    """All features of one record, not its label."""
    PERSON = "person"
    """All rows of one person, however many there are."""

    @property
    def counted(self) -> str:
        """What n counts, in words."""
        return f"{self.one}s"

    @property
    def one(self) -> str:
        """One of these."""
        return "person" if self is Unit.PERSON else "record"


class Scope(Protocol):
    """What a guarantee is about, and who says so."""

    @property
    def neighbours(self) -> Neighbours:
        """Neighbouring relation."""

    @property
    def unit(self) -> Unit:
        """What neighbouring tables differ in."""

    @property
    def theorem(self) -> str:
        """Where the proof is."""


@runtime_checkable
class Guarantee(Scope, Protocol):
    """A privacy curve with its neighbouring relation, unit and theorem."""

    def delta(self, epsilon: float) -> float:
        """An upper bound on the smallest delta at this epsilon >= 0."""

    def to_dict(self) -> dict[str, Json]:
        """A dictionary for certificates; `guarantee_from_dict` reads it."""


SCOPE = ("neighbours", "theorem", "unit", "local", "secret")
SPELT = {"delta_at_epsilon": "delta", "deltas_at": "deltas"}
"""Fields whose names in certificates are others: those of methods here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """What every guarantee states besides its numbers.

    Raises InvalidInput for a local guarantee under add-remove: an owner who randomises a record cannot hide that it exists.
    """

    kind: ClassVar[str] = ""
    """Name in certificates."""
    neighbours: Neighbours
    theorem: str
    unit: Unit = Unit.RECORD
    local: bool = False
    """Whether every record was randomised by its owner, so that nobody else ever held it."""
    secret: tuple[str, ...] = ()
    """What must stay secret besides the noise, such as a sketching matrix or a seed."""

    def __post_init__(self) -> None:
        """See class docstring."""
        if self.local and self.neighbours is not REPLACE_ONE:
            raise InvalidInput("a local guarantee compares two values of one record: its relation is replace-one.")
        if self.unit not in (Unit.RECORD, Unit.PERSON) and self.neighbours is not REPLACE_ONE:
            raise InvalidInput(f"the unit {str(self.unit)!r} is replaced, not added or removed: its relation is replace-one.")

    def to_dict(self) -> dict[str, Json]:
        """The record of a certificate: kind, numbers, scope; what may be left out (a prior, `local`, `secret`) only where it says something."""
        own = [(field.name, getattr(self, field.name)) for field in fields(self) if field.name not in SCOPE]
        record: dict[str, Json] = {"kind": self.kind, **{SPELT.get(name, name): _listed(value) for name, value in own if value != ()}}
        record |= {"neighbours": str(self.neighbours), "unit": str(self.unit), "theorem": self.theorem}
        if self.local:
            record["local"] = True
        if self.secret:
            record["secret"] = list(self.secret)
        return record


def together(parts: Sequence[Guarantee], rule: str, *, neighbours: Neighbours | None = None, local: bool | None = None) -> Statement:
    """The scope that all `parts` share, their theorems and secrets, and the `rule` that joins them.

    Raises InvalidInput for no parts and for parts with different scopes. `neighbours` and `local` replace what the parts share.
    """
    if not parts:
        raise InvalidInput("composition needs at least one guarantee; none was given.")
    scopes = {(part.neighbours, part.unit, _local(part)) for part in parts}
    if len(scopes) > 1:
        raise InvalidInput("guarantees compose only with the same neighbouring relation and unit, and all local or all central; convert them first.")
    ((shared, unit, owned),) = scopes
    names = dict.fromkeys(name for part in parts for name in part.theorem.split("; "))
    if rule:
        names[rule] = None
    secrets = dict.fromkeys(secret for part in parts if isinstance(part, Statement) for secret in part.secret)
    return Statement(
        neighbours=shared if neighbours is None else neighbours,
        theorem="; ".join(names),
        unit=unit,
        local=owned if local is None else local,
        secret=tuple(secrets),
    )


def scope(statement: Statement) -> dict[str, Any]:
    """The fields of a Statement as arguments for another kind of guarantee."""
    return {name: getattr(statement, name) for name in SCOPE}


def _local(part: Guarantee) -> bool:
    return isinstance(part, Statement) and part.local


def _listed(value: Any) -> Json:  # noqa: ANN401 - a number, or tuples of them
    return [_listed(each) for each in value] if isinstance(value, tuple) else value


def require_finite(name: str, value: float) -> None:
    """Raise InvalidInput unless 0 <= value < infinity."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not (is_finite(value) and value >= 0):
        raise InvalidInput(f"a guarantee needs 0 <= {name} <= infinity, finite; {value!r} was given.")


def below(epsilons: Floats) -> Floats:
    """The same numbers, lower by less than 1e-15 of themselves: a curve read here is above the curve at the exact product that they stand for."""
    return epsilons * lowering(3)


def sum_up(terms: Iterable[tuple[float, int]]) -> float:
    """The least float at or above the exact sum of value times count; infinity beyond the largest."""
    top, bottom = 0, 1
    for value, count in terms:
        if math.isinf(value):
            return math.inf
        over, under = value.as_integer_ratio()  # below the line are powers of 2: the larger is a multiple of both
        shared = max(bottom, under)
        top, bottom = top * (shared // bottom) + over * count * (shared // under), shared
    return _ceiling(top, bottom)


def ceiling(exact: Fraction) -> float:
    """The least float at or above an exact number; infinity beyond the largest."""
    return _ceiling(exact.numerator, exact.denominator)


def _ceiling(top: int, bottom: int) -> float:
    try:
        nearest = top / bottom
    except OverflowError:
        return math.inf
    over, under = nearest.as_integer_ratio()
    return nearest if over * bottom >= top * under else math.nextafter(nearest, math.inf)


@dataclass(frozen=True, slots=True, kw_only=True)
class PureDP(Statement):
    """epsilon-differential privacy: P(S) <= e^epsilon P'(S) for every event and every pair of neighbours."""

    kind: ClassVar[str] = "pure"
    epsilon: float

    def __post_init__(self) -> None:
        """Refuse an epsilon that is no bound."""
        Statement.__post_init__(self)
        if not (is_finite(self.epsilon) and self.epsilon >= 0):
            raise InvalidInput(f"a guarantee needs 0 <= epsilon < infinity; {self.epsilon!r} was given.")

    def delta(self, epsilon: float) -> float:
        """See module docstring; 0 from `self.epsilon` on."""
        gap = self.epsilon - epsilon
        if gap <= 0:
            return 0.0
        return -math.expm1(-gap) / (1.0 + math.exp(-self.epsilon))

    def deltas(self, epsilons: Floats) -> Floats:
        """`delta` for every number of an array."""
        gaps = np.maximum(self.epsilon - epsilons, 0.0)
        curve: Floats = -np.expm1(-gaps) / (1.0 + math.exp(-self.epsilon))
        return curve


@dataclass(frozen=True, slots=True, kw_only=True)
class ApproximateDP(Statement):
    """(epsilon, delta)-differential privacy; it claims only what this pair implies."""

    kind: ClassVar[str] = "approximate"
    epsilon: float
    delta_at_epsilon: float

    def __post_init__(self) -> None:
        """Refuse numbers that bound nothing."""
        Statement.__post_init__(self)
        if not (is_finite(self.epsilon) and self.epsilon >= 0):
            raise InvalidInput(f"a guarantee needs 0 <= epsilon < infinity; {self.epsilon!r} was given.")
        if not 0 <= self.delta_at_epsilon < 1:
            raise InvalidInput(f"a guarantee needs 0 <= delta < 1; {self.delta_at_epsilon!r} was given.")

    def delta(self, epsilon: float) -> float:
        """The stated delta at and above the stated epsilon; below it, delta + (1 - delta) (e^epsilon - e^epsilon') / (1 + e^epsilon).

        The worst pair reveals all with probability delta and is randomised response otherwise (Kairouz, Oh, Viswanath 2015, section 3).
        """
        if epsilon >= self.epsilon:
            return self.delta_at_epsilon
        ratio = math.exp(epsilon - self.epsilon)
        pure_part = (1.0 - ratio) / (1.0 + math.exp(-self.epsilon))
        return min(1.0, self.delta_at_epsilon + (1.0 - self.delta_at_epsilon) * pure_part)

    def deltas(self, epsilons: Floats) -> Floats:
        """`delta` for every number of an array."""
        gaps = np.maximum(self.epsilon - epsilons, 0.0)
        curve: Floats = self.delta_at_epsilon + (1.0 - self.delta_at_epsilon) * -np.expm1(-gaps) / (1.0 + math.exp(-self.epsilon))
        return np.minimum(curve, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoGuarantee(Statement):
    """No privacy guarantee; `theorem` says why."""

    kind: ClassVar[str] = "none"

    def delta(self, epsilon: float) -> float:  # noqa: ARG002 - the curve is constant
        """1 at every epsilon: nothing is promised."""
        return 1.0


def guarantee_words(stated: Mapping[str, Json]) -> str:
    """A guarantee in a line, from what files and certificates state of it: epsilon, delta and relation, of `Guarantee.to_dict`."""
    privacy = ", ".join(f"{name} {value:.6g}" for name in ("epsilon", "delta") if isinstance(value := stated.get(name), float))
    return f"{privacy or 'none'}, {stated['neighbours']}"
