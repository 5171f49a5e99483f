"""What a stranger computes from the certificate of contingency tables in rounds: its guarantee again, by other lines.

How far a record moves each round is not read from a formula: a record is added to, or moved in, every small table beside every expectation, and the
farthest that counts and scores were seen to move is what is taken. The Gaussian curve of all rounds is integrated numerically.
"""

import math
from collections.abc import Iterator
from itertools import product

import numpy as np

from discreet.accounting import closeness
from discreet.core.fields import positive
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.statements.base import filled, persons_of
from discreet.verification.base import Check, Stated, delta_check, register_recheck
from discreet.verification.numerics import gaussian_integral
from discreet.words.counting import WHOLE
from discreet.words.margins import rounds_of

_LEAST_SCALE = 4096.0


@register_recheck("margins-gaussian")
def _margins(stated: Stated) -> Iterator[Check]:
    parameters, neighbours = stated.parameters, stated.guarantee.neighbours
    tables, candidates, _ = rounds_of(stated.problem, parameters)
    squared, score = _seen(neighbours)
    # Of q chosen tables q times as many cells move, under noise of q times the variance: what one costs, and no more for fewer integers.
    lengths = [squared] * tables + ([candidates * score, squared] if candidates else [])
    scales, epsilon = [positive(scale) for scale in filled(parameters["scales"])], positive(parameters["epsilon"])
    mu = math.sqrt(sum(length * (WHOLE / scale) ** 2 for length, scale in zip(lengths, scales, strict=True)))
    rows = persons_of(stated.problem).rows
    apart = [closeness(length * rows, scale) for length, scale in zip(lengths, scales, strict=True)]
    left = epsilon - sum(each.total for each in apart)
    wide = min(scales) >= _LEAST_SCALE and left > 0
    yield Check("noise", wide, f"scales from {min(scales):.6g} parts of a record on; at {_LEAST_SCALE:g} and above they count as one normal noise")
    computed = gaussian_integral(left, mu) * math.exp(sum(each.upper for each in apart)) if wide else 1.0
    yield delta_check(stated, epsilon, computed, f"{len(scales)} rounds, moves that were seen, numerical integral of the Gaussian curve")


def _seen(neighbours: Neighbours) -> tuple[float, float]:
    """The most by which one record moves a table, squared, and a score, squared: over all tables and expectations of two cells, 0 to 2 each."""
    squared = score = 0.0
    for *records, first, second in product(range(3), repeat=4):
        here, expected = np.array(records), np.array([first, second])
        for step in [np.array([1, 0]), np.array([0, 1])] if neighbours is ADD_REMOVE else [np.array([1, -1]), np.array([-1, 1])]:
            before, after = (each - expected for each in (here, here + step))
            squared = max(squared, float(np.sum(np.square(step))))
            moved = np.abs(after) - np.abs(before) if neighbours is ADD_REMOVE else np.maximum(after, 0) - np.maximum(before, 0)
            score = max(score, float(moved.sum()) ** 2)
    return squared, score
