"""Private regressions with a loss of their own: quantiles, expectiles, robust lines, counts and amounts.

    minimise  sum_i c_i l(<w, x_i> + t v; y_i) + (lambda / 2) (|w|^2 + v^2) + noise,    intercept = t v;   proof note regression/prediction.md

    HuberRegression        a line that outliers hardly move          ExpectileRegression    expectiles of the target
    QuantileRegression     quantiles of the target                   PoissonRegression      counts: the logarithm of the mean is linear
                                                                     GammaRegression        amounts: likewise, errors count relative to the mean

One theorem serves all of them: a loss needs slopes and a curvature that are bounded for every prediction, by public numbers alone.

Shapes: X (n, d), y (n,), coef_ (d,), weights_ (d,) or (d + 1,) with v last when there is an intercept.
"""

import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt

from discreet.accounting import gaussian_mu
from discreet.certificates import Release
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Privacy
from discreet.core.validate import measure, positive
from discreet.data import Domain, EncodedTable
from discreet.estimators.door.fit_input import Targets
from discreet.estimators.inputs import positive_or_none, ridge_of
from discreet.estimators.models.regression_model import RegressionModel
from discreet.losses.predictions import Expectile, Gamma, HuberLoss, Pinball, Poisson, PredictionLoss, SmoothPinball
from discreet.matrices import answers_per_record
from discreet.mechanisms.base import Mechanism
from discreet.mechanisms.regression import LeastSquares, calibrate_prediction
from discreet.mechanisms.regression.objective import default_width
from discreet.mechanisms.regression.prediction import log_link_ridge
from discreet.problems import PredictionRisk

_ALPHA = "Strength of regularisation, of |w|^2 / 2 in the mean objective; from public numbers if left out."
_LEAST_BEND, _LARGEST_BEND = 0.01, 0.25
"""Of the kink of a pinball loss, over the bound of targets."""
_BEND, _POWER = 1.5, 0.35
"""The bend is the first times (d / (epsilon n)) to the second, by a search on invented tables (docs/losses.md)."""
_MOST_TIMES = 1e9
_FEW = 2000
"""Records that widths are chosen for where their number is secret."""


@dataclass(kw_only=True, eq=False, repr=False)
class PredictionModel(RegressionModel):
    """What the regressions here share; they take these parameters, beside their own.

    Parameters
    ----------
    epsilon : privacy loss, > 0; `inf` is the ordinary fit without privacy, and the certificate says so.
    delta : probability that the loss is exceeded, positive and well below 1 / n.
    neighbours : "replace-one" (the number of records is public) or "add-remove" (it is not).
    alpha : coefficient of |w|^2 / 2 in the mean objective. None takes one at which the theorem has little slack, from public numbers; none without
        privacy.
    data_norm, data_bound : bounds on the Euclidean norm of a row and on every entry; one of them may be None. Never learnt from the data.
    target_bound : bound on |y|, which you know without the records; larger targets are clipped to it. Of several columns of y one number for all, or
        a list of one for each. None for tables that a schema encodes, which says the range.
    fit_intercept : whether there is an intercept.
    intercept_scale : the intercept is a constant feature of this size, regularised as the others; None takes 0.3 of the bound of rows.
    mechanism, n_iter : "auto" or "objective", and None: there is one mechanism.
    public_records : under add-remove, a number of records that you declare public.
    max_sample_weight : what larger weights in `sample_weight` are cut to, required where there are any; the noise grows with it. Choose it without
        looking at the records.
    prior : a public point that the ridge pulls towards, instead of zero: a fitted model of the same target, or (coef, intercept), or coef alone. It
        costs no privacy (docs/prior.md), but must not depend on the records. None: zero.
    ledger, n_jobs, random_state, rows_per_person, person_weight : as in LinearRegression.

    Attributes
    ----------
    coef_ : coefficients, (d,); intercept_ : a number; weights_ : the released vector.
    certificate_ : what the release guarantees and why; `certificate_.verify(weights_)` checks it.
    """

    alpha: Annotated[float | None, _ALPHA] = None

    @abstractmethod
    def _loss(self, domain: Domain, privacy: Privacy) -> PredictionLoss:
        """Of a problem over this domain, from public numbers."""

    def _prepared(self, domain: Domain, privacy: Privacy) -> tuple[PredictionRisk, Mechanism[Any, Any]]:
        problem, ridge = self._each(domain, privacy, 1)
        return problem, calibrate_prediction(problem, ridge=ridge, **privacy.target)

    def _each(self, domain: Domain, privacy: Privacy, targets: int) -> tuple[PredictionRisk, float | None]:
        if self.mechanism not in ("auto", "objective") or self.n_iter is not None:
            raise InvalidInput('the only mechanism here is "objective": leave n_iter out, and set mechanism to "objective" or leave it out.')
        if targets > 1 and not self._takes_several():
            raise InvalidInput("several columns of y have no prior; leave prior out, or fit each target separately.")
        alone = privacy if targets == 1 else replace(privacy, epsilon=privacy.epsilon / math.sqrt(targets))
        problem = PredictionRisk(loss=self._loss(domain, alone), domain=domain, prior=self._point(domain))
        return problem, None if self.alpha is None else ridge_of(self.alpha, domain.records, privacy.neighbours) / (domain.largest_weight or 1.0)

    def _in_unit(self, width: float | None) -> float | None:
        """A width that was given. Raises InvalidInput where it is in the units of several targets."""
        if width is not None and not isinstance(self.target_bound, int | float | None):
            raise InvalidInput("width is in units of one target_bound: pass one target_bound for all columns of y, or leave width out.")
        return None if width is None else measure(width, "width")

    def _width(self, given: float | None, domain: Domain, privacy: Privacy) -> float:
        """Of a clipped slope, in units of the target: what was chosen, or by the noise."""
        chosen = self._in_unit(given)
        if chosen is not None:
            return chosen
        mu = gaussian_mu(privacy.epsilon, privacy.delta) if privacy.adds_noise and privacy.delta > 0 else math.inf
        return default_width(LeastSquares(domain=domain), mu=mu, neighbours=privacy.neighbours)


