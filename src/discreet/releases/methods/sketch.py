"""Secret random combinations of all records, with Gaussian noise; as published, the noise of Showkatbakhsh et al. 2018, eq. 13."""

from discreet.core.arrays import is_finite
from discreet.core.errors import InvalidInput
from discreet.mechanisms.release import GaussianSketch, PublishedSketch
from discreet.queries import SecondMoments
from discreet.releases.columns import Kind
from discreet.releases.methods.base import BITS, MOST_RECORDS, PRIVATE, ROWS, Method, Plan, Request, Way, of_sketch


def _private(request: Request) -> Plan:
    query = request.moments()
    return Plan(query, GaussianSketch.calibrate(query, rows=request[ROWS], **request.private))


def _published(request: Request) -> Plan:
    bits = request[BITS]
    if not (is_finite(bits) and bits > 0):
        raise InvalidInput(f"bits must be positive and finite; {bits!r} was given.")
    return Plan(request.moments(), PublishedSketch(rows=request[ROWS], bits=bits))


AS_PUBLISHED = Way(_published, (BITS, ROWS), (MOST_RECORDS,), "published")

SKETCH = Method(
    name="sketch",
    says="secret random combinations of all records, with Gaussian noise",
    kind=Kind.SKETCH,
    query=SecondMoments,
    noise={"release-gaussian-sketch": of_sketch, "release-published-sketch": None},
    ways=(Way(_private, (*PRIVATE, ROWS), (MOST_RECORDS,)), AS_PUBLISHED),
)
