"""What a stranger computes from the certificate of randomised categories: the largest ratio of two rational probabilities, column by column.

The calibration takes ln(a / b). Here the probabilities of what leaves are written down as fractions, those of a response for all answers and of the
bits of an encoding for both values, and the largest ratio over pairs of categories is looked for.
"""

import math
from collections.abc import Iterator
from fractions import Fraction

from discreet.core.fields import whole
from discreet.verification.base import Check, Stated, epsilon_check, register_recheck
from discreet.words.categories import RESPONSE, asked_columns, kept_of, laws_of


@register_recheck("release-categories")
def _categories(stated: Stated) -> Iterator[Check]:
    parameters = stated.parameters
    columns = zip(laws_of(parameters["laws"]), kept_of(parameters["kept"]), asked_columns(stated.problem["categories"]), strict=True)
    unit = whole(parameters["unit"])
    worst = [_worst(law, cells, Fraction(kept), Fraction(unit)) for law, kept, cells in columns]
    yield epsilon_check(stated, math.fsum(map(math.log, worst)), "the largest ratio of probabilities, as fractions", most=1e-9)


def _worst(law: str, cells: int, kept: Fraction, unit: Fraction) -> Fraction:
    """P(report | one category) / P(report | another), at most."""
    if law == RESPONSE:
        whole_of_it = kept + (cells - 1) * unit
        answers = [kept / whole_of_it, unit / whole_of_it]  # the own answer, any other; a third one is as likely under both
        return max(first / second for first in answers for second in answers)
    own, other = Fraction(1, 2), unit / (kept + unit)
    ratios = [(own if bit else 1 - own) / (other if bit else 1 - other) for bit in (True, False)]
    # The bits of both categories are independent of each other, and all further bits have one law under both.
    return max(ratios) * max(1 / ratio for ratio in ratios)
