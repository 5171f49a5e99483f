"""The method that releases the second moments of the records themselves: numbers, sums, and sums of products."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from discreet.accounting import Json
from discreet.core.arrays import Floats
from discreet.core.fields import positive
from discreet.core.lazily import lazily
from discreet.queries import SecondMoments
from discreet.releases.methods.base import MOST_RECORDS, PRIVATE, Method, Query, Way, least_noise
from discreet.releases.methods.columns import Kind

if TYPE_CHECKING:
    from discreet.mechanisms import release as mechanisms
else:
    mechanisms = lazily("discreet.mechanisms.release")


def _of_moments(parameters: Mapping[str, Json], query: Query) -> Floats:
    """N: for E the noise of the symmetric matrix, Cov(E u) = (u'N u) N + N u u'N."""
    if not isinstance(query, SecondMoments):
        raise TypeError
    diagonal = np.full(query.columns, positive(parameters["moment_noise"]) * query.norm**2 / math.sqrt(2.0))
    diagonal[0] /= query.constant**2
    return np.diag(diagonal)


MOMENTS = Method(
    name="moments",
    says="the number of records, their sums and their sums of products, with Gaussian noise",
    kind=Kind.MOMENTS,
    query=SecondMoments,
    noise={"release-gaussian-moments": _of_moments},
    ways=(Way(least_noise(lambda: mechanisms.GaussianMoments, lambda request: request.moments(counted=True)), PRIVATE, (MOST_RECORDS,)),),
)
