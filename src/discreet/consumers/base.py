"""What consumers share: released arrays and public descriptions of their noise, checked; a released folder, read; a fitted line, asked.

Noise on a row z = (x, y) is described by the covariance of its normal law (or of any law, for moments):

    feature_noise   a variance for all features, one a feature (d,), or their covariance (d, d)
    target_noise    a variance; 0 for targets without noise
    cross_noise     covariances of the noise on features with that on the target (d,); None for none
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse
from scipy.special import ndtri, softmax, stdtrit
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from discreet.core.arrays import AnyFloats, Floats
from discreet.core.errors import InvalidInput, InvalidType, quietly
from discreet.core.frameless import Frameless
from discreet.core.intervals import Intervals
from discreet.core.validate import not_negative, probability, whole
from discreet.queries import Target
from discreet.releases import Kind, PublishedRelease, read_release

_WORDS = {Kind.ROWS: "one row a record", Kind.PROJECTED_ROWS: "projected rows", Kind.SKETCH: "a sketch", Kind.MOMENTS: "second moments"}


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


def open_release(release: PublishedRelease | str | Path, *kinds: Kind) -> PublishedRelease:
    """The release, read where a folder was given. Raises InvalidInput unless it is of one of these kinds."""
    found = release if isinstance(release, PublishedRelease) else read_release(release)
    if found.kind not in kinds:
        raise InvalidInput(f"this estimator needs {' or '.join(_WORDS[kind] for kind in kinds)}; the folder holds {_WORDS[found.kind]}.")
    return found


def with_targets(release: PublishedRelease) -> tuple[Floats, Floats]:
    """Features (n, d) and targets (n,). Raises InvalidInput where the release has no target."""
    targets = release.targets()
    if targets is None:
        raise InvalidInput("this estimator needs targets, but the release has no target column.")
    return release.features(), targets


def noise_on_rows(release: PublishedRelease) -> RowNoise:
    """The noise on features and target; the latter is 0 for targets in clear. Raises InvalidInput where it is not public."""
    covariance = np.asarray(release.noise_covariance, dtype=np.float64)
    size = len(release.feature_columns)
    if release.target is Target.OMITTED or len(covariance) == size:
        return RowNoise(features=covariance[:size, :size], cross=np.zeros(size), target=0.0)
    return RowNoise(features=covariance[:size, :size], cross=covariance[:size, size], target=float(covariance[size, size]))


class Consumer(BaseEstimator, metaclass=Frameless):  # type: ignore[misc]
    """scikit-learn's manners at the door of released rows, which are public, and of new ones."""

    n_features_in_: int

    def _learnt_from(self, X: Any) -> Floats:
        """Released rows (n, d) of a fit, whose width and names of columns are kept. Raises InvalidInput or InvalidType."""
        rows = rows_of(X)
        if len(rows) < 2:
            raise InvalidInput("at least two released rows are needed; 1 sample was given.")
        validate_data(self, X, reset=True, skip_check_array=True)
        return rows

    def _asked_about(self, X: Any) -> Floats:
        """Rows to predict for, (n, d), with as many columns, of the same names, as in the fit."""
        check_is_fitted(self)
        rows, known = rows_of(X), self.n_features_in_
        if rows.shape[1] != known:
            name = type(self).__name__
            raise InvalidInput(f"X has {rows.shape[1]} features, but {name} is expecting {known} features as input: it was fitted on {known}.")
        quietly(
            lambda: validate_data(self, X, reset=False, skip_check_array=True),
            InvalidInput("the columns of X differ from those of the fit, in names or order. Pass the same columns."),
        )
        return rows

    def _targets(self, y: Any, rows: int) -> npt.NDArray[Any]:
        """Of a fit, (n,), of any kind."""
        if y is None:
            raise InvalidInput(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        given: npt.NDArray[Any] = np.asarray(y)
        if given.ndim == 2 and given.shape[1] == 1:
            given = column_or_1d(given, warn=True)
        if given.shape != (rows,):
            raise InvalidInput(f"y must hold one target for each of the {rows} rows of X; shape {given.shape} was given.")
        if given.dtype.kind == "f" and not np.all(np.isfinite(given)):
            raise InvalidInput("y must be finite: it contains NaN or inf.")
        return given


class OfClasses(ClassifierMixin, Consumer):  # type: ignore[misc]
    """What all consumers share that predict classes."""

    classes_: npt.NDArray[Any]

    def _labels(self, y: Any, rows: int) -> tuple[npt.NDArray[Any], npt.NDArray[np.intp]]:
        """Classes (K,) of a fit, and the place of every record's among them, (n,). Raises InvalidInput for targets that are none, or all alike."""
        given = self._targets(y, rows)
        check_classification_targets(given)
        labels, codes = np.unique(given, return_inverse=True)
        if len(labels) < 2:
            raise InvalidInput("labels of two classes or more are needed; y has 1 class.")
        return labels, codes


class ByScores(OfClasses, ABC):
    """A classifier by scores: (n,) for two classes, positive for the second; (n, K) for more."""

    @abstractmethod
    def decision_function(self, X: Any) -> Floats:
        """Scores of rows without noise."""

    def predict_proba(self, X: Any) -> Floats:
        """(n, K), for rows without noise."""
        scores = self.decision_function(X)
        whole = np.column_stack((np.zeros(len(scores)), scores)) if scores.ndim == 1 else scores
        return np.asarray(softmax(whole, axis=1))

    def predict(self, X: Any) -> Any:
        """Classes (n,)."""
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(np.intp) if scores.ndim == 1 else np.argmax(scores, axis=1)]


