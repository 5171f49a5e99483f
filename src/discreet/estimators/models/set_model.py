"""Linear models over a set: what the estimators of `over_sets` share.

minimise  sum_i l(<w, x_i> + t v; y_i) (+ n (alpha / 2) |(w, v)|^2)   over (w, v) in C, privately
"""

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np

from discreet.core.errors import InvalidInput, quietly
from discreet.core.neighbours import Privacy
from discreet.core.validate import positive
from discreet.data import Domain
from discreet.estimators.inputs import positive_or_none, ridge_of, whole_or_none
from discreet.estimators.models.bounded_model import BoundedModel
from discreet.estimators.summaries.explanation import Explanation, Reason, known_features
from discreet.losses import Logistic
from discreet.losses.predictions import OfMargin, PredictionLoss, prediction_loss_named
from discreet.mechanisms.constrained import Choices, ConstrainedMechanism, calibrate_frank_wolfe, calibrate_over_set, candidates
from discreet.mechanisms.constrained.choose import AUTO
from discreet.problems import ConstrainedRisk, SetRisk
from discreet.sets import Constraint, constraint_named
from discreet.sets.mirror_maps import mirror_map_named


@dataclass(kw_only=True, eq=False, repr=False)
class ConstrainedModel(BoundedModel):
    """Base of the estimators over a set; subclasses say which set, which loss, and which mechanisms."""

    set_name = ""

    _counts_steps: ClassVar[bool] = True

    @abstractmethod
    def _constraint(self, dimension: int) -> Constraint:
        """The set C of the weights."""

    @abstractmethod
    def _loss(self) -> PredictionLoss:
        """The loss of a prediction and a target."""

    @abstractmethod
    def _mechanism(self, problem: SetRisk, privacy: Privacy) -> ConstrainedMechanism:
        """The calibrated mechanism."""

    def explain(self, *, features: int | None = None, records: int | None = None, targets: int = 1) -> Explanation:
        """The mechanisms that there are for this problem with the bounds of risk that are proved for them; needs no data.

        Parameters: `features` d (of the fitted model if left out), `records` n, public or supposed; `targets` 1, as a set has one. Raises
        InvalidInput where d is unknown or epsilon is infinite.
        """
        known = known_features(self, features)
        privacy, count = self._privacy(), whole_or_none(self.public_records if records is None else records, "records")
        problem = self._problem(self._domain(replace(self._shape(known, None, classes=self._kinds(), targets=targets), records=count)))
        found = [one for one in candidates(problem, **privacy.target, choices=self._choices(problem, privacy)) if self._considers(one.name)]
        chosen = self._mechanism(problem, privacy).name
        constraint = problem.constraint
        numbers = f"l2 radius {constraint.l2_radius:.4g}, diameter {constraint.diameter:.4g}, Gaussian width {constraint.gaussian_width:.4g}"
        slope = f"{problem.loss.name}: a record adds at most {problem.gradient_bound:.4g} to the gradient (l2), predictions reach {problem.reach:.4g}"
        reasons = [
            Reason(
                choice="set", text=f"{constraint.name}: {numbers}.", numbers={"name": constraint.name, "gaussian_width": constraint.gaussian_width}
            ),
            Reason(choice="loss", text=slope + ".", numbers={"name": problem.loss.name, "gradient_bound": problem.gradient_bound}),
        ]
        if self._choices(problem, privacy).calibration != "tight":
            reasons.append(Reason(choice="calibration", text="The noise is as printed; the bounds are those of calibration='tight'.", numbers={}))
        for candidate in found:
            bound = "no bound" if math.isinf(candidate.risk) else f"expected excess of the mean loss at most {candidate.risk:.4g}"
            mark = "chosen: " if candidate.name == chosen else ""
            risk = None if math.isinf(candidate.risk) else candidate.risk
            reasons.append(Reason(choice=candidate.name, text=f"{mark}{bound} ({candidate.remark})", numbers={"risk": risk}))
        shown = "a nominal number of records" if count is None else f"{count:,} records"
        budget = f"epsilon {privacy.epsilon:g}, delta {privacy.delta:g}, {privacy.neighbours}"
        return Explanation(title=f"{type(self).__name__} on {known:,} features, {shown}: {budget}", reasons=tuple(reasons))

    def _choices(self, problem: SetRisk, privacy: Privacy) -> Choices:  # noqa: ARG002 - none
        """What the caller chose beside a mechanism. Raises InvalidInput for what does not fit these numbers."""
        return Choices()

    def _considers(self, mechanism: str) -> bool:  # noqa: ARG002 - all of them
        """Whether a mechanism is among those that are compared."""
        return True

    def _of_classes(self) -> bool:
        return self._loss().signed_targets

    def _prepared(self, domain: Domain, privacy: Privacy) -> tuple[SetRisk, ConstrainedMechanism]:
        problem = self._problem(domain)
        return problem, self._mechanism(problem, privacy)

    def _problem(self, domain: Domain) -> SetRisk:
        """The public problem over this domain."""
        return ConstrainedRisk(loss=self._loss(), constraint=self._constraint(domain.dimension), domain=domain, max_slope=self._max_slope())

    def _max_slope(self) -> float | None:
        """Bound that slopes are clipped to, or None."""
        return None

    def _target_bound(self) -> float:
        return 1.0

    def _constant(self, domain: Domain) -> float:  # noqa: ARG002 - no intercept
        return 0.0


