"""Recheck of counting with one scale."""

from collections.abc import Iterator

from discreet.core.fields import positive
from discreet.core.neighbours import Neighbours
from discreet.statements.base import filled
from discreet.verification.base import Check, Stated, epsilon_check, register_recheck
from discreet.words.counting import moves_of


@register_recheck("counting-alike")
def _alike(stated: Stated) -> Iterator[Check]:
    moves = [moves_of(query, Neighbours(str(stated.parameters["neighbours"]))) for query in filled(stated.problem["queries"])]
    scales = {positive(scale) for scale in filled(stated.parameters["scales"])}
    yield Check("scales", len(scales) == 1, "all answers are equally noisy")
    yield epsilon_check(stated, sum(count * step for count, _, step in moves) / scales.pop(), "sum of sensitivities over the scale")
