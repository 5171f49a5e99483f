"""A new random matrix, used once, and records times it with Gaussian noise.

As published (Tu 2013, theorem 2, B = 2 C and sigma_p = 1 / sqrt(width)) the noise is far more than is needed; what it promises is computed exactly.
"""

import math
from collections.abc import Mapping

import numpy as np

from discreet.accounting import Json
from discreet.core.arrays import Floats
from discreet.core.errors import InfeasibleTarget
from discreet.core.fields import whole
from discreet.core.neighbours import REPLACE_ONE
from discreet.mechanisms.release import FreshProjection, tu_factor_2
from discreet.mechanisms.release.profiles import require_rows
from discreet.mechanisms.release.rows import LARGEST_SCALE, grid_step
from discreet.queries import Rows
from discreet.releases.columns import Kind
from discreet.releases.methods.base import DELTA, EPSILON, PRIVATE, SLOTS, WIDTH, Method, Plan, Query, Request, Way, variance_on_grid


def _private(request: Request) -> Plan:
    query = request.records
    return Plan(query, FreshProjection.calibrate(query, width=request[WIDTH], **request.private, slots=request.get(SLOTS)))


def _published(request: Request) -> Plan:
    query, width, epsilon = request.records, request[WIDTH], request[EPSILON]
    require_rows(width)
    deviation = 2.0 * query.read.norm * tu_factor_2(epsilon, request[DELTA], width) / math.sqrt(width)
    step = grid_step(query.sensitivity(REPLACE_ONE), width)
    if deviation / step >= LARGEST_SCALE:
        raise InfeasibleTarget("so much noise does not fit into 64-bit integers: raise epsilon or delta.")
    return Plan(query, FreshProjection(width=width, step=step, scale=deviation / step, neighbours=REPLACE_ONE, epsilon=epsilon))


def _projected(parameters: Mapping[str, Json], query: Query) -> Floats:  # noqa: ARG001 - the query is what is projected
    return variance_on_grid(parameters) * np.eye(whole(parameters["width"]))


FRESH_PROJECTION = Method(
    name="fresh-projection",
    says="a new random matrix, used once, and records times it with Gaussian noise",
    kind=Kind.PROJECTED_ROWS,
    query=Rows,
    noise={"release-fresh-projection": _projected},
    ways=(Way(_private, (*PRIVATE, WIDTH), (SLOTS,)), Way(_published, (*PRIVATE, WIDTH), (), "published")),
    exposes="Anything else that is projected with the same matrix: it was for this release alone.",
    draws_projection=True,
)
