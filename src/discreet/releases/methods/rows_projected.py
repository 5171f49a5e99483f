"""Methods that release one row a record, times a matrix: a public one, or one that is drawn afresh with the release.

A noisy target has a column of its own beside a public projection; a fresh matrix, and one as published, mixes it in.

As published: the noise of Tu 2013, theorem 1, for a public matrix. For a fresh one (theorem 2, B = 2 C and sigma_p = 1 / sqrt(width)) it is far more
than is needed; what it promises is computed exactly.
"""

import math
from typing import TYPE_CHECKING

from discreet.core.errors import InfeasibleTarget
from discreet.core.lazily import lazily
from discreet.core.neighbours import REPLACE_ONE
from discreet.core.parts import module_of
from discreet.queries import Projection, Rows, Target
from discreet.releases.methods.base import (
    DELTA,
    EPSILON,
    PRIVATE,
    SHUFFLE,
    SLOTS,
    WIDTH,
    Method,
    Plan,
    Request,
    Way,
    least_noise,
    setting,
)
from discreet.releases.methods.columns import Kind
from discreet.words.rows import FreshRows, GaussianRows
from discreet.words.shuffled import ShuffledGaussian

if TYPE_CHECKING:
    from discreet.mechanisms import release as mechanisms
    from discreet.mechanisms.release import profiles, rows
else:
    mechanisms = lazily("discreet.mechanisms.release")
    profiles, rows = lazily("discreet.mechanisms.release.profiles"), lazily("discreet.mechanisms.release.rows")

SEED = setting("projection_seed", int, "the public seed of the projection", "Public seed of a projection.  [default: 0]")


def _fixed(request: Request, *, beside: bool = False) -> Projection:
    return Projection.from_public_seed(request.domain, width=request[WIDTH], seed=request.get(SEED) or 0, target=request.target, beside=beside)


def _with_target_beside(request: Request) -> Projection:
    return _fixed(request, beside=request.target is Target.NOISY)


def _fixed_published(request: Request) -> Plan:
    query = _fixed(request)
    return Plan(query, module_of("papers").tu_theorem_1(query, epsilon=request[EPSILON], delta=request[DELTA]))


def _fixed_private(request: Request) -> Plan:
    query, shuffled = _with_target_beside(request), request.get(SHUFFLE)
    if shuffled is not None:
        return Plan(query, mechanisms.ShuffledGaussianRows.calibrate(query, **request.private, shuffled=shuffled, slots=request.get(SLOTS)))
    return Plan(query, mechanisms.GaussianRelease.calibrate(query, **request.private, slots=request.get(SLOTS)))


PROJECTION = Method(
    name="projection",
    says="records times a public matrix, with Gaussian noise",
    kind=Kind.PROJECTED_ROWS,
    query=Projection,
    specs=(GaussianRows, ShuffledGaussian),
    ways=(
        Way(_fixed_private, (*PRIVATE, WIDTH), (SHUFFLE, SLOTS, SEED)),
        Way(_fixed_published, (*PRIVATE, WIDTH), (SEED,), "published"),
    ),
)


def _fresh_published(request: Request) -> Plan:
    query, width, epsilon = request.records, request[WIDTH], request[EPSILON]
    profiles.require_rows(width)
    deviation = 2.0 * query.read.norm * module_of("papers").tu_factor_2(epsilon, request[DELTA], width) / math.sqrt(width)
    step = rows.grid_step(query.sensitivity(REPLACE_ONE), width)
    if deviation / step >= rows.LARGEST_SCALE:
        raise InfeasibleTarget("the noise would not fit into 64-bit integers: raise epsilon or delta.")
    return Plan(query, mechanisms.FreshProjection(width=width, step=step, scale=deviation / step, neighbours=REPLACE_ONE, epsilon=epsilon))


FRESH_PROJECTION = Method(
    name="fresh-projection",
    says="a new random matrix, used once, and records times it with Gaussian noise",
    kind=Kind.PROJECTED_ROWS,
    query=Rows,
    specs=(FreshRows,),
    ways=(
        Way(least_noise(lambda: mechanisms.FreshProjection, lambda request: request.records, WIDTH, SLOTS), (*PRIVATE, WIDTH), (SLOTS,)),
        Way(_fresh_published, (*PRIVATE, WIDTH), (), "published"),
    ),
    exposes="Anything else that is projected with the same matrix: it was for this release alone.",
    draws_projection=True,
    unshuffled="its rows share one random matrix, under which a record's length has no bound, and the theorem needs independent rows within "
    "one; method 'projection' takes it",
)
