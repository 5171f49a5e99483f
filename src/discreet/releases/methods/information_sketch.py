"""A sketch with a bound of the bits about any one entry; as published, with the noise of method "sketch" as published."""

from discreet.mechanisms.release import InformationSketch
from discreet.queries import SecondMoments
from discreet.releases.columns import Kind
from discreet.releases.methods.base import BITS, MOST_RECORDS, ROWS, Method, Plan, Request, Way, of_sketch
from discreet.releases.methods.sketch import AS_PUBLISHED


def _bits(request: Request) -> Plan:
    request.require_bits("information-sketch")
    query = request.moments()
    return Plan(query, InformationSketch.calibrate(query, rows=request[ROWS], bits=request[BITS]))


INFORMATION_SKETCH = Method(
    name="information-sketch",
    says="a sketch with a bound of the bits about any one entry",
    kind=Kind.SKETCH,
    query=SecondMoments,
    noise={"release-information-sketch": of_sketch, "release-published-sketch": None},
    ways=(Way(_bits, (BITS, ROWS), (MOST_RECORDS,)), AS_PUBLISHED),
)
