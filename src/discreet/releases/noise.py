"""The noise that a release carries, from its public parameters: what a consumer subtracts.

    rows       released row = row + noise,                 covariance = E noise' noise, the rounding to the grid (step^2 / 12 a number) included
    sketch     E[S' S] / k = Z'Z + covariance              for the k rows S of the sketch

Numbers without noise have zero rows and columns. Noise that was computed from the records has no public covariance: None.
"""

from collections.abc import Callable, Mapping

import numpy as np

from discreet.accounting import Json
from discreet.core.arrays import Floats
from discreet.core.errors import FileFormatError
from discreet.core.fields import real
from discreet.core.quiet import quietly
from discreet.mechanisms.release import BoundedNoise
from discreet.queries import SecondMoments, WeightedRows
from discreet.releases.request import Query


def noise_covariance(mechanism: str, parameters: Mapping[str, Json], query: Query, *, columns: int) -> Floats | None:
    """(columns, columns); None where there is none that is public. Raises FileFormatError for parameters that no such release has."""
    law = _LAWS.get(mechanism)
    if law is None:
        return None
    refusal = FileFormatError("the parameters of the release are incomplete, of the wrong type or out of range.")
    noisy = quietly(lambda: law(parameters, query), refusal, KeyError, TypeError, ValueError, ZeroDivisionError, OverflowError)
    covariance = np.zeros((columns, columns))
    size = len(noisy)
    if size > columns or not np.all(np.isfinite(noisy)):
        raise FileFormatError("the noise of the release does not belong to its columns.")
    covariance[:size, :size] = noisy
    covariance.setflags(write=False)
    return covariance


def has_public_noise(mechanism: str) -> bool:
    """Whether releases of this mechanism can be corrected for their noise."""
    return mechanism in _LAWS


def _gaussian(parameters: Mapping[str, Json], query: Query) -> Floats:
    return _on_grid(parameters) * np.eye(query.columns)


def _projected(parameters: Mapping[str, Json], query: Query) -> Floats:  # noqa: ARG001 - the query is what is projected
    return _on_grid(parameters) * np.eye(int(real(parameters["width"])))


def _fisher(parameters: Mapping[str, Json], query: Query) -> Floats:
    if not isinstance(query, WeightedRows):
        raise TypeError
    inverse = np.linalg.inv(query.shaped.map.matrix)
    covariance: Floats = _on_grid(parameters) * (inverse.T @ inverse)
    return 0.5 * (covariance + covariance.T)


def _bounded(parameters: Mapping[str, Json], query: Query) -> Floats:
    made = BoundedNoise(
        half_width=real(parameters["half_width"]),
        level=real(parameters["level"]),
        epsilon=real(parameters["epsilon"]),
        weight=real(parameters["weight"]),
    )
    return (made.variance() + made.step**2 / 12.0) * np.eye(query.columns)


def _sketched(parameters: Mapping[str, Json], query: Query) -> Floats:
    if not isinstance(query, SecondMoments):
        raise TypeError
    last = (real(parameters["step"]) * real(parameters["scale"])) ** 2
    return query.unit**2 * (real(parameters["variance"]) + last) * np.eye(query.columns)


def _sketched_features(parameters: Mapping[str, Json], query: Query) -> Floats:
    """With the target, the last column, left alone."""
    return _sketched(parameters, query)[:-1, :-1]


def _on_grid(parameters: Mapping[str, Json]) -> float:
    step = real(parameters["step"])
    return step**2 * (real(parameters["scale"]) ** 2 + 1.0 / 12.0)


_LAWS: dict[str, Callable[[Mapping[str, Json], Query], Floats]] = {
    "release-gaussian-rows": _gaussian,
    "release-information-rows": _gaussian,
    "release-fresh-projection": _projected,
    "release-fisher-noise": _fisher,
    "release-bounded-noise": _bounded,
    "release-gaussian-sketch": _sketched,
    "release-eigenvalue-sketch": _sketched,
    "release-information-sketch": _sketched,
    "release-clear-target-sketch": _sketched_features,
}
"""By the mechanism's name in certificates; those not here have noise that is not public, or none that this version knows."""
