"""Pages: what a report says, as a value, and how it is written as HTML or Markdown.

Words go in as they are; whoever writes them out makes them safe.
"""

from discreet.pages.blocks import Block, Bullets, Code, Facts, Page, Picture, Pictures, Section, Table, Text, Tone
from discreet.pages.html import page_html, view_html
from discreet.pages.markdown import page_markdown

__all__ = [
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
