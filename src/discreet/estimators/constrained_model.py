"""Private linear models over a constraint set, with scikit-learn's manners.

minimise  sum_i l(<w, x_i> + t v; y_i)   over (w, v) in C, privately;     intercept = t v
"""

import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any, Self

from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Privacy
from discreet.core.validate import positive
from discreet.data import Domain
from discreet.estimators.bounded_model import BoundedModel
from discreet.estimators.explanation import Explanation, Reason
from discreet.estimators.inputs import positive_or_none, whole_or_none
from discreet.losses.predictions import PredictionLoss
from discreet.mechanisms.constrained import ConstrainedMechanism, calibrate_frank_wolfe, calibrate_over_set, candidates
from discreet.problems import ConstrainedRisk
from discreet.sets import Constraint


@dataclass(kw_only=True, eq=False, repr=False)
class ConstrainedModel(BoundedModel):
    """Base of the estimators over a set; subclasses say which set, which loss, and which mechanisms."""

    mechanism: str = "auto"
    n_iter: int | None = None

    @abstractmethod
    def _constraint(self, dimension: int) -> Constraint:
        """C."""

    @abstractmethod
    def _loss(self) -> PredictionLoss:
        """The loss of a prediction and a target."""

    @abstractmethod
    def _mechanism(self, problem: ConstrainedRisk, privacy: Privacy) -> ConstrainedMechanism:
        """The calibrated mechanism."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit the model, spending (epsilon, delta) on the records.

        Parameters: X (n, d) array, data frame or sparse matrix of finite numbers, or a BlockTable, which brings its own targets; y (n,) targets.
        Raises InvalidInput for input that breaks the caller's side (NaN, shapes, undeclared labels) and for parameters out of range. No message
        holds a value of X or y.
        """
        privacy = self._privacy()
        given = self._given(X, y)
        problem, mechanism = self._prepared(self._domain(given.features, self._known_records(given.records, privacy.neighbours)), privacy)
        release = mechanism.run(problem, given.data_of(problem.domain), self._noise(), account=self._account())
        declared = (*given.declared, *self._declared_records(privacy.neighbours, steps=True))
        self._keep(release, problem.domain, replace(given, declared=declared))
        return self

    def _of_classes(self) -> bool:
        return self._loss().signed_targets

    def _prepared(self, domain: Domain, privacy: Privacy) -> tuple[ConstrainedRisk, ConstrainedMechanism]:
        problem = self._problem(domain)
        return problem, self._mechanism(problem, privacy)

    def _problem(self, domain: Domain) -> ConstrainedRisk:
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
class WithIntercept(ConstrainedModel):
    """An intercept whose coefficient is the last coordinate of the set; its feature is as large as entries may be, which costs no noise."""

    fit_intercept: bool = True
    intercept_scale: float | None = None

    def _constant(self, domain: Domain) -> float:
        if not self.fit_intercept:
            return 0.0
        return domain.largest_entry if self.intercept_scale is None else positive(self.intercept_scale, "intercept_scale")


@dataclass(kw_only=True, eq=False, repr=False)
class OfNumbers(ConstrainedModel):
    """Targets that are numbers, and the choice of a loss for them."""

    target_bound: float = 1.0
    loss: str | PredictionLoss = "squared"
    max_slope: float | None = None

    def _target_bound(self) -> float:
        return positive(self.target_bound, "target_bound")

    def _max_slope(self) -> float | None:
        return positive_or_none(self.max_slope, "max_slope")


@dataclass(kw_only=True, eq=False, repr=False)
class ByFrankWolfe(ConstrainedModel):
    """Over the vertices of a set: the better one of two mechanisms."""

    def _mechanism(self, problem: ConstrainedRisk, privacy: Privacy) -> ConstrainedMechanism:
        return calibrate_frank_wolfe(problem, mechanism=self.mechanism, steps=whole_or_none(self.n_iter, "n_iter"), **privacy.target)


@dataclass(kw_only=True, eq=False, repr=False)
class ByComparison(ConstrainedModel):
    """Over any set: the mechanism with the best bound of risk, and what can be said about that choice."""

    def explain(self, *, features: int | None = None, records: int | None = None) -> Explanation:
        """The mechanisms that there are for this problem with the bounds of risk that are proved for them; needs no data.

        Parameters: `features` d (of the fitted model if left out), `records` n, public or supposed. Raises InvalidInput where d is unknown or
        epsilon is infinite.
        """
        known = features if features is not None else vars(self).get("n_features_in_")
        if known is None:
            raise InvalidInput("explain needs the number of features: explain(features=d), or a fitted model.")
        privacy, count = self._privacy(), whole_or_none(self.public_records if records is None else records, "records")
        problem = self._problem(self._domain(known, count))
        found = candidates(problem, **privacy.target)
        chosen = found[0].name if self.mechanism == "auto" else self.mechanism
        constraint = problem.constraint
        numbers = f"l2 radius {constraint.l2_radius:.4g}, diameter {constraint.diameter:.4g}, Gaussian width {constraint.gaussian_width:.4g}"
        slope = f"{problem.loss.name}: a record adds at most {problem.gradient_bound:.4g} to the gradient (l2), predictions reach {problem.reach:.4g}"
        reasons = [
            Reason(
                choice="set", text=f"{constraint.name}: {numbers}.", numbers={"name": constraint.name, "gaussian_width": constraint.gaussian_width}
            ),
            Reason(choice="loss", text=slope + ".", numbers={"name": problem.loss.name, "gradient_bound": problem.gradient_bound}),
        ]
        for candidate in found:
            bound = "no bound" if math.isinf(candidate.risk) else f"expected excess of the mean loss at most {candidate.risk:.4g}"
            mark = "chosen: " if candidate.name == chosen else ""
            risk = None if math.isinf(candidate.risk) else candidate.risk
            reasons.append(Reason(choice=candidate.name, text=f"{mark}{bound} ({candidate.remark})", numbers={"risk": risk}))
        shown = "a nominal number of records" if count is None else f"{count:,} records"
        budget = f"epsilon {privacy.epsilon:g}, delta {privacy.delta:g}, {privacy.neighbours}"
        return Explanation(title=f"{type(self).__name__} on {known:,} features, {shown}: {budget}", reasons=tuple(reasons))

    def _mechanism(self, problem: ConstrainedRisk, privacy: Privacy) -> ConstrainedMechanism:
        return calibrate_over_set(problem, mechanism=self.mechanism, steps=whole_or_none(self.n_iter, "n_iter"), **privacy.target)
