"""A sketch of the features alone."""

from discreet.mechanisms.release import GaussianSketch
from discreet.queries import SecondMoments, Target
from discreet.releases.methods.base import MOST_RECORDS, PRIVATE, ROWS, Method, Request, Way, least_noise
from discreet.releases.methods.columns import Kind
from discreet.words.sketch import GaussianSketchSpec


def _features(request: Request) -> SecondMoments:
    return request.moments(Target.OMITTED)


FEATURES_SKETCH = Method(
    name="features-sketch",
    says="secret random combinations of the features of all records",
    kind=Kind.SKETCH,
    query=SecondMoments,
    specs=(GaussianSketchSpec,),
    ways=(Way(least_noise(lambda: GaussianSketch, _features, ROWS), (*PRIVATE, ROWS), (MOST_RECORDS,)),),
)
