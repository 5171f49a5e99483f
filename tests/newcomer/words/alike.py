"""Words of counting with one scale: those of counting with Laplace noise."""

from discreet.statements.base import Record, Words, register_words
from discreet.words import certified_words


@register_words("counting-alike", parameters=None, problem=None)
def _alike(parameters: Record, problem: Record) -> Words:
    return certified_words("counting-laplace", parameters, problem)
