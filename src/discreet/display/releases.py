"""Releases in folders, in notebooks: what `discreet inspect` says."""

from discreet.display.pages import Block, Bullets, Text, view_html
from discreet.releases import PublishedRelease, SyntheticTable


def view(release: PublishedRelease | SyntheticTable) -> str:
    """HTML: what it is, what it protects and what not, and how to use it."""
    blocks: list[Block] = []
    for heading, lines in release.inspection():
        blocks += [Text(f"{heading}:"), Bullets(lines)]
    return view_html(f"Release {release.name}", *blocks)
