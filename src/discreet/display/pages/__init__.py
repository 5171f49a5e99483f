"""Pages: what a report says, as a value. Words go in as they are; whoever writes them out, as HTML, a view or Markdown, makes them safe."""

from discreet.display.pages.blocks import Block, Bullets, Code, Facts, Page, Picture, Pictures, Section, Table, Text, Tone
from discreet.display.pages.writing import FOOT, PUBLIC_FOOT, page_html, page_markdown, view_html

__all__ = [
    "FOOT",
    "PUBLIC_FOOT",
    "Block",
    "Bullets",
    "Code",
    "Facts",
    "Page",
    "Picture",
    "Pictures",
    "Section",
    "Table",
    "Text",
    "Tone",
    "page_html",
    "page_markdown",
    "view_html",
]
