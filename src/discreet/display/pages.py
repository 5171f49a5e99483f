"""Pages: what a report says, as a value, and how it is written out: as HTML by templates, as a view of a notebook, or as Markdown.

All words are plain text, never markup: a class that is called `<script>` is shown as that. Markdown is escaped here; pictures are left out of it, and
their captions kept.

Page = title, lead, sections;   Section = title, blocks;   Block = Text | Bullets | Facts | Table | Picture | Pictures | Code
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, TypeAlias

from discreet.core.errors import InvalidInput
from discreet.core.version import VERSION
from discreet.display.markup import rendered, visible
from discreet.display.plots import PALETTE, Drawing

_SOFTWARE = "discreet" if VERSION == "unknown" else f"discreet {VERSION}"
FOOT = f"Written by {_SOFTWARE}. Every number on this page is public: apart from the release itself, nothing was computed from the records."
"""The last line of a page on what was released."""
PUBLIC_FOOT = f"Written by {_SOFTWARE}, from public numbers alone."
"""The last line of a page for which no record was read."""
APPENDIX = "Appendix for experts"
_MARKS = re.compile(r"([\\`*\[\]|~])")
_LONE_UNDERSCORE = re.compile(r"(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])")
_AT_THE_START = re.compile(r"^(\s*)(#|=|[+\-](?=[\s\-]|$)|\d+[.)](?=\s|$))")


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
    appendix: Sequence[Section] = ()
    """What experts ask for, behind the page that everybody reads."""


def page_html(page: Page) -> str:
    """The whole file."""
    return rendered("page.html", page=page, palette=PALETTE, appendix=APPENDIX)


def view_html(title: str, *blocks: Block) -> str:
    """A part of a notebook's page: a title and blocks, in the notebook's own colours."""
    return rendered("view.html", title=title, blocks=blocks)


def plain(words: str) -> str:
    """Words as Markdown that shows them as they are, in one line."""
    text = visible(words).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    text = _LONE_UNDERSCORE.sub(r"\\_", _MARKS.sub(r"\\\1", text))
    return _AT_THE_START.sub(lambda found: f"{found[1]}{found[2][:-1]}\\{found[2][-1]}", text)


def page_markdown(page: Page) -> str:
    """The whole file."""
    parts = [f"# {plain(page.title)}", *_blocks(page.lead)]
    for section in page.sections:
        parts += [f"## {plain(section.title)}", *_blocks(section.blocks)]
    if page.appendix:
        parts.append(f"# {APPENDIX}")
    for section in page.appendix:
        parts += [f"## {plain(section.title)}", *_blocks(section.blocks)]
    if page.foot:
        parts += ["---", plain(page.foot)]
    return "\n\n".join(parts) + "\n"


def _blocks(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        match block:
            case Text(words=words, tone=tone):
                mark = f"**{block.mark}** " if block.mark else ""
                yield f"{'> ' if tone in {Tone.LEAD, Tone.GOOD, Tone.BAD} else ''}{mark}{plain(words)}"
            case Bullets(lines=lines):
                yield "\n".join(f"- {plain(line)}" for line in lines)
            case Facts(caption=caption, rows=rows):
                yield _table(caption, ("", ""), rows)
            case Table(caption=caption, header=header, rows=rows):
                yield _table(caption, header, rows)
            case Picture(caption=caption):
                yield plain(caption)
            case Pictures(pictures=pictures):
                yield "\n\n".join(plain(one.caption) for one in pictures)
            case Code(lines=lines):
                yield "\n".join(f"    {visible(line)}" for line in lines)


def _table(caption: str, header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    names = [plain(name) for name in header]
    lines = [f"| {' | '.join(names)} |", "|" + "---|" * len(names), *(f"| {' | '.join(plain(cell) for cell in row)} |" for row in rows)]
    return f"{plain(caption)}\n\n" + "\n".join(lines)
