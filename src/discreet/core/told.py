"""What prints as a table: text in columns where it is printed, and the same words and numbers in a notebook.

A class says once what it tells (`told`), from public values, and `Tabled` gives it both: `print(one)` and `_repr_html_`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from discreet.core.showing import shown

MOST_ROWS = 60
"""Of a table; how many more there are is said below."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """A named interval with its middle, for a picture."""

    name: str
    low: float
    middle: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A title, names with what they are, a table whose columns behind the first are numbers unless said, and sentences."""

    title: str
    facts: Sequence[tuple[str, str]] = ()
    caption: str = ""
    header: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    texts: Sequence[int] = ()
    """Columns of the table, besides the first, that hold words."""
    notes: Sequence[str] = ()
    ranges: Sequence[Range] = ()
    """Drawn in notebooks; they stand in the table as well."""

    def __post_init__(self) -> None:
        """Cut a long table."""
        if (more := len(self.rows) - MOST_ROWS) > 0:
            object.__setattr__(self, "rows", self.rows[:MOST_ROWS])
            object.__setattr__(self, "notes", [*self.notes, f"And {more:,} more."])

    def __str__(self) -> str:
        """In columns."""
        wide = max((len(name) for name, _ in self.facts), default=0)
        said = [f"{name:<{wide}}  {words}" for name, words in self.facts]
        table = ["", *([self.caption] if self.caption else []), *columns(self.header, self.rows, texts=self.texts)] if self.rows else []
        return "\n".join([self.title, *said, *table, *self.notes])


class Tabled:
    """What tells itself by a `Told`."""

    __slots__ = ()

    def told(self) -> Told:
        """The text shown by `print` and in notebooks."""
        raise NotImplementedError

    def __str__(self) -> str:
        """A table in columns."""
        return str(self.told())

    def _repr_html_(self) -> str:
        """The same for notebooks."""
        return shown("told.view", self.told())


def columns(header: Sequence[str], rows: Sequence[Sequence[str]], *, texts: Sequence[int] = ()) -> Iterator[str]:
    """Lines: the header, a rule and the rows; the first column and `texts` begin at their left, the others end at their right."""
    widths = [max(len(row[place]) for row in (header, *rows)) for place in range(len(header))]
    for number, row in enumerate((header, *rows)):
        cells = (f"{cell:{'<' if place == 0 or place in texts else '>'}{widths[place]}}" for place, cell in enumerate(row))
        yield "  ".join(cells).rstrip()
        if number == 0:
            yield "-" * (sum(widths) + 2 * (len(widths) - 1))
