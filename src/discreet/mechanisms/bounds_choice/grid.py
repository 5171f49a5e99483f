"""The public candidates among which bounds are chosen.

    lower_0 > lower_1 > ...      upper_0 < upper_1 < ...,     lower_0 <= upper_0

Both lists begin at a public centre and step outwards; a chosen pair (lower_i, upper_j) always contains the centre. A list with one entry is no
choice, and costs nothing. Grids are written down before a record is read: one drawn around the data's own minimum and maximum would publish them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

from discreet.accounting import Json
from discreet.core.errors import InvalidInput, did_you_mean, quoted
from discreet.core.rounding import lowering, raising
from discreet.core.short import short_repr

_MOST = 1000
"""Candidates on one side."""
_SMALLEST, _LARGEST = 0.01, 1e9


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundsGrid:
    """Candidates for one column. Raises InvalidInput for lists that do not step outwards."""

    lower: tuple[float, ...]
    """From the centre downwards."""
    upper: tuple[float, ...]
    """From the centre upwards."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """See class docstring."""
        for side, sign in ((self.lower, -1.0), (self.upper, 1.0)):
            outward = all(sign * far > sign * near for near, far in pairwise(side))
            if not 1 <= len(side) <= _MOST or not all(map(math.isfinite, side)) or not outward:
                raise InvalidInput(f"the candidates of a bound are 1 to {_MOST} finite numbers that step outwards from the centre.")
        if not self.lower[0] <= self.upper[0] or self.lower[-1] == self.upper[-1]:
            raise InvalidInput("the candidates for the lower bound begin at or below those for the upper bound, and there is more than one number.")

    @property
    def sides(self) -> int:
        """How many of the two bounds there is a choice of: 1 or 2."""
        return (len(self.lower) > 1) + (len(self.upper) > 1)

    @classmethod
    def from_edges(cls, edges: Sequence[float], *, centre: float | None = None) -> Self:
        """A grid of all `edges`, in any order, around one of them: the middle one if `centre` is None. Raises InvalidInput for fewer than two."""
        if any(isinstance(edge, bool) or not isinstance(edge, int | float) for edge in edges):
            raise InvalidInput("the edges of a grid must be numbers.")
        rising = sorted({float(edge) for edge in edges})
        if len(rising) < 2:
            raise InvalidInput(f"a grid needs at least two different edges; {len(rising)} given.")
        middle = rising[len(rising) // 2] if centre is None else float(centre)
        if middle not in rising:
            raise InvalidInput(f"the centre must be one of the edges of the grid; {centre!r} was given.")
        place = rising.index(middle)
        return cls(lower=tuple(rising[place::-1]), upper=tuple(rising[place:]))

    def to_dict(self) -> dict[str, Json]:
        """What a certificate states of it: plain numbers and words."""
        return {"lower": list(self.lower), "upper": list(self.upper)}


def grid_named(name: str, *, smallest: float = _SMALLEST, largest: float = _LARGEST) -> BoundsGrid:
    """0 and, on both sides of it, "one-two-five" (.. 1, 2, 5, 10, 20 ..), "powers-of-two" or "powers-of-ten" from `smallest` to `largest`.

    Raises InvalidInput for another name, or for sizes that are not 0 < smallest < largest.
    """
    if name not in _NAMED:
        raise InvalidInput(f"the grid must be one of {quoted(_NAMED)}; {name!r} was given.{did_you_mean(str(name), _NAMED)}")
    if not 0 < smallest < largest < 1e300:
        raise InvalidInput(f"a grid needs 0 < smallest < largest; {smallest!r} and {largest!r} were given.")
    base, mantissas = _NAMED[name]
    first, last = math.floor(math.log(smallest, base)) - 1, math.ceil(math.log(largest, base)) + 1
    # Decimal texts are read to the nearest float, so that a bound is 0.02 and not 0.02 and a rounding error.
    sizes = [float(f"{m}e{k}") if base == 10.0 else m * base**k for k in range(first, last + 1) for m in mantissas]
    kept = [size for size in sizes if smallest * lowering(4_096) <= size <= largest * raising(4_096)]
    return BoundsGrid(lower=(0.0, *(-size for size in kept)), upper=(0.0, *kept))


_NAMED: dict[str, tuple[float, tuple[int, ...]]] = {
    "one-two-five": (10.0, (1, 2, 5)),
    "powers-of-two": (2.0, (1,)),
    "powers-of-ten": (10.0, (1,)),
}
