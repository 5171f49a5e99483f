"""A sketch whose target column has no noise, with a bound of the bits about any one entry of the features."""

from collections.abc import Mapping

from discreet.accounting import Json
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.mechanisms.release import ClearTargetSketch
from discreet.queries import SecondMoments, Target
from discreet.releases.columns import Kind
from discreet.releases.methods.base import BITS, MOST_RECORDS, ROWS, Method, Plan, Query, Request, Way, of_sketch


def _bits(request: Request) -> Plan:
    request.require_bits("clear-target-sketch")
    if request.target is not Target.CLEAR:
        raise InvalidInput("method 'clear-target-sketch' gives targets no protection; say so with target='clear' (--target clear).")
    query = request.moments(Target.NOISY)
    return Plan(query, ClearTargetSketch.calibrate(query, rows=request[ROWS], bits=request[BITS]))


def _features(parameters: Mapping[str, Json], query: Query) -> Floats:
    """With the target, the last column, left alone."""
    return of_sketch(parameters, query)[:-1, :-1]


CLEAR_TARGET_SKETCH = Method(
    name="clear-target-sketch",
    says="a sketch whose target column has no noise, with a bound of the bits about any one entry of the features",
    kind=Kind.SKETCH,
    query=SecondMoments,
    noise={"release-clear-target-sketch": _features},
    ways=(Way(_bits, (BITS, ROWS), (MOST_RECORDS,)),),
    clears_target=True,
)
