"""Private regressions over sets that say what a good model looks like.

    GroupLasso            sum over groups of |w_B|_2 <= radius             few groups of features matter
    SimplexRegression     w >= 0, sum of w = radius                        mixtures, portfolios, stacked predictions
    MatrixRegression      sum of singular values of W <= radius            a matrix of coefficients of low rank

The mechanism is the one with the best bound of risk (mechanisms/constrained/choose.py); the price of privacy follows the Gaussian width of the set.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

import numpy as np

from discreet.certificates import Release
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.validate import positive
from discreet.data import Domain
from discreet.estimators.base import ScoredRegressor
from discreet.estimators.bounded_model import Given
from discreet.estimators.constrained_model import ByComparison, OfNumbers
from discreet.losses.predictions import PredictionLoss, prediction_loss_named
from discreet.sets import Constraint, GroupL2Ball, NuclearBall, Simplex


@dataclass(kw_only=True, eq=False, repr=False)
class SetRegression(ScoredRegressor, OfNumbers, ByComparison):
    """What the regressions here share; they take these parameters, beside their own, and have no intercept: centre targets by a public number.

    Parameters: `epsilon`, `delta`, `neighbours`, `data_bound`, `data_norm`, `target_bound`, `max_slope`, `mechanism`, `n_iter`, `public_records`,
    `ledger`, `n_jobs`, `random_state` as in ConstrainedERM; `radius` of the set, chosen without the records; `loss` "squared", "huber", "log-cosh",
    "absolute", or a loss of real targets in `discreet.losses.predictions`.

    Attributes: `coef_` (d,); `intercept_` 0.0; `weights_`; `certificate_`; `n_features_in_`.
    """

    radius: float = 1.0

    def predict(self, X: Any) -> Floats:
        """<w, x>, (n,), with rows brought within the declared bounds."""
        return self._predictions(X)

    def _loss(self) -> PredictionLoss:
        loss = prediction_loss_named(self.loss) if isinstance(self.loss, str) else self.loss
        if not isinstance(loss, PredictionLoss) or loss.signed_targets:
            raise InvalidInput("loss must be one of real targets: 'squared', 'huber', 'log-cosh', 'absolute', or an object of theirs.")
        return loss


@dataclass(kw_only=True, eq=False, repr=False)
class GroupLasso(SetRegression):
    """Least squares over the unit ball of the group norm, times `radius` (Yuan and Lin 2006). See SetRegression.

    groups : sizes of consecutive groups of columns, adding up to d; an integer for groups of one size.
    """

    groups: Sequence[int] | int = 1

    def _constraint(self, dimension: int) -> Constraint:
        sizes = self.groups
        if isinstance(sizes, int | np.integer) and not isinstance(sizes, bool):
            if sizes < 1 or dimension % sizes:
                raise InvalidInput(f"groups of {sizes!r} columns do not divide {dimension} features; pass the sizes of all groups.")
            sizes = [int(sizes)] * (dimension // int(sizes))
        if isinstance(sizes, bool | str) or not isinstance(sizes, Sequence) or sum(sizes) != dimension:
            raise InvalidInput(f"groups must be an integer or the sizes of groups that add up to the {dimension} features; other ones were given.")
        return GroupL2Ball(sizes=tuple(int(size) for size in sizes), radius=positive(self.radius, "radius"))


@dataclass(kw_only=True, eq=False, repr=False)
class SimplexRegression(SetRegression):
    """Least squares with weights that are non-negative and add up to `radius`. See SetRegression."""

    def _constraint(self, dimension: int) -> Constraint:
        if dimension < 2:
            raise InvalidInput("weights that add up to a given number need two features at least; X has 1 feature(s).")
        return Simplex(dimension=dimension, radius=positive(self.radius, "radius"))


@dataclass(kw_only=True, eq=False, repr=False)
class MatrixRegression(SetRegression):
    """Least squares of y on <W, X> = sum_ij W_ij X_ij, W in the nuclear-norm ball. See SetRegression.

    shape : (p, q) of W; a row of X is a matrix of this shape, row after row. None takes p = 1.
    matrix_ : W, (p, q).
    """

    shape: tuple[int, int] | None = None

    matrix_: Floats = field(init=False)

    def _constraint(self, dimension: int) -> Constraint:
        shape = (1, dimension) if self.shape is None else self.shape
        if not isinstance(shape, tuple | list) or len(shape) != 2 or not all(isinstance(size, Integral) for size in shape):
            raise InvalidInput("shape must be a pair of whole numbers, the rows and columns of the matrix of weights, or None.")
        rows, columns = shape
        if rows * columns != dimension:
            raise InvalidInput(f"matrices of shape ({rows}, {columns}) have {rows * columns} entries; X has {dimension} columns.")
        return NuclearBall(rows=rows, columns=columns, radius=positive(self.radius, "radius"))

    def _keep(self, release: Release, domain: Domain, given: Given) -> None:
        super()._keep(release, domain, given)
        self.matrix_ = self.coef_.reshape((1, -1) if self.shape is None else self.shape)
