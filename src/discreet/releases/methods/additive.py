"""Every record, with Gaussian noise on every number: for (epsilon, delta), or for bits about any one entry."""

from discreet.mechanisms.release import GaussianRelease, InformationRelease
from discreet.queries import Rows
from discreet.releases.columns import Kind
from discreet.releases.methods.base import BITS, PRIVATE, SLOTS, Method, Plan, Request, Way, of_rows


def _private(request: Request) -> Plan:
    query = request.records
    return Plan(query, GaussianRelease.calibrate(query, **request.private, slots=request.get(SLOTS)))


def _bits(request: Request) -> Plan:
    request.require_bits("additive")
    query = request.records
    return Plan(query, InformationRelease.calibrate(query, bits=request[BITS]))


ADDITIVE = Method(
    name="additive",
    says="every record, with Gaussian noise on every number",
    kind=Kind.ROWS,
    query=Rows,
    noise={"release-gaussian-rows": of_rows, "release-information-rows": of_rows},
    ways=(Way(_bits, (BITS,)), Way(_private, PRIVATE, (SLOTS,))),
)
