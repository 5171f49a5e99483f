"""The method that releases the second moments of the records themselves: numbers, sums, and sums of products."""

from typing import TYPE_CHECKING

from discreet.core.lazily import lazily
from discreet.queries import SecondMoments
from discreet.releases.methods.base import MOST_RECORDS, PRIVATE, Method, Way, least_noise
from discreet.releases.methods.columns import Kind
from discreet.words.moments import MomentsSpec

if TYPE_CHECKING:
    from discreet.mechanisms import release as mechanisms
else:
    mechanisms = lazily("discreet.mechanisms.release")


MOMENTS = Method(
    name="moments",
    says="the number of records, their sums and their sums of products, with Gaussian noise",
    kind=Kind.MOMENTS,
    query=SecondMoments,
    specs=(MomentsSpec,),
    ways=(Way(least_noise(lambda: mechanisms.GaussianMoments, lambda request: request.moments(counted=True)), PRIVATE, (MOST_RECORDS,)),),
)
