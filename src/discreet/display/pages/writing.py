"""Pages written out: as HTML by templates, and as Markdown, in which words are escaped here, pictures are left out and their captions kept."""

import re
from collections.abc import Iterable, Iterator

from discreet.core.version import VERSION
from discreet.display.markup import rendered, visible
from discreet.display.pages.blocks import Block, Bullets, Code, Facts, Page, Picture, Pictures, Table, Text, Tone
from discreet.display.plots import PALETTE

_SOFTWARE = "discreet" if VERSION == "unknown" else f"discreet {VERSION}"
FOOT = f"Written by {_SOFTWARE}. Every number on this page is public: nothing was computed from the records but what was released."
"""The last line of a page on what was released."""
PUBLIC_FOOT = f"Written by {_SOFTWARE}, from public numbers alone."
"""The last line of a page for which no record was read."""
_MARKS = re.compile(r"([\\`*\[\]|~])")
_LONE_UNDERSCORE = re.compile(r"(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])")
_AT_THE_START = re.compile(r"^(\s*)(#|=|[+\-](?=[\s\-]|$)|\d+[.)](?=\s|$))")


def page_html(page: Page) -> str:
    """The whole file."""
    return rendered("page.html", page=page, palette=PALETTE)


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
