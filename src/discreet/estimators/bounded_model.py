"""Linear models of rows within bounds, of numbers or of two classes: what LinearRegression and the models over sets share.

    prediction   <w, x> + t v,     weights_ = (w, v),     intercept_ = t v
    over a set   minimise  sum_i l(<w, x_i> + t v; y_i)   over (w, v) in C, privately

Shapes: X (n, d), y (n,), weights_ (d,) or (d + 1,) with v last when there is an intercept. Entries are clipped to data_bound and rows shortened to
data_norm, in fit and in prediction alike. Two classes are targets -1 and +1.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from discreet.certificates import Certificate, Release
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Persons, Privacy
from discreet.core.validate import bound_or_infinity, positive, whole
from discreet.data import BlockTable, Domain, EncodedTable, Reader, Records
from discreet.data.reader import on_scale
from discreet.estimators.base import Given, PrivateModel, require_own_targets
from discreet.estimators.explanation import Explanation, Reason, explained, known_features
from discreet.estimators.forms import BoundedForm, bounded_decision, chosen_codes, form_of
from discreet.estimators.inputs import (
    check_two,
    count_or_none,
    encoded_codes,
    is_private,
    positive_or_none,
    public_norm,
    real_targets,
    signs_and_classes,
    whole_or_none,
)
from discreet.estimators.norm_fit import fitted_with_norm, planned_with_norm, require_unencoded
from discreet.losses.predictions import PredictionLoss
from discreet.mechanisms.base import Mechanism
from discreet.mechanisms.constrained import ConstrainedMechanism, calibrate_frank_wolfe, calibrate_over_set, candidates
from discreet.mechanisms.persons import drawn_beside
from discreet.noise import Noise
from discreet.problems import ConstrainedRisk
from discreet.sets import Constraint
from discreet.statements.base import SCHEMA

NO_CLASSES: npt.NDArray[Any] = np.zeros(0)
"""Of targets that are numbers."""


@dataclass(kw_only=True, eq=False, repr=False)
class BoundedModel(ABC, PrivateModel):
    """Base; subclasses say what targets are."""

    form = BoundedForm

    data_bound: float | None = None
    data_norm: float | str | None = 1.0

    mechanism: Annotated[str, "auto (by public numbers), or one by its name."] = "auto"
    n_iter: Annotated[int | None, "Number of steps, chosen without the records; from public numbers if left out."] = None

    _counts_steps: ClassVar[bool] = False
    """Whether the number of steps follows from that of records."""
    _chooses_norms: ClassVar[bool] = False
    """Whether data_norm may be "private"."""
    coef_: Floats = field(init=False)
    intercept_: Any = field(init=False)
    data_norm_: float = field(init=False)
    classes_: npt.NDArray[Any] = field(init=False)

    @abstractmethod
    def _of_classes(self) -> bool:
        """Whether targets are two classes, and not numbers."""

    @abstractmethod
    def _target_bound(self) -> float:
        """Bound on |y|; 1 for classes."""

    @abstractmethod
    def _constant(self, domain: Domain) -> float:
        """t of the rows of a domain that has none yet; 0 for a model without intercept."""

    @property
    def target_range(self) -> tuple[float, float]:
        """The public bounds of targets that are numbers, in their unit. Raises InvalidInput for parameters that give none."""
        bound = self._target_bound()
        return -bound, bound

    @abstractmethod
    def _prepared(self, domain: Domain, privacy: Privacy) -> tuple[Any, Mechanism[Any, Any]]:
        """The public problem over a domain, and its calibrated mechanism."""

    def fit(self, X: Any, y: Any = None, *, persons: Any = None) -> Self:
        """Fit the model, spending (epsilon, delta) on the records.

        Parameters: X (n, d) array, data frame or sparse matrix of finite numbers, or a BlockTable, which brings its own targets; y (n,) targets;
        persons (n,) ids that say whose row each is, or None.
        Raises InvalidInput for input that breaks the caller's side (NaN, shapes, undeclared labels) and for parameters out of range,
        InfeasibleTarget where no noise fits the target. No message holds a value of X or y.
        """
        privacy = self._privacy()
        with self._unless_refused():
            noise = self._noise()
            given = self._given(X, y, persons, noise)
            self._advise(X, privacy, given.records)
            domain = self._domain(given.features, self._known_records(given.records, privacy.neighbours), given.persons)
            if is_private(self.data_norm):
                require_unencoded(X)
                release, domain, self.data_norm_ = fitted_with_norm(given, partial(self._of_persons, domain), privacy, noise, self._account())
            else:
                problem, mechanism = self._of_persons(domain, privacy)
                release, domain = mechanism.run(problem, given.data_of(problem.domain), noise, account=self._account()), problem.domain
        declared = (*self._declared(given), *self._declared_records(privacy.neighbours, steps=self._counts_steps))
        self._keep(release, domain, replace(given, declared=declared))
        return self

    def _declared(self, given: Given) -> tuple[str, ...]:
        """What the caller declared public, but for a number of records. Raises InvalidInput for what does not belong to these records."""
        return given.declared

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """<w, x> + intercept, or the likelier class where targets are classes, (n,), with rows brought within the declared bounds; X as in fit."""
        found = self._predictions(X)
        return self.classes_[chosen_codes(found)] if self._of_classes() else found

    def plan(self, *, features: int, records: int | None = None, told_apart: bool = False) -> Certificate:
        """What a fit would promise, from public numbers alone: its certificate, but for value, noise, ledger and what is declared. It never verifies.

        Parameters: `features` d; `records` n, of persons where they are declared, if it is public; `told_apart` whether rows come with ids of
        persons, as they do where a person may have more than one. Raises InvalidInput and InfeasibleTarget as `fit` does.
        """
        self._jobs()
        labels = self._declared_classes() if self._of_classes() else None
        if labels is not None:
            check_two(np.asarray(labels))
        privacy, known = self._privacy(), count_or_none(records, "records")
        rule = self._public_rule(told_apart=told_apart)
        domain = self._domain(whole(features, "features"), self._known_records(known, privacy.neighbours), rule)
        if is_private(self.data_norm):
            return planned_with_norm(partial(self._of_persons, domain), privacy, rule)
        problem, mechanism = self._of_persons(domain, privacy)
        return mechanism.planned(problem, shape=(domain.dimension,))

    def _span(self) -> tuple[float, float] | None:
        """The numbers that -1 and 1 stand for, where targets are brought to that scale."""
        return None

    def explain(self, *, features: int | None = None, records: int | None = None) -> Explanation:
        """What a fit does and promises, from public numbers alone; needs no data.

        Parameters: `features` d (of the fitted model if left out), `records` n if public. Raises InvalidInput where d is unknown, and as `plan`.
        """
        count = known_features(self, features)
        certificate = self.plan(features=count, records=records)
        form = form_of(certificate.problem, columns=count, classes=0, weights=0)
        return explained(certificate, form, name=f"{type(self).__name__} on {count:,} features")

    def _of_persons(self, domain: Domain, privacy: Privacy) -> tuple[Any, Mechanism[Any, Any]]:
        """As `_prepared`, and refuse persons of whom the problem would not tell its certificate."""
        problem, mechanism = self._prepared(domain, privacy)
        if getattr(problem, "persons", None) != domain.persons:
            raise InvalidInput(f"{mechanism.name} promises nothing about persons; leave persons and rows_per_person out: its unit is a row.")
        return problem, mechanism

    def _declared_classes(self) -> Any:
        """The classes that the caller declared, for a model of classes."""
        return vars(self).get("classes")

    def _given(self, X: Any, y: Any, persons: Any, noise: Noise) -> Given:
        """Raises InvalidInput for records that are not what was declared, without any value of X, y or persons."""
        if isinstance(X, BlockTable):
            return self._given_blocks(X, y, persons, noise)
        rows, jobs = self._rows(X, reset=True), self._jobs()
        encoded = isinstance(X, EncodedTable)
        targets, classes, declared = self._encoded(X, y) if encoded else self._targets(y, rows.shape[0], self._declared_classes())
        records, features = rows.shape
        owners = self._owners(X, persons, records, noise)
        return Given(
            features=features,
            records=owners.number,
            persons=owners.rule,
            classes=classes,
            declared=declared,
            data_of=lambda domain: Records(rows=rows, targets=targets, domain=domain, weights=owners.weights, jobs=jobs),
        )

    def _given_blocks(self, table: BlockTable, y: Any, persons: Any, noise: Noise) -> Given:
        """After one pass, which counts and checks."""
        require_own_targets(y, weights=False)
        rule = self._block_rule(table, persons)
        self.n_features_in_ = table.features
        classes, declared = NO_CLASSES, tuple[str, ...]()
        if self._of_classes():
            labels = self._declared_classes()
            if labels is None:
                raise InvalidInput("a table that is read in blocks needs its classes declared: classes=[negative, positive].")
            _, _, declared = self._targets(labels, len(labels), labels)
            classes = np.asarray(labels)
        domain = self._domain(table.features, None, rule)
        needed = "a regression needs a number for every record."
        records, data_of = Reader(domain=domain, classes=classes if len(classes) else None, needed=needed, span=self._span()).read(
            table, self._jobs(), noise=drawn_beside(noise)
        )
        return Given(features=table.features, records=records, persons=rule, classes=classes, declared=declared, data_of=data_of)

    def _targets(self, y: Any, records: int, classes: Any) -> tuple[Floats, npt.NDArray[Any], tuple[str, ...]]:
        """Targets (n,), the classes where they are classes, and what the caller declared public by passing them."""
        name = type(self).__name__
        if not self._of_classes():
            return on_scale(real_targets(y, name, records), self._span()), NO_CLASSES, ()
        return signs_and_classes(y, classes=classes, name=name, records=records)

    def _encoded(self, table: EncodedTable, y: Any) -> tuple[Floats, npt.NDArray[Any], tuple[str, ...]]:
        """The same of an encoded table, which brings them; numbers lie in [-1, 1]."""
        if self._of_classes():
            codes, classes = encoded_codes(table, y), np.asarray(table.classes)
            if len(classes) != 2:
                raise InvalidInput("Only binary classification is supported. Declare two classes, or use LogisticRegression for more.")
            return np.where(codes == 1, 1.0, -1.0), classes, (SCHEMA,)
        if y is not None:
            raise InvalidInput("an encoded table brings its own targets; leave y out.")
        if table.numbers is None and table.classes:
            raise InvalidInput(
                "the schema declares classes, and a regression needs a number: declare lower and upper of the target, or fit a classifier."
            )
        if table.numbers is None:
            raise InvalidInput("the table was encoded without its target; encode it with target=True to fit.")
        return table.numbers, NO_CLASSES, (SCHEMA,)

    def _domain(self, features: int, records: int | None, persons: Persons | None) -> Domain:
        chosen = self._chooses_norms and is_private(self.data_norm)
        if chosen and self.data_bound is not None:
            raise InvalidInput('data_norm="private" chooses the one bound of rows; leave data_bound out, or declare both.')
        entry = bound_or_infinity(self.data_bound, "data_bound")
        norm = bound_or_infinity(public_norm(self.data_norm) if chosen else self.data_norm, "data_norm")
        domain = Domain(features=features, entry_bound=entry, norm_bound=norm, target_bound=self._target_bound(), records=records, persons=persons)
        return replace(domain, intercept_scale=self._constant(domain))

    def _keep(self, release: Release, domain: Domain, given: Given) -> None:
        """The attributes that hold what was released; those of an earlier fit stay until there is a release."""
        if len(given.classes):
            self.classes_ = given.classes
        elif "classes_" in vars(self):  # of an earlier fit with a loss of classes
            del self.classes_
        self.weights_ = release.value
        self.certificate_ = replace(release.certificate, declared=given.declared)
        self.coef_ = release.value[: domain.features] / self._unit
        self.intercept_ = domain.intercept_scale * float(release.value[-1]) if domain.intercept_scale > 0 else 0.0

    def _predictions(self, X: Any) -> Floats:
        """<w, x> + intercept, (n,), with rows brought within the declared bounds as in fit."""
        check_is_fitted(self)
        return self._of_rows(X, partial(bounded_decision, weights=self.weights_ / self._unit, domain=self._fitted_domain()))

    @property
    def _unit(self) -> float:
        """What rows are divided by before the model sees them: a power of two."""
        return self.data_norm_ if is_private(self.data_norm) else 1.0

    def _fitted_domain(self) -> Domain:
        """That of the rows as they are given to `predict`."""
        domain = self._domain(self.n_features_in_, None, None)
        return replace(domain, norm_bound=domain.norm_bound * self._unit, intercept_scale=domain.intercept_scale * self._unit)


@dataclass(kw_only=True, eq=False, repr=False)
class ConstrainedModel(BoundedModel):
    """Base of the estimators over a set; subclasses say which set, which loss, and which mechanisms."""

    set_name = ""

    _counts_steps: ClassVar[bool] = True

    @abstractmethod
    def _constraint(self, dimension: int) -> Constraint:
        """C."""

    @abstractmethod
    def _loss(self) -> PredictionLoss:
        """The loss of a prediction and a target."""

    @abstractmethod
    def _mechanism(self, problem: ConstrainedRisk, privacy: Privacy) -> ConstrainedMechanism:
        """The calibrated mechanism."""

    def explain(self, *, features: int | None = None, records: int | None = None) -> Explanation:
        """The mechanisms that there are for this problem with the bounds of risk that are proved for them; needs no data.

        Parameters: `features` d (of the fitted model if left out), `records` n, public or supposed. Raises InvalidInput where d is unknown or
        epsilon is infinite.
        """
        known = known_features(self, features)
        privacy, count = self._privacy(), whole_or_none(self.public_records if records is None else records, "records")
        problem = self._problem(self._domain(known, count, self._public_rule(told_apart=False)))
        found = [one for one in candidates(problem, **privacy.target) if self._considers(one.name)]
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
        for candidate in found:
            bound = "no bound" if math.isinf(candidate.risk) else f"expected excess of the mean loss at most {candidate.risk:.4g}"
            mark = "chosen: " if candidate.name == chosen else ""
            risk = None if math.isinf(candidate.risk) else candidate.risk
            reasons.append(Reason(choice=candidate.name, text=f"{mark}{bound} ({candidate.remark})", numbers={"risk": risk}))
        shown = "a nominal number of records" if count is None else f"{count:,} records"
        budget = f"epsilon {privacy.epsilon:g}, delta {privacy.delta:g}, {privacy.neighbours}"
        return Explanation(title=f"{type(self).__name__} on {known:,} features, {shown}: {budget}", reasons=tuple(reasons))

    def _considers(self, mechanism: str) -> bool:  # noqa: ARG002 - all of them
        """Whether a mechanism is among those that are compared."""
        return True

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

    fit_intercept: Annotated[bool, "Whether there is an intercept."] = True
    intercept_scale: Annotated[float | None, "Size of the intercept's constant feature; the bound of entries, which is 1, if left out."] = None

    def _constant(self, domain: Domain) -> float:
        if not self.fit_intercept:
            return 0.0
        return domain.largest_entry if self.intercept_scale is None else positive(self.intercept_scale, "intercept_scale")


@dataclass(kw_only=True, eq=False, repr=False)
class OfNumbers(ConstrainedModel):
    """Targets that are numbers, and the choice of a loss for them."""

    target_bound: float = 1.0
    loss: Annotated[str | PredictionLoss, "squared, huber, log-cosh or absolute."] = "squared"
    max_slope: Annotated[float | None, "What slopes of the loss are clipped to: less noise, and less weight of far-off targets."] = None

    def _target_bound(self) -> float:
        return positive(self.target_bound, "target_bound")

    def _max_slope(self) -> float | None:
        return positive_or_none(self.max_slope, "max_slope")


@dataclass(kw_only=True, eq=False, repr=False)
class ByFrankWolfe(ConstrainedModel):
    """Over the vertices of a set: the better one of two mechanisms."""

    mechanism: Annotated[str, "auto (the better one by public numbers), frank-wolfe-polytope or frank-wolfe-gaussian."] = "auto"

    def _considers(self, mechanism: str) -> bool:
        return mechanism.startswith("frank-wolfe")

    def _mechanism(self, problem: ConstrainedRisk, privacy: Privacy) -> ConstrainedMechanism:
        return calibrate_frank_wolfe(problem, mechanism=self.mechanism, steps=whole_or_none(self.n_iter, "n_iter"), **privacy.target)


@dataclass(kw_only=True, eq=False, repr=False)
class ByComparison(ConstrainedModel):
    """Over any set: the mechanism with the best bound of risk, and what can be said about that choice."""

    mechanism: Annotated[str, "auto (the best bound of risk), mirror-descent, frank-wolfe-gaussian or frank-wolfe-polytope."] = "auto"

    def _mechanism(self, problem: ConstrainedRisk, privacy: Privacy) -> ConstrainedMechanism:
        return calibrate_over_set(problem, mechanism=self.mechanism, steps=whole_or_none(self.n_iter, "n_iter"), **privacy.target)
