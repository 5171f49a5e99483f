"""The version of the installed package."""

import sys
from collections.abc import Iterator
from pathlib import Path


def _stated() -> Iterator[str]:
    """By the metadata that are beside the packages, in the folders where Python looks for those."""
    for found in (path for folder in sys.path for path in Path(folder).glob("discreet-*.dist-info/METADATA")):
        yield from (line.partition(":")[2].strip() for line in found.read_text(encoding="utf-8").splitlines() if line.startswith("Version:"))


def _looked_up() -> str:
    """The same by the library, whose import takes longer than most of a command; "unknown" where there are no metadata."""
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - seldom asked

    try:
        return version("discreet")
    except PackageNotFoundError:
        return "unknown"


VERSION = next(_stated(), None) or _looked_up()

KNOWN_VERSIONS = frozenset({VERSION})
"""Versions whose certificates of the present format say what this version says; a version that changes its words begins a new format."""
