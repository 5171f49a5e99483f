"""What certificates say in words, as functions of the numbers that they record: one place for those who issue and those who verify."""

from discreet.statements import constrained as _constrained
from discreet.statements import counting as _counting
from discreet.statements import learning as _learning
from discreet.statements import margins as _margins
from discreet.statements import regression as _regression
from discreet.statements import release as _release
from discreet.statements import selection as _selection
from discreet.statements import sketch as _sketch
from discreet.statements.base import Hypothesis, Words, certified_words, for_persons, register_words, words_of

del _constrained, _counting, _learning, _margins, _regression, _release, _selection, _sketch

__all__ = ["Hypothesis", "Words", "certified_words", "for_persons", "register_words", "words_of"]
