"""What certificates say, in words that their recorded numbers determine: one module for each family of mechanisms, found by their names.

    words_of(mechanism, parameters, problem) -> theorem, hypotheses with what enforces each, what the caller declared public

A mechanism takes its words from here when it issues a certificate; whoever verifies takes them from here when the certificate is rebuilt from its
numbers and compared, field by field. There is no other copy. A mechanism of somebody else's own registers its words wherever it is.
"""

from dataclasses import replace
from typing import Any

from discreet.accounting import Guarantee, Unit
from discreet.accounting.base import Statement
from discreet.core.errors import InvalidInput
from discreet.core.lazily import registered
from discreet.core.neighbours import Persons
from discreet.statements.base import SEVERAL, WRITERS, Record, Words, Writer, stays, theorem_for
from discreet.statements.spec import SPECS, Spec

__all__ = ["certified_words", "for_persons", "spec_named", "words_of"]


def _writer_of(mechanism: str) -> Writer | None:
    return registered(WRITERS, mechanism, __name__)


def spec_named(mechanism: str) -> type[Spec[Any]] | None:
    """The declaration of a mechanism; None for one that has none."""
    return registered(SPECS, mechanism, __name__)


def words_of(mechanism: str, parameters: Record, problem: Record) -> Words | None:
    """None for a mechanism that nobody registered. Raises KeyError, TypeError or ValueError for a record that is none of this mechanism."""
    writer = _writer_of(mechanism)
    return None if writer is None else writer(parameters, problem)


def certified_words(mechanism: str, parameters: Record, problem: Record) -> Words:
    """Those of a mechanism that issues a certificate; KeyError for one that registered none."""
    words = words_of(mechanism, parameters, problem)
    if words is None:
        raise KeyError(f"no words are registered for {mechanism!r}: its certificate would never verify")
    return words


def for_persons(mechanism: str, guarantee: Guarantee, persons: Persons | None) -> Guarantee:
    """The guarantee of a mechanism, for persons where there are any. Raises InvalidInput where it is none for persons."""
    if persons is None or stays(guarantee.unit, persons):
        return guarantee
    if not isinstance(guarantee, Statement) or guarantee.unit is not Unit.RECORD or guarantee.local:
        raise InvalidInput(
            f"{mechanism} promises something about single numbers, features or rows that their owners randomise, and not about persons; "
            "leave the persons out, or take a method that protects whole records."
        )
    _writer_of(mechanism)  # registers it, if that was not done yet
    if persons.several and mechanism not in SEVERAL:
        raise InvalidInput(
            f"{mechanism} has no guarantee for persons with several rows. With person ids, rows_per_person=1 keeps one row of each. Otherwise "
            "take another method, or protect single rows at a smaller epsilon and, if no person has more than k rows, charge a ledger of "
            "persons for groups of k (group_rows=k)."
        )
    return replace(guarantee, unit=Unit.PERSON, theorem=theorem_for(guarantee.theorem, persons, SEVERAL.get(mechanism, "")))
