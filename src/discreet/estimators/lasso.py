"""The private LASSO: least squares over an l1 ball, by private Frank-Wolfe.

    minimise  sum_i (y_i - <w, x_i> - t v)^2   over |w|_1 + |v| <= radius;   proof note discreet/mechanisms/constrained/frank_wolfe.md

The error grows with the logarithm of the number of features (Talwar, Thakurta and Zhang 2014, corollary 5.7), and no private method does much better
where features outnumber records (theorem 5.8).
"""

from typing import Any

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.validate import positive
from discreet.estimators.constrained_model import ConstrainedModel
from discreet.estimators.parameters import real_targets
from discreet.estimators.scores import ScoredRegressor
from discreet.ledger import Account
from discreet.losses.predictions import HuberLoss, LogCosh, PredictionLoss, Squared
from discreet.sets import L1Ball

_LOSSES = {loss.name: loss for loss in (Squared(), HuberLoss(), LogCosh())}


class Lasso(ScoredRegressor, ConstrainedModel):
    """Sparse linear regression under differential privacy.

    Parameters
    ----------
    epsilon : privacy loss, > 0; `inf` is the ordinary fit without privacy, and its certificate says so.
    delta : probability that the loss is exceeded, well below 1 / n; 0 for pure differential privacy, which costs this method much.
    neighbours : "replace-one" (the number of records is public) or "add-remove" (it is not).
    radius : of the l1 ball: the largest sum of absolute coefficients. Chosen without the records.
    data_bound : bound on every entry of X; larger ones are clipped to it, in fit and in predict. Never learnt from the data. None where
        data_norm bounds the rows alone.
    data_norm : bound on the Euclidean norm of a row, or None.
    target_bound : bound on |y|; larger targets are clipped to it.
    loss : "squared", "huber" or "log-cosh" (of width 1), or a loss of `discreet.losses.predictions`.
    max_slope : bound that slopes of the loss are clipped to, record by record: less noise, for less weight of far-off targets. None takes the
        largest possible slope, 2 (radius data_bound + target_bound) for the squared loss.
    fit_intercept, intercept_scale : an intercept is a constant feature of this size whose coefficient lies in the ball with the others; None takes
        the bound of the entries, which costs no noise.
    mechanism : "auto" (the better one, from public numbers), "frank-wolfe-polytope" or "frank-wolfe-gaussian".
    n_iter : number of steps, chosen without the records; None takes it from public numbers.
    public_records : under add-remove, a number of records that you declare public, for the number of steps.
    ledger : an Account(path, name) to spend on; None spends on the ledger in use (`discreet.ledger.using`), if any.
    n_jobs : threads that work on one fit, as in scikit-learn: None is 1, -1 all processors. Results are the same for any number.
    random_state : None draws noise from the operating system. A seed makes results reproducible and the certificate invalid.

    Attributes
    ----------
    coef_ : coefficients, (d,); intercept_ : a number.
    weights_ : the released vector, (d,) or (d + 1,); the last entry times the constant feature is the intercept.
    n_features_in_, feature_names_in_ : d, and the names of the columns where X has them.
    certificate_ : what the release promises and why; `certificate_.verify(weights_)` checks it.

    Examples
    --------
    >>> from discreet import Lasso
    >>> model = Lasso(epsilon=1.0, delta=1e-6, data_bound=1.0, target_bound=1.0, fit_intercept=False)
    >>> rows = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]] * 5000
    >>> model.fit(rows, [row[0] for row in rows]).coef_.round().astype(int)
    array([1, 0])
    """

    coef_: Floats
    intercept_: float

    def __init__(
        self,
        *,
        epsilon: float = 1.0,
        delta: float = 1e-6,
        neighbours: str = "replace-one",
        radius: float = 1.0,
        data_bound: float | None = 1.0,
        data_norm: float | None = None,
        target_bound: float = 1.0,
        loss: str | PredictionLoss = "squared",
        max_slope: float | None = None,
        fit_intercept: bool = True,
        intercept_scale: float | None = None,
        mechanism: str = "auto",
        n_iter: int | None = None,
        public_records: int | None = None,
        ledger: Account | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.neighbours = neighbours
        self.radius = radius
        self.data_bound = data_bound
        self.data_norm = data_norm
        self.target_bound = target_bound
        self.loss = loss
        self.max_slope = max_slope
        self.fit_intercept = fit_intercept
        self.intercept_scale = intercept_scale
        self.mechanism = mechanism
        self.n_iter = n_iter
        self.public_records = public_records
        self.ledger = ledger
        self.n_jobs = n_jobs
        self.random_state = random_state

    def predict(self, X: Any) -> Floats:
        """<w, x> + intercept, (n,), with rows brought within the declared bounds."""
        return self._predictions(X)

    def __sklearn_tags__(self) -> Any:
        """With noise, small data sets score poorly."""
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags

    def _constraint(self, dimension: int) -> L1Ball:
        return L1Ball(dimension=dimension, radius=positive(self.radius, "radius"))

    def _loss(self) -> PredictionLoss:
        if isinstance(self.loss, str) and self.loss in _LOSSES:
            return _LOSSES[self.loss]
        if not isinstance(self.loss, str) and isinstance(self.loss, PredictionLoss) and not self.loss.signed_targets:
            return self.loss
        shown = repr(self.loss) if isinstance(self.loss, str) else f"an object of type {type(self.loss).__name__}"
        raise InvalidInput(f"loss must be one of {sorted(_LOSSES)} or a loss of real targets in discreet.losses.predictions; {shown} was given.")

    def _aims(self, y: Any, records: int) -> tuple[Floats, float, tuple[str, ...]]:
        return real_targets(y, type(self).__name__, records), positive(self.target_bound, "target_bound"), ()

    def _max_slope(self) -> float | None:
        return self.max_slope

    def _publish(self, weights: Floats, intercept: float) -> None:
        self.coef_, self.intercept_ = weights, intercept
