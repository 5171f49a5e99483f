"""Released arrays and public descriptions of their noise, checked, with one sentence about what is wrong.

Noise on a row z = (x, y) is described by the covariance of its normal law (or of any law, for moments):

    feature_noise   a variance for all features, one a feature (d,), or their covariance (d, d)
    target_noise    a variance; 0 for targets without noise
    cross_noise     covariances of the noise on features with that on the target (d,); None for none
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.core.arrays import Floats, Matrix
from discreet.core.errors import InvalidInput
from discreet.core.quiet import quietly


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RowNoise:
    """The covariance of the noise on one row."""

    features: Floats
    """(d, d)."""
    cross: Floats
    """(d,)."""
    target: float

    def of_residual(self, coefficients: Floats) -> tuple[float, Floats]:
        """With a = (-coefficients, 1) and Sigma the covariance on (x, y): a' Sigma a, and the features' rows of Sigma a, (d,)."""
        along = self.cross - self.features @ coefficients
        return float(self.target - self.cross @ coefficients - coefficients @ along), along


def row_noise(features: Any, target: Any, cross: Any, dimension: int) -> RowNoise:
    """The noise on rows of `dimension` features. Raises InvalidInput for what is no covariance."""
    matrix = feature_covariance(features, dimension)
    across = np.zeros(dimension) if cross is None else _numbers(cross, "cross_noise")
    if across.shape != (dimension,):
        raise InvalidInput(f"cross_noise must hold a covariance for each of the {dimension} features; shape {across.shape} was given.")
    variance = not_negative(target, "target_noise")
    whole = np.block([[matrix, across[:, np.newaxis]], [across[np.newaxis], np.array([[variance]])]])
    if np.linalg.eigvalsh(whole)[0] < -1e-9 * max(float(np.trace(whole)), 1e-300):
        raise InvalidInput("feature_noise, cross_noise and target_noise together are no covariance: it has a negative eigenvalue.")
    return RowNoise(features=matrix, cross=across, target=variance)


def feature_covariance(given: Any, dimension: int) -> Floats:
    """(d, d) from a variance, (d,) variances or a covariance."""
    numbers = _numbers(given, "feature_noise")
    if numbers.ndim == 0:
        numbers = np.full(dimension, float(numbers))
    matrix = np.diag(numbers) if numbers.ndim == 1 else numbers
    if matrix.shape != (dimension, dimension) or not np.allclose(matrix, matrix.T, rtol=1e-9, atol=0.0):
        raise InvalidInput(
            f"feature_noise must be a variance, {dimension} variances, or a symmetric ({dimension}, {dimension}) covariance; "
            f"shape {numbers.shape} was given."
        )
    if np.linalg.eigvalsh(matrix)[0] < -1e-9 * max(float(np.trace(matrix)), 1e-300):
        raise InvalidInput("feature_noise must be a covariance: it has a negative eigenvalue.")
    return 0.5 * (matrix + matrix.T)


def rows_of(X: Any) -> Floats:
    """(n, d), finite."""
    rows = _numbers(X, "X")
    if rows.ndim != 2 or min(rows.shape) < 1:
        raise InvalidInput(f"X must be a table of shape (n, d) with at least one row and one column; shape {rows.shape} was given.")
    return rows


def targets_of(y: Any, rows: int) -> Floats:
    """(n,), finite."""
    targets = _numbers(y, "y")
    if targets.shape != (rows,):
        raise InvalidInput(f"y must hold one number for each of the {rows} rows of X; shape {targets.shape} was given.")
    return targets


def new_rows(X: Any, dimension: int) -> Floats:
    """Rows to predict for, with as many columns as there are coefficients."""
    rows = rows_of(X)
    if rows.shape[1] != dimension:
        raise InvalidInput(f"X has {rows.shape[1]} features, but the estimator was fitted on {dimension}.")
    return rows


def not_negative(value: Any, name: str) -> float:
    """A finite number of at least 0."""
    number = _numbers(value, name)
    if number.ndim or number < 0:
        raise InvalidInput(f"{name} must be one finite number of at least 0; {value!r} was given.")
    return float(number)


def level_of(level: Any) -> float:
    """The level of an interval."""
    number = _numbers(level, "level")
    if number.ndim or not 0 < number < 1:
        raise InvalidInput(f"level must lie strictly between 0 and 1; {level!r} was given.")
    return float(number)


def records_of(records: Any, default: int | None) -> int | None:
    """A public number of records."""
    if records is None:
        return default
    if isinstance(records, bool) or not isinstance(records, int | np.integer) or records < 1:
        raise InvalidInput(f"records must be a positive integer, the public number of records; {records!r} was given.")
    return int(records)


def _numbers(given: Any, name: str) -> Floats:
    numbers: Floats = quietly(lambda: np.asarray(given, dtype=np.float64), InvalidInput(f"{name} must hold numbers."))
    if not np.all(np.isfinite(numbers)):
        raise InvalidInput(f"{name} must be finite: it contains NaN or inf.")
    return numbers


def interval(centre: Floats, deviation: Floats, quantile: float) -> Floats:
    """(n, 2): centre -+ quantile * deviation."""
    if not math.isfinite(quantile):
        raise InvalidInput("an interval needs more released rows than features.")
    return np.column_stack((centre - quantile * deviation, centre + quantile * deviation))


def deviations(rows: Floats, covariance: Matrix | None) -> Floats:
    """(n,), of <error, x> for every row x; infinite where the errors' covariance (d, d) is unknown, but for rows of zeros."""
    if covariance is None:
        return np.where(np.any(rows, axis=1), np.inf, 0.0)
    return np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", rows, covariance, rows), 0.0))
