"""What several kinds of guarantee need: checks of their numbers, and upper rounding."""

import math
from collections.abc import Iterable
from fractions import Fraction

from discreet.core.arrays import Floats, is_finite
from discreet.core.errors import InvalidInput
from discreet.core.rounding import lowering


def require_finite(name: str, value: float, *, at_most: float = math.inf) -> None:
    """Raise InvalidInput unless 0 <= value < infinity and value <= at_most."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not (is_finite(value) and 0 <= value <= at_most):
        limit = "infinity" if at_most == math.inf else f"{at_most:g}"
        raise InvalidInput(f"a guarantee needs 0 <= {name} <= {limit}, finite; {value!r} was given.")


def below(epsilons: Floats) -> Floats:
    """The same numbers, lower by less than 1e-15 of themselves: a curve read here is above the curve at the exact product that they stand for."""
    return epsilons * lowering(3)


def sum_up(terms: Iterable[tuple[float, int]]) -> float:
    """The least float at or above the exact sum of value times count; infinity beyond the largest."""
    known = list(terms)
    if any(math.isinf(value) for value, _ in known):
        return math.inf
    return ceiling(sum((Fraction(value) * count for value, count in known), Fraction(0)))


def ceiling(exact: Fraction) -> float:
    """The least float at or above an exact number; infinity beyond the largest."""
    try:
        nearest = float(exact)
    except OverflowError:
        return math.inf
    return nearest if Fraction(nearest) >= exact else math.nextafter(nearest, math.inf)
