"""A summary of a fitted model as a value: tables of coefficients, in words, for notebooks, for papers and as JSON.

How it is made: module `summarise`.
"""

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass

from discreet.accounting import Json
from discreet.core.comma_separated import comma_separated
from discreet.core.short import short_repr
from discreet.core.showing import html_of, shown
from discreet.core.told import columns

MOST = 40
"""Coefficients that are shown where nobody says how many."""
_HEADER = ("coefficient", "noise s.e.", "low", "high", "odds ratio")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One coefficient."""

    name: str
    unit: str
    """What it is per: "age" for one unit of that column; "" for a feature as it stands."""
    coefficient: float
    noise: float | None
    """Standard error that the noise alone leaves, or an upper bound of it; None where it has no public law."""
    low: float | None
    high: float | None
    odds_ratio: float | None = None

    def cells(self) -> tuple[str, ...]:
        """Coefficient, noise, low, high and odds ratio as text, "" for what is not there."""
        given = (self.coefficient, self.noise, self.low, self.high, self.odds_ratio)
        return tuple("" if one is None else f"{one:.4g}" for one in given)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The coefficients of one decision function: the only one, or that of one class."""

    towards: str
    """What a larger value speaks for."""
    lines: tuple[Line, ...]
    left_out: int = 0
    """How many less important coefficients there are besides."""

    __repr__ = short_repr


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """`print` it; `to_latex`, `to_dict`, `to_json` and notebooks show the same."""

    title: str
    facts: tuple[tuple[str, str], ...]
    """What the model is."""
    paid: tuple[tuple[str, str], ...]
    """What it cost, and whose word that is."""
    parts: tuple[Part, ...]
    counted: str | None
    """What the intervals count; None where there are none."""
    level: float
    intervals: str
    """What the intervals are for, or why there are none; "" without coefficients."""
    notes: tuple[str, ...]
    """All that is said below the tables, this among it."""

    __repr__ = short_repr
    _repr_html_ = html_of("summaries.view")

    @property
    def header(self) -> tuple[str, ...]:
        """Headers of the columns after the names, for columns with any content."""
        return tuple(_HEADER[place] for place in self._filled)

    def rows(self, part: Part) -> list[tuple[str, ...]]:
        """The rows of a part as text, with the name first."""
        return [(_named(line), *(line.cells()[place] for place in self._filled)) for line in part.lines]

    def __str__(self) -> str:
        """In columns."""
        wide = max(len(name) for name, _ in (*self.facts, *self.paid))
        said = [f"{name:<{wide}}  {words}" for name, words in (*self.facts, *self.paid)]
        tables = [line for part in self.parts for line in self._table(part)]
        rule = "=" * max(len(self.title), *(min(len(line), 100) for line in (*said, *tables)))
        return "\n".join([self.title, rule, *said, *tables, rule, *self.notes])

    def to_latex(self) -> str:
        """Tables for a paper, with booktabs; every name is escaped."""
        return shown("summaries.latex", self)

    def to_dict(self) -> dict[str, Json]:
        """For JSON; null for missing values and infinite ends."""
        return {
            "title": self.title,
            "model": dict(self.facts),
            "paid": dict(self.paid),
            "level": self.level,
            "intervals_count": self.counted,
            "parts": [{"towards": part.towards, "left_out": part.left_out, "lines": [_plain(line) for line in part.lines]} for part in self.parts],
            "notes": list(self.notes),
        }

    def to_json(self) -> str:
        """`to_dict` as text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def to_csv(self, *, for_spreadsheet: bool = False) -> str:
        """One line per coefficient, with all digits, and what its interval counts; missing values are empty, as is an end at infinity.

        `for_spreadsheet` keeps names from being formulas to one.
        """
        lines = [[part.towards, *_exact(line), self.counted or ""] for part in self.parts for line in part.lines]
        return comma_separated([["towards", "name", "unit", *_HEADER, "intervals count"], *lines], for_spreadsheet=for_spreadsheet)

    @property
    def _filled(self) -> tuple[int, ...]:
        cells = [line.cells() for part in self.parts for line in part.lines]
        return tuple(place for place in range(len(_HEADER)) if any(row[place] for row in cells))

    def _table(self, part: Part) -> Iterator[str]:
        rows = [(f"towards {part.towards}" if part.towards else "", *self.header), *self.rows(part)]
        yield ""
        yield from columns(rows[0], rows[1:])
        if part.left_out:
            yield f"and {part.left_out} less important ones"


def _named(line: Line) -> str:
    return f"{line.name} (per unit)" if line.unit else line.name


def _exact(line: Line) -> list[str]:
    """The name and the unit as texts, and the numbers in the order of the header."""
    given = (line.coefficient, line.noise, line.low, line.high, line.odds_ratio)
    return [line.name, line.unit, *("" if one is None or not math.isfinite(one) else repr(float(one)) for one in given)]


def _plain(line: Line) -> dict[str, Json]:
    given = {"coefficient": line.coefficient, "noise": line.noise, "low": line.low, "high": line.high, "odds_ratio": line.odds_ratio}
    numbers: dict[str, Json] = {key: value if value is not None and math.isfinite(value) else None for key, value in given.items()}
    return {"name": line.name, "unit": line.unit or None, **numbers}
