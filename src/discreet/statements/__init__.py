"""What certificates say in words, as functions of the numbers that they record: one place for those who issue and those who verify."""

from discreet.statements.base import Hypothesis, Words, certified_words, for_persons, register_words, words_of

__all__ = ["Hypothesis", "Words", "certified_words", "for_persons", "register_words", "words_of"]
