"""What is asked of floors above one's own, none of which may be imported: `display` shows a result, `verification` checks a certificate.

`discreet/__init__.py` is above all of them and runs before any other module. It says who answers, so that every import points downwards.
"""

from collections.abc import Callable, Iterable
from typing import Any


class Above:
    """Functions of the package's face."""

    __slots__ = ("checked", "shown", "transformer")

    checked: Callable[..., Iterable[Any]]
    """The verdicts on what a certificate states."""
    shown: Callable[..., str]
    """The HTML or SVG of a named function of `discreet.display`, of what is given."""
    transformer: Callable[..., Any]
    """The step of a Pipeline that encodes rows by a schema."""


above = Above()