@dataclass(kw_only=True, eq=False, repr=False)
class InterceptMixin(ConstrainedModel):
    """An intercept whose coefficient is the last coordinate of the set; its feature is as large as entries may be, which costs no noise."""

    fit_intercept: Annotated[bool, "Whether there is an intercept."] = True
    intercept_scale: Annotated[float | None, "Size of the intercept's constant feature; the bound of entries, which is 1, if left out."] = None

    def _constant(self, domain: Domain) -> float:
        scale = positive_or_none(self.intercept_scale, "intercept_scale")
        if not self.fit_intercept:
            return 0.0
        return domain.largest_entry if scale is None else scale


@dataclass(kw_only=True, eq=False, repr=False)
class NumericTargetMixin(ConstrainedModel):
    """Targets that are numbers, and the choice of a loss for them."""

    target_bound: float | None = None
    loss: Annotated[str | PredictionLoss, "squared, huber, log-cosh or absolute."] = "squared"
    max_slope: Annotated[float | None, "What slopes of the loss are clipped to: less noise, and less weight of far-off targets."] = None

    def _target_bound(self) -> float:
        return 1.0 if self.target_bound is None else positive(self.target_bound, "target_bound")

    def _max_slope(self) -> float | None:
        return positive_or_none(self.max_slope, "max_slope")


@dataclass(kw_only=True, eq=False, repr=False)
class FrankWolfeMixin(ConstrainedModel):
    """Over the vertices of a set: the better one of two mechanisms."""

    mechanism: Annotated[str, "auto (the better one by public numbers), frank-wolfe-polytope or frank-wolfe-gaussian."] = "auto"

    def _considers(self, mechanism: str) -> bool:
        return mechanism.startswith("frank-wolfe")

    def _mechanism(self, problem: SetRisk, privacy: Privacy) -> ConstrainedMechanism:
        return calibrate_frank_wolfe(problem, mechanism=self.mechanism, steps=whole_or_none(self.n_iter, "n_iter"), **privacy.target)


