"""Records times a public matrix, with Gaussian noise; as published, the noise of Tu 2013, theorem 1."""

from discreet.mechanisms.release import GaussianRelease, tu_theorem_1
from discreet.queries import Projection
from discreet.releases.columns import Kind
from discreet.releases.methods.base import DELTA, EPSILON, PRIVATE, SLOTS, WIDTH, Method, Plan, Request, Way, of_rows, setting

SEED = setting("projection_seed", int, "the public seed of the projection", "Public seed of a projection; 0 if left out.")


def _query(request: Request) -> Projection:
    return Projection.from_public_seed(request.domain, width=request[WIDTH], seed=request.get(SEED) or 0, target=request.target)


def _private(request: Request) -> Plan:
    query = _query(request)
    return Plan(query, GaussianRelease.calibrate(query, **request.private, slots=request.get(SLOTS)))


def _published(request: Request) -> Plan:
    query = _query(request)
    return Plan(query, tu_theorem_1(query, epsilon=request[EPSILON], delta=request[DELTA]))


PROJECTION = Method(
    name="projection",
    says="records times a public matrix, with Gaussian noise",
    kind=Kind.PROJECTED_ROWS,
    query=Projection,
    noise={"release-gaussian-rows": of_rows},
    ways=(Way(_private, (*PRIVATE, WIDTH), (SLOTS, SEED)), Way(_published, (*PRIVATE, WIDTH), (SEED,), "published")),
)
