"""The parts of a page. All words are plain text, never markup: a class that is called `<script>` is shown as that.

Page = title, lead, sections;   Section = title, blocks;   Block = Text | Bullets | Facts | Table | Picture | Pictures | Code
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, TypeAlias

from discreet.core.errors import InvalidInput
from discreet.display.plots import Drawing


class Tone(StrEnum):
    """How a paragraph is meant."""

    PLAIN = "plain"
    LEAD = "lead"
    """What a reader in a hurry must have read."""
    NOTE = "note"
    """Of less weight."""
    GOOD = "good"
    """A check that passed."""
    BAD = "bad"
    """A warning."""


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph."""

    kind: ClassVar[str] = "text"
    words: str
    tone: Tone = Tone.PLAIN

    @property
    def mark(self) -> str:
        """A word before the others, for who sees no colours."""
        return {Tone.GOOD: "Passed.", Tone.BAD: "Careful."}.get(self.tone, "")


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list."""

    kind: ClassVar[str] = "bullets"
    lines: Sequence[str]


@dataclass(frozen=True, slots=True)
class Facts:
    """Names with what they are: a table of two columns whose first is a heading."""

    kind: ClassVar[str] = "facts"
    caption: str
    rows: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Table:
    """A table. Raises InvalidInput for rows of another length than the header."""

    kind: ClassVar[str] = "table"
    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: Collection[int] = ()
    """Columns that are aligned at their right."""

    def __post_init__(self) -> None:
        """See class docstring."""
        if any(len(row) != len(self.header) for row in self.rows):
            raise InvalidInput(f"every row of the table {self.caption!r} needs {len(self.header)} cells.")


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing, with what it shows in words."""

    kind: ClassVar[str] = "picture"
    drawing: Drawing
    caption: str
    """Also read aloud to those who do not see the picture: it must say what is to be seen."""


@dataclass(frozen=True, slots=True)
class Pictures:
    """Pictures beside each other where there is room."""

    kind: ClassVar[str] = "pictures"
    pictures: Sequence[Picture]


@dataclass(frozen=True, slots=True)
class Code:
    """Lines to be typed."""

    kind: ClassVar[str] = "code"
    lines: Sequence[str]


Block: TypeAlias = Text | Bullets | Facts | Table | Picture | Pictures | Code
"""What a page is made of."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what is below it."""

    title: str
    blocks: Sequence[Block]


@dataclass(frozen=True, slots=True)
class Page:
    """A whole page."""

    title: str
    lead: Sequence[Block]
    """Between the title and the first section."""
    sections: Sequence[Section]
    foot: str = ""
    """The last line."""
