"""A number as one feature: linear in its logarithm, for columns with a long tail.

t = (g(x) - g(lower)) / (g(upper) - g(lower)),    g(x) = sign(x) log(1 + |x| / unit)    (module `grids`)
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import SchemaError
from discreet.data.encodings.base import Bounds, Encoding, positive
from discreet.data.encodings.grids import from_log_scale, log_scale

_DRAWN = 65
_NEAREST = 1e-12
"""Share of the larger end below which the two are one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Log(Encoding):
    """t, or 2 t - 1 if the scale is symmetric. Raises SchemaError unless the unit is a positive number."""

    name: ClassVar[str] = "log"
    unit: float | None = None
    """Values that are small next to it enter linearly; from the bounds unless given (module `grids`)."""

    def __post_init__(self) -> None:
        """See class docstring."""
        if self.unit is not None:
            object.__setattr__(self, "unit", positive(self.unit, what="log: unit"))

    def check(self, bounds: Bounds) -> None:
        """See Encoding: g tells the bounds apart, so that what a value becomes is a number whatever it is."""
        with np.errstate(over="ignore"):
            low, high = self._ends(bounds)
        if not (np.isfinite(low) and np.isfinite(high) and high - low > _NEAREST * max(abs(low), abs(high))):
            raise SchemaError("log: on a logarithmic scale the two bounds are equal, or infinite. Use another unit, or leave the encoding out.")

    def positions(self, values: Floats, bounds: Bounds) -> Floats:
        """See Encoding."""
        low, high = self._ends(bounds)
        return np.clip((log_scale(values, bounds, self.unit) - low) / (high - low), 0.0, 1.0)

    def table(self, bounds: Bounds) -> Floats:
        """See Encoding: the two ends."""
        return np.array([[-1.0 if bounds.symmetric else 0.0], [1.0]])

    def labels(self, bounds: Bounds) -> tuple[str, ...]:  # noqa: ARG002 - one feature
        """See Encoding."""
        return (" (log)",)

    def points(self, bounds: Bounds) -> Floats:
        """See Encoding."""
        low, high = self._ends(bounds)
        inside = from_log_scale(np.linspace(low, high, _DRAWN)[1:-1], bounds, self.unit)
        return np.union1d(inside[(inside > bounds.lower) & (inside < bounds.upper)], [bounds.lower, bounds.upper])

    def _ends(self, bounds: Bounds) -> Floats:
        return log_scale(np.array([bounds.lower, bounds.upper]), bounds, self.unit)
