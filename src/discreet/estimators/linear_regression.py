"""Private linear regression: noise in the objective, in noisy moments and gradients, or in a sketch.

    minimise  sum_i l(y_i - <w, x_i> - t v)   over all (w, v);   intercept = t v;   proof notes in discreet/mechanisms/regression

l is the square, or, for noise in the objective, a loss whose slope is bounded (log-cosh, Huber): near the square for residuals below its width.

Shapes: X (n, d), y (n,), coef_ (d,), weights_ (d,) or (d + 1,) with v last when there is an intercept. Rows are brought within the declared bounds
in fit and in prediction alike.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Self

import numpy as np
from scipy.special import ndtri
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from discreet.certificates import Certificate
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, Neighbours, neighbours_of
from discreet.core.validate import number, positive
from discreet.core.workers import job_count
from discreet.data import BlockTable, RealDataset, RealDomain, bounded_rows, streamed_reals
from discreet.estimators.by_blocks import by_blocks
from discreet.estimators.inputs import feature_rows
from discreet.estimators.notebook import CertificateView
from discreet.estimators.parameters import account_of, noise_of, real_targets, whole_or_none
from discreet.estimators.scores import ScoredRegressor
from discreet.ledger import Account, check_may_travel
from discreet.matrices import Design, ordered_matvec
from discreet.matrices.clipped import entry_chunks
from discreet.mechanisms.regression import Equations, LeastSquares, RegressionMechanism, calibrate_least_squares
from discreet.mechanisms.regression.sums import MOST_RECORDS
from discreet.statements.declared import about_records

_INTERCEPT_SHARE = 0.3
"""The constant feature over the bound of rows where the caller does not choose: it lengthens that bound, and so the noise, by 4 %."""


class LinearRegression(CertificateView, ScoredRegressor, BaseEstimator):  # type: ignore[misc]
    """Linear regression under (epsilon, delta) differential privacy.

    Parameters
    ----------
    epsilon : privacy loss, > 0; `inf` is ordinary least squares without privacy, and its certificate says so.
    delta : probability that the loss is exceeded, positive and well below 1 / n.
    neighbours : "replace-one" (the number of records is public) or "add-remove" (it is not).
    data_norm : bound on the Euclidean norm of a row; longer ones are shortened to it, in fit and in predict. Never learnt from the data. None where
        data_bound bounds the entries.
    data_bound : bound on every entry of X, or None; larger ones are clipped to it. Scale features by public bounds first, so that they count alike.
    target_bound : bound on |y|; larger targets are clipped to it. Subtract a public middle of the range from y first: the noise grows with it.
    fit_intercept, intercept_scale : an intercept is a constant feature of this size; None takes 0.3 times the bound of the rows.
    mechanism : "objective" (noise in the objective, log-cosh of residuals; the least error in nearly all of docs/linear-regression.md, but no
        intervals), "objective-huber" (squares with clipped slopes), "refined" (noisy moments, then noisy gradients of clipped residuals; intervals),
        "moments" (moments alone; intervals), "adassp", "mixing", "hessian-mixing". "auto" is "objective", or "refined" where n_iter is given.
    n_iter : number of gradients of "refined" (None takes 4) and "hessian-mixing" (3), chosen without the records.
    public_records : under add-remove, a number of records that you declare public. Without it "objective" takes a million records at most, and
        without an intercept too "refined" does not clip residuals.
    ledger : an `Account` that the fit spends on; None spends on the ledger in use, if any.
    n_jobs : threads that work on one fit, as in scikit-learn: None is 1, -1 all processors. Results are the same for any number.
    random_state : None for private noise. Anything else is reproducible and protects nobody: the certificate is not valid then.

    Attributes: `coef_` (d,), `intercept_`, `weights_`, `certificate_`, `n_features_in_`; `covariance_` of the error of `weights_`, noise and sample
    together, if predictions are about as large as targets may be; `equations_`, what is known of the population's weights without that prior, for
    errors of any law and for symmetric ones; and `residual_deviation_`, a cautious root mean square of a residual (all three None where the
    mechanism knows nothing of them: all but "refined" and "moments"). All are functions of what the mechanism released.

    Sources: Kifer, Smith and Thakurta (2012) and Redberg, Koskela and Wang (2023) for noise in the objective; Wang (2018, AdaSSP), Lev et al.
    (2025, 2026, mixing), Bernstein and Sheldon (2019, noise-aware inference).
    """

    n_features_in_: int
    coef_: Floats
    intercept_: float
    weights_: Floats
    certificate_: Certificate
    covariance_: Floats | None
    residual_deviation_: float | None
    equations_: tuple[Equations, Equations] | None

    def __init__(
        self,
        *,
        epsilon: float = 1.0,
        delta: float = 1e-6,
        neighbours: str = "replace-one",
        data_norm: float | None = 1.0,
        data_bound: float | None = None,
        target_bound: float = 1.0,
        fit_intercept: bool = True,
        intercept_scale: float | None = None,
        mechanism: str = "auto",
        n_iter: int | None = None,
        public_records: int | None = None,
        ledger: Account | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        """Keep the parameters as they are; `fit` checks them."""
        self.epsilon = epsilon
        self.delta = delta
        self.neighbours = neighbours
        self.data_norm = data_norm
        self.data_bound = data_bound
        self.target_bound = target_bound
        self.fit_intercept = fit_intercept
        self.intercept_scale = intercept_scale
        self.mechanism = mechanism
        self.n_iter = n_iter
        self.public_records = public_records
        self.ledger = ledger
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit the model, spending (epsilon, delta) on the records.

        Parameters: X (n, d) array, data frame or sparse matrix of finite numbers, or a BlockTable, which brings its own targets; y (n,) real targets.
        Raises InvalidInput for input that breaks the caller's side (NaN, shapes) and for parameters out of range, InfeasibleTarget where no noise
        fits the target. No message holds a value of X or y.
        """
        neighbours = neighbours_of(self.neighbours)
        public = whole_or_none(self.public_records, "public_records")
        records, features, data_of = self._given_blocks(X, y) if isinstance(X, BlockTable) else self._given(X, y)
        domain = self._domain(features, public if neighbours is ADD_REMOVE else records)
        problem = _problem(domain, neighbours)
        mechanism = self._mechanism(problem)
        release, fitted = mechanism.run(problem, data_of(domain), noise_of(self.random_state), account=account_of(self.ledger))
        declared = (about_records(public),) if neighbours is ADD_REMOVE and public is not None else ()
        self.weights_ = release.value
        self.certificate_ = replace(release.certificate, declared=declared)
        self.coef_ = release.value[:features]
        self.intercept_ = domain.intercept_scale * float(release.value[-1]) if domain.intercept_scale > 0 else 0.0
        self.covariance_, self.residual_deviation_ = fitted.covariance, fitted.residual_deviation
        self.equations_ = None if fitted.equations is None or fitted.symmetric is None else (fitted.equations, fitted.symmetric)
        return self

    def predict(self, X: Any) -> Floats:
        """<w, x> + intercept, (n,), with rows brought within the declared bounds; X as in fit, a BlockTable too."""
        check_is_fitted(self)
        return self._of_rows(X, partial(_products, weights=self.weights_))

    def predict_interval(self, X: Any, *, coverage: float = 0.95) -> Floats:
        """Lower and upper ends, (n, 2), that hold the target of a new record of these features with about this probability.

        They count the spread of targets, the sample, and the noise of the mechanism. Exact for no law: normal residuals of one size are assumed, and
        noisy moments in place of exact ones. Raises InvalidInput for a mechanism whose error is not known.
        """
        check_is_fitted(self)
        covariance, residual = self._known_error()
        quantile = _quantile(coverage)
        return self._of_rows(X, partial(_intervals, weights=self.weights_, covariance=covariance, residual=residual, quantile=quantile))

    def coef_interval(self, *, coverage: float = 0.95, symmetric: bool = False) -> Floats:
        """Lower and upper ends, (d, 2), for the coefficients of the population's least squares; noise and sample are counted, no prior is used.

        They need not be around `coef_`, which is shrunk towards 0 where noise rules. Where the noisy second moments do not stand out of their noise
        in every direction, nothing is known of any coefficient, and every interval is (-inf, inf): a longer table, a larger epsilon, or fewer and
        wider features help.

        `symmetric`: whether errors lie around the line symmetrically at every row, and are not cut by `target_bound`. Then the gradients of
        "refined" count, whose residuals are clipped, and intervals are far narrower; otherwise the moments alone do.
        Raises InvalidInput for a mechanism whose error is not known.
        """
        check_is_fitted(self)
        covariance, _ = self._known_error()
        quantile, middle = _quantile(coverage), self.weights_
        if self.equations_ is not None:
            equations = self.equations_[1 if symmetric else 0]
            middle, found = equations.solution, equations.covariance(quantile)
            variances: Floats = np.full(len(middle), np.inf) if found is None else np.asarray(np.diag(found))
        else:
            variances = np.asarray(np.diag(covariance))
        half = quantile * np.sqrt(variances)
        return np.column_stack((middle - half, middle + half))[: self.n_features_in_]

    def explain(self, *, features: int, records: int | None = None) -> str:
        """What is released with how much noise, in words, from public numbers alone; needs no data. `records` where public."""
        neighbours = neighbours_of(self.neighbours)
        public = whole_or_none(self.public_records, "public_records") if neighbours is ADD_REMOVE else records
        problem = _problem(self._domain(features, public), neighbours)
        return self._mechanism(problem).explained(problem)

    def __getstate__(self) -> dict[str, Any]:
        """For pickling. An unfitted model without an account does not leave a process where a ledger is in use: its spending would be lost."""
        if "weights_" not in vars(self):
            check_may_travel(self.ledger)
        state: dict[str, Any] = super().__getstate__()
        return state

    def __sklearn_is_fitted__(self) -> bool:
        """A fit may have failed after the features were known."""
        return "weights_" in vars(self)

    def __sklearn_tags__(self) -> Any:
        """Dense and sparse input; with noise, small data sets score poorly."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.regressor_tags.poor_score = True
        return tags

    def _mechanism(self, problem: LeastSquares) -> RegressionMechanism:
        return calibrate_least_squares(
            problem,
            mechanism=self.mechanism,
            epsilon=number(self.epsilon, "epsilon"),
            delta=number(self.delta, "delta"),
            neighbours=neighbours_of(self.neighbours),
            steps=whole_or_none(self.n_iter, "n_iter"),
        )

    def _known_error(self) -> tuple[Floats, float]:
        if self.covariance_ is None or self.residual_deviation_ is None:
            raise InvalidInput("intervals need a mechanism whose error is known: mechanism='refined' or 'moments'.")
        return self.covariance_, self.residual_deviation_

    def _given(self, X: Any, y: Any) -> tuple[int, int, Callable[[RealDomain], RealDataset]]:
        """Records, features, and what makes a data set within a domain."""
        rows, jobs = feature_rows(X), job_count(self.n_jobs)
        validate_data(self, X, reset=True, skip_check_array=True)
        records, features = rows.shape
        targets = real_targets(y, type(self).__name__, records)
        return records, features, lambda domain: RealDataset(rows=rows, targets=targets, domain=domain, jobs=jobs)

    def _given_blocks(self, table: BlockTable, y: Any) -> tuple[int, int, Callable[[RealDomain], RealDataset]]:
        """The same, after one pass that counts and checks."""
        if y is not None:
            raise InvalidInput("a table that is read in blocks brings its own targets; leave y out.")
        self.n_features_in_ = table.features
        records, data_of = streamed_reals(table, self._domain(table.features, None), jobs=job_count(self.n_jobs), targets_needed=True)
        return records, table.features, data_of

    def _of_rows(self, X: Any, work: Callable[[Design], Floats]) -> Floats:
        """`work` on rows within the bounds."""
        domain = self._domain(self.n_features_in_, None)
        if isinstance(X, BlockTable):
            return by_blocks(X, partial(_within, work=work, domain=domain), features=self.n_features_in_, jobs=job_count(self.n_jobs))
        rows: Design = feature_rows(X)
        validate_data(self, X, reset=False, skip_check_array=True)
        return _within(rows, work=work, domain=domain)

    def _domain(self, features: int, records: int | None) -> RealDomain:
        entry = None if self.data_bound is None else positive(self.data_bound, "data_bound")
        norm = None if self.data_norm is None else positive(self.data_norm, "data_norm")
        target = positive(self.target_bound, "target_bound")
        domain = RealDomain(features=features, entry_bound=entry, norm_bound=norm, target_bound=target, records=records)
        if not self.fit_intercept:
            return domain
        scale = _INTERCEPT_SHARE * domain.radius if self.intercept_scale is None else positive(self.intercept_scale, "intercept_scale")
        return replace(domain, intercept_scale=scale)


def _problem(domain: RealDomain, neighbours: Neighbours) -> LeastSquares:
    """For tables as long as the public number of records says, or twice as long where it only says about how long they are."""
    problem = LeastSquares(domain=domain)
    if domain.records is None:
        return problem
    longest = min(domain.records * (2 if neighbours is ADD_REMOVE else 1), MOST_RECORDS)
    return replace(problem, most_records=max(problem.most_records, longest))


def _within(rows: Design, *, work: Callable[[Design], Floats], domain: RealDomain) -> Floats:
    return work(bounded_rows(rows, domain))


def _products(rows: Design, *, weights: Floats) -> Floats:
    return ordered_matvec(rows, weights)


def _intervals(rows: Design, *, weights: Floats, covariance: Floats, residual: float, quantile: float) -> Floats:
    middle = ordered_matvec(rows, weights)
    spread = np.concatenate([np.einsum("ij,jk,ik->i", part, covariance, part) for _, part in entry_chunks(rows)])
    half = quantile * np.sqrt(spread + residual**2)
    return np.column_stack((middle - half, middle + half))


def _quantile(coverage: float) -> float:
    """The normal quantile of two equal tails."""
    if isinstance(coverage, bool) or not isinstance(coverage, int | float) or not 0 < coverage < 1:
        raise InvalidInput(f"coverage must be a number between 0 and 1; {coverage!r} was given.")
    return float(ndtri(0.5 + 0.5 * coverage))
