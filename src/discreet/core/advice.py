"""Sentences about a promise that is legal and says little, from public numbers alone; who says them warns, above mechanisms."""

import inspect
import math
from collections.abc import Iterator

from discreet.core.neighbours import Privacy

MUCH = 10.0
"""An epsilon from which on a promise is a formality: e^10 is 22,000."""


def about_numbers(privacy: Privacy, records: int | None) -> Iterator[str]:
    """What is worth saying of epsilon, and of delta where the number of records is public."""
    if privacy.epsilon >= MUCH:
        times = f"{math.exp(min(privacy.epsilon, 700.0)):,.0f}" if privacy.epsilon < 20 else f"e^{privacy.epsilon:g}"
        yield f"epsilon={privacy.epsilon:g} lets what is released be {times} times likelier with a record than without it. Take 1, or 4 at most."
    if records is not None and records > 0 and privacy.delta > 1.0 / records:
        yield (
            f"delta={privacy.delta:g} is above 1 / n for n = {records:,}: publishing one record in the open would be allowed by it. "
            f"Take delta={_round_down(0.01 / records)} or less."
        )


def caller() -> int:
    """How many frames above the one that warns the first is that is not this library's, as `warnings.warn` counts."""
    frame, inside = inspect.currentframe(), 0
    while frame is not None and str(frame.f_globals.get("__name__", "")).startswith(f"{__name__.partition('.')[0]}."):
        frame, inside = frame.f_back, inside + 1
    return inside


def _round_down(value: float) -> str:
    """A power of ten at most this."""
    return f"1e{math.floor(math.log10(value))}"
