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
from discreet.core.validate import probability, whole
from discreet.data import Domain, bounded_rows
from discreet.estimators.base import Given
from discreet.estimators.explanation import Explanation, Reason, known_features, relation_words
from discreet.estimators.inputs import count_or_none, is_private, whole_or_none
from discreet.estimators.norm_fit import left
from discreet.estimators.prior import declared_prior, prior_of
from discreet.estimators.regression_model import RegressionModel
from discreet.losses.predictions import HuberLoss, LogCosh
from discreet.matrices import Matrix, answers_per_record
from discreet.mechanisms.regression import Equations, Fitted, LeastSquares, RegressionMechanism, calibrate_least_squares, fitted_of
from discreet.mechanisms.regression.objective import default_width
from discreet.mechanisms.regression.sums import MOST_RECORDS
from discreet.problems import PredictionRisk

_SQUARE = 1e8
"""Of the bound of targets: residuals up to it are squared where there is no noise, as all are."""


@answers_per_record
@dataclass(kw_only=True, eq=False, repr=False)
class LinearRegression(RegressionModel):
    """Linear regression under (epsilon, delta) differential privacy.

    Parameters
    ----------
    epsilon : privacy loss, > 0; `inf` is ordinary least squares without privacy, and its certificate says so.
    delta : probability that the loss is exceeded, positive and well below 1 / n.
    neighbours : "replace-one" (the number of records is public) or "add-remove" (it is not).
    data_norm : bound on the Euclidean norm of a row; longer ones are shortened to it, in fit and in predict. Never learnt from the data. None where
        data_bound bounds the entries; "private": a power of two is chosen in the fit, for a tenth of the budget (`data_norm_`), and `weights_`,
        `covariance_` and `equations_` are those of rows divided by it.
    data_bound : bound on every entry of X, or None; larger ones are clipped to it. Scale features by public bounds first, so that they count alike.
    target_bound : bound on |y|; larger targets are clipped to it. Subtract a public middle of the range from y first: the noise grows with it. Where
        y has several columns, one number for all of them or a list of one for each.
    fit_intercept, intercept_scale : an intercept is a constant feature of this size; None takes 0.3 times the bound of the rows.
    mechanism : "objective" (noise in the objective, log-cosh of residuals; the least error in nearly all of docs/linear-regression.md; intervals by
        release_uncertainty), "objective-huber" (squares with clipped slopes), "refined" (noisy moments, then noisy gradients of clipped residuals;
        intervals), "moments" (moments alone; intervals), "adassp", "mixing", "hessian-mixing". "auto" is "objective", or "refined" where n_iter is
        given.
    n_iter : number of gradients of "refined" (None takes 4) and "hessian-mixing" (3), chosen without the records.
    public_records : under add-remove, a number of records that you declare public. Without it "objective" takes a million records at most, and
        without an intercept too "refined" does not clip residuals.
    prior : a public point that the ridge of "objective" pulls towards, in place of zero: a fitted linear regression, or (coef, intercept); no privacy
        is spent on it (docs/prior.md). It must not depend on the records. None: zero.
    max_sample_weight : what larger weights in `sample_weight` are cut to, required where there are any; noise and ridge grow with it. Choose it
        without looking at the records. For "objective" and "objective-huber".
    ledger : an `Account` that the fit spends on; None spends on the ledger in use, if any.
    n_jobs : threads that work on one fit, as in scikit-learn: None is 1, -1 all processors. Results are the same for any number.
    random_state : None for private noise. Anything else is reproducible and protects nobody: the certificate is not valid then.
    rows_per_person : the most rows of one person that are kept, drawn uniformly, where `fit` gets the ids `persons`: neighbours then differ in all
        rows of a person, and n counts persons. 1 needs no ids: nobody has a second row, as you say. None: the unit of privacy is a row.
    person_weight : of a kept row: "person" (one over the number of its person's: each person counts once) or "row" (1 / rows_per_person: rows count
        alike).

    Attributes: `coef_` (d,), `intercept_`, `weights_`, `certificate_`, `n_features_in_`; `covariance_` of the error of `weights_`, noise and sample
    together, if predictions are about as large as targets may be; `equations_`, what is known of the population's weights without that prior, for
    errors of any law and for symmetric ones; and `residual_deviation_`, a cautious root mean square of a residual (all three None where the
    mechanism knows nothing of them: all but "refined" and "moments"). All are functions of what the mechanism released.

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
    prior: Any = None
    n_iter: Annotated[int | None, "Gradients of refined and hessian-mixing, chosen without the records."] = None

    covariance_: Floats | None = field(init=False)
    residual_deviation_: float | None = field(init=False)
    equations_: tuple[Equations, Equations] | None = field(init=False)

    def predict_interval(self, X: Any, *, level: float = 0.95) -> Floats:
        """Lower and upper ends, (n, 2), that hold the target of a new record of these features with about this probability.

        They count the spread of targets, the sample, and the noise of the mechanism. Exact for no law: normal residuals of one size are assumed, and
        noisy moments in place of exact ones. Raises InvalidInput for a mechanism whose error is not known.
        """
        check_is_fitted(self)
        covariance, residual = self._known_error()
        quantile = _quantile(level)
        weights, covariance = self.weights_ / self._unit, covariance / self._unit**2
        work = partial(_intervals, domain=self._fitted_domain(), weights=weights, covariance=covariance, residual=residual, quantile=quantile)
        return self._of_rows(X, work)

    def coef_interval(self, *, level: float = 0.95, symmetric: bool = False) -> Intervals:
        """Intervals, (d,), for the coefficients of the population's least squares; noise and sample are counted, no prior is used.

        They need not be around `coef_`, which is shrunk towards 0 where noise rules. Where the noisy second moments do not stand out of their noise
        in every direction, nothing is known of any coefficient, and every interval is (-inf, inf): a longer table, a larger epsilon, or fewer and
        wider features help.

        `symmetric`: whether errors lie around the line symmetrically at every row, and are not cut by `target_bound`. Then the gradients of
        "refined" count, whose residuals are clipped, and intervals are far narrower; otherwise the moments alone do.
        Raises InvalidInput for a mechanism whose error is not known.
        """
        check_is_fitted(self)
        covariance, _ = self._known_error()
        quantile, middle = _quantile(level), self.weights_
        if self.equations_ is not None:
            equations = self.equations_[1 if symmetric else 0]
            middle, found = equations.solution, equations.covariance(quantile)
            variances: Floats = np.full(len(middle), np.inf) if found is None else np.asarray(np.diag(found))
        else:
            variances = np.asarray(np.diag(covariance))
        half = quantile * np.sqrt(variances)
        low, estimate, high = (end[: self.n_features_in_] / self._unit for end in (middle - half, middle, middle + half))
        return Intervals(low=low, estimate=estimate, high=high, level=level)

    def explain(self, *, features: int | None = None, records: int | None = None, targets: int = 1) -> Explanation:
        """What is released with how much noise, from public numbers alone; needs no data.

        Parameters: `features` d (of the fitted model if left out), `records` n where it is public, `targets` m, the columns of y. Raises InvalidInput
        where d is unknown.
        """
        count = known_features(self, features)
        privacy = self._privacy()
        known, rule = self._known_records(count_or_none(records, "records"), privacy.neighbours), self._public_rule(told_apart=False)
        domain = self._domain(count, known, rule)
        units = self.units_for(whole(targets, "targets"))
        problem: Any
        mechanism: Any
        if is_private(self.data_norm):
            privacy = left(partial(self._of_persons, domain, units=units), privacy, rule)
        problem, mechanism = self._of_persons(domain, privacy, units)
        reasons = (
            Reason(choice="mechanism", text=mechanism.explained(problem), numbers={"name": mechanism.name}),
            relation_words(privacy.neighbours, persons=rule is not None),
        )
        budget = f"epsilon {privacy.epsilon:g}, delta {privacy.delta:g}, {privacy.neighbours}"
        return Explanation(title=f"{type(self).__name__} on {count:,} features: {budget}", reasons=reasons)

    def _prepared(self, domain: Domain, privacy: Privacy) -> tuple[LeastSquares, RegressionMechanism]:
        """For tables as long as the public number of records says, or twice as long where it only says about how long they are.

        Of persons that is their number times the most rows of one: how many rows there are is private.
        """
        problem = LeastSquares(domain=domain, prior=None if self.prior is None else prior_of(self.prior, domain, self.data_norm))
        if domain.records is not None:
            rows = domain.records * (1 if domain.persons is None else domain.persons.rows)
            longest = min(rows * (2 if privacy.neighbours is ADD_REMOVE else 1), MOST_RECORDS)
            problem = replace(problem, most_records=max(problem.most_records, longest))
        steps = whole_or_none(self.n_iter, "n_iter")
        return problem, calibrate_least_squares(problem, mechanism=self.mechanism, steps=steps, **privacy.target)

    def _takes_several(self) -> bool:
        """Whether the parameters allow several columns of y."""
        return self.mechanism in ("auto", "objective", "objective-huber") and self.n_iter is None and self.prior is None

    def __sklearn_tags__(self) -> Any:
        """Several targets where the parameters allow them."""
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = self._takes_several()
        return tags

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

    def _declared(self, given: Given) -> tuple[str, ...]:
        return given.declared if self.prior is None else (*given.declared, *declared_prior(self.prior, given.classes))

    def _keep(self, release: Release, domain: Domain, given: Given) -> None:
        super()._keep(release, domain, given)
        fitted = Fitted(release.value, None, None) if given.units else fitted_of(release)
        self.covariance_, self.residual_deviation_ = fitted.covariance, fitted.residual_deviation
        self.equations_ = None if fitted.equations is None or fitted.symmetric is None else (fitted.equations, fitted.symmetric)

    def _known_error(self) -> tuple[Floats, float]:
        if self.covariance_ is None or self.residual_deviation_ is None:
            raise InvalidInput("intervals need mechanism='refined' or 'moments', whose error is known.")
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
