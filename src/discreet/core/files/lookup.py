"""What a path names, whatever the path is: a name that the system refuses (too long, say) names nothing, where pathlib raises."""

import os
from pathlib import Path


def exists(path: str | Path) -> bool:
    """Whether there is something."""
    return os.path.exists(path)  # noqa: PTH110 - see the module


def is_file(path: str | Path) -> bool:
    """Whether there is a file."""
    return os.path.isfile(path)  # noqa: PTH113 - see the module


def is_folder(path: str | Path) -> bool:
    """Whether there is a folder."""
    return os.path.isdir(path)  # noqa: PTH112 - see the module
