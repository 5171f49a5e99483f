"""The certificate again, from its recorded numbers: every field but those that no stranger can know is compared with what is stated.

What follows from the record alone is the same for all mechanisms and is here: relation, grids, theorem, hypotheses, unit, who randomised, what must
stay secret, what was declared. The numbers of the guarantee are computed by the *recheck* of the mechanism, in lines of its own: it imports nothing
of its calibration, starts from the loss's own derivatives, and integrates numerically. Without one, no certificate of a mechanism verifies.
What nobody can recompute is checked for its form: the digest, without the value; the ledger entry.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeVar
from uuid import UUID

from discreet.accounting import ApproximateDP, Json, MutualInformation, NoGuarantee, PureDP, guarantee_from_dict
from discreet.accounting.base import Statement
from discreet.core.fields import positive, text
from discreet.core.lazily import registered
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.core.version import KNOWN_VERSIONS
from discreet.noise.stated import SYSTEM_SOURCE
from discreet.statements import Words
from discreet.statements.base import COMPOSED, RECHECKS, Check, Stated, mapping, public_records, register_recheck, unknown_lines
from discreet.statements.spec import Spec
from discreet.words import spec_named, words_of

__all__ = ["Check", "Stated", "register_recheck"]
"""What rechecks take from here that is made elsewhere."""

S = TypeVar("S", bound=Spec[Any])
AGREEMENT = 1e-9
"""Relative room for the quadrature; the calibrations leave more than that."""
CLOSE = 2e-3
"""By how much of itself a stated epsilon, or a number of bits, may be above the recomputed one."""
SAME = 1e-11
_DIGEST = re.compile(r"[0-9a-f]{64}")
_RULES = {"pure": ("basic composition",), "approximate": ("basic composition", COMPOSED), "mutual-information": ("chain rule of mutual information",)}


def verifies(spec: type[S]) -> Callable[[Callable[[Stated, S], Iterable[Check]]], Callable[[Stated, S], Iterable[Check]]]:
    """Decorator: the recheck of the mechanism that this declares. It gets the declaration that the certificate records."""

    def keep(function: Callable[[Stated, S], Iterable[Check]]) -> Callable[[Stated, S], Iterable[Check]]:
        register_recheck(spec.name)(lambda stated: function(stated, spec.read(stated.parameters)))
        return function

    return keep


def spec_of(stated: Stated, kind: type[S]) -> S:
    """The declaration that a certificate records. Raises ValueError for one of another kind."""
    found = spec_named(stated.mechanism)
    if found is None or not issubclass(found, kind):
        raise ValueError("mechanism: it is of another kind")
    return found.read(stated.parameters)


def part_of(stated: Stated, record: Json) -> Stated:
    """What the certificate states of one of the mechanisms that its own ran, once; of how the noise was drawn it says the same."""
    part = mapping(record)
    return replace(
        stated,
        mechanism=text(part["mechanism"]),
        parameters=mapping(part["parameters"]),
        problem=mapping(part["problem"]),
        guarantee=guarantee_from_dict(mapping(part["guarantee"])),
        releases=1,
    )


def recheck(stated: Stated) -> tuple[Check, ...]:
    """Whether the guarantee is what the recorded numbers give; a failed check where there is no recheck, or where the record cannot be read."""
    numbers = registered(RECHECKS, stated.mechanism, "discreet.verification")
    if numbers is None:
        return (Check("mechanism", False, f"no mechanism called {stated.mechanism!r} is known to this version, so nothing can be verified"),)
    try:
        found = tuple(_calibrated(stated))
        return found if isinstance(stated.guarantee, NoGuarantee) else (*found, *numbers(stated))
    except (KeyError, TypeError, ValueError, OverflowError, ZeroDivisionError, FloatingPointError):
        return (Check("record", False, "the recorded parameters are incomplete, of the wrong type or out of range"),)


@register_recheck(
    "non-private",
    "frank-wolfe-non-private",
    "least-squares-non-private",
    "prediction-non-private",
    "targets-non-private",
    "release-null-space-noise",
    "release-published-sketch",
)
def _nothing(_stated: Stated) -> Iterator[Check]:
    yield Check("guarantee", False, "this mechanism can promise nothing")


def _calibrated(stated: Stated) -> Iterator[Check]:
    """Of every mechanism: one relation for noise and guarantee, grids whose points are exact numbers, and a promise at all."""
    guarantee, noise = stated.guarantee, str(stated.parameters["neighbours"])
    same = Neighbours(noise) is guarantee.neighbours
    yield Check("neighbouring relation", same, f"guarantee stated for {guarantee.neighbours}, noise calibrated for {noise}")
    for name, value in stated.parameters.items():
        if name == "step" or name.endswith("_step"):
            step = positive(value)
            exact = math.frexp(step)[0] == 0.5
            yield Check("grid", exact, f"step {step:.6g}, which must be a power of two, so that grid points are exact numbers")
    if isinstance(guarantee, NoGuarantee):
        yield Check("guarantee", False, guarantee.theorem)


def covers(stated: float, computed: float, *, room: float = AGREEMENT, most: float = math.inf, least: float = 0.0) -> bool:
    """Whether a stated number is not below the recomputed one, which is known up to `least`, an absolute number, at best.

    Above it is no danger. Where both roads are sharp, numbers that are apart by more than `most` of them do not belong together all the same; deltas
    may be, since calibrations are looser at the ends of their ranges, by a factor of 250 even.
    """
    return computed <= stated * (1.0 + room) + least and (math.isinf(most) or stated <= computed * (1.0 + most))


def epsilon_check(stated: Stated, computed: float, how: str, *, most: float = CLOSE, approximate: bool = False) -> Check:
    """Whether the stated epsilon covers the recomputed one, see `covers`; of a pure guarantee, or of an `approximate` one too."""
    guarantee = stated.guarantee
    epsilon = guarantee.epsilon if isinstance(guarantee, PureDP) or (approximate and isinstance(guarantee, ApproximateDP)) else math.nan
    ok = computed > 0 and stated.releases >= 1 and covers(epsilon, stated.releases * computed, most=most)
    return Check("epsilon", bool(ok), f"stated {epsilon:.10g}, recomputed {stated.releases * computed:.10g} ({how})")


def delta_check(stated: Stated, epsilon: float, computed: float, how: str, *, room: float = AGREEMENT, least: float = 0.0) -> Check:
    """Whether the stated delta covers the recomputed one, at the epsilon that is stated; see `covers`."""
    guarantee, releases = stated.guarantee, stated.releases
    if not isinstance(guarantee, ApproximateDP):
        return Check("delta", False, "an (epsilon, delta) guarantee was expected")
    ok = (
        epsilon > 0
        and computed >= 0
        and releases >= 1
        and math.isclose(guarantee.epsilon, releases * epsilon, rel_tol=SAME)
        and covers(guarantee.delta_at_epsilon, releases * computed, room=room, least=least)
    )
    said = f"stated {guarantee.delta_at_epsilon:.6g} at epsilon {guarantee.epsilon:.6g}"
    return Check("delta", bool(ok), f"{said}, recomputed {releases * computed:.6g} at {releases * epsilon:.6g} ({how})")


def bits_check(stated: Stated, computed: float, how: str, *, room: float = AGREEMENT) -> Check:
    """Whether the stated bits cover the recomputed ones; see `covers`."""
    bits = stated.guarantee.bits if isinstance(stated.guarantee, MutualInformation) else math.nan
    ok = stated.releases >= 1 and covers(bits, stated.releases * computed, room=room, most=CLOSE)
    return Check("bits", bool(ok), f"stated {bits:.10g}, recomputed {stated.releases * computed:.10g} ({how})")


def rebuilt_checks(stated: Stated) -> Iterator[Check]:
    """Whether every other field is what the recorded numbers make it."""
    yield _form(stated)
    yield _noise(stated)
    try:
        words = words_of(stated.mechanism, stated.parameters, stated.problem)
    except (KeyError, TypeError, ValueError, ArithmeticError) as error:
        detail = str(error) if type(error) in (TypeError, ValueError) and str(error).isprintable() else ""
        yield Check("record", False, detail[:150] or "the recorded numbers are incomplete, of the wrong type or out of range")
        return
    if words is None:
        yield Check("words", False, f"nobody registered what a certificate of {stated.mechanism!r} says, so nothing can be compared")
        return
    yield _hypotheses(words, stated)
    yield _scope(words, stated)
    yield _declared(words, stated)


def _form(stated: Stated) -> Check:
    wrong = []
    if isinstance(stated.releases, bool) or not isinstance(stated.releases, int) or stated.releases < 1:
        wrong.append("the number of releases is no positive integer")
    if stated.version not in KNOWN_VERSIONS:
        wrong.append("no version of this name issued certificates of this format")
    if not _DIGEST.fullmatch(stated.digest):
        wrong.append("the digest is none")
    if not _is_entry(stated.ledger_entry):
        wrong.append("the ledger entry is none")
    return Check("form", not wrong, "; ".join(wrong) or "version, digest, releases and ledger entry are of their kind")


def _is_entry(entry: str | None) -> bool:
    try:
        return entry is None or str(UUID(entry)) == entry
    except ValueError:
        return False


def _noise(stated: Stated) -> Check:
    if not stated.noise_private:
        why = "the noise came from a source that can be replayed, so it protects nobody: fit again without a seed (random_state=None)"
        return Check("noise source", False, why)
    if stated.noise != SYSTEM_SOURCE:
        return Check("noise source", False, "the noise is stated to be private, and its source is none that is")
    return Check("noise source", True, stated.noise)


def _hypotheses(words: Words, stated: Stated) -> Check:
    for number, (rebuilt, given) in enumerate(zip(words.hypotheses, stated.hypotheses, strict=False), 1):
        if not rebuilt.is_said_by(given):
            return Check("hypotheses", False, f"number {number} should be: {rebuilt.required}; {rebuilt.enforced}")
    same = len(words.hypotheses) == len(stated.hypotheses)
    return Check("hypotheses", same, f"{len(stated.hypotheses)} stated, {len(words.hypotheses)} belong to the recorded numbers")


def _scope(words: Words, stated: Stated) -> Check:
    """Theorem, unit, who randomised and what must stay secret."""
    guarantee = stated.guarantee
    if isinstance(guarantee, NoGuarantee):
        return Check("theorem", True, "none is claimed")
    parts = guarantee.theorem.split("; ")
    rules = [rule for rule in _RULES.get(str(guarantee.to_dict()["kind"]), ()) if stated.releases > 1 and rule in parts]
    if rules:  # of several releases; for persons more is said after it
        parts.remove(rules[-1])
    wrong = []
    if "; ".join(parts) != words.theorem or (stated.releases > 1 and not rules):
        wrong.append(f"the theorem should be {words.theorem!r}")
    if guarantee.unit is not words.unit:
        wrong.append(f"the unit should be {str(words.unit)!r}")
    if not isinstance(guarantee, Statement) or guarantee.local is not words.local:
        wrong.append(f"who randomised should be {'the owners' if words.local else 'the holder of the table'}")
    if not isinstance(guarantee, Statement) or tuple(guarantee.secret) != tuple(words.secret):
        wrong.append(f"what must stay secret besides the noise should be: {', '.join(words.secret) or 'nothing'}")
    return Check("theorem", not wrong, "; ".join(wrong) or guarantee.theorem)


def _declared(words: Words, stated: Stated) -> Check:
    """What the caller declared: all that the mechanism takes for granted, nothing unknown, and a number of records only where one is public."""
    missing = [line for line in words.declared if line not in stated.declared]
    unknown = unknown_lines(stated.declared, words.declared)
    records, said = stated.problem.get("records"), public_records(stated.declared)
    wrong = []
    if missing:
        wrong.append(f"missing: {missing[0]}")
    if unknown or len(set(stated.declared)) < len(stated.declared):
        wrong.append("a line is none that this version writes, or stands there twice")
    if stated.guarantee.neighbours is ADD_REMOVE and records is not None and records != said:
        wrong.append("a number of records is stated, which add-remove keeps secret, and nobody declared it public")
    if said is not None and records != said:
        wrong.append("the number of records that was declared public is not the one that is stated")
    return Check("declared", not wrong, "; ".join(wrong) or "; ".join(stated.declared) or "nothing beyond the problem")
