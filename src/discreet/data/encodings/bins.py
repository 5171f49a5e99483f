"""A number as the bin it lies in: [cut_k, cut_(k+1)), the last one with its end; a value that many share may be a bin of its own.

One-hot, unless neighbouring bins share strength (`resolutions`, module `grids`). Any step function of the column is a linear one of these features.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import SchemaError
from discreet.core.short import short_repr
from discreet.data.encodings.base import Bounds, Encoding, numbers, whole
from discreet.data.encodings.grids import MOST_NODES, Steps, check_steps, nodes, smoothing

PRIVATE: Literal["private"] = "private"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bins(Encoding):
    """One feature per bin. Raises SchemaError for invalid parameters."""

    name: ClassVar[str] = "bins"
    cuts: tuple[float, ...] | Literal["private"] | None = None
    """Where bins begin, increasing; those outside the bounds are left out. "private": still to be chosen from the records, for a share of the budget.
    None: `count` bins in equal, logarithmic or mixed `steps`."""
    values: tuple[float, ...] = ()
    """Values that have a bin of their own, increasing."""
    count: int = 16
    steps: Steps = "equal"
    resolutions: int = 0
    """0: one-hot. More: neighbouring bins share strength, over distances up to 2^(resolutions - 1) bins."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """See class docstring."""
        if self.cuts is not None and not (isinstance(self.cuts, str) and self.cuts == PRIVATE):
            object.__setattr__(self, "cuts", numbers(self.cuts, what="bins: cuts"))
        object.__setattr__(self, "values", numbers(self.values, what="bins: values"))
        whole(self.count, what="bins: count", least=2, most=MOST_NODES)
        whole(self.resolutions, what="bins: resolutions", least=0, most=16)
        check_steps(self.steps, what="bins")

    def check(self, bounds: Bounds) -> None:
        """See Encoding: at least two bins."""
        if not 2 <= len(self._starts(bounds)) <= MOST_NODES:
            raise SchemaError(f"bins: between 2 and {MOST_NODES} bins between the bounds are needed. Give cuts that lie between lower and upper.")

    def positions(self, values: Floats, bounds: Bounds) -> Floats:
        """See Encoding. Raises SchemaError where cuts are still to be chosen."""
        if self.to_be_chosen:
            raise SchemaError(
                "bins: the cuts have not been chosen yet. `discreet fit` and `fit_with_cuts` choose them privately. For anything else, "
                "give cuts, or leave them out for bins of equal width."
            )
        return np.searchsorted(self._starts(bounds)[1:], values, side="right").astype(np.float64)

    def table(self, bounds: Bounds) -> Floats:
        """See Encoding."""
        return smoothing(len(self._starts(bounds)), self.resolutions)

    def labels(self, bounds: Bounds) -> tuple[str, ...]:
        """See Encoding."""
        own = set(self.values)
        after = {float(np.nextafter(value, np.inf)): value for value in self.values}

        def label(start: float) -> str:
            if start in own:
                return f" = {name[start]}"
            return f" above {name[after[start]]}" if start in after else f" from {name[start]}"

        starts = self._starts(bounds).tolist()
        said = sorted({after.get(start, start) for start in starts})
        name = dict(zip(said, bounds.named(said), strict=True))
        return tuple(map(label, starts))

    def points(self, bounds: Bounds) -> Floats:
        """See Encoding."""
        return self._starts(bounds)

    @property
    def stepped(self) -> bool:
        """See Encoding."""
        return True

    @property
    def one_hot(self) -> bool:
        """See Encoding."""
        return self.resolutions == 0

    @property
    def to_be_chosen(self) -> bool:
        """See Encoding."""
        return self.cuts == PRIVATE

    def _starts(self, bounds: Bounds) -> Floats:
        """Where each bin begins: what follows a value with a bin of its own begins at the next number."""
        cuts = nodes(bounds, count=self.count, steps=self.steps)[:-1] if self.cuts is None or self.to_be_chosen else np.asarray(self.cuts)
        own = np.asarray(self.values)
        found = np.concatenate(([bounds.lower], cuts, own, np.nextafter(own, np.inf)))
        return np.unique(found[(found >= bounds.lower) & (found <= bounds.upper)])
