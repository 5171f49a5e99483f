"""Words for what is said of a release before it is made."""

import math
from collections.abc import Sequence

WANTED = 0.05
"""Of a correlation: less is said to be enough to learn from."""
SAY = 10_000
"""Rows, where no number of them is public."""
NOTHING, LITTLE = 0.5, 0.15
"""Errors of a correlation from which on nothing, and strong relations alone, are seen."""
_SHOWN = 6


def judged(error: float, off: str) -> str:
    """How far off a correlation comes out, and what that leaves to be learnt where it is little."""
    if error >= NOTHING:
        return f"NOTHING can be learnt: {off}"
    return f"only strong relations can be seen: {off}" if error >= LITTLE else off


def with_two_digits(number: float) -> str:
    """Rounded upwards."""
    unit = 10.0 ** max(0, math.floor(math.log10(number)) - 1)
    return f"{math.ceil(number / unit) * unit:,.0f}"


def in_range(lower: float | None, upper: float | None) -> str:
    """The bounds that a size is to be seen beside, where there are any."""
    return "" if lower is None or upper is None else f" ({lower:g} to {upper:g})"


def some_of(said: Sequence[str]) -> str:
    """The first, and how many there are besides."""
    return ", ".join(said[:_SHOWN]) + (f" and {len(said) - _SHOWN} more" if len(said) > _SHOWN else "")
