"""Every record, with noise that leaves a support vector machine unchanged: not private, for comparison."""

from discreet.mechanisms.release import NullSpaceNoise
from discreet.queries import Rows
from discreet.releases.columns import Kind
from discreet.releases.methods.base import Method, Plan, Request, Way, setting

VARIANCE = setting("variance", float, "variance of the noise", "Of null-space noise.")


def _published(request: Request) -> Plan:
    return Plan(request.records, NullSpaceNoise(variance=request[VARIANCE]))


NULL_SPACE = Method(
    name="null-space",
    says="every record, with noise that leaves a support vector machine unchanged; NOT private",
    kind=Kind.ROWS,
    query=Rows,
    noise={"release-null-space-noise": None},
    ways=(Way(_published, (VARIANCE,), (), "published"),),
    shows_all="The exact weights of the support vector machine, and the exact score of every record, can be computed from the release.",
)
