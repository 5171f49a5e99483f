"""Recheck of counting with one scale."""

from collections.abc import Iterator

from discreet.words.alike import AlikeCounts

from discreet.statements.base import filled
from discreet.verification.base import Check, Stated, epsilon_check, verifies
from discreet.words.counting import moves_of


@verifies(AlikeCounts)
def _alike(stated: Stated, spec: AlikeCounts) -> Iterator[Check]:
    moves = [moves_of(query, spec.neighbours) for query in filled(stated.problem["queries"])]
    yield Check("scales", len(set(spec.scales)) == 1, "all answers are equally noisy")
    yield epsilon_check(stated, sum(count * step for count, _, step in moves) / spec.scales[0], "sum of sensitivities over the scale")
