"""Private linear classifiers of two or more classes, with scikit-learn's manners.

    minimise  (1/n) sum_i c_i l(y_i (<w, x_i> + t v)) + (alpha / 2) (|w|^2 + v^2)  + noise,    |x_i| <= data_norm,  intercept = t v

Shapes: X (n, d), y (n,), coef_ (1, d), intercept_ (1,), weights_ (d,) or (d + 1,) with v last when there is an intercept; with K > 2 classes
coef_ (K, d), intercept_ (K,), and weights_ holds those vectors one class after the other (module `classes`). The regularisation strength is
lambda = alpha n, on the sum.
"""

from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, Neighbours, neighbours_of
from discreet.core.validate import number, positive
from discreet.core.workers import job_count
from discreet.data import BlockTable, Dataset, Domain, EncodedTable, class_codes
from discreet.data.blocks.moved import moved_blocks, moved_rows
from discreet.estimators.classes import SCHEMES, ClassRisk, class_problem, scheme_named, split_weights, with_ridge
from discreet.estimators.decision import linear_decision
from discreet.estimators.declared import labels_and_classes
from discreet.estimators.explanation import Explanation, Setting, explain
from discreet.estimators.given import Given, distinct_classes, given_blocks
from discreet.estimators.inputs import feature_rows, record_weights
from discreet.estimators.link import has_link, log_probabilities, probabilities
from discreet.estimators.many_fits import ManyFits
from discreet.estimators.notebook import CertificateView
from discreet.estimators.parameters import account_of, noise_of, whole_or_none
from discreet.estimators.scores import ScoredClassifier
from discreet.ledger import Account, check_may_travel
from discreet.losses import MarginLoss, loss_named
from discreet.losses.regularisers import L2
from discreet.matrices import Design
from discreet.mechanisms.base import Mechanism
from discreet.mechanisms.learning import calibrate, calibrate_classes, default_class_ridge, default_ridge
from discreet.problems import RegularisedRisk
from discreet.statements.declared import SCHEMA, about_records

