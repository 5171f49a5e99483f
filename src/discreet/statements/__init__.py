"""What certificates state: conditions of theorems, fields of records, verdicts. Of no mechanism, problem or query in particular."""

from discreet.statements.base import Check, Hypothesis, Stated, Words, register_recheck, register_words

__all__ = ["Check", "Hypothesis", "Stated", "Words", "register_recheck", "register_words"]
