"""Rechecks: for each mechanism, a second way to compute what its recorded parameters guarantee.

A recheck shares no code with the calibration of its mechanism: it starts from the loss's own derivatives and integrates numerically.
Mechanisms register theirs by name; a certificate of a mechanism that nobody registered does not verify.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, TypeAlias

from discreet.accounting import Guarantee, Json


class Check(NamedTuple):
    """One verdict, in words, with public numbers."""

    name: str
    ok: bool
    detail: str


Recheck: TypeAlias = Callable[[Mapping[str, Json], Mapping[str, Json], Guarantee, int], Iterable[Check]]
"""From (mechanism parameters, problem, stated guarantee, number of releases) to verdicts."""

_REGISTERED: dict[str, Recheck] = {}


def register_recheck(mechanism: str) -> Callable[[Recheck], Recheck]:
    """Decorator: the recheck of the mechanism of this name. Raises ValueError when the name is taken."""

    def keep(function: Recheck) -> Recheck:
        if mechanism in _REGISTERED:
            raise ValueError(f"a recheck for {mechanism!r} is registered already")
        _REGISTERED[mechanism] = function
        return function

    return keep


def recheck(mechanism: str, parameters: Mapping[str, Json], problem: Mapping[str, Json], guarantee: Guarantee, releases: int) -> tuple[Check, ...]:
    """All verdicts of the mechanism's recheck; a failed one where there is no recheck, or where the record cannot be read."""
    function = _REGISTERED.get(mechanism)
    if function is None:
        return (Check("mechanism", False, f"no mechanism called {mechanism!r} is known to this version, so nothing can be verified"),)
    try:
        return tuple(function(parameters, problem, guarantee, releases))
    except (KeyError, TypeError, ValueError, OverflowError, ZeroDivisionError, FloatingPointError):
        return (Check("record", False, "the recorded parameters are incomplete, of the wrong type or out of range"),)
