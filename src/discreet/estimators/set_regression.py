"""Private regressions over sets that say what a good model looks like.

    GroupLasso            sum over groups of |w_B|_2 <= radius             few groups of features matter
    SimplexRegression     w >= 0, sum of w = radius                        mixtures, portfolios, stacked predictions
    MatrixRegression      sum of singular values of W <= radius            a matrix of coefficients of low rank

The mechanism is the one with the best bound of risk (mechanisms/constrained/compare.py); the price of privacy follows the Gaussian width of the set.
"""

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.validate import positive
from discreet.estimators.compared_model import ComparedModel
from discreet.estimators.parameters import real_targets
from discreet.estimators.scores import ScoredRegressor
from discreet.ledger import Account
from discreet.losses.predictions import PredictionLoss, prediction_loss_named
from discreet.sets import Constraint, GroupL2Ball, NuclearBall, Simplex


class SetRegression(ScoredRegressor, ComparedModel):
    """What the regressions here share; they take these parameters, beside their own, and have no intercept: centre targets by a public number.

    Parameters: `epsilon`, `delta`, `neighbours`, `data_bound`, `data_norm`, `target_bound`, `max_slope`, `mechanism`, `n_iter`, `public_records`,
    `ledger`, `n_jobs`, `random_state` as in ConstrainedERM; `radius` of the set, chosen without the records; `loss` "squared", "huber", "log-cosh",
    "absolute", or a loss of real targets in `discreet.losses.predictions`.

    Attributes: `coef_` (d,); `intercept_` 0.0; `weights_`; `certificate_`; `n_features_in_`.
    """

    radius: float
    loss: str | PredictionLoss
    max_slope: float | None
    fit_intercept = False
    intercept_scale = None
    coef_: Floats
    intercept_: float

    def predict(self, X: Any) -> Floats:
        """<w, x>, (n,), with rows brought within the declared bounds."""
        return self._predictions(X)

    def __sklearn_tags__(self) -> Any:
        """With noise, small data sets score poorly."""
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags

    def _loss(self) -> PredictionLoss:
        loss = prediction_loss_named(self.loss) if isinstance(self.loss, str) else self.loss
        if not isinstance(loss, PredictionLoss) or loss.signed_targets:
            raise InvalidInput("loss must be one of real targets: 'squared', 'huber', 'log-cosh', 'absolute', or an object of theirs.")
        return loss

    def _aims(self, y: Any, records: int) -> tuple[Floats, float, tuple[str, ...]]:
        return real_targets(y, type(self).__name__, records), self._target_bound(), ()

    def _max_slope(self) -> float | None:
        return self.max_slope

    def _publish(self, weights: Floats, intercept: float) -> None:
        self.coef_, self.intercept_ = weights, intercept


class GroupLasso(SetRegression):
    """Least squares over the unit ball of the group norm, times `radius` (Yuan and Lin 2006). See SetRegression.

    groups : sizes of consecutive groups of columns, adding up to d; an integer for groups of one size.
    """

    def __init__(
        self,
        *,
        groups: Sequence[int] | int = 1,
        epsilon: float = 1.0,
        delta: float = 1e-6,
        neighbours: str = "replace-one",
        radius: float = 1.0,
        data_bound: float | None = None,
        data_norm: float | None = 1.0,
        target_bound: float = 1.0,
        loss: str | PredictionLoss = "squared",
        max_slope: float | None = None,
        mechanism: str = "auto",
        n_iter: int | None = None,
        public_records: int | None = None,
        ledger: Account | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.groups = groups
        self.epsilon = epsilon
        self.delta = delta
        self.neighbours = neighbours
        self.radius = radius
        self.data_bound = data_bound
        self.data_norm = data_norm
        self.target_bound = target_bound
        self.loss = loss
        self.max_slope = max_slope
        self.mechanism = mechanism
        self.n_iter = n_iter
        self.public_records = public_records
        self.ledger = ledger
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _constraint(self, dimension: int) -> Constraint:
        sizes = self.groups
        if isinstance(sizes, int | np.integer) and not isinstance(sizes, bool):
            if sizes < 1 or dimension % sizes:
                raise InvalidInput(f"groups of {sizes!r} columns do not divide {dimension} features; pass the sizes of all groups.")
            sizes = [int(sizes)] * (dimension // int(sizes))
        if isinstance(sizes, bool | str) or not isinstance(sizes, Sequence) or sum(sizes) != dimension:
            raise InvalidInput(f"groups must be an integer or the sizes of groups that add up to the {dimension} features; other ones were given.")
        return GroupL2Ball(sizes=tuple(int(size) for size in sizes), radius=positive(self.radius, "radius"))


class SimplexRegression(SetRegression):
    """Least squares with weights that are non-negative and add up to `radius`. See SetRegression."""

    def __init__(
        self,
        *,
        epsilon: float = 1.0,
        delta: float = 1e-6,
        neighbours: str = "replace-one",
        radius: float = 1.0,
        data_bound: float | None = None,
        data_norm: float | None = 1.0,
        target_bound: float = 1.0,
        loss: str | PredictionLoss = "squared",
        max_slope: float | None = None,
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
        self.mechanism = mechanism
        self.n_iter = n_iter
        self.public_records = public_records
        self.ledger = ledger
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _constraint(self, dimension: int) -> Constraint:
        if dimension < 2:
            raise InvalidInput("weights that add up to a given number need two features at least; X has 1 feature(s).")
        return Simplex(dimension=dimension, radius=positive(self.radius, "radius"))


class MatrixRegression(SetRegression):
    """Least squares of y on <W, X> = sum_ij W_ij X_ij, W in the nuclear-norm ball. See SetRegression.

    shape : (p, q) of W; a row of X is a matrix of this shape, row after row. None takes p = 1.
    matrix_ : W, (p, q).
    """

    def __init__(
        self,
        *,
        shape: tuple[int, int] | None = None,
        epsilon: float = 1.0,
        delta: float = 1e-6,
        neighbours: str = "replace-one",
        radius: float = 1.0,
        data_bound: float | None = None,
        data_norm: float | None = 1.0,
        target_bound: float = 1.0,
        loss: str | PredictionLoss = "squared",
        max_slope: float | None = None,
        mechanism: str = "auto",
        n_iter: int | None = None,
        public_records: int | None = None,
        ledger: Account | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.shape = shape
        self.epsilon = epsilon
        self.delta = delta
        self.neighbours = neighbours
        self.radius = radius
        self.data_bound = data_bound
        self.data_norm = data_norm
        self.target_bound = target_bound
        self.loss = loss
        self.max_slope = max_slope
        self.mechanism = mechanism
        self.n_iter = n_iter
        self.public_records = public_records
        self.ledger = ledger
        self.n_jobs = n_jobs
        self.random_state = random_state

    matrix_: Floats

    def _constraint(self, dimension: int) -> Constraint:
        shape = (1, dimension) if self.shape is None else self.shape
        if not isinstance(shape, tuple | list) or len(shape) != 2 or not all(isinstance(size, Integral) for size in shape):
            raise InvalidInput("shape must be a pair of whole numbers, the rows and columns of the matrix of weights, or None.")
        rows, columns = shape
        if rows * columns != dimension:
            raise InvalidInput(f"matrices of shape ({rows}, {columns}) have {rows * columns} entries; X has {dimension} columns.")
        return NuclearBall(rows=rows, columns=columns, radius=positive(self.radius, "radius"))

    def _publish(self, weights: Floats, intercept: float) -> None:
        super()._publish(weights, intercept)
        self.matrix_ = weights.reshape((1, -1) if self.shape is None else self.shape)
