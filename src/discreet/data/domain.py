"""What is public about the records: everything a proof needs to know of them, fixed before one is read.

A record is a pair (x, y), x in R^d with |x|_2 <= `norm_bound` and |x_j| <= `entry_bound`, infinity where there is no such bound. What y is:

    sign      one of two `classes`, -1.0 for the first and +1.0 for the second       code     one of K > 2 `classes`, 0, ..., K - 1
    number    |y| <= `target_bound`                                                  none     nothing: neither is declared

A constant feature `intercept_scale` may be appended to every x. Proofs use the bounds of the lengthened rows,

    R_inf = max(min(entry_bound, norm_bound), t),    R = R_2 = sqrt(min(norm_bound, sqrt(d) entry_bound)^2 + t^2)

so that under an entry bound a constant of that size costs nothing in R_inf.

Where `largest_weight` c is declared, numbers come with weights of records within [0, c], and Records hold them over c: at most 1.

Where persons are declared, a person owns several records, whose weights a_i >= 0 are functions of that person's own rows and add up to at most 1:
neighbours differ in a person, and n counts persons (Persons).
"""

import math
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np

from discreet.core.arrays import Floats, is_finite
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Persons, unit_of
from discreet.core.rounding import raising

_UP = raising(4)

SMALLEST, LARGEST = 1e-9, 1e9
"""Of a declared bound. Weights times squares of bounds stay far from the ends of single precision, in which Newton matrices are taken, and fourth
powers from those of float64: beyond, whether a fit overflows would depend on the records."""

Kind: TypeAlias = Literal["sign", "code", "number", "none"]
"""What a target is."""


