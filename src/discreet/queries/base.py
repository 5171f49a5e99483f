"""What queries of records share: which columns of a record they read, its bounds, and its numbers.

A record is (x, y) with x and y within the bounds of a Domain. What a query reads of it is

    z = x                 target omitted (it stays with its owner), or released in clear beside the answer
    z = (x, y)            target noisy: the last column

    |z - z'|_2 <= 2 C, |z|_2 <= C,    C = hypot(min(norm_bound, sqrt(d) entry_bound), target_bound)     (the latter where y is read)

Computed rows z are functions of one record, to the last bit: entries are clipped and rows shortened one by one (`discreet.data.Records`); an answer
is a function of z alone, and who reads the records (`discreet.mechanisms.release.answers`) is not known here. So two tables that share a record share
what is computed from it, and the only numbers that differ between neighbours are those of the record that does.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from discreet.accounting import Json, Unit
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, Neighbours, Persons
from discreet.core.rounding import raising
from discreet.data.domain import Domain, Held

UP = raising(4_096)
"""More than the rounding errors of a formula of a few terms."""


class Target(StrEnum):
    """What becomes of the target y of a record."""

    OMITTED = "omitted"
    """It is not released."""
    NOISY = "noisy"
    """It is a column like the others, with noise."""
    CLEAR = "clear"
    """It is released as it is: nothing is promised about it, and the unit of a guarantee is the features of a record."""


class Released(NamedTuple):
    """The bounds of what a query reads of one record."""

    domain: Domain
    target: Target

    @property
    def columns(self) -> int:
        """How many numbers are read of a record."""
        return self.domain.features + (self.target is Target.NOISY)

    @property
    def norm(self) -> float:
        """C, rounded up."""
        return math.hypot(self.domain.radius, self.domain.target_bound if self.target is Target.NOISY else 0.0) * UP

    @property
    def manhattan(self) -> float:
        """A bound of the sum of all absolute numbers, rounded up: reached where entries are as equal as the bounds allow."""
        return (math.sqrt(self.domain.features) * self.domain.radius + (self.domain.target_bound if self.target is Target.NOISY else 0.0)) * UP

    @property
    def entries(self) -> Floats:
        """Bounds of the single numbers, (columns,)."""
        bounds = np.full(self.columns, self.domain.largest_entry)
        if self.target is Target.NOISY:
            bounds[-1] = self.domain.target_bound
        return bounds

    @property
    def rows(self) -> int:
        """M, the most rows that a neighbour changes: those of one person, or 1."""
        return 1 if self.domain.persons is None else int(self.domain.persons.rows)

    @property
    def in_order(self) -> bool:
        """Whether computed rows may leave as they stand: not where persons are told apart, whose number of rows, and places, are their own."""
        return self.domain.persons is None or not self.domain.persons.told_apart

    @property
    def unit(self) -> Unit:
        """What a neighbour changes, of one row."""
        return Unit.FEATURES if self.target is Target.CLEAR else Unit.RECORD

    def record(self) -> dict[str, Json]:
        """For certificates."""
        domain = self.domain
        return {
            **domain.record(),
            "target": str(self.target),
        }

    def require(self, data: Held) -> None:
        """Raise InvalidInput for records of another domain."""
        if data.domain != self.domain:
            raise InvalidInput("the query was made for a different domain from that of these records; make it for data.domain.")


def released(domain: Domain, target: Target | str) -> Released:
    """The parts, checked: a constant column for an intercept protects nothing and is refused."""
    domain.require("number", *(("none",) if str(target) == Target.OMITTED else ()))
    if domain.intercept_scale != 0:
        raise InvalidInput("a released table has no intercept column (add one when you train on it). Use a domain with intercept_scale=0.")
    if str(target) not in set(Target):
        raise InvalidInput(f"the target is 'omitted', 'noisy' or 'clear'; {target!r} was given.")
    return Released(domain, Target(target))


def reach(neighbours: Neighbours) -> float:
    """How often C a record may move: from one end of its range to the other if it is replaced, from the row of zeros if it is one more."""
    return 1.0 if neighbours is ADD_REMOVE else 2.0


class RecordQuery(ABC):
    """Anything that is asked of the numbers of records."""

    __slots__ = ()
    domain: Domain
    target: Target

    @property
    def read(self) -> Released:
        """What it reads of a record."""
        return Released(self.domain, self.target)

    @property
    def persons(self) -> Persons | None:
        """Whose rows are whose; None where the unit is a row."""
        return self.domain.persons

    @property
    def columns(self) -> int:
        """How many numbers a row of the answer has; as many rows has that of `SecondMoments`."""
        return self.read.columns


class RowQuery(RecordQuery):
    """A public map from a record to a row of `columns` numbers."""

    __slots__ = ()

    @property
    def numbers(self) -> int:
        """How many numbers differ between neighbours."""
        return self.columns * self.read.rows

    def distance(self, neighbours: Neighbours) -> float:
        """Of all computed rows of two neighbours: M rows that move by the sensitivity each, sqrt(M) of them in Euclidean norm."""
        return math.sqrt(self.read.rows) * self.sensitivity(neighbours) * (UP if self.read.rows > 1 else 1.0)

    def require(self, data: Held) -> None:
        """Raise InvalidInput for records of another domain."""
        self.read.require(data)

    @abstractmethod
    def sensitivity(self, neighbours: Neighbours) -> float:
        """An upper bound of the Euclidean distance of two computed rows; under add-remove, of a computed row and the row of zeros."""

    @abstractmethod
    def answer(self, rows: Floats) -> Floats:
        """What is computed of rows z (n, m): (n, columns), each of its own, to the last bit."""

    @abstractmethod
    def to_dict(self) -> dict[str, Json]:
        """What a certificate states of it: plain numbers and words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows(RowQuery):
    """The records themselves, what additive noise is for. A box (`entry_bound`), a ball (`norm_bound`) or both bound what one record may move."""

    domain: Domain
    target: Target = Target.OMITTED

    def __post_init__(self) -> None:
        """Refuse what cannot be released."""
        object.__setattr__(self, "target", released(self.domain, self.target).target)

    def sensitivity(self, neighbours: Neighbours) -> float:
        """See RowQuery."""
        return reach(neighbours) * min(self.read.norm, float(np.linalg.norm(self.read.entries))) * UP

    def answer(self, rows: Floats) -> Floats:
        """See RowQuery."""
        return rows

    def to_dict(self) -> dict[str, Json]:
        """See RowQuery."""
        return {"query": "rows", **self.read.record()}
