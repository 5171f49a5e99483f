"""Running sums: what the entries of a data set take together, without reading them.

An accountant that adds numbers (module `accountants`) needs of many guarantees of one kind their sums alone:

    pure            sum of epsilon
    approximate     sum of epsilon, sum of delta
    Gaussian        sum of mu^2
    concentrated    sum of rho          (the accountant "concentrated" makes everything this first)
    none            how many

The sums are exact: a float64 is a whole multiple of 2^-1074, and whole numbers are added. So an entry that is taken back leaves what would be there
without it, and the guarantee that is read off, rounded up once, is the one of the entries composed one by one, within the rounding of the last digit.
Kinds that no sum describes are kept whole, with how often they occur, and so is everything for an accountant that does not add numbers.

What is counted is a guarantee as it is stored. Nearly all entries say the same around numbers of their own, so the words around them are read once
and of every entry the numbers alone; a text that is not of this form is read whole.
"""

import json
import math
import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Self, TypeAlias

from discreet.accounting import Guarantee, Json, guarantee_from_dict
from discreet.accounting.base import ceiling
from discreet.core.files.strict_json import read_object
from discreet.core.rounding import up
from discreet.ledger.accountants import adds, normal_form
from discreet.ledger.entries import read_stored

_BITS = 1074
_NUMBERS = {"pure": ("epsilon",), "approximate": ("epsilon", "delta"), "gaussian": ("mu",), "concentrated": ("rho",), "none": ()}
"""Kinds that add up, with the numbers of their records that a sum takes the place of."""
_DIGITS = r"((?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?)"
_FORM = re.compile(rf'\{{(?:"delta": {_DIGITS}, )?(.*?"(?:epsilon|mu|rho)": ){_DIGITS}([,}}].*)')
"""Delta, the other number, and the words before and after it. Keys are sorted, and quotation marks inside of a text have a backslash."""
Key: TypeAlias = tuple[str | None, str]
"""Part and shape."""


@dataclass(slots=True)
class Sum:
    """Of the guarantees of one shape: two exact sums in steps of 2^-1074, and how many there are."""

    first: int = 0
    second: int = 0
    number: int = 0

    def add(self, first: int, second: int, number: int) -> None:
        """Raise each by as much."""
        self.first += first
        self.second += second
        self.number += number


class Tallies:
    """Sums by part and shape, where a shape is the record of a guarantee without the numbers that are summed."""

    __slots__ = ("accountant", "sums")

    def __init__(self, accountant: str) -> None:
        """Nothing yet."""
        self.accountant = accountant
        self.sums: defaultdict[Key, Sum] = defaultdict(Sum)

    @classmethod
    def read(cls, connection: sqlite3.Connection, data_set: str, accountant: str) -> Self:
        """Those of a data set, which the caller has checked."""
        found = cls(accountant)
        rows = connection.execute("SELECT part, shape, first, second, number FROM tally WHERE data_set = ?", (data_set,))
        found.sums.update({(part or None, shape): Sum(int(first, 16), int(second, 16), number) for part, shape, first, second, number in rows})
        return found

    def add(self, part: str | None, text: str, times: int = 1) -> Key:
        """Count a guarantee that is stored as `text`, or with -1 take one back; which sum it changed."""
        shape, first, second = _by_form(self.accountant, text) or _by_record(self.accountant, text)
        self.sums[part, shape].add(times * first, times * second, times)
        return part, shape

    def add_all(self, other: "Tallies") -> Self:
        """Count what `other` has counted."""
        for key, one in other.sums.items():
            self.sums[key].add(one.first, one.second, one.number)
        return self

    def write(self, connection: sqlite3.Connection, data_set: str, changed: Iterable[Key]) -> None:
        """Keep these sums; the data set has to be sealed again."""
        found = [(*key, self.sums[key]) for key in changed]
        rows = [(data_set, part or "", shape, f"{one.first:x}", f"{one.second:x}", one.number) for part, shape, one in found]
        connection.executemany("INSERT OR REPLACE INTO tally VALUES (?, ?, ?, ?, ?, ?)", rows)

    def guarantees(self) -> list[tuple[str | None, Guarantee]]:
        """For an accountant: (part, guarantee) of every sum, and of every other guarantee as often as it occurs."""
        return [(part, guarantee) for (part, shape), found in self.sums.items() for guarantee in _joined(shape, found)]


