"""What a certificate states, and the verdicts of those who check it: names that both use, and neither of the two needs the other for.

A certificate is written and read without anything that checks it; `discreet.verification` checks what is stated, whoever wrote it.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from discreet.accounting import Guarantee, Json
from discreet.core.short import short_repr
from discreet.statements.base import Hypothesis


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """The fields of a certificate."""

    mechanism: str
    """Name of the mechanism, which is also the name of its recheck."""
    parameters: Mapping[str, Json]
    """Public parameters of the mechanism: noise scales, tolerance, budget shares."""
    problem: Mapping[str, Json]
    """The public problem."""
    guarantee: Guarantee
    hypotheses: tuple[Hypothesis, ...]
    noise: str
    """Where the noise came from."""
    noise_private: bool
    """False when the noise can be replayed."""
    digest: str
    """SHA-256 of the released numbers."""
    declared: tuple[str, ...] = ()
    """What the caller declared public."""
    version: str = ""
    """Version of the library that issued the certificate."""
    releases: int = 1
    """How many releases of the mechanism the guarantee covers together."""
    ledger_entry: str | None = None
    """Identifier of the entry in the ledger that the budget was reserved by; None where no ledger was in use."""

    __repr__ = short_repr


class Check(NamedTuple):
    """One verdict, in words, with public numbers."""

    name: str
    ok: bool
    detail: str

    def __bool__(self) -> bool:
        """Whether it passed: a verdict that failed must not be taken for true because it is there."""
        return self.ok


Recheck: TypeAlias = Callable[[Stated], Iterable[Check]]
"""From what is stated to verdicts on the numbers of the guarantee."""

RECHECKS: dict[str, Recheck] = {}
"""By the names of their mechanisms; those of `discreet.verification` are registered as they are imported."""


def register_recheck(*mechanisms: str) -> Callable[[Recheck], Recheck]:
    """Decorator: the recheck of the mechanisms of these names. Raises ValueError when a name is taken."""

    def keep(function: Recheck) -> Recheck:
        for mechanism in mechanisms:
            if mechanism in RECHECKS:
                raise ValueError(f"a recheck for {mechanism!r} is registered already")
            RECHECKS[mechanism] = function
        return function

    return keep
