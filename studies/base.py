"""What a study is: a grid of cells, each computed and written down on its own, and a page made of what they found.

    Study     name, title, paper;   cells(quick) -> the grid;   compute(cell, tables) -> records;   page(results) -> figures and words
    Cell      one point of the grid: the part of the study that it belongs to (a figure, a table), its settings, the tables that it needs
    Record    one number that came out, with what it is: {"method": "sketch, published", "repeat": 3, "measure": "relative error", "value": 1.31}

A cell is a function of its settings and of public tables alone, noise included (`seed_of`): run again, it gives the same numbers. So an interrupted
study goes on where it stopped, and a changed number means changed code. Studies use public data and seeded noise: nothing here protects anybody.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from discreet.core.errors import InvalidInput
from studies.page import Page
from studies.results import Results
from studies.tables import Tables

Value: TypeAlias = str | int | float | bool | None
"""What a cell of results may hold."""
Record: TypeAlias = dict[str, Value]
"""One row of results, by column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One point of the grid of a study."""

    part: str
    """Which figure or table of the study, such as "figure-1"."""
    settings: Mapping[str, Value] = field(default_factory=dict)
    """What distinguishes the cell from others of the part; repeated in each of its records."""
    needs: tuple[str, ...] = ()
    """Names of tables (module `tables`) that it loads. Where one is missing the cell is left out, and the page says so."""

    @property
    def key(self) -> str:
        """The cell as text: the same for the same cell, in every process."""
        return json.dumps([self.part, dict(self.settings)], sort_keys=True, allow_nan=False)


class Study(Protocol):
    """A study of one paper. Its folder holds an object that satisfies this, listed in `registry`."""

    @property
    def name(self) -> str:
        """Name on the command line."""

    @property
    def title(self) -> str:
        """One line that says what is compared."""

    @property
    def paper(self) -> str:
        """Authors, year and title."""

    def cells(self, *, quick: bool) -> Sequence[Cell]:
        """The grid; `quick` for a few minutes."""

    def compute(self, cell: Cell, tables: Tables) -> Iterator[Record]:
        """The records of one cell; each has a `measure` (text) and a `value` (a finite number, or None for "there is none")."""

    def page(self, results: Results) -> Page:
        """Figures, comparisons and notes from what there is: parts may be missing."""


def seed_of(*words: Value) -> int:
    """A public seed from what an experiment is called, below 2^63: equal words give equal data, other words independent data."""
    text = json.dumps(words, allow_nan=False)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) >> 1


def checked(record: Record, cell: Cell) -> Record:
    """The record with its part and the cell's settings. Raises InvalidInput for a record that says nothing."""
    clash = sorted(({"part"} | set(cell.settings)) & set(record))
    if "measure" not in record or "value" not in record or clash:
        raise InvalidInput(f"a record of a study needs a measure and a value, and no setting of its cell again; {sorted(record)} were given.")
    return {"part": cell.part, **cell.settings, **record}
