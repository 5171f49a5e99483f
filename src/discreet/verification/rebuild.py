"""The certificate again, from its recorded numbers: every field but those that no stranger can know is compared with what is stated.

A number of the guarantee is recomputed by the recheck of its mechanism. The rest follows from the record: theorem, hypotheses, unit, who randomised,
what must stay secret, what was declared. What nobody can recompute is checked for its form alone: the digest, without the value; the ledger entry.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

from discreet.accounting import Guarantee, Json, NoGuarantee
from discreet.accounting.base import Statement
from discreet.core.neighbours import ADD_REMOVE
from discreet.core.version import KNOWN_VERSIONS
from discreet.noise import SEEDED_SOURCE, SYSTEM_SOURCE
from discreet.statements import Hypothesis, Words, words_of
from discreet.statements.declared import public_records, unknown_lines
from discreet.verification.registry import Check

_DIGEST = re.compile(r"[0-9a-f]{64}")


class Stated(NamedTuple):
    """The fields of a certificate."""

    mechanism: str
    parameters: Mapping[str, Json]
    problem: Mapping[str, Json]
    guarantee: Guarantee
    releases: int
    hypotheses: Sequence[Hypothesis]
    declared: Sequence[str]
    noise: str
    noise_private: bool
    digest: str
    version: str
    ledger_entry: str | None


def rebuilt_checks(stated: Stated) -> Iterator[Check]:
    """Whether every field is what the others make it."""
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
    known = {SYSTEM_SOURCE: True, SEEDED_SOURCE: False}
    if not stated.noise_private:
        why = "the noise came from a source that can be replayed, so it protects nobody: fit again without a seed (random_state=None)"
        return Check("noise source", False, why)
    if known.get(stated.noise) is not True:
        return Check("noise source", False, "the noise is stated to be private, and its source is none that is")
    return Check("noise source", True, stated.noise)


def _hypotheses(words: Words, stated: Stated) -> Check:
    for number, (rebuilt, given) in enumerate(zip(words.hypotheses, stated.hypotheses, strict=False), 1):
        if rebuilt != given:
            return Check("hypotheses", False, f"number {number} should be: {rebuilt.required}; {rebuilt.enforced}")
    same = len(words.hypotheses) == len(stated.hypotheses)
    return Check("hypotheses", same, f"{len(stated.hypotheses)} stated, {len(words.hypotheses)} belong to the recorded numbers")


def _scope(words: Words, stated: Stated) -> Check:
    """Theorem, unit, who randomised and what must stay secret."""
    guarantee = stated.guarantee
    if isinstance(guarantee, NoGuarantee):
        return Check("theorem", True, "none is claimed")
    several = f"{words.theorem}; {_RULES.get(str(guarantee.to_dict()['kind']), '')}"
    wrong = []
    if guarantee.theorem != (words.theorem if stated.releases == 1 else several):
        wrong.append(f"the theorem should be {words.theorem!r}")
    if guarantee.unit is not words.unit:
        wrong.append(f"the unit should be {str(words.unit)!r}")
    if not isinstance(guarantee, Statement) or guarantee.local is not words.local:
        wrong.append(f"who randomised should be {'the owners' if words.local else 'the holder of the table'}")
    if not isinstance(guarantee, Statement) or tuple(guarantee.secret) != tuple(words.secret):
        wrong.append(f"what must stay secret besides the noise should be: {', '.join(words.secret) or 'nothing'}")
    return Check("theorem", not wrong, "; ".join(wrong) or guarantee.theorem)


_RULES = {"pure": "basic composition", "approximate": "basic composition", "mutual-information": "chain rule of mutual information"}


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
