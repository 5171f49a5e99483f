"""What every empirical risk over a constraint set tells a mechanism: public numbers of one record, whatever the loss is.

    F(theta) = sum_i l_i(theta)   over theta in C,        |x_i|_inf <= R_inf,  |x_i|_2 <= R_2

One class here is one kind of loss: of a prediction (module `constrained_risk`), of K classes together (`softmax_risk`).
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from discreet.accounting import Json
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.fields import Named
from discreet.core.rounding import UNIT, gamma, raising
from discreet.core.short import short_repr
from discreet.data.domain import Domain, Held, OverDomain
from discreet.matrices.base import BLOCK_ROWS
from discreet.sets import Constraint

SINGLE_PRODUCT = 1 << 18
"""Most records whose gradient is one matrix product: n gamma_n is then below 2^-17."""
MOST_BLOCKS = 1 << 20
"""Of a table in blocks: more are refused."""
ROUNDING = 2.0**-14
"""The share of a record's gradient bound that rounding errors of a whole gradient may have: noise covers it, for 0.01 % more."""
_UP = raising(16)


@dataclass(frozen=True, slots=True, kw_only=True)
class SetRisk(OverDomain, ABC):
    """The public problem: holds no data, and is known in full before any record is read."""

    loss: Named
    constraint: Constraint
    domain: Domain

    __repr__ = short_repr

    @property
    @abstractmethod
    def one_signed(self) -> bool:
        """Whether a record's slopes keep one sign, and have the curvature that the loss states of them."""

    @property
    @abstractmethod
    def smoothness(self) -> float:
        """c, of the loss in its predictions; infinity for a loss with a kink."""

    @property
    @abstractmethod
    def reach(self) -> float:
        """r, the largest size of what a model says of a record."""

    @property
    @abstractmethod
    def slope_bound(self) -> float:
        """B, the largest slope of a record's loss."""

    @abstractmethod
    def slope_share(self, point: Floats) -> float:
        """The largest slope of a record's loss at this one point of C, over B; at most 1, and rounded up."""

    @property
    @abstractmethod
    def coordinate_bound(self) -> float:
        """The most one record adds to a coordinate of the gradient."""

    @property
    @abstractmethod
    def score_bound(self) -> float:
        """The most one record adds to <theta, gradient>, for theta in C."""

    @property
    @abstractmethod
    def score_spread(self) -> float:
        """The most one record moves the difference of two such scores."""

    @property
    @abstractmethod
    def curvature(self) -> float:
        """A record's part of the curvature constant of Frank-Wolfe (Jaggi 2013)."""

    @abstractmethod
    def steepest(self, l2: float, l1: float) -> float:
        """The dual norm of a record's gradient, for a norm whose unit ball has these l2 and l1 radii."""

    @abstractmethod
    def curved(self, l2: float, l1: float) -> float:
        """The curvature of a record's loss along a unit vector of such a norm."""

    @abstractmethod
    def error_share(self, records: int, *, single: int | None = None, beyond: bool = False) -> float:
        """The rounding error of a gradient over so many records, in units of B R_2 and of the coordinate bound.

        `single` as in `PredictionSum`; `beyond` at points of C + (C - C), where slopes are not bounded by B.
        """

    def to_dict(self) -> dict[str, Json]:
        """For certificates: everything that a recheck needs to know of the problem."""
        return {
            "loss": self.loss.name,
            "loss_parameters": as_json(self.loss.parameters),
            "constraint": self.constraint.name,
            "constraint_parameters": as_json(self.constraint.parameters),
            "max_slope": None,
            **self.domain.record(),
            "intercept_scale": self.domain.intercept_scale,
            "records": self.domain.records,
        }

    @property
    def gradient_bound(self) -> float:
        """B R_2: the most one record adds to the gradient, in l2."""
        return self.slope_bound * self.domain.radius * _UP

    @property
    def gradient_error(self) -> float:
        """Bound of the rounding error of a gradient over the records, in l2."""
        return ROUNDING * self.gradient_bound

    @property
    def coordinate_error(self) -> float:
        """The same for every coordinate."""
        return ROUNDING * self.coordinate_bound

    @property
    def most_records(self) -> int:
        """The largest power of two of records, up to 2^40, for which the error bounds hold; about 10^8 in use."""
        most = 1
        while most < 1 << 40 and self.error_share(2 * most) <= ROUNDING:
            most *= 2
        return most

    def require(self, data: Held) -> None:
        """Raise InvalidInput for a data set of another domain, longer than `most_records`, or in too many blocks."""
        if data.domain != self.domain:
            raise InvalidInput("the data set and the problem declare different domains.")
        if data.records > self.most_records:
            raise InvalidInput(
                f"rounding errors are bounded for up to {self.most_records} records with {self.domain.dimension} features, and the table has more. "
                "Split it, or use fewer features."
            )
        if data.blocks > MOST_BLOCKS:
            raise InvalidInput(f"a table may have at most {MOST_BLOCKS} blocks, the number for which rounding errors are bounded. Use larger blocks.")


def as_json(value: object) -> Json:
    """Parameters as certificates hold them: numbers, texts, lists and dictionaries as they are. Raises TypeError for anything else."""
    match value:
        case None | bool() | int() | float() | str():
            return value
        case list() | tuple():
            return [as_json(each) for each in value]
        case dict():
            return {str(key): as_json(each) for key, each in value.items()}
        case _:
            raise TypeError(f"a {type(value).__name__} has no place in a certificate")


def rounding_share(
    records: int, *, dimension: int, reach: float, target_bound: float, smoothness: float, slope_bound: float, single: int = SINGLE_PRODUCT
) -> float:
    """Bound of the error of a gradient over `records` records, in units of B R; `smoothness` is 0 for a loss with a kink.

    See `objectives/prediction_sum.py`, whose sums keep it.
    """
    predictions = smoothness / slope_bound * (gamma(dimension + 8) * reach + 12 * UNIT * (1.0 + reach * max(1.0, target_bound)))
    return records * (predictions + 32 * UNIT + summing_share(records, single)) * (1.0 + 2.0**-10)


def summing_share(records: int, single: int = SINGLE_PRODUCT) -> float:
    """Of it, the product X^T s of one record and its sum."""
    if records <= single:
        return gamma(records + 8)
    return gamma(BLOCK_ROWS + 8) + 4 * UNIT + gamma(records // BLOCK_ROWS + 2) ** 2