def _by_form(accountant: str, text: str) -> tuple[str, int, int] | None:
    """Shape and terms, from the words around its numbers and these; None where that is not all there is to it."""
    found = _FORM.fullmatch(text)
    if found is None:
        return None
    delta, before, number, after = found.groups()
    kind, shape = _around(accountant, delta is not None, before, after)
    first, second = float(number), float(delta) if delta else 0.0
    if kind == "gaussian":
        first *= first
    return (shape, _steps(first), _steps(second)) if shape and first < math.inf and second < 1.0 else None


@lru_cache(maxsize=1 << 10)
def _around(accountant: str, has_delta: bool, before: str, after: str) -> tuple[str, str]:  # noqa: FBT001 - of the key of a cache
    """Kind and shape of all texts with these words around their numbers; an empty shape where other numbers than these are added up."""
    text = "{" + '"delta": 0.0, ' * has_delta + before + "0.0" + after
    shape = _by_record(accountant, text)[0]
    record = read_object(text, what="a guarantee")
    kind = str(record["kind"])
    numbers = _NUMBERS.get(kind, ())
    rest = {name: value for name, value in record.items() if name not in numbers}
    found = len(numbers) == 1 + has_delta and before.endswith(f'"{numbers[0]}": ')
    return kind, shape if found and read_object(shape, what="a sum") == rest else ""


@lru_cache(maxsize=1 << 14)
def _by_record(accountant: str, text: str) -> tuple[str, int, int]:
    """Shape and terms of any text. Raises FileFormatError where this version cannot read it."""
    if not adds(accountant):
        return text, 0, 0
    record = normal_form(accountant, read_stored(text)).to_dict()
    numbers = [float(record.pop(name)) for name in _NUMBERS.get(str(record["kind"]), ())]  # type: ignore[arg-type]  # a guarantee wrote them
    first, second, *_ = *numbers, 0.0, 0.0
    if record["kind"] == "gaussian":
        first *= first
    if first == math.inf:  # beyond float64
        return json.dumps(_nothing(record), sort_keys=True), 0, 0
    return json.dumps(record, sort_keys=True), _steps(first), _steps(second)


def _steps(number: float) -> int:
    """A float64 >= 0 in steps of 2^-1074."""
    if not number:
        return 0
    above, below = number.as_integer_ratio()
    return above << (_BITS + 1 - below.bit_length())


def _joined(shape: str, found: Sum) -> list[Guarantee]:
    """The guarantee with these sums, rounded up; each of them where they have not been summed."""
    if found.number <= 0:
        return []
    record = read_object(shape, what="a sum")
    kind = record["kind"]
    if kind not in _NUMBERS or not record.keys().isdisjoint(_NUMBERS[kind]):
        return [guarantee_from_dict(record)] * found.number
    first, second = (ceiling(Fraction(steps, 1 << _BITS)) for steps in (found.first, found.second))
    if not math.isfinite(first) or second >= 1.0:
        return [guarantee_from_dict(_nothing(record))]
    if kind == "gaussian":
        first = up(math.sqrt(first), 5)
    return [guarantee_from_dict({**record, **dict(zip(_NUMBERS[kind], (first, second), strict=False))})]


def _nothing(record: dict[str, Json]) -> dict[str, Json]:
    """The record of no guarantee with this scope: what is beyond float64 promises nothing."""
    kept = {name: value for name, value in record.items() if name in ("neighbours", "unit", "theorem", "local", "secret")}
    return {**kept, "kind": "none"}
