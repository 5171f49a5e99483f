"""Which features are the dummies of one column: what a model of them cannot tell apart is public, and follows from the schema alone.

The dummies of a categorical column have a 1 in every row, so their sum is the constant feature over its size, and the sum of another column's
dummies. Moving weight along such a direction changes no decision. The first category of a column is its reference: a coefficient of another is
relative to it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from discreet.core.arrays import AnyFloats, Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Coding:
    """How features came from columns; without columns of categories nothing is known of them."""

    dummies: tuple[tuple[int, int], ...] = ()
    """For each categorical column the place of its first feature, and the one after its last."""
    longest: float = 0.0
    """The largest norm of a row, where rows are left as they are; 0 where each is divided by its own norm."""

    def to_dict(self, *, intercept_scale: float, norm_bound: float) -> dict[str, Any]:
        """A plain table for JSON, with what matters to a model of this constant feature and norm; `from_dict` reads it back."""
        return {"dummies": [list(places) for places in self.dummies], "constant": self._constant(intercept_scale, norm_bound)}

    @classmethod
    def from_dict(cls, table: Mapping[str, Any], *, features: int, norm_bound: float) -> Self:
        """What `to_dict` wrote, for this many features. Raises TypeError, KeyError or ValueError for anything else."""
        dummies, constant = tuple((start, stop) for start, stop in table["dummies"]), table["constant"]
        ends = [end for places in dummies for end in places]
        if not all(type(end) is int for end in ends) or type(constant) is not bool:
            raise TypeError
        if not all(start < stop for start, stop in dummies) or ends != sorted(ends) or not all(0 <= end <= features for end in ends):
            raise ValueError
        return cls(dummies=dummies, longest=norm_bound if constant else 0.0)

    def references(self, *, intercept: bool) -> tuple[int, ...]:
        """The places of the reference categories: without an intercept, the first column needs none."""
        return tuple(start for start, _ in (self.dummies if intercept else self.dummies[1:]))

    def moved(self, weights: Floats, *, intercept_scale: float, norm_bound: float) -> Floats:
        """`weights` (m,) moved along the null directions until those of reference categories are 0, as nearly as these directions lead there.

        The constant feature, of size `intercept_scale` (0 for none) and last, has a part in them only if rows keep their length: where they are not
        normalised, and none is longer than `norm_bound`, to which they would be shortened.
        """
        size, places = len(weights), list(self.references(intercept=intercept_scale > 0))
        if not places:
            return weights
        sums: AnyFloats = np.zeros((len(self.dummies), size))
        for row, (start, stop) in zip(sums, self.dummies, strict=True):
            row[start:stop] = 1.0
        if self._constant(intercept_scale, norm_bound):
            sums[:, -1] = -1.0 / intercept_scale
            null = sums
        else:
            null = sums[1:] - sums[0]
        along = np.linalg.lstsq(null[:, places].T, -weights[places], rcond=None)[0] if len(null) else np.zeros(0)
        found: Floats = weights + along @ null
        return found

    def _constant(self, intercept_scale: float, norm_bound: float) -> bool:
        """Whether the dummies of a column sum to the constant feature over its size."""
        return bool(self.dummies) and intercept_scale > 0 and 0 < self.longest <= norm_bound
