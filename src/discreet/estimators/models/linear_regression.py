"""Private linear regression: noise in the objective, in noisy moments and gradients, or in a sketch.

    minimise  sum_i c_i l(y_i - <w, x_i> - t v)   over all (w, v);   intercept = t v;   proof notes in discreet/mechanisms/regression

l is the square, or, for noise in the objective, a loss whose slope is bounded (log-cosh, Huber): near the square for residuals below its width.

Shapes: X (n, d), y (n,), coef_ (d,), weights_ (d,) or (d + 1,) with v last when there is an intercept. Of y (n, m) coef_ is (m, d), intercept_ (m,),
weights_ those of all targets, one after the other, each in units of its bound where it has one of its own. Rows are brought within the declared
bounds in fit and in prediction alike.
"""

import math
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated, Any, ClassVar

import numpy as np
from scipy.special import ndtri
from sklearn.utils.validation import check_is_fitted

from discreet.accounting import gaussian_mu
from discreet.certificates import Release
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.intervals import Intervals
from discreet.core.neighbours import ADD_REMOVE, Privacy
from discreet.core.validate import probability, share_below_one
from discreet.data import Domain, bounded_rows
from discreet.estimators.door.fit_input import FitInput
from discreet.estimators.inputs import whole_or_none
from discreet.estimators.intervals.known_errors import known_errors
from discreet.estimators.models.regression_model import RegressionModel
from discreet.estimators.summaries.explanation import Explanation, Reason, known_features, relation_words
from discreet.losses.predictions import HuberLoss, LogCosh
from discreet.matrices import Matrix, answers_per_record
from discreet.mechanisms.regression import Equations, Fitted, LeastSquares, RegressionMechanism, calibrate_least_squares, fitted_of
from discreet.mechanisms.regression.objective import NOMINAL, default_width
from discreet.mechanisms.regression.sums import MOST_RECORDS
from discreet.problems import PredictionRisk

_OTHERS = (
    "coef_interval and predict_interval need mechanism='refined' or 'moments', whose error is known. For intervals of coefficients with noise in the "
    "objective, the default, use fit_with_intervals or release_uncertainty."
)
_SQUARE = 1e8
"""Of the bound of targets: residuals up to it are squared where there is no noise, as all are."""