@dataclass(kw_only=True, eq=False, repr=False)
class AutoMechanismMixin(ConstrainedModel):
    """Over any set: the mechanism with the best bound of risk, and what can be said about that choice."""

    mechanism: Annotated[
        str, "auto (the best bound of risk), objective-perturbation-set, mirror-descent, frank-wolfe-gaussian or frank-wolfe-polytope."
    ] = "auto"
    alpha: Annotated[float | None, "Strength of regularisation, of |w|^2 / 2 in the mean objective; from public numbers if left out."] = None
    penalty_factor: Annotated[
        Mapping[str, float] | Sequence[float] | None,
        "What the ridge is multiplied by for the coefficients of a column, from 1 on; 1 for columns that are left out. With objective perturbation.",
    ] = None
    mirror_map: Annotated[str, "Of mirror descent: auto (the best bound of risk), euclidean, p-norm, power or entropy, where the set has it."] = AUTO
    calibration: Annotated[str, "tight, or published: the noise that is printed in the paper."] = "tight"

    def _choices(self, problem: SetRisk, privacy: Privacy) -> Choices:
        ridge = None if self.alpha is None else ridge_of(self.alpha, problem.domain.records, privacy.neighbours)
        if self.mirror_map != AUTO:
            mirror_map_named(self.mirror_map, problem.constraint)
        factors = () if self.penalty_factor is None else factors_of(self.penalty_factor, problem)
        return Choices(ridge=ridge, factors=factors, mirror_map=self.mirror_map, calibration=self.calibration)

    def _mechanism(self, problem: SetRisk, privacy: Privacy) -> ConstrainedMechanism:
        steps, choices = whole_or_none(self.n_iter, "n_iter"), self._choices(problem, privacy)
        return calibrate_over_set(problem, mechanism=self.mechanism, steps=steps, choices=choices, **privacy.target)


_BY_DIMENSION = ("l1-ball", "l2-ball", "linfinity-ball", "simplex")
"""Sets that a dimension and a radius make."""


def factors_of(given: object, problem: SetRisk) -> tuple[float, ...]:
    """Of every coefficient, from those of the features; the intercept is pulled as the ridge says, and all classes alike. Raises InvalidInput."""
    domain = problem.domain
    refusal = InvalidInput(f"penalty_factor must be {domain.features} numbers from 1 on, one for each feature, or None; something else was given.")
    found = quietly(lambda: np.array(given, dtype=np.float64), refusal)
    if isinstance(given, str | bytes) or found.shape != (domain.features,) or not np.all(np.isfinite(found)):
        raise refusal
    each = [*found.tolist(), *[1.0] * (domain.dimension - domain.features)]
    return tuple(each * (problem.dimension // domain.dimension))


def loss_of(loss: object) -> PredictionLoss:
    """A loss or the one of this name. Raises InvalidInput."""
    if isinstance(loss, str):
        return prediction_loss_named(loss)
    if isinstance(loss, PredictionLoss):
        return loss
    raise InvalidInput(f"loss must be a name or one of the losses of discreet.losses.predictions; an object of type {type(loss).__name__} was given.")


def set_of(given: str, dimension: int) -> Constraint:
    """The set of this dimension that NAME:RADIUS means; a radius that is left out is 1. Raises InvalidInput."""
    name, colon, size = given.partition(":")
    radius = (
        quietly(lambda: float(size), InvalidInput(f"the radius of a set must be a number, as in l1-ball:3; {given!r} was given.")) if colon else 1.0
    )
    if name not in _BY_DIMENSION:
        raise InvalidInput(f"constraint must be one of {sorted(_BY_DIMENSION)} with its radius, as in l1-ball:3, or a set; {given!r} was given.")
    return constraint_named(name, {"dimension": dimension, "radius": positive(radius, "radius")})


def takes_classes(loss: object) -> bool:
    """Whether the loss is one of classes; False for a loss that fit will refuse."""
    try:
        return loss_of(loss).signed_targets
    except InvalidInput:
        return False


def is_softmax(loss: object) -> bool:
    """Whether the loss has a form for more than two classes."""
    return isinstance(loss, str | PredictionLoss) and loss in ("logistic", OfMargin(loss=Logistic()))
