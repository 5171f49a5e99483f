"""Methods that release random combinations of all records: for (epsilon, delta), or for bits about any one entry.

As published: the noise of Showkatbakhsh et al. 2018, eq. 13.
"""

from typing import TYPE_CHECKING

from discreet.core.arrays import is_finite
from discreet.core.errors import InvalidInput
from discreet.core.lazily import lazily
from discreet.queries import SecondMoments, Target
from discreet.releases.methods.base import BITS, MOST_RECORDS, PRIVATE, ROWS, Method, Plan, Request, Way, for_bits, least_noise
from discreet.releases.methods.columns import Kind
from discreet.words.sketch import ClearTargetSketchSpec, EigenvalueSketchSpec, GaussianSketchSpec, InformationSketchSpec, PublishedSketchSpec

if TYPE_CHECKING:
    from discreet.mechanisms import release as mechanisms
else:
    mechanisms = lazily("discreet.mechanisms.release")


def _published(request: Request) -> Plan:
    bits = request[BITS]
    if not (is_finite(bits) and bits > 0):
        raise InvalidInput(f"bits must be positive and finite; {bits!r} was given.")
    return Plan(request.moments(), mechanisms.PublishedSketch(rows=request[ROWS], claimed_bits=bits))


AS_PUBLISHED = Way(_published, (BITS, ROWS), (MOST_RECORDS,), "published")

SKETCH = Method(
    name="sketch",
    says="secret random combinations of all records, with Gaussian noise",
    kind=Kind.SKETCH,
    query=SecondMoments,
    specs=(GaussianSketchSpec, PublishedSketchSpec),
    ways=(Way(least_noise(lambda: mechanisms.GaussianSketch, Request.moments, ROWS), (*PRIVATE, ROWS), (MOST_RECORDS,)), AS_PUBLISHED),
)


EIGENVALUE_SKETCH = Method(
    name="eigenvalue-sketch",
    says="a sketch whose noise is lowered by a private look at the spread of the records",
    kind=Kind.SKETCH,
    query=SecondMoments,
    specs=(EigenvalueSketchSpec,),
    ways=(Way(least_noise(lambda: mechanisms.EigenvalueSketch, Request.moments, ROWS), (*PRIVATE, ROWS), (MOST_RECORDS,)),),
    exposes="A noisy least eigenvalue of the records' second moments, which is in the certificate and counted in the guarantee.",
)


INFORMATION_SKETCH = Method(
    name="information-sketch",
    says="a sketch with a bound of the bits about any one entry",
    kind=Kind.SKETCH,
    query=SecondMoments,
    specs=(InformationSketchSpec, PublishedSketchSpec),
    ways=(
        Way(for_bits("information-sketch", lambda: mechanisms.InformationSketch, Request.moments, ROWS), (BITS, ROWS), (MOST_RECORDS,)),
        AS_PUBLISHED,
    ),
)


def _with_clear_target(request: Request) -> SecondMoments:
    if request.target is not Target.CLEAR:
        raise InvalidInput("method 'clear-target-sketch' gives targets no protection; say so with target='clear' (--target clear).")
    return request.moments(Target.NOISY)


CLEAR_TARGET_SKETCH = Method(
    name="clear-target-sketch",
    says="a sketch whose target column has no noise, with a bound of the bits about any one entry of the features",
    kind=Kind.SKETCH,
    query=SecondMoments,
    specs=(ClearTargetSketchSpec,),
    ways=(Way(for_bits("clear-target-sketch", lambda: mechanisms.ClearTargetSketch, _with_clear_target, ROWS), (BITS, ROWS), (MOST_RECORDS,)),),
    clears_target=True,
)
