"""What the theory promises for our own mechanisms: excess loss for n records, and records for an excess loss.

    L(f_priv) - L(f0) <= T(e) + (Lambda / 2) B^2 + R s         for every |f0| <= B, with probability at least 1 - failure

T(e): module `bounds.localised`, with probability failure / 2 for the records. e: the empirical excess of the mechanism, from the exact quantile of
its noise at failure / 2 - failure / 1000. s: how far the last stage moves the weights (residual_stage.md), at failure / 1000; a record's loss moves
by at most R s. The noise is that of the calibrated mechanism itself, at a lambda = n Lambda that makes the bound small and that its theorem admits.

Where persons have several rows (`rows_per_person`), records are persons, the loss of one is the mean over that person's rows, and the same holds
(note localised.md). All arguments are public. Under add-remove, where n is secret, n here is a number of records that you expect and declare public.

The other inversion: `least_epsilon`, the least e with bound(n; e).excess <= target. What is returned was put into the bound itself, so it is enough
whatever the bound's shape; that it is the *least* (to one part in 1000) rests on the bound falling with epsilon. As epsilon grows the bound tends to
the one without privacy, or above it, at its best Lambda: where that one misses the target, no epsilon reaches it.
"""

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

from scipy.optimize import minimize_scalar

from discreet.bounds import (
    ChiNorm,
    ExcessBound,
    GammaNorm,
    NoiseNorm,
    best_objective_ridge,
    excess_risk,
    least_excess,
    lemma_4,
    objective_excess,
    output_excess,
)
from discreet.core.errors import InfeasibleTarget, InvalidInput
from discreet.core.neighbours import DELTA, Neighbours, Persons, Privacy
from discreet.core.short import short_repr
from discreet.core.showing import html_of
from discreet.core.validate import each, positive, probability, small_delta, whole
from discreet.data import Domain
from discreet.losses import MarginLoss, loss_named
from discreet.mechanisms.learning import (
    GaussianObjectivePerturbation,
    GaussianOutputPerturbation,
    PureObjectivePerturbation,
    PureOutputPerturbation,
    calibrate,
)
from discreet.mechanisms.learning.margin import MARGIN
from discreet.mechanisms.learning.worth import Outlook, needed_records
from discreet.noise.laws import DiscreteGaussian, DiscreteLaplace
from discreet.problems import RegularisedRisk

MECHANISMS = ("objective", "output")
_LAST = 1e-3
_MOST_RECORDS = 10**15
_LEAST_EPSILON, _MOST_EPSILON = 1e-6, 100.0

_Mechanism = GaussianObjectivePerturbation | GaussianOutputPerturbation | PureObjectivePerturbation | PureOutputPerturbation


