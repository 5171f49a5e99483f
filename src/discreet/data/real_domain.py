"""What is public about records (x, y) with a real target, for learning over a constraint set.

    |x_j| <= `entry_bound` for every feature, |x|_2 <= `norm_bound`, |y| <= `target_bound`;   one of the first two may be left out

A constant feature `intercept_scale` may be appended to every x. Proofs use the bounds of the lengthened rows,

    R_inf = max(min(entry_bound, norm_bound), t),    R_2 = sqrt(min(norm_bound, sqrt(d) entry_bound)^2 + t^2)

so that under an entry bound a constant of that size costs nothing in R_inf. Classes are targets +1 and -1 with target_bound = 1.
"""

import math
from dataclasses import dataclass

from discreet.core.errors import InvalidInput
from discreet.core.rounding import raising
from discreet.data.domain import check_scale


@dataclass(frozen=True, slots=True, kw_only=True)
class RealDomain:
    """The public side of a RealDataset."""

    features: int
    """d, the number of features, the intercept's constant not counted."""
    entry_bound: float | None = None
    """Bound on every |x_j|; larger entries are clipped to it at the door."""
    norm_bound: float | None = None
    """Bound on |x|_2; longer rows (after clipping entries) are shortened to it at the door."""
    target_bound: float = 1.0
    """Bound on |y|; larger targets are clipped to it at the door."""
    intercept_scale: float = 0.0
    """The constant feature t appended to every row; 0 for a model without intercept."""
    records: int | None = None
    """n where it is public (replace-one, or declared); None where it is private."""

    def __post_init__(self) -> None:
        """Refuse bounds that no proof can use."""
        if self.features < 1:
            raise InvalidInput(f"a domain needs at least one feature; {self.features} was given.")
        if self.entry_bound is None and self.norm_bound is None:
            raise InvalidInput("rows need a public bound: on every entry (entry_bound), on the Euclidean norm (norm_bound), or both; none was given.")
        for what in ("entry_bound", "norm_bound", "target_bound"):
            bound = getattr(self, what)
            if bound is not None:
                check_scale(bound, what)
        if self.intercept_scale != 0:
            check_scale(self.intercept_scale, "intercept_scale")
        if self.records is not None and self.records < 1:
            raise InvalidInput(f"the public number of records must be at least 1; {self.records!r} was given.")

    @property
    def dimension(self) -> int:
        """Number of weights: d, plus one for the intercept's constant feature."""
        return self.features + (self.intercept_scale > 0)

    @property
    def largest_entry(self) -> float:
        """R_inf, the bound on the entries of a row with its constant feature."""
        return max(min(_or_infinity(self.entry_bound), _or_infinity(self.norm_bound)), self.intercept_scale)

    @property
    def radius(self) -> float:
        """R_2, the bound on the Euclidean norm of a row with its constant feature, rounded up."""
        of_entries = math.sqrt(self.features) * _or_infinity(self.entry_bound)
        return math.hypot(min(_or_infinity(self.norm_bound), of_entries), self.intercept_scale) * raising(4)


def _or_infinity(bound: float | None) -> float:
    return math.inf if bound is None else bound
