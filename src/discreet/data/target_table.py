"""Records with several targets: the same rows once for each of them.

A record is (x, y_1, .., y_m). For each k there are `Records` of (x, y_k), brought within the same domain; rows and weights are shared, not copied. A
neighbouring table differs in one record, and so in one record of each of them.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.private import holds_records
from discreet.data.domain import Domain
from discreet.data.records import Records


@holds_records
@dataclass(frozen=True, slots=True, repr=False, eq=False)
class TargetTable:
    """Raises InvalidInput for fewer than two targets, and for records that differ in length or domain."""

    each: tuple[Records, ...]
    """Of every target, in order; the same rows in all of them."""
    given: Floats | Callable[[], Iterator[bytes]]
    """The targets as they were given, (n, m); of records read in blocks, what makes the bytes of the whole table."""

    def __post_init__(self) -> None:
        """See class docstring."""
        if (
            len(self.each) < 2
            or (not callable(self.given) and self.given.shape != (self.each[0].given[0].shape[0], len(self.each)))
            or any((part.domain, part.records) != (self.domain, self.records) for part in self.each)
        ):
            raise InvalidInput("several targets need two or more columns of numbers, for the same records and with the same bounds.")

    @property
    def domain(self) -> Domain:
        """Of the rows with one target."""
        return self.each[0].domain

    @property
    def records(self) -> int:
        """How many there are; private under add-remove."""
        return self.each[0].records

    def content(self) -> Iterator[bytes]:
        """Rows and all targets as they were given, as bytes, for a ledger's keyed digest; private."""
        if callable(self.given):
            yield from self.given()
            return
        rows, _ = self.each[0].given
        yield from rows.content()
        yield np.ascontiguousarray(self.given).tobytes()

    def __repr__(self) -> str:
        """The domain only."""
        return f"TargetTable({len(self.each)} targets, {self.domain!r})"