@answers_per_record
@dataclass(kw_only=True, eq=False, repr=False)
class LinearRegression(RegressionModel):
    """Linear regression under (epsilon, delta) differential privacy.

    Parameters
    ----------
    epsilon : privacy loss, > 0; `inf` is ordinary least squares without privacy, and the certificate says so.
    delta : probability that the loss is exceeded, positive and well below 1 / n.
    neighbours : "replace-one" (the number of records is public) or "add-remove" (it is not).
    data_norm : bound on the Euclidean norm of a row; longer rows are scaled down to it, in fit and in predict. It is never learnt from the data.
        None if data_bound bounds the entries. With "private" the fit chooses a power of two for a tenth of the budget (`data_norm_`), and
        `weights_`, `covariance_` and `equations_` refer to rows divided by it.
    data_bound : bound on every entry of X, or None; larger entries are clipped to it. Scale features by public bounds first, so that they count
        equally.
    target_bound : bound on |y|, which you know without the records; larger targets are clipped to it. First subtract a public middle of the range
        from y, because the noise grows with this bound. If y has several columns: one number for all, or a list with one per column. None is for
        tables that a schema encodes, which says the range.
    fit_intercept : whether there is an intercept.
    intercept_scale : the intercept is a constant feature of this size; None takes 0.3 times the bound of the rows.
    mechanism : "objective" (noise in the objective, log-cosh of residuals; the smallest error in nearly all cells of docs/linear-regression.md;
        intervals by release_uncertainty), "objective-huber" (squares with clipped slopes), "refined" (noisy moments, then noisy gradients of clipped
        residuals; intervals), "moments" (moments only; intervals), "adassp", "mixing", "hessian-mixing". "auto" is "objective", or "refined" if
        n_iter is set.
    n_iter : number of gradients of "refined" (default 4) and "hessian-mixing" (default 3), chosen without looking at the records.
    public_records : under add-remove, a number of records that you declare public. Without it, "objective" accepts at most a million records, and
        "refined" without an intercept does not clip residuals.
    records_share : under add-remove without `public_records`, the part of mu^2 for a noisy number of records, from which the width of the loss of
        "objective" follows; by default .1 to 5 %, depending on the budget; 0 counts nothing and uses one width for any length. With a prior, nothing
        is counted.
    prior : a public point towards which the ridge of "objective" shrinks, instead of zero: a fitted linear regression, or (coef, intercept). It
        costs no privacy (docs/prior.md), but must not depend on the records. None: zero.
    max_sample_weight : weights in `sample_weight` are clipped to this; required if there are any. Noise and ridge grow with it. Choose it without
        looking at the records. For "objective" and "objective-huber".
    ledger : the `Account` to charge; None charges the ledger in use, if any.
    n_jobs : number of threads for one fit, as in scikit-learn: None is 1, -1 all processors. The result is the same for any number.
    random_state : None for private noise. With a seed, results are reproducible but not private, and the certificate is invalid.
    rows_per_person : the largest number of rows kept per person, drawn uniformly, if `fit` gets the ids `persons`: neighbouring tables then differ
        in all rows of one person, and n counts persons. 1 needs no ids: you declare that nobody has a second row. None: the unit of privacy is a row.
    person_weight : the weight of a kept row: "person" (one over the number of that person's kept rows, so each person counts once) or "row" (1 /
        rows_per_person, so rows count equally).

    Attributes: `coef_` (d,), `intercept_`, `weights_`, `certificate_`, `n_features_in_`; `covariance_`, of what is believed about the error of
    `weights_` if predictions are about as large as targets may be, which is for predictions and not for intervals of coefficients; `equations_`, what
    is known about the population's weights without that assumption, for errors with any distribution and for symmetric ones; and
    `residual_deviation_`, a cautious root mean square of the residuals (these three are None except for "refined", "moments" and epsilon=inf). All
    are functions of what the mechanism released.

    Sources: Kifer, Smith and Thakurta (2012) and Redberg, Koskela and Wang (2023) for noise in the objective; Wang (2018, AdaSSP), Lev et al.
    (2025, 2026, mixing), Bernstein and Sheldon (2019, noise-aware inference).

    Examples
    --------
    >>> import numpy as np
    >>> from discreet import LinearRegression
    >>> X = np.linspace(-1.0, 1.0, 20_000).reshape(-1, 1)
    >>> model = LinearRegression(epsilon=1.0, delta=1e-6, data_norm=1.0, target_bound=3.0)
    >>> model.fit(X, 2.0 * X[:, 0] + 0.5).predict([[0.5]]).round(1)
    array([1.5])
    >>> model.certificate_.verify(model.weights_).ok
    True
    """

    saved_as = "linear-regression"
    standard_for = ("numbers", "several numbers")
    _chooses_norms: ClassVar[bool] = True

    mechanism: Annotated[str, "auto, objective, objective-huber, refined or moments (these two know intervals), adassp, mixing, hessian-mixing."] = (
        "auto"
    )
    n_iter: Annotated[int | None, "Gradients of refined and hessian-mixing, chosen without the records."] = None

    records_share: Annotated[
        float | None, "With add-remove: share of the budget for a noisy number of records; .001 to .05 if left out, 0: none."
    ] = None

    covariance_: Floats | None = field(init=False)
    residual_deviation_: float | None = field(init=False)
    equations_: tuple[Equations, Equations] | None = field(init=False)

    def predict_interval(self, X: Any, *, level: float = 0.95) -> Floats:
        """Lower and upper ends, (n, 2), that contain the target of a new record with these features with about this probability.

        They account for the spread of targets, sampling, and the noise of the mechanism. They are approximate: residuals are assumed normal with
        constant variance, and noisy moments replace exact ones. Raises InvalidInput for a mechanism whose error is not known.
        """
        check_is_fitted(self)
        covariance, residual = self._known_error()
        quantile = _quantile(level)
        weights, covariance = self.weights_ / self._unit, covariance / self._unit**2
        work = partial(_intervals, domain=self._fitted_domain(), weights=weights, covariance=covariance, residual=residual, quantile=quantile)
        return self._of_rows(X, work)

    def coef_interval(self, *, level: float = 0.95, symmetric: bool = False) -> Intervals:
        """Intervals, (d,), for the coefficients of least squares on the population; they account for noise and sampling, and use no prior.

        They need not contain `coef_`, which is shrunk towards 0 where noise dominates. If the second moments do not exceed their noise in every
        direction, nothing is known about any coefficient, and every interval is (-inf, inf): use more records, a larger epsilon, or fewer features
        with more spread.

        `symmetric`: whether errors are symmetric around the line at every row, and not clipped by `target_bound`. If so, the gradients of "refined"
        are used, whose residuals are clipped, and intervals are much narrower; otherwise only the moments are used.
        Raises InvalidInput for a mechanism whose error is not known.
        """
        check_is_fitted(self)
        if self.equations_ is None:
            raise InvalidInput(_OTHERS)
        equations, size = self.equations_[1 if symmetric else 0], self.n_features_in_
        found = known_errors(self.certificate_, self.weights_, level=probability(level, "level"), equations=equations)
        errors, middle = found.along(np.eye(size, len(self.weights_)) / self._unit), equations.solution[:size] / self._unit
        low, high = (np.full(size, -np.inf), np.full(size, np.inf)) if errors is None else (errors.low, errors.high)
        return Intervals(low=low, estimate=middle, high=high, level=level)

    def explain(self, *, features: int | None = None, records: int | None = None, targets: int = 1) -> Explanation:
        """What is released, and with how much noise, from public numbers alone; needs no data.

        Parameters: `features` d (default: that of the fitted model), `records` n if it is public, `targets` m, the columns of y. Raises InvalidInput
        if d is unknown.
        """
        count = known_features(self, features)
        shape = self._shape(count, records, targets=targets)
        privacy = self._left(shape)
        problem: Any
        mechanism: Any
        problem, mechanism = self._set_up(shape, privacy)
        reasons = (
            Reason(choice="mechanism", text=mechanism.explained(problem), numbers={"name": mechanism.name}),
            relation_words(privacy.neighbours, persons=shape.persons is not None),
        )
        budget = f"epsilon {privacy.epsilon:g}, delta {privacy.delta:g}, {privacy.neighbours}"
        return Explanation(title=f"{type(self).__name__} on {count:,} features: {budget}", reasons=reasons)

    def _prepared(self, domain: Domain, privacy: Privacy) -> tuple[LeastSquares, RegressionMechanism]:
        """For tables as long as the public number of records says, or twice as long where it only says about how long they are.

        Of persons that is their number times the most rows of one: how many rows there are is private.
        """
        problem = LeastSquares(domain=domain, prior=self._point(domain))
        counted = NOMINAL if domain.records is None else domain.records * (2 if privacy.neighbours is ADD_REMOVE else 1)
        longest = min(counted * (1 if domain.persons is None else domain.persons.rows), MOST_RECORDS)
        problem = replace(problem, most_records=max(problem.most_records, longest))
        steps = whole_or_none(self.n_iter, "n_iter")
        share = None if self.records_share is None else share_below_one(self.records_share, "records_share")
        return problem, calibrate_least_squares(problem, mechanism=self.mechanism, steps=steps, count_share=share, **privacy.target)

    def _takes_several(self) -> bool:
        """See RegressionModel."""
        return self.mechanism in ("auto", "objective", "objective-huber") and self.n_iter is None and super()._takes_several()

    def _each(self, domain: Domain, privacy: Privacy, targets: int) -> tuple[PredictionRisk, float | None]:
        name = "objective" if self.mechanism == "auto" else self.mechanism
        if not self._takes_several():
            raise InvalidInput(
                'several columns of y need mechanism="objective" or "objective-huber", without n_iter and prior. Leave these out, or fit '
                "each target separately."
            )
        if not privacy.adds_noise:
            return PredictionRisk(loss=HuberLoss(half_width=_SQUARE * domain.target_bound), domain=domain), None
        mu = gaussian_mu(privacy.epsilon, privacy.delta) / math.sqrt(targets)
        width = default_width(LeastSquares(domain=domain), mu=mu, neighbours=privacy.neighbours)
        return PredictionRisk(loss=LogCosh(width=width) if name == "objective" else HuberLoss(half_width=width), domain=domain), None

    def _keep(self, release: Release, domain: Domain, given: FitInput) -> None:
        super()._keep(release, domain, given)
        fitted = Fitted(release.value, None, None) if given.shape.units else fitted_of(release)
        self.covariance_, self.residual_deviation_ = fitted.covariance, fitted.residual_deviation
        self.equations_ = None if fitted.equations is None or fitted.symmetric is None else (fitted.equations, fitted.symmetric)

    def _known_error(self) -> tuple[Floats, float]:
        if self.covariance_ is None or self.residual_deviation_ is None:
            raise InvalidInput(_OTHERS)
        return self.covariance_, self.residual_deviation_


def _intervals(rows: Matrix, *, domain: Domain, weights: Floats, covariance: Floats, residual: float, quantile: float) -> Floats:
    rows = bounded_rows(rows, domain)
    middle = rows.ordered_matvec(weights)
    spread = np.concatenate([np.einsum("ij,jk,ik->i", part, covariance, part) for _, part in rows.chunks()])
    half = quantile * np.sqrt(spread + residual**2)
    return np.column_stack((middle - half, middle + half))


def _quantile(level: float) -> float:
    """The normal quantile of two equal tails."""
    return float(ndtri(0.5 + 0.5 * probability(level, "level")))
