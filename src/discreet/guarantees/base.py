"""Guarantees as values: what a release promises, to whom, and by which theorem.

A guarantee is a curve delta(epsilon) over all epsilon >= 0: whatever event S is watched for, P(S) <= e^epsilon P'(S) + delta(epsilon) for
every pair of neighbouring data sets. It always names its neighbouring relation and its unit (what one neighbour may change), and two
guarantees that differ in either never mix.
"""

from enum import StrEnum
from typing import Protocol, TypeAlias, runtime_checkable

from discreet.neighbours import Neighbours

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
"""What a certificate may hold."""


class Unit(StrEnum):
    """What a neighbour changes."""

    RECORD = "record"


@runtime_checkable
class Guarantee(Protocol):
    """A privacy curve with its neighbouring relation, unit and theorem."""

    @property
    def neighbours(self) -> Neighbours:
        """Neighbouring relation."""

    @property
    def unit(self) -> Unit:
        """What one neighbour may change."""

    @property
    def theorem(self) -> str:
        """Where the proof is."""

    def delta(self, epsilon: float) -> float:
        """An upper bound of the smallest delta at this epsilon >= 0."""

    def to_dict(self) -> dict[str, Json]:
        """For certificates; `guarantee_from_dict` reads it back."""
