"""A number on a cycle, such as an hour of the day or an angle: a curve that comes back to where it began.

    x at a share s of its period  ->  (1 - f) A_k + f A_(k+1),   k + f = count s,   A_count = A_0

Nodes share strength around the circle, as those of a curve do along the column (module `grids`).
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from discreet.core.arrays import Floats
from discreet.data.encodings.base import Bounds, Encoding, positive, shown, whole
from discreet.data.encodings.grids import MOST_NODES, smoothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Cyclic(Encoding):
    """One feature per node. Raises SchemaError for invalid parameters."""

    name: ClassVar[str] = "cyclic"
    period: float
    """In the unit of the column: 24 for hours, 7 for days of the week."""
    count: int = 24
    """Nodes in a period."""
    resolutions: int = 3
    """Smooth over distances up to 2^(resolutions - 1) nodes; 0: hat functions alone."""

    def __post_init__(self) -> None:
        """See class docstring."""
        object.__setattr__(self, "period", positive(self.period, what="cyclic: period"))
        whole(self.count, what="cyclic: count", least=3, most=MOST_NODES - 1)
        whole(self.resolutions, what="cyclic: resolutions", least=0, most=16)

    def positions(self, values: Floats, bounds: Bounds) -> Floats:  # noqa: ARG002 - the same everywhere
        """See Encoding."""
        return np.clip(np.mod(values, self.period) / self.period * self.count, 0.0, self.count)

    def table(self, bounds: Bounds) -> Floats:  # noqa: ARG002 - as above
        """See Encoding: the last node is the first."""
        root = smoothing(self.count, self.resolutions, around=True)
        return np.vstack((root, root[:1]))

    def labels(self, bounds: Bounds) -> tuple[str, ...]:  # noqa: ARG002 - as above
        """See Encoding."""
        return tuple(f" at {shown(self.period * node / self.count)} of {shown(self.period)}" for node in range(self.count))

    def points(self, bounds: Bounds) -> Floats:
        """See Encoding: the nodes of one period, between its two ends."""
        end = min(bounds.upper, max(bounds.lower + self.period, float(np.nextafter(bounds.lower, np.inf))))
        nodes = (np.ceil(bounds.lower / self.period * self.count) + np.arange(self.count + 1)) * (self.period / self.count)
        return np.union1d([bounds.lower, end], nodes[(nodes > bounds.lower) & (nodes < end)])
