"""What the releases of data sets have in common: a table whose rows are computed a block at a time, for a public query."""

from typing import TypeVar

from discreet.data import Records
from discreet.mechanisms.base import Drawn, Mechanism
from discreet.queries import RowQuery, SecondMoments

__all__ = ["Drawn", "ReleaseMechanism"]

Q = TypeVar("Q", bound=RowQuery | SecondMoments)
"""The public query that a mechanism answers."""


class ReleaseMechanism(Mechanism[Q, Records]):
    """A mechanism whose value is a table."""

    __slots__ = ()
