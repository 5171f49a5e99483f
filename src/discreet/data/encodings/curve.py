"""A number as a point on a curve: hat functions on knots, at several resolutions at once.

    x between knots k and k+1 at a share f of the way  ->  (1 - f) A_k + f A_(k+1)

Any function that is linear between the knots is a linear one of these features, and the ridge asks it to be smooth at several scales at once (module
`grids`). A value that many share may stand beside the curve, with a feature of its own: its row is (A(v), 1) / sqrt(2), A(v) the curve's at v.
"""

from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import SchemaError
from discreet.data.encodings.base import Bounds, Encoding, numbers, shown, whole
from discreet.data.encodings.grids import MOST_NODES, Steps, between, check_steps, nodes, smoothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve(Encoding):
    """One feature a knot. Raises SchemaError for parameters that make no curve."""

    name: ClassVar[str] = "curve"
    knots: tuple[float, ...] | None = None
    """Increasing; those outside the bounds are left out, and the bounds are knots too. None: `count` equal, logarithmic or mixed `steps`."""
    values: tuple[float, ...] = ()
    """Values with a feature of their own, increasing."""
    count: int = 32
    steps: Steps = "mixed"
    resolutions: int | None = None
    """Smooth over distances up to 2^(resolutions - 1) knots; 0: hat functions alone. None: as many as reach over a third of the knots."""

    def __post_init__(self) -> None:
        """See class docstring."""
        if self.knots is not None:
            object.__setattr__(self, "knots", numbers(self.knots, what="curve: knots"))
        object.__setattr__(self, "values", numbers(self.values, what="curve: values"))
        whole(self.count, what="curve: count", least=1, most=MOST_NODES - 1)
        if self.resolutions is not None:
            whole(self.resolutions, what="curve: resolutions", least=0, most=16)
        check_steps(self.steps, what="curve")

    def check(self, bounds: Bounds) -> None:
        """See Encoding: not too many knots."""
        if len(self._knots(bounds)) + len(self.values) > MOST_NODES:
            raise SchemaError(f"curve: at most {MOST_NODES} knots and values are possible.")

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
        root = smoothing(len(knots), resolutions)
        if not own:
            return root
        places = between(np.asarray(own), knots)
        left = np.minimum(places.astype(np.intp), len(knots) - 2)
        shares = (places - left)[:, np.newaxis]
        beside = (1.0 - shares) * root[left] + shares * root[left + 1]
        return np.block([[root, np.zeros((len(knots), len(own)))], [beside / sqrt(2.0), np.eye(len(own)) / sqrt(2.0)]])

    def labels(self, bounds: Bounds) -> tuple[str, ...]:
        """See Encoding."""
        return (*(f" at {shown(knot)}" for knot in self._knots(bounds)), *(f" = {shown(own)}" for own in self._own(bounds)))

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
