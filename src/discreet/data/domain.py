"""What is public about the records: everything a proof needs to know of them, fixed before one is read.

A record is a pair (x, y), x in R^d with |x|_2 <= `norm_bound`, y one of `classes` classes. A constant feature `intercept_scale` may be appended to
every x; it counts in the norm: |(x, t)|_2 <= R = sqrt(norm_bound^2 + t^2), and R is what every constant is computed from.
"""

import math
from dataclasses import dataclass

from discreet.core.arrays import is_finite
from discreet.core.errors import InvalidInput

SMALLEST, LARGEST = 1e-9, 1e9
"""Of a declared bound. Weights times squares of bounds stay far from the ends of single precision, in which Newton matrices are taken, and fourth
powers from those of float64: beyond, whether a fit overflows would depend on the records."""


def check_scale(value: float, name: str) -> None:
    """Raise InvalidInput for a bound that nothing can be computed with."""
    if not (is_finite(value) and SMALLEST <= value <= LARGEST):
        raise InvalidInput(f"{name} must lie between {SMALLEST:g} and {LARGEST:g}; {value!r} was given. Take another unit.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """The public side of a data set."""

    features: int
    """d, the number of features, the intercept's constant not counted."""
    norm_bound: float
    """Bound on |x|_2; longer rows are shortened to it at the door."""
    intercept_scale: float = 0.0
    """The constant feature t appended to every row; 0 for a model without intercept."""
    records: int | None = None
    """n where it is public (replace-one, or declared); None where it is private."""
    classes: int = 2
    """K, the number of declared classes."""

    def __post_init__(self) -> None:
        """Refuse bounds that no proof can use."""
        if self.features < 1:
            raise InvalidInput(f"a domain needs at least one feature; {self.features} was given.")
        check_scale(self.norm_bound, "data_norm")
        if self.intercept_scale != 0:
            check_scale(self.intercept_scale, "intercept_scale")
        if self.classes < 2:
            raise InvalidInput(f"a classifier needs at least two classes; {self.classes!r} was given.")
        if self.records is not None and self.records < 1:
            raise InvalidInput(f"the public number of records must be at least 1; {self.records!r} was given.")

    @property
    def dimension(self) -> int:
        """Number of weights of one linear function: d, plus one for the intercept's constant feature."""
        return self.features + (self.intercept_scale > 0)

    @property
    def radius(self) -> float:
        """R, the bound on the norm of a row with its constant feature."""
        return math.hypot(self.norm_bound, self.intercept_scale)
