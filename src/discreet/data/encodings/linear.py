"""A number as one feature: linear between its bounds, from 0 to 1, or from -1 to 1 where the column's scale is symmetric."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from discreet.core.arrays import Floats
from discreet.data.encodings.base import Bounds, Encoding


@dataclass(frozen=True, slots=True, kw_only=True)
class Linear(Encoding):
    """t = (x - lower) / (upper - lower), or 2 t - 1."""

    name: ClassVar[str] = "linear"

    def positions(self, values: Floats, bounds: Bounds) -> Floats:
        """See Encoding."""
        return (values - bounds.lower) / bounds.width

    def table(self, bounds: Bounds) -> Floats:
        """See Encoding: the two ends."""
        return np.array([[-1.0 if bounds.symmetric else 0.0], [1.0]])

    def labels(self, bounds: Bounds) -> tuple[str, ...]:  # noqa: ARG002 - the column's own name
        """See Encoding."""
        return ("",)

    def points(self, bounds: Bounds) -> Floats:
        """See Encoding."""
        return np.array([bounds.lower, bounds.upper])
