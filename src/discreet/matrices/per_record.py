"""Which models answer about every record by itself: what they say of a record is a function of this record and the model, to the last bit.

A count of decisions changes by one record at most, when one record changes, if no decision reads another record. Most models break this in their
last bits: they leave sums to a library for matrix products, which adds up in another order when a table has one row more. That cannot be seen from
outside, and no margin covers it, as the error grows with the terms of the sum. So a model counts as known only where its class was marked by those
who wrote it; every other one is asked about each record in a table of one row.
"""

from collections.abc import Callable
from typing import Any, TypeVar

_Class = TypeVar("_Class", bound=type)
_KNOWN: dict[type, Callable[[Any], bool]] = {}


def answers_per_record(kind: _Class) -> _Class:
    """A decorator for a class of models whose prediction, decision value and probabilities for a record no other record changes in the last bit.

    It marks this class and no subclass, which may compute in another way.
    """
    _KNOWN[kind] = lambda _: True
    return kind


def answers_as_its(part: str) -> Callable[[_Class], _Class]:
    """The same for a class whose models pass every question on to one in this attribute: it is known where that one is."""

    def mark(kind: _Class) -> _Class:
        _KNOWN[kind] = lambda model: is_per_record(vars(model).get(part))
        return kind

    return mark


def marked_per_record(kind: type) -> bool:
    """Whether the class was marked, by either decorator."""
    return kind in _KNOWN


def is_per_record(model: object) -> bool:
    """Whether it is known that the model answers about every record by itself."""
    known = _KNOWN.get(type(model))
    return known is not None and known(model)
