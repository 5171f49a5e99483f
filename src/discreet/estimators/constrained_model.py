"""Private linear models over a constraint set, with scikit-learn's manners: what Lasso and LassoClassifier share.

    minimise  sum_i l(<w, x_i> + t v; y_i)   over (w, v) in C, privately;     intercept = t v

Shapes: X (n, d), y (n,), weights_ (d,) or (d + 1,) with v last when there is an intercept. Rows are brought within the declared bounds in fit and in
prediction alike.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from discreet.certificates import Certificate
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, Neighbours, neighbours_of
from discreet.core.validate import number, positive
from discreet.core.workers import job_count
from discreet.data import BlockTable, RealDataset, RealDomain, streamed_reals
from discreet.estimators.by_blocks import by_blocks
from discreet.estimators.decision import bounded_decision
from discreet.estimators.inputs import feature_rows
from discreet.estimators.notebook import CertificateView
from discreet.estimators.parameters import account_of, noise_of, whole_or_none
from discreet.ledger import Account, check_may_travel
from discreet.losses.predictions import PredictionLoss
from discreet.matrices import Design
from discreet.mechanisms.constrained import ConstrainedMechanism, calibrate_frank_wolfe
from discreet.problems import ConstrainedRisk
from discreet.sets import Constraint
from discreet.statements.declared import about_records

_Given: TypeAlias = tuple[int, int, float, tuple[str, ...], Callable[[RealDomain], RealDataset]]
"""Records, features, the bound of targets, what was declared, and what makes a data set within a domain."""


class ConstrainedModel(ABC, CertificateView, BaseEstimator):  # type: ignore[misc]
    """Base of the estimators over a set; subclasses say which set, which loss, and what targets are."""

    epsilon: float
    delta: float
    neighbours: str
    data_bound: float | None
    data_norm: float | None
    fit_intercept: bool
    intercept_scale: float | None
    mechanism: str
    n_iter: int | None
    public_records: int | None
    ledger: Account | None
    n_jobs: int | None
    random_state: Any
    n_features_in_: int
    weights_: Floats
    certificate_: Certificate

    @abstractmethod
    def _constraint(self, dimension: int) -> Constraint:
        """C."""

    @abstractmethod
    def _loss(self) -> PredictionLoss:
        """The loss of a prediction and a target."""

    @abstractmethod
    def _aims(self, y: Any, records: int) -> tuple[Floats, float, tuple[str, ...]]:
        """Targets (n,), the bound on their size, and what the caller declared public by passing them."""

    @abstractmethod
    def _publish(self, weights: Floats, intercept: float) -> None:
        """Keep the released coefficients (d,) and the intercept in the shapes of scikit-learn."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit the model, spending (epsilon, delta) on the records.

        Parameters: X (n, d) array, data frame or sparse matrix of finite numbers, or a BlockTable, which brings its own targets; y (n,) targets.
        Raises InvalidInput for input that breaks the caller's side (NaN, shapes, undeclared labels) and for parameters out of range. No message
        holds a value of X or y.
        """
        neighbours = neighbours_of(self.neighbours)
        public = whole_or_none(self.public_records, "public_records")
        records, features, target_bound, declared, data_of = self._given_blocks(X, y) if isinstance(X, BlockTable) else self._given(X, y)
        domain = self._domain(features, target_bound, public if neighbours is ADD_REMOVE else records)
        problem = self._problem(domain)
        mechanism = self._mechanism(problem, neighbours)
        data = data_of(domain)
        release = mechanism.run(problem, data, noise_of(self.random_state), account=account_of(self.ledger))
        if neighbours is ADD_REMOVE and public is not None:
            declared = (*declared, about_records(public, steps=True))
        self.weights_ = release.value
        self.certificate_ = replace(release.certificate, declared=declared)
        constant = domain.intercept_scale
        self._publish(release.value[:features], constant * float(release.value[-1]) if constant > 0 else 0.0)
        return self

    def _given(self, X: Any, y: Any) -> _Given:
        rows = feature_rows(X)
        validate_data(self, X, reset=True, skip_check_array=True)
        targets, target_bound, declared = self._aims(y, rows.shape[0])
        jobs = job_count(self.n_jobs)

        def data_of(domain: RealDomain) -> RealDataset:
            return RealDataset(rows=rows, targets=targets, domain=domain, jobs=jobs)

        return rows.shape[0], rows.shape[1], target_bound, declared, data_of

    def _given_blocks(self, table: BlockTable, y: Any) -> _Given:
        """One pass, which counts and checks."""
        if y is not None:
            raise InvalidInput("a table that is read in blocks brings its own targets; leave y out.")
        self.n_features_in_ = table.features
        classes: npt.NDArray[Any] | None = None
        if self._loss().signed_targets:
            given = vars(self).get("classes")
            if given is None:
                raise InvalidInput("a table that is read in blocks needs its classes declared: classes=[negative, positive].")
            _, target_bound, declared = self._aims(given, len(given))
            classes = np.asarray(given)
        else:
            _, target_bound, declared = self._aims(np.zeros(1), 1)
        domain, jobs = self._domain(table.features, target_bound, None), job_count(self.n_jobs)
        records, data_of = streamed_reals(table, domain, classes=classes, jobs=jobs, targets_needed=True)
        return records, table.features, target_bound, declared, data_of

    def __getstate__(self) -> dict[str, Any]:
        """For pickling. An unfitted model without an account does not leave a process where a ledger is in use: its spending would be lost."""
        if "weights_" not in vars(self):
            check_may_travel(self.ledger)
        state: dict[str, Any] = super().__getstate__()
        return state

    def __sklearn_is_fitted__(self) -> bool:
        """Classes alone are no model: a fit may have failed after they were known."""
        return "weights_" in vars(self)

    def __sklearn_tags__(self) -> Any:
        """Dense and sparse input; with noise, small data sets score poorly."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _problem(self, domain: RealDomain) -> ConstrainedRisk:
        """The public problem over this domain."""
        return ConstrainedRisk(
            loss=self._loss(),
            constraint=self._constraint(domain.dimension),
            domain=domain,
            max_slope=_positive_or_none(self._max_slope(), "max_slope"),
        )

    def _mechanism(self, problem: ConstrainedRisk, neighbours: Neighbours) -> ConstrainedMechanism:
        """The calibrated mechanism; subclasses may know more of them."""
        return calibrate_frank_wolfe(
            problem,
            mechanism=self.mechanism,
            epsilon=number(self.epsilon, "epsilon"),
            delta=number(self.delta, "delta"),
            neighbours=neighbours,
            steps=whole_or_none(self.n_iter, "n_iter"),
        )

    def _max_slope(self) -> float | None:
        """Bound that slopes are clipped to, or None."""
        return None

    def _predictions(self, X: Any) -> Floats:
        """<w, x> + intercept, (n,), with rows brought within the declared bounds as in fit."""
        check_is_fitted(self)
        if isinstance(X, BlockTable):
            work = partial(bounded_decision, weights=self.weights_, domain=self._domain(self.n_features_in_, 1.0, None))  # without the estimator
            return by_blocks(X, work, features=self.n_features_in_, jobs=job_count(self.n_jobs))
        rows: Design = feature_rows(X)
        validate_data(self, X, reset=False, skip_check_array=True)
        return bounded_decision(rows, weights=self.weights_, domain=self._domain(rows.shape[1], 1.0, None))

    def _domain(self, features: int, target_bound: float, records: int | None) -> RealDomain:
        entry, norm = _positive_or_none(self.data_bound, "data_bound"), _positive_or_none(self.data_norm, "data_norm")
        constant = 0.0
        if self.fit_intercept:
            largest = min(bound for bound in (entry, norm) if bound is not None) if (entry or norm) else 1.0
            constant = largest if self.intercept_scale is None else positive(self.intercept_scale, "intercept_scale")
        return RealDomain(features=features, entry_bound=entry, norm_bound=norm, target_bound=target_bound, intercept_scale=constant, records=records)


def _positive_or_none(value: Any, name: str) -> float | None:
    return None if value is None else positive(value, name)