@answers_per_record
@dataclass(kw_only=True, eq=False, repr=False)
class HuberRegression(PredictionModel):
    """Robust linear regression under differential privacy: squares of small residuals, absolute values of large ones. See PredictionModel.

    width : larger residuals count as this size, with their sign, in units of the target. None is 0.06 to 1 times target_bound, depending on the
        noise.

    Without privacy it is scikit-learn's HuberRegressor(epsilon=e, alpha=0) for width = e scale_.

    Examples
    --------
    >>> import numpy as np
    >>> from discreet import HuberRegression
    >>> X = np.linspace(-1.0, 1.0, 100_000).reshape(-1, 1)
    >>> y = 2.0 * X[:, 0] + 0.5
    >>> y[::10] = 3.0  # outliers, which hardly move the line
    >>> model = HuberRegression(epsilon=1.0, delta=1e-6, data_norm=1.0, target_bound=3.0, width=0.1)
    >>> model.fit(X, y).predict([[0.5]]).round(1)
    array([1.5])
    """

    saved_as = "huber-regression"

    width: Annotated[float | None, "Larger residuals count as this one, in units of the target; by the noise if left out."] = None

    def _loss(self, domain: Domain, privacy: Privacy) -> PredictionLoss:
        return HuberLoss(half_width=self._width(self.width, domain, privacy))


@answers_per_record
@dataclass(kw_only=True, eq=False, repr=False)
class ExpectileRegression(PredictionModel):
    """Expectiles of a number under differential privacy, by asymmetric squares with clipped slopes. See PredictionModel.

    level : of the expectile, in (0, 1); 0.5 is the mean.
    width : larger residuals count as this size, in units of the target. None is 0.06 to 1 times target_bound, depending on the noise.

    Examples
    --------
    >>> import numpy as np
    >>> from discreet import ExpectileRegression
    >>> X = np.linspace(-1.0, 1.0, 100_000).reshape(-1, 1)
    >>> model = ExpectileRegression(level=0.5, epsilon=1.0, delta=1e-6, data_norm=1.0, target_bound=3.0)
    >>> model.fit(X, 2.0 * X[:, 0] + 0.5).predict([[0.5]]).round(1)
    array([1.5])
    """

    saved_as = "expectile-regression"

    level: Annotated[float, "Of the expectile, between 0 and 1; 0.5 is the mean."] = 0.5
    width: Annotated[float | None, "Larger residuals count as this one, in units of the target; by the noise if left out."] = None

    def _loss(self, domain: Domain, privacy: Privacy) -> PredictionLoss:
        return Expectile(level=positive(self.level, "level"), half_width=self._width(self.width, domain, privacy))