@dataclass(kw_only=True, eq=False, repr=False)
class Line(RegressorMixin, Consumer):  # type: ignore[misc]
    """A line in the records' own columns, fitted to released numbers."""

    coef_: Floats = field(init=False)
    intercept_: float = field(init=False)
    n_features_in_: int = field(init=False)

    def predict(self, X: Any) -> Floats:
        """<coef_, x> + intercept_, (n,), for rows WITHOUT noise: for rows as noisy as the released ones plain least squares predicts best."""
        return np.asarray(self._asked_about(X) @ self.coef_ + self.intercept_)


@dataclass(kw_only=True, eq=False, repr=False)
class UncertainLine(Line):
    """A line with the errors that noise of a known law, and sampling, leave it."""

    degrees_: float = field(init=False)
    """Of Student's t in intervals; infinity for the normal law."""
    _errors: Callable[..., AnyFloats | None] = field(init=False)
    """Covariance of the coefficients, for intervals of so many `deviations`; None where it is not known."""
    _centre: Floats = field(init=False)
    """The point about which the line turns, (d,), and there its variance."""
    _centre_variance: float = field(init=False)
    _target_variance: float | None = field(init=False)
    """Of targets around the line; None where the number of records is not public."""

    def predict_interval(self, X: Any, *, level: float = 0.95, target: bool = False) -> Floats:
        """(n, 2): for the line at x, or for a new target there, to first order; (-inf, inf) where noise drowns a direction.

        Raises InvalidInput for a target where the number of records is not public.
        """
        rows, quantile = self._asked_about(X), self._quantile(level)
        variance = np.square(deviations(rows - self._centre, self._errors(deviations=quantile))) + self._centre_variance
        if target:
            if self._target_variance is None:
                raise InvalidInput("an interval for a target needs the number of records: pass records, if it is public.")
            variance += self._target_variance
        return interval(rows @ self.coef_ + self.intercept_, np.sqrt(variance), quantile)

    def coef_interval(self, *, level: float = 0.95) -> Intervals:
        """(d,): for the coefficients, to first order; (-inf, inf), all of them, where noise drowns a direction or leaves coefficients open."""
        check_is_fitted(self)
        quantile = self._quantile(level)
        low, high = interval(self.coef_, deviations(np.eye(len(self.coef_)), self._errors(deviations=quantile)), quantile).T
        return Intervals(low=low, estimate=self.coef_, high=high, level=level)

    def _quantile(self, level: float) -> float:
        sure = 0.5 + 0.5 * probability(level, "level")
        return float(ndtri(sure) if np.isinf(self.degrees_) else stdtrit(self.degrees_, sure))


@dataclass(kw_only=True, eq=False, repr=False)
class NoisyRegression(UncertainLine, ABC):
    """One that learns from released rows, or from those of a sketch."""

    _kind: ClassVar[Kind]
    """Of the releases that it learns from."""

    def fit(self, X: Any, y: Any) -> Self:
        """From released features X (n, d) and targets y (n,). Raises InvalidInput for invalid arguments."""
        rows = self._learnt_from(X)
        targets, noise = numbers_of(self._targets(y, len(rows)), "y"), self._noise(rows.shape[1])
        return self._fit(rows, targets, noise, len(rows) if self._kind is Kind.ROWS else None)

    def fit_release(self, release: PublishedRelease | str | Path) -> Self:
        """From a released folder alone: noise and number of records are read from it, and the parameters about them are not used."""
        found = open_release(release, self._kind)
        rows, targets = with_targets(found)
        return self._fit(self._learnt_from(rows), targets, noise_on_rows(found), found.records)

    @abstractmethod
    def _noise(self, dimension: int) -> RowNoise:
        """That of the parameters, on rows of so many features."""

    @abstractmethod
    def _fit(self, rows: Floats, targets: Floats, noise: RowNoise, records: int | None) -> Self:
        """Fit to rows (n, d) and targets (n,); `records` is their public number, where parameters say no other."""


