"""Private empirical risk minimisation over convex sets, with any loss of a prediction.

    minimise  sum_i l(<w, x_i> + t v; y_i)   over (w, v) in C, privately;   proof notes mechanisms/constrained/mirror_descent.md and frank_wolfe.md

    ConstrainedERM            any set, numbers or classes
    GroupLasso                sum over groups of |w_B|_2 <= radius             few groups of features matter
    SimplexRegression         w >= 0, sum of w = radius                        mixtures, portfolios, stacked predictions
    MatrixRegression          sum of singular values of W <= radius            a matrix of coefficients of low rank

They are fitted by the mechanism with the best bound of risk (mechanisms/constrained/choose.py); for the l1 ball see `sparse`. The price of privacy
follows the Gaussian width of the set: over an l1 ball it grows with the logarithm of the number of features (Talwar, Thakurta and Zhang 2014,
corollary 5.7), and no private method does much better where features outnumber records (theorem 5.8).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from numbers import Integral
from types import MappingProxyType
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import ClassifierTags, RegressorTags
from sklearn.utils.metaestimators import available_if

from discreet.certificates import Release
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.validate import measure
from discreet.data import Domain
from discreet.estimators.door.fit_input import FitInput
from discreet.estimators.door.private_estimator import ScoredRegressor, measured, metrics
from discreet.estimators.model_kinds import TargetKind
from discreet.estimators.models.set_model import AutoMechanismMixin, InterceptMixin, NumericTargetMixin, is_softmax, loss_of, set_of, takes_classes
from discreet.estimators.prediction_rules import codes_above, log_probabilities, probabilities
from discreet.losses import Logistic
from discreet.losses.predictions import PredictionLoss, prediction_loss_named
from discreet.losses.softmax import Softmax
from discreet.matrices import answers_per_record
from discreet.problems import SetRisk, SoftmaxRisk
from discreet.sets import Constraint, GroupL2Ball, L2Ball, NuclearBall, Simplex


def _is_logistic(estimator: "ConstrainedERM") -> bool:
    """Whether decisions are probabilities in another scale; AttributeError, as scikit-learn asks of methods that are not available."""
    if not is_softmax(estimator.loss):
        raise AttributeError("only the logistic loss has probabilities. Use loss='logistic', or predict.")
    return True


def _has_decisions(estimator: "ConstrainedERM") -> bool:
    """Whether there are decisions between classes; AttributeError, as scikit-learn asks of methods that are not available."""
    if not takes_classes(estimator.loss):
        raise AttributeError("the loss is for numeric targets, so there are no decision values. Use predict.")
    return True


@answers_per_record
@dataclass(kw_only=True, eq=False, repr=False)
class ConstrainedERM(NumericTargetMixin, AutoMechanismMixin, InterceptMixin):
    """A linear model over a convex set under differential privacy: a regression, or a classifier with two or more classes, depending on the loss.

    Parameters
    ----------
    loss : a loss of `discreet.losses.predictions`, or its name: "squared", "huber", "log-cosh", "absolute", "pinball" and
        "smooth-pinball" (quantiles) for real targets; "hinge", "logistic", "huber-hinge", "smoothed-hinge", "softplus-hinge" for two classes;
        "logistic" for more than two, with one softmax for all.
    constraint : a set of `discreet.sets` with one dimension per feature, plus one for an intercept; with K > 2 classes, K times that. Or a name with
        a radius, for a set of the right dimension: "l1-ball:3" (also l2-ball, linfinity-ball, simplex). None is the unit l2 ball.
    epsilon : privacy loss, > 0; `inf` is the ordinary fit without privacy (smooth losses), and its certificate says so.
    delta : probability that the loss is exceeded, well below 1 / n. With 0, only sets with a list of vertices are possible.
    neighbours : "replace-one" (the number of records is public) or "add-remove" (it is not).
    data_bound, data_norm : bounds on every entry and on the Euclidean norm of a row; one of them may be None. Never learnt from the data.
    target_bound : bound on |y| of real targets, which they need; larger ones are clipped to it. None for classes, and tables that a schema encodes.
    classes : [negative, positive] for losses of classes, or a longer list for "logistic". None takes them from y, with a PrivacyWarning, because
        this reveals which labels occur.
    max_slope : slopes of the loss are clipped to this, record by record; None is the largest slope that the set allows.
    fit_intercept, intercept_scale : an intercept is a constant feature whose coefficient is the last coordinate of the set.
    mechanism : "auto" (the best bound on the risk, from public numbers), "objective-perturbation-set", "mirror-descent", "frank-wolfe-gaussian" or
        "frank-wolfe-polytope".
    alpha : coefficient of |(w, v)|^2 / 2 in the mean objective, which objective perturbation and mirror descent minimise. None uses the ridge that
        the mechanism needs, from public numbers.
    penalty_factor : (d,) numbers from 1 on, what the ridge is multiplied by for each feature (the intercept counts 1, all classes are alike): the
        ridge is then alpha sum_j factor_j w_j^2 / 2, an elastic net where the set is an l1 ball. Only objective perturbation takes it.
    mirror_map : for mirror descent: "euclidean", "p-norm", "power" or "entropy", if the set supports it; "auto" chooses the best bound on the risk.
        With alpha and a map other than the Euclidean one, its potential replaces |(w, v)|^2 / 2.
    calibration : "tight", or "published" for the noise of Talwar et al. (2014); the certificate then states what is proved about it.
    n_iter : number of steps, chosen without looking at the records; None chooses it from public numbers.
    public_records : under add-remove, a number of records that you declare public; it sets the number and the size of the steps, and alpha.
    ledger, n_jobs, random_state, rows_per_person, person_weight : as in LinearRegression.

    Attributes
    ----------
    coef_ : coefficients, (d,); intercept_ : a number. With K > 2 classes, (K, d) and (K,).
    weights_ : the released point of the set, (d,) or (d + 1,); with K > 2 classes, the vectors of the classes one after the other.
    classes_ : [negative, positive], or all classes, for losses of classes.
    certificate_ : what the release guarantees and why; `certificate_.verify(weights_)` checks it.

    Examples
    --------
    >>> import numpy as np
    >>> from discreet import ConstrainedERM
    >>> X = np.tile(np.eye(3), (7_000, 1))
    >>> model = ConstrainedERM(loss="logistic", constraint="l1-ball:5", classes=["no", "yes"], epsilon=1.0, delta=1e-6, data_norm=1.0)
    >>> model.fit(X, np.where(X[:, 0] == 1.0, "yes", "no")).predict([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    array(['yes', 'no'], dtype='<U3')
    """

    saved_as = "constrained-erm"
    targets = ("numbers", "two classes", "more classes")
    suited = MappingProxyType({kind: MappingProxyType({"loss": "logistic"}) for kind in ("two classes", "more classes")})

    constraint: Annotated[Constraint | str | None, "l1-ball, l2-ball, linfinity-ball or simplex, and its radius: l1-ball:3."] = None
    loss: Annotated[
        str | PredictionLoss, "Of numbers: squared, huber, log-cosh, absolute, pinball; of two classes: logistic, hinge; of more: logistic."
    ] = "squared"
    classes: Any = None
    fit_intercept: Annotated[bool, "Whether there is an intercept."] = False

    @available_if(_has_decisions)  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Floats:
        """<w, x> + intercept, (n,) or, with K > 2 classes, (n, K); rows are clipped to the declared bounds."""
        return self._predictions(X)

    def predict(self, X: Any, *, threshold: float | None = None) -> npt.NDArray[Any]:
        """The predicted number for every row, or its most likely class, (n,).

        With a `threshold` and two classes, the second where its probability is above it.


        Raises InvalidInput for a threshold outside (0, 1), and for more classes or a loss without probabilities.
        """
        if threshold is None:
            return super().predict(X)
        if not is_softmax(self.loss):
            raise InvalidInput("a threshold is for probabilities, which only the logistic loss has. Use loss='logistic', or leave it out.")
        return np.asarray(self.classes_[codes_above(self.predict_proba(X), threshold)])

    @available_if(_is_logistic)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """Probabilities of the classes, (n, K), of the logistic loss."""
        return probabilities(Logistic(), self._predictions(X), multinomial=True)

    @available_if(_is_logistic)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> Floats:
        """Logarithms of `predict_proba`, (n, K)."""
        return log_probabilities(Logistic(), self._predictions(X), multinomial=True)

    def score(self, X: Any, y: Any) -> float:
        """R^2 for regressions, accuracy for classifiers. This is not private: use it on public records only."""
        measure = metrics.accuracy_score if self._of_classes() else metrics.r2_score
        return measured(measure, y, self.predict(X))

    def __sklearn_tags__(self) -> Any:
        """A classifier of two classes or a regression, as the loss is; with noise, small data sets score poorly."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        if takes_classes(self.loss):
            tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags(poor_score=True, multi_class=is_softmax(self.loss))
        else:
            tags.estimator_type, tags.regressor_tags = "regressor", RegressorTags(poor_score=True)
        return tags

    @property
    def learns(self) -> tuple[TargetKind, ...]:
        """See PrivateModel."""
        if not takes_classes(self.loss):
            return ("numbers",)
        return ("two classes", "more classes") if is_softmax(self.loss) else ("two classes",)

    @property
    def described(self) -> str:
        """See PrivateModel."""
        return f"a {self.saved_as} with the {loss_of(self.loss).name} loss"

    def _constraint(self, dimension: int) -> Constraint:
        if self.constraint is None:
            return L2Ball(dimension=dimension)
        if isinstance(self.constraint, str):
            return set_of(self.constraint, dimension)
        if not isinstance(self.constraint, Constraint):
            raise InvalidInput(f"constraint must be a set of discreet.sets; an object of type {type(self.constraint).__name__} was given.")
        return self.constraint

    def _loss(self) -> PredictionLoss:
        return loss_of(self.loss)

    def _takes_many(self) -> bool:
        return is_softmax(self.loss)

    def _problem(self, domain: Domain) -> SetRisk:
        if not (self._of_classes() and domain.target_bound > 1.0):
            return super()._problem(domain)
        if self.max_slope is not None:
            raise InvalidInput("max_slope is for numbers and for two classes; with more classes, slopes are bounded anyway. Leave it out.")
        loss = Softmax(classes=int(domain.target_bound) + 1)
        return SoftmaxRisk(loss=loss, constraint=self._constraint(loss.classes * domain.dimension), domain=domain)

    def _target_bound(self) -> float:
        return 1.0 if self._of_classes() else super()._target_bound()


@dataclass(kw_only=True, eq=False, repr=False)
class SetRegression(ScoredRegressor, NumericTargetMixin, AutoMechanismMixin):
    """What the regressions here share; they take these parameters, beside their own, and have no intercept: centre targets by a public number.

    Parameters: `epsilon`, `delta`, `neighbours`, `data_bound`, `data_norm`, `target_bound`, `max_slope`, `mechanism`, `alpha`, `penalty_factor`,
    `mirror_map`, `calibration`, `n_iter`, `public_records`, `ledger`, `n_jobs`, `random_state`, `rows_per_person`, `person_weight` as in
    ConstrainedERM; `radius` of the set, chosen without the records; `loss` "squared", "huber", "log-cosh", "absolute", or a loss of real targets in
    `discreet.losses.predictions`.

    Attributes: `coef_` (d,); `intercept_` 0.0; `weights_`; `certificate_`; `n_features_in_`.
    """

    radius: Annotated[float, "Of the set in which the coefficients lie, chosen without the records."] = 1.0
    targets = ("numbers",)

    def _loss(self) -> PredictionLoss:
        loss = prediction_loss_named(self.loss) if isinstance(self.loss, str) else self.loss
        if not isinstance(loss, PredictionLoss) or loss.signed_targets:
            raise InvalidInput("loss must be one for numeric targets: 'squared', 'huber', 'log-cosh', 'absolute', or such a loss object.")
        return loss


@answers_per_record
@dataclass(kw_only=True, eq=False, repr=False)
class GroupLasso(SetRegression):
    """Least squares over the unit ball of the group norm, times `radius` (Yuan and Lin 2006). See SetRegression.

    groups : sizes of consecutive groups of columns, adding up to d; or an integer, for groups of equal size.

    Examples
    --------
    >>> import numpy as np
    >>> from discreet import GroupLasso
    >>> X = np.tile(np.eye(3), (7_000, 1))
    >>> model = GroupLasso(groups=[1, 2], epsilon=1.0, delta=1e-6, data_norm=1.0, target_bound=1.0)
    >>> model.fit(X, X[:, 0]).coef_ > 0.5
    array([ True, False, False])
    """

    saved_as = "group-lasso"

    groups: Annotated[Sequence[int] | int, "Sizes of consecutive groups of features, or one for all."] = 1

    def _constraint(self, dimension: int) -> Constraint:
        sizes = self.groups
        if isinstance(sizes, int | np.integer) and not isinstance(sizes, bool):
            if sizes < 1 or dimension % sizes:
                raise InvalidInput(f"groups of {sizes!r} columns do not divide {dimension} features; pass the sizes of all groups.")
            sizes = [int(sizes)] * (dimension // int(sizes))
        refusal = InvalidInput(f"groups must be an integer or the sizes of groups that add up to the {dimension} features; something else was given.")
        if isinstance(sizes, bool | str) or not isinstance(sizes, Sequence) or not all(isinstance(size, Integral) for size in sizes):
            raise refusal
        if sum(sizes) != dimension:
            raise refusal
        return GroupL2Ball(sizes=tuple(int(size) for size in sizes), radius=measure(self.radius, "radius"))


@answers_per_record
@dataclass(kw_only=True, eq=False, repr=False)
class SimplexRegression(SetRegression):
    """Least squares with weights that are non-negative and add up to `radius`. See SetRegression.

    Examples
    --------
    >>> import numpy as np
    >>> from discreet import SimplexRegression
    >>> X = np.tile(np.eye(3), (7_000, 1))
    >>> model = SimplexRegression(epsilon=1.0, delta=1e-6, data_norm=1.0, target_bound=1.0)
    >>> model.fit(X, X @ [0.7, 0.3, 0.0]).coef_.round(1)
    array([0.7, 0.3, 0. ])
    """

    saved_as = "simplex-regression"

    def _constraint(self, dimension: int) -> Constraint:
        if dimension < 2:
            raise InvalidInput("weights with a fixed sum need at least two features; X has 1 feature(s).")
        return Simplex(dimension=dimension, radius=measure(self.radius, "radius"))


@answers_per_record
@dataclass(kw_only=True, eq=False, repr=False)
class MatrixRegression(SetRegression):
    """Least squares of y on <W, X> = sum_ij W_ij X_ij, W in the nuclear-norm ball. See SetRegression.

    shape : (p, q) of W; a row of X is a matrix of this shape, row after row. None takes p = 1.
    matrix_ : W, (p, q).

    Examples
    --------
    Rows of X are matrices of 2 x 2, row after row; the target is the first entry:

    >>> import numpy as np
    >>> from discreet import MatrixRegression
    >>> X = np.tile(np.eye(4), (5_000, 1))
    >>> model = MatrixRegression(shape=(2, 2), epsilon=1.0, delta=1e-6, data_norm=1.0, target_bound=1.0)
    >>> model.fit(X, X[:, 0]).matrix_ > 0.5
    array([[ True, False],
           [False, False]])
    """

    saved_as = "matrix-regression"

    shape: Annotated[tuple[int, int] | None, "Rows and columns of the matrix that the features of a record are, 28,28."] = None

    matrix_: Floats = field(init=False)

    def _constraint(self, dimension: int) -> Constraint:
        shape = (1, dimension) if self.shape is None else self.shape
        if not isinstance(shape, tuple | list) or len(shape) != 2 or not all(isinstance(size, Integral) for size in shape):
            raise InvalidInput("shape must be a pair of whole numbers, the rows and columns of the matrix of weights, or None.")
        rows, columns = shape
        if rows * columns != dimension:
            raise InvalidInput(f"matrices of shape ({rows}, {columns}) have {rows * columns} entries; X has {dimension} columns.")
        return NuclearBall(rows=rows, columns=columns, radius=measure(self.radius, "radius"))

    def _keep(self, release: Release, domain: Domain, given: FitInput) -> None:
        super()._keep(release, domain, given)
        self.matrix_ = self.coef_.reshape((1, -1) if self.shape is None else self.shape)