_INTERCEPT_SHARE = 0.3
"""The constant feature over data_norm where the caller does not choose: it lengthens the norm bound, and so the noise, by 4 %."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Task:
    """Everything a fit needs, checked; `data` is the only private part."""

    data: Dataset
    problem: RegularisedRisk | ClassRisk
    mechanism: Mechanism[Any]
    classes: npt.NDArray[Any]
    declared: tuple[str, ...]


def _require_link(estimator: "LinearClassifier") -> bool:
    """Whether there are probabilities; AttributeError, as scikit-learn asks of methods that are not available."""
    loss = estimator._loss()  # noqa: SLF001 - it is this class's own condition
    if not has_link(loss):
        raise AttributeError(
            f"the {loss.name} loss has flat parts, so its decisions are no probabilities. Use LogisticRegression, or the softplus hinge."
        )
    return True


class LinearClassifier(CertificateView, ScoredClassifier, BaseEstimator):  # type: ignore[misc]
    """What LogisticRegression and LinearSVC share; use one of these two."""

    _standard_loss: ClassVar[str]
    _standard_scheme: ClassVar[str] = "one-vs-rest"
    _schemes: ClassVar[tuple[str, ...]] = SCHEMES[1:]
    n_features_in_: int
    coef_: Floats
    intercept_: Floats

    def __init__(
        self,
        *,
        epsilon: float = 1.0,
        delta: float = 0.0,
        neighbours: str = "replace-one",
        alpha: float | None = None,
        data_norm: float = 1.0,
        classes: Any = None,
        loss: str | MarginLoss | None = None,
        mechanism: str = "auto",
        calibration: str = "tight",
        multi_class: str | None = None,
        fit_intercept: bool = True,
        intercept_scale: float | None = None,
        class_weight: dict[Any, float] | None = None,
        max_sample_weight: float | None = None,
        public_records: int | None = None,
        ledger: Account | None = None,
        n_jobs: int | None = None,
        device: str | None = None,
        random_state: Any = None,
    ) -> None:
        """Keep the parameters as they are; `fit` checks them."""
        self.epsilon = epsilon
        self.delta = delta
        self.neighbours = neighbours
        self.alpha = alpha
        self.data_norm = data_norm
        self.classes = classes
        self.loss = loss
        self.mechanism = mechanism
        self.calibration = calibration
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept
        self.intercept_scale = intercept_scale
        self.class_weight = class_weight
        self.max_sample_weight = max_sample_weight
        self.public_records = public_records
        self.ledger = ledger
        self.n_jobs = n_jobs
        self.device = device
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the model, spending (epsilon, delta) on the records.

        Parameters: X (n, d) array, data frame or sparse matrix of finite numbers; or an EncodedTable or a BlockTable, which bring their own
        targets; y (n,) labels; sample_weight (n,) weights, which may be private and are brought within [0, max_sample_weight], or None.

        Raises InvalidInput for input that breaks the caller's side (NaN, shapes, undeclared labels), InfeasibleTarget when no noise reaches
        the target for this alpha, SolverFailure when the minimiser cannot be certified (the budget then counts as spent). No message holds
        a value of X or y.
        """
        task = self._task(X, y, sample_weight)
        release = task.mechanism.run(task.problem, task.data, noise_of(self.random_state), account=self._account())
        self.classes_ = task.classes
        self.weights_ = release.value
        coef, intercept = _split(release.value[:, np.newaxis], task.problem.domain)
        self.coef_, self.intercept_ = (coef, intercept) if len(task.classes) == 2 else (coef[0], intercept[0])
        self.certificate_ = replace(release.certificate, declared=task.declared)
        return self

    def fit_many(self, X: Any, y: Any = None, *, count: int, sample_weight: Any = None) -> ManyFits:
        """`count` independent private fits at once, for studies and audits: one factorisation serves them all.

        The certificate covers all of them together: it states count * epsilon and count * delta. The estimator itself stays unfitted.
        """
        if not isinstance(count, Integral) or count < 1:
            raise InvalidInput(f"count must be a positive integer; {count!r} was given.")
        task = self._task(X, y, sample_weight)
        release = task.mechanism.run_many(task.problem, task.data, noise_of(self.random_state), int(count), account=self._account())
        coef, intercept = _split(release.value, task.problem.domain)
        return ManyFits(coef=coef, intercept=intercept, certificate=replace(release.certificate, declared=task.declared))

    def decision_function(self, X: Any) -> Floats:
        """<w, x> + intercept, (n,) or, with K > 2 classes, (n, K), with rows shortened to data_norm as in fit."""
        check_is_fitted(self)
        if isinstance(X, BlockTable):
            self._check_features(X.features)
            return np.concatenate(list(X.map(lambda _, block: self._decision(self._seen(block.rows)), job_count(self.n_jobs))))
        return self._decision(self._rows(X, reset=False))

    def _decision(self, rows: Design) -> Floats:
        if len(self.classes_) > 2:
            return linear_decision(rows, weights=self.coef_.T, intercept=self.intercept_, data_norm=self.data_norm)
        return linear_decision(rows, weights=self.coef_[0], intercept=float(self.intercept_[0]), data_norm=self.data_norm)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The likelier class of every row, (n,)."""
        decision = self.decision_function(X)
        chosen = (decision > 0).astype(np.intp) if decision.ndim == 1 else decision.argmax(axis=1)
        return np.asarray(self.classes_[chosen])

    @available_if(_require_link)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """Probabilities of the classes, (n, K), through the link of the loss (module `link`); not there for losses without one."""
        return probabilities(self._loss(), self.decision_function(X), multinomial=self._scheme() == "multinomial")

    @available_if(_require_link)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> Floats:
        """Logarithms of `predict_proba`, (n, K)."""
        return log_probabilities(self._loss(), self.decision_function(X), multinomial=self._scheme() == "multinomial")

    def explain(self, *, features: int | None = None, records: int | None = None, classes: int | None = None) -> Explanation:
        """Why the loss, the rows, alpha and the mechanism are what they are, and what the alternatives would cost; needs no data.

        Parameters: `features` d (of the fitted model if left out); `records` n, where it is public, turns lambda into alpha; `classes` how many, if
        they are not declared (2). Raises InvalidInput where d is unknown or epsilon is infinite, InfeasibleTarget as `fit` does.
        """
        neighbours, epsilon, delta = self._neighbours(), number(self.epsilon, "epsilon"), number(self.delta, "delta")
        known = features if features is not None else self._known_features()
        if known is None:
            raise InvalidInput("explain needs the number of features: explain(features=d), or a fitted model.")
        if not epsilon < np.inf:
            raise InvalidInput("epsilon=inf is a fit without privacy and without noise; explain(...) needs a finite epsilon.")
        norm_bound = positive(self.data_norm, "data_norm")
        weights = [number(value, "class_weight") for value in (self.class_weight or {}).values()]
        domain = Domain(
            features=known,
            norm_bound=norm_bound,
            intercept_scale=self._constant(norm_bound),
            records=self._public_records() if records is None else records,
            classes=classes if classes is not None else 2 if self.classes is None else len(self.classes),
        )
        setting = Setting(
            name=type(self).__name__,
            problem=self._problem(domain, max(1.0, *weights, 0.0) * (self.max_sample_weight or 1.0), neighbours),
            epsilon=epsilon,
            delta=delta,
            neighbours=neighbours,
            mechanism=self.mechanism,
            chosen=self.alpha is None,
            calibrated=self._calibrated,
        )
        return explain(setting)

    def _known_features(self) -> int | None:
        """d, where it is known before a fit or from one."""
        return vars(self).get("n_features_in_")

    def __getstate__(self) -> dict[str, Any]:
        """For pickling. An unfitted model without an account does not leave a process where a ledger is in use: its spending would be lost."""
        if "weights_" not in vars(self):
            check_may_travel(self.ledger)
        state: dict[str, Any] = super().__getstate__()
        return state

    def __sklearn_is_fitted__(self) -> bool:
        """`fit_many` leaves the number of features behind, and no model."""
        return "weights_" in vars(self)

    def __sklearn_tags__(self) -> Any:
        """Dense and sparse input; more than two classes by tight objective perturbation only; with noise, small data sets score poorly."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self.mechanism in ("auto", "objective") and self.calibration == "tight"
        tags.classifier_tags.poor_score = True
        tags.input_tags.sparse = True
        return tags

    def _task(self, X: Any, y: Any, sample_weight: Any) -> _Task:
        neighbours = self._neighbours()
        given = self._given_blocks(X, y, sample_weight) if isinstance(X, BlockTable) else self._given(X, y, sample_weight)
        problem, mechanism = self._prepared(given.features, given.records, len(given.classes), given.largest, neighbours)
        public = self._public_records() if neighbours is ADD_REMOVE else None
        declared = given.declared if public is None else (*given.declared, about_records(public))
        return _Task(data=given.data_of(problem.domain), problem=problem, mechanism=mechanism, classes=given.classes, declared=declared)

    def _prepared(
        self, features: int, records: int, classes: int, largest: float, neighbours: Neighbours
    ) -> tuple[RegularisedRisk | ClassRisk, Mechanism[Any]]:
        """What follows from public numbers: `records` plays no part under add-remove."""
        norm_bound = positive(self.data_norm, "data_norm")
        known = self._public_records() if neighbours is ADD_REMOVE else records
        constant = self._constant(norm_bound)
        domain = Domain(features=features, norm_bound=norm_bound, intercept_scale=constant, records=known, classes=classes)
        return self._calibrated(self._problem(domain, largest, neighbours), neighbours, number(self.delta, "delta"), self.mechanism)

    def _given(self, X: Any, y: Any, sample_weight: Any) -> Given:
        rows, jobs = moved_rows(self._rows(X, reset=True), self.device), job_count(self.n_jobs)
        classes, codes, declared = self._targets(X, y, rows.shape[0], self.classes)
        weights, largest = self._weights(sample_weight, codes, classes)

        def data_of(domain: Domain) -> Dataset:
            return Dataset(rows=rows, codes=codes, domain=domain, weights=weights, jobs=jobs)

        return Given(features=rows.shape[1], records=rows.shape[0], classes=classes, largest=largest, declared=declared, data_of=data_of)

    def _check_features(self, features: int) -> None:
        if features != self.n_features_in_:
            raise InvalidInput(f"the model was fitted on {self.n_features_in_} features; rows with {features} were given.")

    def _seen(self, rows: Design) -> Design:
        """What the linear model sees of some rows of a block."""
        return rows

    def _blocks(self, table: BlockTable) -> BlockTable:
        """What the linear model sees of a table to be fitted."""
        return table

    def _given_blocks(self, table: BlockTable, y: Any, sample_weight: Any) -> Given:
        if y is not None or sample_weight is not None:
            raise InvalidInput("a table that is read in blocks brings its own targets and weights; leave y and sample_weight out.")
        self.n_features_in_ = table.features
        table = self._blocks(table)
        most = None if self.max_sample_weight is None else positive(self.max_sample_weight, "max_sample_weight")
        table = moved_blocks(table, self.device)
        return given_blocks(table, classes=self.classes, class_weights=self._class_weights, max_weight=most, jobs=job_count(self.n_jobs))

    def _calibrated(
        self, two_classes: RegularisedRisk, neighbours: Neighbours, delta: float, mechanism: str
    ) -> tuple[RegularisedRisk | ClassRisk, Mechanism[Any]]:
        """The problem that is solved and its mechanism: those of two classes, or of more."""
        target = {"epsilon": number(self.epsilon, "epsilon"), "delta": delta}
        scheme = self._scheme()
        if two_classes.domain.classes == 2:
            return two_classes, calibrate(two_classes, mechanism=mechanism, calibration=self.calibration, neighbours=neighbours, **target)
        many = class_problem(scheme, two_classes)
        if self.alpha is None and 0 < target["epsilon"] < np.inf and 0 <= delta < 1:
            many = with_ridge(many, default_class_ridge(many, neighbours=neighbours, **target))
        return many, calibrate_classes(many, mechanism=mechanism, calibration=self.calibration, neighbours=neighbours, **target)

    def _scheme(self) -> str:
        return scheme_named(self.multi_class, standard=self._standard_scheme, allowed=self._schemes)

    def _problem(self, domain: Domain, largest_weight: float, neighbours: Neighbours) -> RegularisedRisk:
        problem = RegularisedRisk(loss=self._loss(), regulariser=L2(strength=1.0), domain=domain, max_weight=largest_weight)
        epsilon, delta = number(self.epsilon, "epsilon"), number(self.delta, "delta")
        if self.alpha is not None:
            alpha = positive(self.alpha, "alpha")
            if domain.records is None:
                raise InvalidInput(
                    "alpha multiplies the number of records, which add-remove keeps private; "
                    "pass public_records (a number that you declare public), or alpha=None."
                )
            return replace(problem, regulariser=L2(strength=alpha * domain.records))
        if not (0 < epsilon < np.inf and 0 <= delta < 1):  # the calibration refuses it, or adds no noise
            return problem
        ridge = default_ridge(problem, epsilon=epsilon, delta=delta, neighbours=neighbours, mechanism=self.mechanism)
        return replace(problem, regulariser=L2(strength=ridge))

    def _constant(self, norm_bound: float) -> float:
        if not self.fit_intercept:
            return 0.0
        return _INTERCEPT_SHARE * norm_bound if self.intercept_scale is None else positive(self.intercept_scale, "intercept_scale")

    def _loss(self) -> MarginLoss:
        if self.loss is None:
            return loss_named(self._standard_loss)
        if isinstance(self.loss, str):
            return loss_named(self.loss)
        if isinstance(self.loss, MarginLoss):
            return self.loss
        raise InvalidInput(f"loss must be a name or one of the losses of discreet.losses; an object of type {type(self.loss).__name__} was given.")

    def _neighbours(self) -> Neighbours:
        return neighbours_of(self.neighbours)

    def _account(self) -> Account | None:
        return account_of(self.ledger)

    def _public_records(self) -> int | None:
        return whole_or_none(self.public_records, "public_records")

    def _rows(self, X: Any, *, reset: bool) -> Design:
        rows = X.rows if isinstance(X, EncodedTable) else feature_rows(X)
        if isinstance(X, EncodedTable):
            if not reset:
                self._check_features(rows.shape[1])
            self.n_features_in_ = rows.shape[1]
            return rows
        validate_data(self, X, reset=reset, skip_check_array=True)
        return rows

    def _targets(self, X: Any, y: Any, records: int, expected: Any) -> tuple[npt.NDArray[Any], npt.NDArray[np.intp], tuple[str, ...]]:
        if isinstance(X, EncodedTable):
            found = X.codes if X.signs is None else X.signs > 0
            if found is None:
                raise InvalidInput("the table was encoded without its target; encode it with target=True to fit.")
            if y is not None:
                raise InvalidInput("an encoded table brings its own targets; leave y out.")
            return np.asarray(X.classes), np.asarray(found, dtype=np.intp), (SCHEMA,)
        given, classes, declared = labels_and_classes(y, classes=expected, name=type(self).__name__, records=records)
        return distinct_classes(classes), np.asarray(class_codes(given, classes), dtype=np.intp), declared

    def _weights(self, sample_weight: Any, codes: npt.NDArray[np.intp], classes: npt.NDArray[Any]) -> tuple[Floats | None, float]:
        """Weights (n,) or None, and the public bound on the weight of a record."""
        declared = None if self.max_sample_weight is None else positive(self.max_sample_weight, "max_sample_weight")
        weights = record_weights(sample_weight, codes.shape[0], declared)
        largest = 1.0 if weights is None or declared is None else declared
        by_class = self._class_weights(classes)
        if by_class is None:
            return weights, largest
        by_record, most = by_class[codes], float(by_class.max())
        return (by_record, most) if weights is None else (by_record * weights, most * largest)

    def _class_weights(self, classes: npt.NDArray[Any]) -> Floats | None:
        if self.class_weight is None:
            return None
        if not isinstance(self.class_weight, dict) or not set(self.class_weight) <= set(classes.tolist()):
            raise InvalidInput(
                f"class_weight must be a dict from the classes {classes.tolist()} to public weights; "
                "weights learnt from the data ('balanced') would leak the class counts."
            )
        return np.asarray([positive(self.class_weight.get(label, 1.0), "class_weight") for label in classes.tolist()])


def _split(weights: Floats, domain: Domain) -> tuple[Floats, Floats]:
    return split_weights(weights, features=domain.features, intercept_scale=domain.intercept_scale, classes=domain.classes)
