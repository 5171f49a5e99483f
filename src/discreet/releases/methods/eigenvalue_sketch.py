"""A sketch whose noise is lowered by a private look at the spread of the records."""

from discreet.mechanisms.release import EigenvalueSketch
from discreet.queries import SecondMoments
from discreet.releases.columns import Kind
from discreet.releases.methods.base import MOST_RECORDS, PRIVATE, ROWS, Method, Plan, Request, Way, of_sketch


def _private(request: Request) -> Plan:
    query = request.moments()
    return Plan(query, EigenvalueSketch.calibrate(query, rows=request[ROWS], **request.private))


EIGENVALUE_SKETCH = Method(
    name="eigenvalue-sketch",
    says="a sketch whose noise is lowered by a private look at the spread of the records",
    kind=Kind.SKETCH,
    query=SecondMoments,
    noise={"release-eigenvalue-sketch": of_sketch},
    ways=(Way(_private, (*PRIVATE, ROWS), (MOST_RECORDS,)),),
    exposes="A noisy least eigenvalue of the records' second moments, which is in the certificate and counted in the guarantee.",
)