def check_scale(value: float, name: str) -> None:
    """Raise InvalidInput for a bound that nothing can be computed with."""
    if not (is_finite(value) and SMALLEST <= value <= LARGEST):
        raise InvalidInput(f"{name} must lie between {SMALLEST:g} and {LARGEST:g}; {value!r} was given. Use another unit.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """The public bounds of records. Raises InvalidInput for bounds that no proof can use."""

    features: int
    """d, the number of features, the intercept's constant not counted."""
    norm_bound: float = math.inf
    """Bound on |x|_2; longer rows (after clipping entries) are shortened to it at the door. Rows of classes need it."""
    entry_bound: float = math.inf
    """Bound on every |x_j|; larger entries are clipped to it at the door. Not for rows of classes."""
    intercept_scale: float = 0.0
    """The constant feature t appended to every row; 0 for a model without intercept."""
    records: int | None = None
    """n where it is public (replace-one, or declared); None where it is private. Of persons, where they are declared."""
    classes: int = 0
    """K, the number of declared classes; 0 where targets are numbers, or there are none."""
    target_bound: float = 0.0
    """Bound on |y| of numbers; larger targets are clipped to it at the door. 0 where targets are classes, or there are none."""
    largest_weight: float | None = None
    """c, what a record of numbers weighs at most; weights are divided by it, so that 1 is the most. None where all weigh 1, and for classes."""
    persons: Persons | None = None
    """Whose rows are whose; None where the unit of privacy is a row."""

    def __post_init__(self) -> None:
        """See class docstring."""
        if self.features < 1:
            raise InvalidInput(f"a domain needs at least one feature; {self.features} was given.")
        if self.classes:
            self._check_classes()
        elif self.entry_bound == self.norm_bound == math.inf:
            raise InvalidInput("rows need a public bound: entry_bound on every entry, norm_bound on the Euclidean norm, or both. None was given.")
        for what in ("entry_bound", "norm_bound", "target_bound", "intercept_scale"):
            bound = getattr(self, what)
            if bound != (math.inf if what in ("entry_bound", "norm_bound") else 0.0):
                check_scale(bound, "data_norm" if self.classes and what == "norm_bound" else what)
        if self.largest_weight is not None:
            self.require("number")
            check_scale(self.largest_weight, "max_sample_weight")
        if self.records is not None and self.records < 1:
            raise InvalidInput(f"the public number of records must be at least 1; {self.records!r} was given.")

    @property
    def kind(self) -> Kind:
        """What targets are: signs, codes, numbers or none."""
        if self.classes:
            return "sign" if self.classes == 2 else "code"
        return "number" if self.target_bound else "none"

    @property
    def dimension(self) -> int:
        """Number of weights of one linear function: d, plus one for the intercept's constant feature."""
        return self.features + (self.intercept_scale > 0)

    @property
    def largest_entry(self) -> float:
        """R_inf, the bound on the entries of a row with its constant feature."""
        return max(min(self.entry_bound, self.norm_bound), self.intercept_scale)

    @property
    def radius(self) -> float:
        """R, the bound on the norm of a row with its constant feature; rounded up where squares of sums are computed from it."""
        if self.classes:
            return math.hypot(self.norm_bound, self.intercept_scale)
        return math.hypot(min(self.norm_bound, math.sqrt(self.features) * self.entry_bound), self.intercept_scale) * _UP

    @property
    def entries_alone(self) -> bool:
        """Whether entries are bounded one by one, without a bound on the norm."""
        return self.norm_bound == math.inf

    def require(self, *kinds: Kind) -> None:
        """Raise InvalidInput for targets that are none of these."""
        if self.kind not in kinds:
            raise InvalidInput(
                f"targets of kind {' or '.join(kinds)} are needed here; the domain declares {self.kind}. Declare classes=K for labels, "
                "target_bound=B for numbers, or neither for records without targets."
            )

    def record(self) -> dict[str, Any]:
        """The bounds of rows and numbers, for certificates; None for infinity, and 1 for a target that there is none of; `unit` beside them."""
        entry, norm = (None if bound == math.inf else bound for bound in (self.entry_bound, self.norm_bound))
        weights = {} if self.largest_weight is None else {"max_weight": self.largest_weight}
        rows = {"features": self.features, "entry_bound": entry, "norm_bound": norm}
        return {**rows, "target_bound": self.target_bound or 1.0, **weights, **self.unit()}

    def unit(self) -> dict[str, Any]:
        """For certificates: whose rows are whose, where that is declared."""
        return unit_of(self.persons)

    def _check_classes(self) -> None:
        if self.classes < 2:
            raise InvalidInput(f"a classifier needs at least two classes; {self.classes!r} was given.")
        if self.norm_bound == math.inf or self.entry_bound != math.inf or self.target_bound:
            raise InvalidInput("for a classifier, rows are bounded by norm_bound alone; leave entry_bound and target_bound out.")


class Held(Protocol):
    """Records, as what is public knows them: of a domain, so many, in so many blocks."""

    @property
    def domain(self) -> Domain:
        """Their bounds."""

    @property
    def records(self) -> int:
        """How many they are."""

    @property
    def blocks(self) -> int:
        """How many blocks they are in."""


class OverDomain:
    """A problem or a query on records of one `domain`."""

    __slots__ = ()
    domain: Domain

    @property
    def persons(self) -> Persons | None:
        """Whose rows are whose; None where the unit of privacy is a row."""
        return self.domain.persons

    @property
    def dimension(self) -> int:
        """Number of weights."""
        return self.domain.dimension


def split_weights(weights: Floats, *, features: int, intercept_scale: float, classes: int) -> tuple[Floats, Floats]:
    """(coef, intercept) of released columns (dimension, count).

    Two classes: (count, d) and (count,); K classes: (count, K, d) and (count, K).
    """
    models = 1 if classes == 2 else classes
    table = np.ascontiguousarray(weights.T).reshape(weights.shape[1], models, -1)
    coef, last = table[:, :, :features], table[:, :, features:]
    intercept = last[:, :, 0] * intercept_scale if intercept_scale > 0 else np.zeros(coef.shape[:2])
    coef = np.ascontiguousarray(coef)
    return (coef[:, 0], intercept[:, 0]) if models == 1 else (coef, intercept)
