"""Running sums: what the entries of a data set take together, without reading them.

An accountant that adds numbers (module `accountants`) needs of many guarantees of one kind their sums alone:

    pure            sum of epsilon
    approximate     sum of epsilon, sum of delta
    Gaussian        sum of mu^2
    concentrated    sum of rho          (the accountant "concentrated" makes everything this first)
    none            how many

The sums are exact: a float64 is a whole multiple of 2^-1074, and whole numbers are added. So an entry that is taken back leaves what would be there
without it, and the guarantee that is read off, rounded up once, is the one of the entries composed one by one, within the rounding of the last digit.
Kinds that no sum describes are kept whole, with how often they occur; an accountant that does not add numbers gets every entry.
"""

import json
import math
import sqlite3
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple, Self

from discreet.accounting import ApproximateDP, ConcentratedDP, GaussianDP, Guarantee, Json, PureDP, guarantee_from_dict
from discreet.accounting.numbers import ceiling
from discreet.core.files.strict_json import read_object
from discreet.core.rounding import up
from discreet.ledger.accountants import normal_form

_STEPS = 1 << 1074
_NUMBERS = {"pure": ("epsilon",), "approximate": ("epsilon", "delta"), "gaussian": ("mu",), "concentrated": ("rho",), "none": ()}
"""Kinds that add up, with the numbers of their records that a sum takes the place of."""


class Sum(NamedTuple):
    """Of the guarantees of one shape: two exact sums in steps of 2^-1074, and how many there are."""

    first: int = 0
    second: int = 0
    number: int = 0


class Tallies:
    """Sums by part and shape, where a shape is the record of a guarantee without the numbers that are summed."""

    __slots__ = ("accountant", "sums")

    def __init__(self, accountant: str, sums: dict[tuple[str | None, str], Sum] | None = None) -> None:
        """None is nothing yet."""
        self.accountant = accountant
        self.sums = {} if sums is None else sums

    @classmethod
    def read(cls, connection: sqlite3.Connection, data_set: str, accountant: str) -> Self:
        """Those of a data set, which the caller has checked."""
        rows = connection.execute("SELECT part, shape, first, second, number FROM tally WHERE data_set = ?", (data_set,))
        return cls(accountant, {(part or None, shape): Sum(int(first, 16), int(second, 16), number) for part, shape, first, second, number in rows})

    def add(self, part: str | None, guarantee: Guarantee, times: int = 1) -> tuple[str | None, str]:
        """Count a guarantee, or with -1 take one back; which sum it changed."""
        shape, first, second = _parted(normal_form(self.accountant, guarantee))  # type: ignore[arg-type]  # hashable, as compose needs them
        old = self.sums.get((part, shape), Sum())
        self.sums[part, shape] = Sum(old.first + times * first, old.second + times * second, old.number + times)
        return part, shape

    def write(self, connection: sqlite3.Connection, data_set: str, changed: Iterable[tuple[str | None, str]]) -> None:
        """Keep these sums; the data set has to be sealed again."""
        rows = [
            (data_set, part or "", shape, f"{one.first:x}", f"{one.second:x}", one.number)
            for part, shape in changed
            for one in [self.sums[part, shape]]
        ]
        connection.executemany("INSERT OR REPLACE INTO tally VALUES (?, ?, ?, ?, ?, ?)", rows)

    def guarantees(self) -> list[tuple[str | None, Guarantee]]:
        """For an accountant: (part, guarantee) of every sum, and of every other guarantee as often as it occurs."""
        return [(part, guarantee) for (part, shape), found in self.sums.items() for guarantee in _joined(shape, found)]


@lru_cache(maxsize=1 << 14)
def _parted(guarantee: Any) -> tuple[str, int, int]:  # noqa: ANN401 - a Guarantee, which type checkers do not know to be hashable
    record = guarantee.to_dict()
    for name in _NUMBERS.get(str(record["kind"]), ()):
        del record[name]
    match guarantee:
        case PureDP(epsilon=epsilon):
            terms = (epsilon, 0.0)
        case ApproximateDP(epsilon=epsilon, delta_at_epsilon=delta):
            terms = (epsilon, delta)
        case GaussianDP(mu=mu):
            terms = (mu * mu, 0.0)
        case ConcentratedDP(rho=rho):
            terms = (rho, 0.0)
        case _:
            terms = (0.0, 0.0)
    if not math.isfinite(terms[0]):  # mu^2 beyond float64
        return json.dumps(_nothing(record), sort_keys=True), 0, 0
    first, second = (int(Fraction(term) * _STEPS) for term in terms)
    return json.dumps(record, sort_keys=True), first, second


def _joined(shape: str, found: Sum) -> list[Guarantee]:
    if found.number <= 0:
        return []
    record = read_object(shape, what="a sum")
    kind = record["kind"]
    if kind not in _NUMBERS:
        return [guarantee_from_dict(record)] * found.number
    first, second = (ceiling(Fraction(steps, _STEPS)) for steps in (found.first, found.second))
    if not math.isfinite(first) or second >= 1.0:
        return [guarantee_from_dict(_nothing(record))]
    if kind == "gaussian":
        first = up(math.sqrt(first), 5)
    return [guarantee_from_dict({**record, **dict(zip(_NUMBERS[kind], (first, second), strict=False))})]


def _nothing(record: dict[str, Json]) -> dict[str, Json]:
    """The record of no guarantee with this scope: what is beyond float64 promises nothing."""
    kept = {name: value for name, value in record.items() if name in ("neighbours", "unit", "theorem", "local", "secret")}
    return {**kept, "kind": "none"}
