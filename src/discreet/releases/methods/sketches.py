"""Methods that release random combinations of all records: for (epsilon, delta), or for bits about any one entry.

As published: the noise of Showkatbakhsh et al. 2018, eq. 13.
"""

from collections.abc import Mapping

from discreet.accounting import Json
from discreet.core.arrays import Floats, is_finite
from discreet.core.errors import InvalidInput
from discreet.mechanisms.release import ClearTargetSketch, EigenvalueSketch, GaussianSketch, InformationSketch, PublishedSketch
from discreet.queries import SecondMoments, Target
from discreet.releases.columns import Kind
from discreet.releases.methods.base import BITS, MOST_RECORDS, PRIVATE, ROWS, Method, Plan, Query, Request, Way, of_sketch


def _sketch_private(request: Request) -> Plan:
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
    ways=(Way(_sketch_private, (*PRIVATE, ROWS), (MOST_RECORDS,)), AS_PUBLISHED),
)


def _eigenvalue_private(request: Request) -> Plan:
    query = request.moments()
    return Plan(query, EigenvalueSketch.calibrate(query, rows=request[ROWS], **request.private))


EIGENVALUE_SKETCH = Method(
    name="eigenvalue-sketch",
    says="a sketch whose noise is lowered by a private look at the spread of the records",
    kind=Kind.SKETCH,
    query=SecondMoments,
    noise={"release-eigenvalue-sketch": of_sketch},
    ways=(Way(_eigenvalue_private, (*PRIVATE, ROWS), (MOST_RECORDS,)),),
    exposes="A noisy least eigenvalue of the records' second moments, which is in the certificate and counted in the guarantee.",
)


def _information_bits(request: Request) -> Plan:
    request.require_bits("information-sketch")
    query = request.moments()
    return Plan(query, InformationSketch.calibrate(query, rows=request[ROWS], bits=request[BITS]))


INFORMATION_SKETCH = Method(
    name="information-sketch",
    says="a sketch with a bound of the bits about any one entry",
    kind=Kind.SKETCH,
    query=SecondMoments,
    noise={"release-information-sketch": of_sketch, "release-published-sketch": None},
    ways=(Way(_information_bits, (BITS, ROWS), (MOST_RECORDS,)), AS_PUBLISHED),
)


def _clear_target_bits(request: Request) -> Plan:
    request.require_bits("clear-target-sketch")
    if request.target is not Target.CLEAR:
        raise InvalidInput("method 'clear-target-sketch' gives targets no protection; say so with target='clear' (--target clear).")
    query = request.moments(Target.NOISY)
    return Plan(query, ClearTargetSketch.calibrate(query, rows=request[ROWS], bits=request[BITS]))


def _clear_target_features(parameters: Mapping[str, Json], query: Query) -> Floats:
    """With the target, the last column, left alone."""
    return of_sketch(parameters, query)[:-1, :-1]


CLEAR_TARGET_SKETCH = Method(
    name="clear-target-sketch",
    says="a sketch whose target column has no noise, with a bound of the bits about any one entry of the features",
    kind=Kind.SKETCH,
    query=SecondMoments,
    noise={"release-clear-target-sketch": _clear_target_features},
    ways=(Way(_clear_target_bits, (BITS, ROWS), (MOST_RECORDS,)),),
    clears_target=True,
)