def row_noise(features: Any, target: Any, cross: Any, dimension: int) -> RowNoise:
    """The noise on rows of `dimension` features. Raises InvalidInput for what is no covariance."""
    matrix = feature_covariance(features, dimension)
    across = np.zeros(dimension) if cross is None else numbers_of(cross, "cross_noise")
    if across.shape != (dimension,):
        raise InvalidInput(f"cross_noise must hold a covariance for each of the {dimension} features; shape {across.shape} was given.")
    variance = not_negative(target, "target_noise")
    joint = np.block([[matrix, across[:, np.newaxis]], [across[np.newaxis], np.array([[variance]])]])
    if np.linalg.eigvalsh(joint)[0] < -1e-9 * max(float(np.trace(joint)), 1e-300):
        raise InvalidInput("feature_noise, cross_noise and target_noise together must be a covariance; they have a negative eigenvalue.")
    return RowNoise(features=matrix, cross=across, target=variance)


def feature_covariance(given: Any, dimension: int) -> Floats:
    """(d, d) from a variance, (d,) variances or a covariance."""
    numbers = numbers_of(given, "feature_noise")
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
    """(n, d), finite. Raises InvalidInput for another shape or what is no finite number, InvalidType for sparse rows and for text."""
    if issparse(X):
        raise InvalidType("released rows are dense, and sparse input is not supported: pass X.toarray().")
    rows = numbers_of(X, "X")
    if rows.ndim != 2:
        raise InvalidInput(
            f"X must be a table of shape (n, d); shape {rows.shape} was given. "
            "Reshape your data: X.reshape(-1, 1) for one feature, X.reshape(1, -1) for one row."
        )
    if rows.shape[1] == 0:
        raise InvalidInput(f"X has 0 feature(s) (shape=({len(rows)}, 0)) while a minimum of 1 is required.")  # as scikit-learn words it
    if len(rows) == 0:
        raise InvalidInput("X must be a table of shape (n, d) with at least one row; 0 sample(s) were given.")
    return rows


def new_rows(X: Any, dimension: int) -> Floats:
    """Public rows with `dimension` columns."""
    rows = rows_of(X)
    if rows.shape[1] != dimension:
        raise InvalidInput(f"X has {rows.shape[1]} features, but the estimator was fitted on {dimension}.")
    return rows


def records_of(records: Any, default: int | None) -> int | None:
    """A public number of records."""
    return default if records is None else whole(records, "records")


def numbers_of(given: Any, name: str) -> Floats:
    """Finite numbers of any shape. Raises InvalidInput, or InvalidType where an entry is no number and no text of one."""
    found = quietly(lambda: np.asarray(given), InvalidInput(f"{name} must hold numbers, in rows of one length."))
    if found.dtype.kind == "c":
        raise InvalidInput(f"Complex data not supported: {name} must hold real numbers.")
    refusal = InvalidType(f"every entry of {name} must be a number: the argument must be a string or a real number, something else was found.")
    numbers: Floats = quietly(
        lambda: quietly(lambda: np.asarray(found, dtype=np.float64), refusal, TypeError), InvalidInput(f"{name} must hold numbers.")
    )
    if not np.all(np.isfinite(numbers)):
        raise InvalidInput(f"{name} must be finite: it contains NaN or inf.")
    return numbers


def interval(centre: Floats, deviation: Floats, quantile: float) -> Floats:
    """(n, 2): centre -+ quantile * deviation."""
    if not math.isfinite(quantile):
        raise InvalidInput("an interval needs more released rows than features.")
    return np.column_stack((centre - quantile * deviation, centre + quantile * deviation))


def deviations(rows: Floats, covariance: AnyFloats | None) -> Floats:
    """(n,), of <error, x> for every row x; infinite where the errors' covariance (d, d) is unknown, but for rows of zeros."""
    if covariance is None:
        return np.where(np.any(rows, axis=1), np.inf, 0.0)
    return np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", rows, covariance, rows), 0.0))
