"""What a ledger holds, as values: data sets with their totals, and entries with their state. All of it is public but for the digests.

An entry begins as reserved, before any noise is drawn, and counts from that moment. It becomes settled when the release is done, or cancelled when
the caller certifies that no noise was drawn. Whatever happens in between (an exception, a crash, a kill) leaves it reserved, and counted, for ever.
"""

import json
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache

from discreet.accounting import ApproximateDP, Guarantee, Json, NoGuarantee, PureDP, Unit, guarantee_from_dict
from discreet.core.errors import DiscreetError, FileFormatError, InvalidInput, quietly
from discreet.core.files.strict_json import read_object
from discreet.core.neighbours import DELTA, Neighbours
from discreet.core.short import short_repr
from discreet.ledger.accountants import BASIC, Amount, accountant_named, total

_LONGEST = 200
"""Characters of a name, a part or a purpose."""


class State(StrEnum):
    """How far an entry has come."""

    RESERVED = "reserved"
    SETTLED = "settled"
    CANCELLED = "cancelled"

    @property
    def counts(self) -> bool:
        """Whether it takes from the total."""
        return self is not State.CANCELLED


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSet:
    """A data set of a ledger: what one neighbour may change, and how much may be spent in all."""

    name: str
    neighbours: Neighbours
    unit: Unit
    declared: Amount
    """The total at first."""
    total: Amount
    """The total in force: the last amendment, or `declared`."""
    parts: tuple[str, ...]
    """Labels of the disjoint parts, sorted; none when the data set is spent on as a whole only."""
    aliases: tuple[str, ...]
    """Other names of the same data set, sorted."""
    accountant: str
    """The name of what adds up its guarantees, see `accountants`."""
    created: str

    __repr__ = short_repr


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One spending. Times are UTC, ISO 8601."""

    id: str
    """A UUID, the same in every export."""
    data_set: str
    part: str | None
    guarantee: Guarantee
    purpose: str
    state: State
    reserved_at: str
    closed_at: str | None
    """When it was settled or cancelled."""

    __repr__ = short_repr

    def to_dict(self) -> dict[str, Json]:
        """Plain dicts, lists and numbers, as JSON has them."""
        return {field.name: getattr(self, field.name) for field in fields(self)} | {"guarantee": self.guarantee.to_dict(), "state": str(self.state)}

    def __str__(self) -> str:
        """One line for lists."""
        state = "reserved, never settled (a release under way, or a crash; counted)" if self.state is State.RESERVED else str(self.state)
        where = self.data_set if self.part is None else f"{self.data_set}, part {self.part}"
        return f"{self.reserved_at}  {where}  {priced(self.guarantee)}  {self.purpose or '-'}  {state}  {self.id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Amendment:
    """A later total of a data set, and why it was changed."""

    id: str
    data_set: str
    total: Amount
    reason: str
    created: str

    def __str__(self) -> str:
        """One line for lists."""
        return f"{self.created}  {self.data_set}  total changed to {self.total}: {self.reason}"


def declaration(
    name: str,
    *,
    epsilon: float,
    delta: float = DELTA,
    neighbours: Neighbours | str = Neighbours.REPLACE_ONE,
    unit: Unit | str = Unit.RECORD,
    parts: Sequence[str] = (),
    part_of_a_record_stays: bool = False,
    accountant: str = BASIC,
) -> DataSet:
    """A data set with nothing spent; see `Ledger.declare`. Raises InvalidInput, also for parts two of which one neighbour could change."""
    declared = total(epsilon, delta)
    refusal = InvalidInput(
        f"neighbours must be one of {[str(kind) for kind in Neighbours]} and unit one of {[str(kind) for kind in Unit]}; "
        f"{neighbours!r} and {unit!r} were given."
    )
    relation_of, unit_of = quietly(lambda: (Neighbours(neighbours), Unit(unit)), refusal)
    accountant_named(accountant)
    found = DataSet(
        name=public_text(name, "the name of a data set"),
        neighbours=relation_of,
        unit=unit_of,
        declared=declared,
        total=declared,
        parts=distinct_labels(parts),
        aliases=(),
        accountant=accountant,
        created=now(),
    )
    if found.parts and unit_of is Unit.PERSON and part_of_a_record_stays is not True:
        raise InvalidInput(
            "the rows of one person may be in several parts, and a change of the person changes all of them. State "
            "part_of_a_record_stays=True if all rows of a person are in one part and stay there, whatever they contain."
        )
    if found.parts and relation_of is Neighbours.REPLACE_ONE and part_of_a_record_stays is not True:
        raise InvalidInput(
            "under replace-one a replaced record may move to another part, which changes two parts. Use add-remove, or state "
            "part_of_a_record_stays=True if the part follows from something public that stays (a row number, the hospital of the record)."
        )
    return found


def public_text(value: object, what: str, *, empty: bool = False) -> str:
    """`value`, if one line shows it, in Unicode's composed form (NFC): names that look the same are the same. Raises InvalidInput otherwise."""
    if not isinstance(value, str) or not value.isprintable() or len(value) > _LONGEST or value != value.strip() or not (value or empty):
        raise InvalidInput(
            f"{what} must be a text of {'0' if empty else '1'} to {_LONGEST} printable characters, without blanks at its ends, because "
            "reports show it."
        )
    return unicodedata.normalize("NFC", value)


def distinct_labels(parts: Sequence[str]) -> tuple[str, ...]:
    """The labels of a partition, sorted. Raises InvalidInput for a label given twice, or one label alone."""
    if isinstance(parts, str):
        raise InvalidInput("parts must be a list of labels; one text was given.")
    labels = tuple(sorted(public_text(label, "the label of a part") for label in parts))
    if len(set(labels)) != len(labels) or len(labels) == 1:
        raise InvalidInput("a data set with parts needs at least two labels, each given once.")
    return labels


def stored(guarantee: Guarantee) -> str:
    """A guarantee as text. Raises InvalidInput unless it reads back the same: one that cannot be read would block the whole data set."""
    try:
        text = json.dumps(guarantee.to_dict(), allow_nan=False, sort_keys=True)
        same = read_stored(text) == guarantee
    except (DiscreetError, TypeError, ValueError):
        same = False
        text = ""
    if not same:
        raise InvalidInput(f"a guarantee of kind {type(guarantee).__name__} cannot be stored in a ledger: it cannot be read back from a file.")
    return text


@lru_cache(maxsize=1 << 14)
def read_stored(text: str) -> Guarantee:
    """The guarantee that is stored as `text`. Raises FileFormatError where this version cannot read it."""
    refusal = FileFormatError(
        "the ledger has an entry that this version of discreet cannot read, so the total spent is not known. Use the version that wrote it."
    )
    return quietly(lambda: guarantee_from_dict(read_object(text, what="a guarantee")), refusal, DiscreetError, ValueError)


def priced(guarantee: Guarantee, digits: int = 3) -> str:
    """A guarantee as epsilon and delta where it is one, delta to so many digits."""
    match guarantee:
        case PureDP(epsilon=epsilon):
            return Amount(epsilon=epsilon).written(digits)
        case ApproximateDP(epsilon=epsilon, delta_at_epsilon=delta):
            return Amount(epsilon=epsilon, delta=delta).written(digits)
        case NoGuarantee():
            return "no guarantee (epsilon is infinite)"
        case _:
            return str(guarantee)


def relation(neighbours: Neighbours, unit: Unit) -> str:
    """The neighbouring relation and what a neighbour changes, in words."""
    return f"{neighbours}, one {unit}"


def now() -> str:
    """The time, UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
