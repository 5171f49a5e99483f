"""From a published folder to what an estimator needs: its numbers, and the public law of its noise."""

from pathlib import Path

import numpy as np

from discreet.consumers.arrays import RowNoise
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.queries import Target
from discreet.releases import Kind, PublishedRelease, read_release

_WORDS = {Kind.ROWS: "one row a record", Kind.PROJECTED_ROWS: "projected rows", Kind.SKETCH: "a sketch"}


def opened(release: PublishedRelease | str | Path, *kinds: Kind) -> PublishedRelease:
    """The release, read where a folder was given. Raises InvalidInput unless it is of one of these kinds."""
    found = release if isinstance(release, PublishedRelease) else read_release(release)
    if found.kind not in kinds:
        raise InvalidInput(f"this estimator needs {' or '.join(_WORDS[kind] for kind in kinds)}; the folder holds {_WORDS[found.kind]}.")
    return found


def with_targets(release: PublishedRelease) -> tuple[Floats, Floats]:
    """Features (n, d) and targets (n,). Raises InvalidInput where the release has no target."""
    targets = release.targets()
    if targets is None:
        raise InvalidInput("this estimator needs targets, and the release has no column of targets.")
    return release.features(), targets


def noise_on_rows(release: PublishedRelease) -> RowNoise:
    """The noise on features and target; the latter is 0 for targets in clear. Raises InvalidInput where it is not public."""
    covariance = np.asarray(release.noise_covariance, dtype=np.float64)
    size = len(release.feature_columns)
    if release.target is Target.OMITTED or len(covariance) == size:
        return RowNoise(features=covariance[:size, :size], cross=np.zeros(size), target=0.0)
    return RowNoise(features=covariance[:size, :size], cross=covariance[:size, size], target=float(covariance[size, size]))
