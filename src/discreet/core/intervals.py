"""Intervals, with the estimates between them: what every `coef_interval` returns."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.core.arrays import Floats
from discreet.core.short import short_repr
from discreet.core.told import Range, Tabled, Told


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Intervals(Tabled):
    """Lower and upper ends, and the estimates between them, each of one shape; `np.asarray(one)` holds the ends alone, (..., 2)."""

    low: Floats
    estimate: Floats
    high: Floats
    level: float
    """Probability with which each interval covers, one at a time."""

    __repr__ = short_repr

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:  # noqa: FBT001 - as numpy calls it
        """For numpy."""
        return np.stack((self.low, self.high), axis=-1).astype(np.float64 if dtype is None else dtype)

    def __getitem__(self, place: Any) -> Any:  # noqa: ANN401 - as numpy indexes
        """Of the ends, (..., 2), as an array."""
        return np.asarray(self)[place]

    def told(self, title: str = "Intervals", facts: Sequence[tuple[str, str]] = ()) -> Told:
        """The text shown by `print` and in notebooks."""
        names = [", ".join(map(str, place)) for place in np.ndindex(self.estimate.shape)]
        triples = list(zip(*(each.ravel().tolist() for each in (self.low, self.estimate, self.high)), strict=True))
        return Told(
            title=title,
            facts=facts,
            caption=f"{100 * self.level:g} % intervals, each by itself",
            header=("Place", "Low", "Estimate", "High"),
            rows=[(name, *(f"{end:.4g}" for end in triple)) for name, triple in zip(names, triples, strict=True)],
            ranges=[Range(name=name, low=low, middle=middle, high=high) for name, (low, middle, high) in zip(names, triples, strict=True)],
        )