@answers_per_record
@dataclass(kw_only=True, eq=False, repr=False)
class QuantileRegression(PredictionModel):
    """Quantiles of a number under differential privacy, by the pinball loss with its kink rounded off. See PredictionModel.

    quantile : the share of targets below the prediction, in (0, 1).
    width : of the rounded kink, in units of the target; the ridge that the theorem needs grows as its inverse. None is .01 to .25 times
        target_bound, depending on epsilon and the number of records.

    Without privacy the kink is not rounded, and it is scikit-learn's QuantileRegressor(alpha=0).

    Examples
    --------
    Nine of ten patients of ward 0 wait at most 9 days, of ward 1 at most 19:

    >>> import numpy as np
    >>> from discreet import QuantileRegression
    >>> ward = np.repeat([[0.0], [1.0]], 50_000, axis=0)
    >>> days = np.tile(np.arange(1.0, 11.0), 10_000) + 10.0 * ward[:, 0]
    >>> model = QuantileRegression(quantile=0.9, width=0.5, epsilon=1.0, delta=1e-6, data_norm=1.0, target_bound=30.0)
    >>> model.fit(ward, days).predict([[0.0], [1.0]]).round()
    array([ 9., 19.])
    """

    saved_as = "quantile-regression"

    quantile: Annotated[float, "The share of targets to lie below the prediction, between 0 and 1."] = 0.5
    width: Annotated[float | None, "Length of the rounded kink, in units of the target; from public numbers if left out."] = None

    def _loss(self, domain: Domain, privacy: Privacy) -> PredictionLoss:
        quantile, width = positive(self.quantile, "quantile"), self._in_unit(self.width)
        if privacy.epsilon == math.inf:
            return Pinball(quantile=quantile)
        if width is None:
            share = _BEND * (domain.dimension / (max(privacy.epsilon, 1e-9) * (domain.records or _FEW))) ** _POWER
            width = domain.target_bound * min(max(share, _LEAST_BEND), _LARGEST_BEND)
        return SmoothPinball(quantile=quantile, width=width)


