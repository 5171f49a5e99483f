"""A number as a point on a curve: hat functions on knots, at several resolutions at once.

    x between knots k and k+1 at a share f of the way  ->  (1 - f) A_k + f A_(k+1)

Any function that is linear between the knots is a linear one of these features, and the ridge asks it to be smooth at several scales at once (module
`grids`). A value that many share may stand beside the curve, with a feature of its own: its row is (A(v), 1) / sqrt(2), A(v) the curve's at v.

The resting value, zero or the bound that is nearest to it, is where most records of a column often are. A long row there is spent on a constant, and
where rows are divided by their norm it crowds out what tells records apart. So its row is shortened to `rest` of its length, and the others as
far as they point the same way:   A - (1 - rest) (A u) u^T,   u the direction of the resting value's row; then all are scaled, the longest to 1.
Few columns crowd nothing out, and their resting values tell something too:   rest = min(1, max(.3, 12 / columns of the schema that are curves)).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import SchemaError
from discreet.core.rounding import raising
from discreet.core.short import short_repr
from discreet.data.encodings.base import Bounds, Encoding, numbers, positive, whole
from discreet.data.encodings.grids import MOST_NODES, Steps, between, check_steps, nodes, smoothing

_UP = raising(1_026)
"""Outweighs the rounding of a norm of 1,024 numbers."""

_CROWDED, _AMPLE = 0.3, 12.0
"""Of many curves, and how many are not many; chosen on Adult (5), online shoppers (10), KDD Cup 99 (38) and spambase (57 numbers)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve(Encoding):
    """One feature per knot. Raises SchemaError for invalid parameters."""

    name: ClassVar[str] = "curve"
    knots: tuple[float, ...] | None = None
    """Increasing; those outside the bounds are left out, and the bounds are knots too. None: `count` equal, logarithmic or mixed `steps`."""
    values: tuple[float, ...] = ()
    """Values with a feature of their own, increasing."""
    count: int = 16
    steps: Steps = "mixed"
    resolutions: int | None = None
    """Smooth over distances up to 2^(resolutions - 1) knots; 0: hat functions alone. None: as many as reach over a third of the knots."""
    rest: float | None = None
    """How long the row of the resting value is left, in (0, 1]. None: what the number of curves in the schema says, and 0.3 without one."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """See class docstring."""
        if self.knots is not None:
            object.__setattr__(self, "knots", numbers(self.knots, what="curve: knots"))
        object.__setattr__(self, "values", numbers(self.values, what="curve: values"))
        whole(self.count, what="curve: count", least=1, most=MOST_NODES - 1)
        if self.resolutions is not None:
            whole(self.resolutions, what="curve: resolutions", least=0, most=16)
        check_steps(self.steps, what="curve")
        if self.rest is not None:
            object.__setattr__(self, "rest", positive(self.rest, what="curve: rest"))
            if self.rest > 1:
                raise SchemaError("curve: rest must be at most 1.")

    def check(self, bounds: Bounds) -> None:
        """See Encoding: not too many knots."""
        if len(self._knots(bounds)) + len(self.values) > MOST_NODES:
            raise SchemaError(f"curve: the largest number of knots and values is {MOST_NODES}.")

    def positions(self, values: Floats, bounds: Bounds) -> Floats:
        """See Encoding."""
        knots = self._knots(bounds)
        found = between(values, knots)
        for place, own in enumerate(self._own(bounds), len(knots)):
            found[values == own] = place
        return found

    def table(self, bounds: Bounds) -> Floats:
        """See Encoding: knots, then values of their own."""
        knots, own = self._knots(bounds), self._own(bounds)
        resolutions = max(1, (len(knots) - 1).bit_length() - 1) if self.resolutions is None else self.resolutions
        root, resting = smoothing(len(knots), resolutions), min(max(0.0, bounds.lower), bounds.upper)
        rest = _CROWDED if self.rest is None else self.rest
        long = _between(root, knots, [resting])[0]
        along = long / np.linalg.norm(long)
        root = root - (1.0 - rest) * np.outer(root @ along, along)
        root = root / (np.linalg.norm(root, axis=1).max() * _UP)
        if not own:
            return root
        alone = np.diag([rest if value == resting else 1.0 for value in own])
        return np.block([[root, np.zeros((len(knots), len(own)))], [_between(root, knots, own) / sqrt(2.0), alone / sqrt(2.0)]])

    def labels(self, bounds: Bounds) -> tuple[str, ...]:
        """See Encoding."""
        return (*(f" at {knot}" for knot in bounds.named(self._knots(bounds))), *(f" = {own}" for own in bounds.named(self._own(bounds))))

    def points(self, bounds: Bounds) -> Floats:
        """See Encoding; values of their own with their neighbours, where the curve jumps."""
        own = np.asarray(self._own(bounds))
        found = np.union1d(self._knots(bounds), np.concatenate((own, np.nextafter(own, -np.inf), np.nextafter(own, np.inf))))
        return found[(found >= bounds.lower) & (found <= bounds.upper)]

    def _knots(self, bounds: Bounds) -> Floats:
        if self.knots is None:
            return nodes(bounds, count=self.count, steps=self.steps)
        inside = [knot for knot in self.knots if bounds.lower < knot < bounds.upper]
        return np.array([bounds.lower, *inside, bounds.upper])

    def _own(self, bounds: Bounds) -> list[float]:
        return [one for one in self.values if bounds.lower <= one <= bounds.upper]


def standard_rest(curves: int) -> float:
    """Of a schema with so many columns that are curves; see module docstring."""
    return round(min(1.0, max(_CROWDED, _AMPLE / curves)), 2)


def _between(root: Floats, knots: Floats, values: Sequence[float]) -> Floats:
    """What the table `root` of the knots makes of `values`, (values, features)."""
    places = between(np.asarray(values), knots)
    left = np.minimum(places.astype(np.intp), len(knots) - 2)
    shares = (places - left)[:, np.newaxis]
    return np.asarray((1.0 - shares) * root[left] + shares * root[left + 1])