class _Noise(NamedTuple):
    """Noise of one calibrated mechanism: the law of its norm (on the objective, or times lambda on the weights), and the reach of the last stage."""

    norm: NoiseNorm
    last: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedBound:
    """What is proved for n records."""

    records: int
    excess: float
    """Bound of L(f_priv) - L(f0)."""
    without_privacy: float
    """The same bound for the minimiser without noise, at its own best Lambda."""
    published: float
    """The same bound with lemma 4 of Chaudhuri et al. (2011) in place of the exact quantile, where the noise is spherical; else infinite."""
    parts: ExcessBound
    last_stage: float
    ridge: float
    """lambda = n Lambda that the bound is for."""
    alpha: float
    """Lambda, the `alpha` of a fit."""

    __repr__ = short_repr
    _repr_html_ = html_of("planning.bound_view")

    def to_dict(self) -> dict[str, object]:
        """Plain dicts, lists and numbers, as JSON has them."""
        return {
            "records": self.records,
            "excess": self.excess,
            "without_privacy": self.without_privacy,
            "published": self.published if math.isfinite(self.published) else None,
            "parts": {
                "empirical": self.parts.empirical,
                "generalisation": self.parts.generalisation,
                "regularisation": self.parts.regularisation,
                "last_stage": self.last_stage,
            },
            "alpha": self.alpha,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A planned fit of a linear classifier, in public numbers. Raises InvalidInput for impossible numbers."""

    epsilon: float
    delta: float = DELTA
    neighbours: Neighbours = Neighbours.REPLACE_ONE
    features: int
    norm: float
    """B, the norm of the predictors to compete with, intercept included; 1 / B is the margin of one that separates."""
    data_norm: float = 1.0
    intercept_scale: float | None = None
    """None takes 0.3 data_norm, 0 is no intercept."""
    loss: str = "logistic"
    mechanism: str = "objective"
    failure: float = 0.05
    """The bound may fail with this probability."""
    rows_per_person: int | None = None
    """The most rows of a person that are kept, each person counting once; records are then persons. None where the unit is a row."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """See class docstring."""
        each(positive, epsilon=self.epsilon, norm=self.norm, data_norm=self.data_norm)
        whole(self.features, "features")
        probability(self.failure, "failure")
        small_delta(self.delta)
        if self.mechanism not in MECHANISMS:
            raise InvalidInput(f"mechanism must be one of {list(MECHANISMS)}; {self.mechanism!r} was given.")
        if self.intercept_scale is None:
            object.__setattr__(self, "intercept_scale", 0.3 * self.data_norm)
        loss_named(self.loss)
        self.problem(1, 1.0)

    def problem(self, records: int, ridge: float) -> RegularisedRisk:
        """The public problem at this number of records and lambda."""
        scale = 0.0 if self.intercept_scale is None else self.intercept_scale
        rows = self.rows_per_person
        persons = None if rows is None else Persons(rows=rows)
        domain = Domain(features=self.features, norm_bound=self.data_norm, intercept_scale=scale, records=records, classes=2, persons=persons)
        return RegularisedRisk(loss=self.margin_loss, ridge=ridge, domain=domain)

    @property
    def counted(self) -> str:
        """The unit of the number of records, in a word."""
        return "records" if self.rows_per_person is None else "persons"

    @property
    def margin_loss(self) -> MarginLoss:
        """The loss."""
        return loss_named(self.loss)

    def outlook(self, records: int) -> Outlook:
        """Whether a fit on so many records may be expected to beat always giving the commonest class."""
        needed = needed_records(self.problem(records, 1.0), self._privacy)
        return Outlook(needed=needed, records=records, many="records" if self.rows_per_person is None else "persons")

    @property
    def _privacy(self) -> Privacy:
        return Privacy(epsilon=self.epsilon, delta=self.delta, neighbours=self.neighbours)

    def calibrated(self, records: int, ridge: float) -> _Mechanism:
        """The mechanism of a fit with these numbers. Raises InfeasibleTarget if the theorem needs more regularisation."""
        problem = self.problem(records, ridge)
        found = calibrate(problem, mechanism=self.mechanism, calibration="tight", epsilon=self.epsilon, delta=self.delta, neighbours=self.neighbours)
        if not isinstance(found, _Mechanism):
            raise InvalidInput(f"planning knows the mechanisms {list(MECHANISMS)}; {found.name!r} was calibrated.")
        return found

    def bound(self, records: int) -> PlannedBound:
        """What is proved for this number of records."""
        whole(records, "records")
        ridge = self._ridge(records)
        mechanism = self.calibrated(records, ridge)
        problem = self.problem(records, ridge)
        noise = _noise_of(mechanism, problem, self.failure * _LAST)
        constants = {"records": float(records), "norm": self.norm, "failure": 0.5 * self.failure}
        data = {"lipschitz": self.margin_loss.lipschitz, "radius": problem.domain.radius}
        parts = excess_risk(self._empirical(noise.norm, records, ridge), ridge=ridge / records, **constants, **data)
        last = noise.last * problem.domain.radius * self.margin_loss.lipschitz
        alone = excess_risk(0.0, ridge=best_objective_ridge(0.0, **constants, **data), **constants, **data)
        published = math.inf
        if isinstance(noise.norm, GammaNorm):
            longest = lemma_4(noise.norm.dimension, 1.0 / noise.norm.rate, self._noise_failure)
            looser = self._excess_of(longest, records, ridge) * (2.0 if self.mechanism == "objective" else 1.0)
            published = excess_risk(looser, ridge=ridge / records, **constants, **data).total + last
        return PlannedBound(
            records=records,
            excess=parts.total + last,
            without_privacy=alone.total,
            published=published,
            parts=parts,
            last_stage=last,
            ridge=ridge,
            alpha=ridge / records,
        )

    def least(self, records: int) -> float:
        """A lower bound for every method with this guarantee: some distribution of records has a larger excess with probability above `failure`."""
        return least_excess(
            self.margin_loss,
            records=records,
            features=self.features,
            norm=self.norm,
            data_norm=self.data_norm,
            privacy=self._privacy,
            failure=self.failure,
        )

    def records_for(self, excess: float) -> PlannedBound:
        """The smallest number of records (to one part in 1000) for which an excess of at most `excess` is proved.

        Raises InfeasibleTarget if 10^15 are too few.
        """
        positive(excess, "excess")
        low, high = 1, 2
        while self.bound(high).excess > excess:
            low, high = high, 4 * high
            if high > _MOST_RECORDS:
                raise InfeasibleTarget(
                    f"the bound does not reach an excess of {excess:g} for any number of records below 10^15. Raise epsilon, or the excess."
                )
        while high - low > max(1, high // 1000):
            middle = (low + high) // 2
            low, high = (low, middle) if self.bound(middle).excess <= excess else (middle, high)
        return self.bound(high)

    def noise(self, records: int, ridge: float) -> float:
        """The median norm of the noise of a fit with these numbers on the mean objective (output perturbation: on the weights, times Lambda)."""
        return _noise_of(self.calibrated(records, ridge), self.problem(records, ridge), self.failure * _LAST).norm.quantile(0.5) / records

    def records_without_privacy(self, excess: float) -> int:
        """The smallest number of records for which the same bound, without noise and at its best Lambda, is at most `excess`."""
        positive(excess, "excess")
        reach = self.margin_loss.lipschitz * self.problem(1, 1.0).domain.radius
        return math.ceil((2.0 * self.norm * reach * (2.0 + math.sqrt(2.0 * math.log(2.0 / self.failure))) / excess) ** 2)

    _repr_html_ = html_of("planning.view")

    @property
    def _noise_failure(self) -> float:
        return self.failure * (0.5 - _LAST)

    def _ridge(self, records: int) -> float:
        """lambda: the best for the noise at the theorem's comfortable lambda, and not below that."""
        comfortable = MARGIN.comfortable_ridge(self.problem(records, 1.0), epsilon=self.epsilon, delta=self.delta, neighbours=self.neighbours)
        problem = self.problem(records, comfortable)
        norm = _noise_of(self.calibrated(records, comfortable), problem, self.failure * _LAST).norm
        constants = {"records": float(records), "norm": self.norm, "failure": 0.5 * self.failure}
        data = {"lipschitz": self.margin_loss.lipschitz, "radius": problem.domain.radius}
        if self.mechanism == "objective":
            length = norm.quantile(self._noise_failure)
            return max(comfortable, records * best_objective_ridge(length, **constants, **data))

        def total(logarithm: float) -> float:
            ridge = math.exp(logarithm)
            return math.log(excess_risk(self._empirical(norm, records, ridge), ridge=ridge / records, **constants, **data).total)

        found = minimize_scalar(total, bounds=(math.log(1e-3), math.log(1e3 * records)), method="bounded", options={"xatol": 1e-3})
        return math.exp(float(found.x))

    def _empirical(self, norm: NoiseNorm, records: int, ridge: float) -> float:
        if self.mechanism == "objective":
            return objective_excess(norm, records=records, ridge=ridge / records, delta=self._noise_failure)
        problem = self.problem(records, ridge)
        return output_excess(
            _scaled(norm, 1.0 / ridge),
            smoothness=self.margin_loss.smoothness,
            ridge=ridge / records,
            delta=self._noise_failure,
            radius=problem.domain.radius,
        )

    def _excess_of(self, length: float, records: int, ridge: float) -> float:
        """The empirical excess for noise of a norm of at most `length`, in units of the objective."""
        if self.mechanism == "objective":
            return length**2 / (2.0 * records * ridge)
        radius = self.problem(records, ridge).domain.radius
        return 0.5 * (length / ridge) ** 2 * (self.margin_loss.smoothness * radius**2 + ridge / records)


def least_epsilon(plan: Plan, *, records: int, excess: float) -> Plan:
    """The plan at the smallest epsilon for which `bound(records)` is at most `excess`; the epsilon of `plan` is ignored.

    Rounded up to four digits. Raises InfeasibleTarget if the bound without privacy exceeds `excess`, or if epsilon = 100 is not enough.
    """
    positive(excess, "excess")
    whole(records, "records")
    alone = plan.records_without_privacy(excess)
    if alone > records:
        raise InfeasibleTarget(
            f"with {records:,} records the bound does not reach an excess of {excess:g} at any epsilon: even without privacy it needs "
            f"{alone:,} records. Use more records, or a larger excess."
        )

    def enough(epsilon: float) -> bool:
        return replace(plan, epsilon=epsilon).bound(records).excess <= excess

    high = 1.0
    while not enough(high):
        high *= 2.0
        if high > _MOST_EPSILON:
            raise InfeasibleTarget(
                f"with {records:,} records the bound does not reach an excess of {excess:g} at any epsilon up to {_MOST_EPSILON:g}. Use "
                "more records, or a larger excess."
            )
    low = 0.5 * high
    while low > _LEAST_EPSILON and enough(low):
        low, high = 0.5 * low, low
    while high > 1.001 * low:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if enough(middle) else (middle, high)
    rounded = _rounded_up(high)
    return replace(plan, epsilon=rounded if enough(rounded) else high)


def proved_at(plan: Plan, epsilon: float, records: int) -> float | None:
    """The excess that is proved at another epsilon; None if nothing is proved."""
    try:
        return replace(plan, epsilon=epsilon).bound(records).excess
    except InfeasibleTarget:
        return None


def _noise_of(mechanism: _Mechanism, problem: RegularisedRisk, failure: float) -> _Noise:
    """The law of the noise in units of the objective (output perturbation: noise on the weights times lambda), and the last stage's reach."""
    size, dimension = problem.ridge, problem.dimension
    grid, rounding = mechanism.grid, 0.5 * math.sqrt(dimension)
    norm: NoiseNorm
    match mechanism:
        case GaussianObjectivePerturbation(scale=scale):
            norm = ChiNorm(dimension=dimension, scale=scale)
        case GaussianOutputPerturbation(scale=scale):
            norm = ChiNorm(dimension=dimension, scale=scale * size)
        case PureObjectivePerturbation(rate=rate):
            norm = GammaNorm(dimension=dimension, rate=rate)
        case PureOutputPerturbation(rate=rate):
            norm = GammaNorm(dimension=dimension, rate=rate / size)
    gaussian = isinstance(mechanism, GaussianObjectivePerturbation | GaussianOutputPerturbation)
    law = DiscreteGaussian(grid.scale) if gaussian else DiscreteLaplace(grid.scale)
    integers = math.sqrt(dimension) * law.bound(failure / dimension)  # a union bound over the integers
    computed = (
        (mechanism.tolerance + mechanism.noise_error) / size
        if isinstance(mechanism, GaussianObjectivePerturbation | PureObjectivePerturbation)
        else mechanism.tolerance / size + mechanism.noise_error
    )
    return _Noise(norm, computed + grid.step * (rounding + integers))


def _scaled(norm: NoiseNorm, factor: float) -> NoiseNorm:
    match norm:
        case GammaNorm():
            return replace(norm, rate=norm.rate / factor)
        case ChiNorm():
            return replace(norm, scale=norm.scale * factor)
    raise InvalidInput("the distribution of the noise must be a GammaNorm or a ChiNorm.")


def _rounded_up(value: float) -> float:
    """To four digits, never down."""
    digits = 3 - math.floor(math.log10(value))
    rounded = round(value, digits)
    return rounded if rounded >= value else round(rounded + 10.0**-digits, digits)