@dataclass(kw_only=True, eq=False, repr=False)
class LogLinkModel(PredictionModel):
    """Regressions of a mean whose logarithm is linear: log(mean) = <x, coef_> + intercept_. They take these, beside those of PredictionModel.

    target_bound : the largest target that is told apart from larger ones; targets are clipped to [0, target_bound], and no mean lies beyond. None for
        tables that a schema encodes, whose numbers in [-1, 1] stand for the range that it declares: let that begin at 0.
    typical : a public guess of a typical target, in its unit (of an encoded table, as a share of the range), that weights of 0 say. None takes a
        tenth of the range.
    """

    _least: ClassVar[float] = 1e-6
    _share: ClassVar[float]
    """Of the ridge, where nobody chooses it (`log_link_ridge`)."""

    typical: Annotated[float | None, "A public guess of a typical target, as a share of its range; 0.1 if left out."] = None

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The mean, (n,), in the unit of the targets (of an encoded table, from -1 to 1); X as in fit, rows brought within the bounds likewise."""
        upper = self._upper()
        shares = 0.5 * (self._link(self._unit_share()).answer(self._predictions(X)) + 1.0)
        return 2.0 * shares - 1.0 if self.target_bound is None else upper * shares

    def _each(self, domain: Domain, privacy: Privacy, targets: int) -> tuple[PredictionRisk, float | None]:
        problem, ridge = super()._each(domain, privacy, targets)
        if ridge is None and targets == 1 and privacy.adds_noise:
            ridge = log_link_ridge(problem, privacy.epsilon, privacy.neighbours, share=self._share)
        return problem, ridge

    @abstractmethod
    def _link(self, unit: float) -> PredictionLoss:
        """The loss where a prediction of 0 says this share."""

    def _loss(self, domain: Domain, privacy: Privacy) -> PredictionLoss:  # noqa: ARG002 - the same for any
        return self._link(self._unit_share())

    def _upper(self) -> float:
        """Of the range of targets; 1 where a schema says it. Raises InvalidInput for one bound each of several targets."""
        if isinstance(self.target_bound, list | tuple | np.ndarray):
            raise InvalidInput(
                f"{type(self).__name__}: target_bound must be one number for all columns of y, or None, since typical is a share of it; several were "
                "given. Divide each column by its own bound, and pass target_bound=1."
            )
        return 1.0 if self.target_bound is None else positive(self.target_bound, "target_bound")

    def _unit_share(self) -> float:
        typical = positive_or_none(self.typical, "typical")
        return 0.1 if typical is None else typical / self._upper()

    def _target_bound(self) -> float:
        self._upper()
        return 1.0

    def _span(self) -> tuple[float, float] | None:
        return None if self.target_bound is None else (0.0, self._upper())

    @property
    def target_range(self) -> tuple[float, float]:
        """See BoundedModel; of an encoded table from -1 to 1."""
        return self._span() or (-1.0, 1.0)

    def _encoded(self, table: EncodedTable, y: Any) -> Targets:
        if self.target_bound is not None:
            raise InvalidInput("the schema of an encoded table gives the range of its target; leave target_bound out.")
        return super()._encoded(table, y)

    def _coefficients(self, release: Release, domain: Domain) -> tuple[Floats, Any]:
        coef, intercept = super()._coefficients(release, domain)
        return coef, intercept + self.intercept_level

    @property
    def intercept_level(self) -> float:
        """See RegressionModel."""
        return math.log(self._unit_share() * self._upper())


@answers_per_record
@dataclass(kw_only=True, eq=False, repr=False)
class PoissonRegression(LogLinkModel):
    """Poisson regression under differential privacy: counts whose mean has a linear logarithm. See LogLinkModel.

    Where the mean reaches target_bound, the loss continues as a line. Without privacy and a ridge it is scikit-learn's PoissonRegressor(alpha=0).

    Examples
    --------
    >>> import numpy as np
    >>> from discreet import PoissonRegression
    >>> ward = np.repeat([[0.0], [1.0]], 10_000, axis=0)
    >>> falls = np.where(ward[:, 0] == 1.0, 6, 2)
    >>> model = PoissonRegression(epsilon=1.0, delta=1e-6, data_norm=1.0, target_bound=10.0)
    >>> model.fit(ward, falls).predict([[0.0], [1.0]]).round()
    array([2., 6.])
    """

    saved_as = "poisson-regression"
    targets = ("counts", "numbers", "several numbers")
    standard_for = ("counts",)
    _share = 1.5

    def _link(self, unit: float) -> PredictionLoss:
        return Poisson(unit=unit)


@answers_per_record
@dataclass(kw_only=True, eq=False, repr=False)
class GammaRegression(LogLinkModel):
    """Gamma regression under differential privacy: positive amounts, with errors relative to their mean. See LogLinkModel.

    most_times : a target above 1 + most_times times its mean counts as that value; the noise grows with it.
    least : smaller targets count as this share of the range.

    Without privacy and a ridge it is scikit-learn's GammaRegressor(alpha=0), if no target is clipped.

    Examples
    --------
    >>> import numpy as np
    >>> from discreet import GammaRegression
    >>> ward = np.repeat([[0.0], [1.0]], 50_000, axis=0)
    >>> costs = np.where(ward[:, 0] == 1.0, 500.0, 100.0)
    >>> model = GammaRegression(epsilon=1.0, delta=1e-6, data_norm=1.0, target_bound=1000.0, typical=200.0)
    >>> model.fit(ward, costs).predict([[0.0], [1.0]]).round(-2)
    array([100., 500.])
    """

    saved_as = "gamma-regression"
    _share = 1.0

    most_times: Annotated[float, "A target of more than 1 + this times its mean counts as that."] = 3.0
    least: Annotated[float, "Smaller targets count as this share of their range."] = 0.001

    def _link(self, unit: float) -> PredictionLoss:
        return Gamma(unit=unit, steepest=self._most_times(), least=positive(self.least, "least"))

    def _most_times(self) -> float:
        if positive(self.most_times, "most_times") > _MOST_TIMES:
            raise InvalidInput(f"most_times must be at most {_MOST_TIMES:g}; {self.most_times!r} was given. The noise grows with it: try 3.")
        return float(self.most_times)
