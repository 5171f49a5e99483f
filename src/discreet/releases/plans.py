"""From numbers that were asked for to a public query and a calibrated mechanism: one function for each way of each method (module `methods`)."""

import math
from typing import TypedDict

import numpy as np

from discreet.core.arrays import is_finite
from discreet.core.errors import InfeasibleTarget, InvalidInput
from discreet.core.neighbours import REPLACE_ONE, Neighbours
from discreet.mechanisms.release import (
    BoundedNoise,
    ClearTargetSketch,
    EigenvalueSketch,
    FisherNoise,
    FreshProjection,
    GaussianRelease,
    GaussianSketch,
    InformationRelease,
    InformationSketch,
    NullSpaceNoise,
    PublishedSketch,
    farokhi_theorem_5,
    tu_factor_2,
    tu_theorem_1,
)
from discreet.mechanisms.release.profiles import require_rows
from discreet.mechanisms.release.rows import LARGEST_SCALE, grid_step
from discreet.queries import Projection, Rows, SecondMoments, Target, WeightedRows
from discreet.releases.request import Plan, Request, number, whole


def additive(request: Request) -> Plan:
    """Rows with noise, for (epsilon, delta)."""
    query = Rows(domain=request.domain, target=request.target)
    return Plan(query, GaussianRelease.calibrate(query, **_private(request), slots=request.slots))


def additive_bits(request: Request) -> Plan:
    """Rows with noise, for bits."""
    _only_replace_one(request)
    request.require_entries("additive")
    query = Rows(domain=request.domain, target=request.target)
    return Plan(query, InformationRelease.calibrate(query, bits=number(request.bits)))


def _projection_query(request: Request) -> Projection:
    seed = 0 if request.projection_seed is None else request.projection_seed
    return Projection.from_public_seed(request.domain, width=whole(request.width), seed=seed, target=request.target)


def projection(request: Request) -> Plan:
    """Rows times a public matrix."""
    query = _projection_query(request)
    return Plan(query, GaussianRelease.calibrate(query, **_private(request), slots=request.slots))


def published_projection(request: Request) -> Plan:
    """Tu 2013, theorem 1."""
    query = _projection_query(request)
    return Plan(query, tu_theorem_1(query, epsilon=number(request.epsilon), delta=number(request.delta)))


def fresh_projection(request: Request) -> Plan:
    """Rows times a new matrix."""
    query = Rows(domain=request.domain, target=request.target)
    return Plan(query, FreshProjection.calibrate(query, width=whole(request.width), **_private(request), slots=request.slots))


def published_fresh_projection(request: Request) -> Plan:
    """Tu 2013, theorem 2, B = 2 C and sigma_p = 1 / sqrt(width): far more noise than is needed; what it promises is computed exactly."""
    query, width, epsilon = Rows(domain=request.domain, target=request.target), whole(request.width), number(request.epsilon)
    require_rows(width)
    deviation = 2.0 * query.read.norm * tu_factor_2(epsilon, number(request.delta), width) / math.sqrt(width)
    step = grid_step(query.sensitivity(REPLACE_ONE), width)
    if deviation / step >= LARGEST_SCALE:
        raise InfeasibleTarget("so much noise does not fit into 64-bit integers: raise epsilon or delta.")
    return Plan(query, FreshProjection(width=width, step=step, scale=deviation / step, neighbours=REPLACE_ONE, epsilon=epsilon))


def _fisher_query(request: Request) -> WeightedRows:
    weights = None if request.weights is None else np.asarray(request.weights, dtype=np.float64)
    return WeightedRows.of(request.domain, weights=weights, target=request.target)


def fisher(request: Request) -> Plan:
    """Noise by weights, for (epsilon, delta)."""
    query = _fisher_query(request)
    return Plan(query, FisherNoise.calibrate(query, **_private(request), slots=request.slots))


def fisher_level(request: Request) -> Plan:
    """Noise by weights, of a chosen level."""
    query = _fisher_query(request)
    made = FisherNoise.of_level(query, level=number(request.level), epsilon=number(request.epsilon), neighbours=request.neighbours)
    return Plan(query, made)


def published_fisher(request: Request) -> Plan:
    """Farokhi 2020, theorem 2.5."""
    query = _fisher_query(request)
    return Plan(query, farokhi_theorem_5(query, epsilon=number(request.epsilon), delta=number(request.delta)))


def bounded(request: Request) -> Plan:
    """Noise of bounded width."""
    request.require_entries("bounded")
    query = Rows(domain=request.domain, target=request.target)
    level = 0.0 if request.level is None else request.level
    made = BoundedNoise(half_width=number(request.half_width), level=level, epsilon=number(request.epsilon), neighbours=request.neighbours)
    return Plan(query, made)


def null_space(request: Request) -> Plan:
    """Noise that leaves a machine unchanged; not private."""
    return Plan(Rows(domain=request.domain, target=request.target), NullSpaceNoise(variance=number(request.variance)))


def _moments(request: Request, target: Target | None = None) -> SecondMoments:
    made = SecondMoments(domain=request.domain, target=request.target if target is None else target)
    return made if request.most_records is None else SecondMoments(domain=made.domain, target=made.target, most_records=request.most_records)


def sketch(request: Request) -> Plan:
    """Secret combinations, for (epsilon, delta)."""
    query = _moments(request)
    return Plan(query, GaussianSketch.calibrate(query, rows=whole(request.rows), **_private(request)))


def eigenvalue_sketch(request: Request) -> Plan:
    """The same, with a private look at the least eigenvalue."""
    query = _moments(request)
    return Plan(query, EigenvalueSketch.calibrate(query, rows=whole(request.rows), **_private(request)))


def information_sketch(request: Request) -> Plan:
    """Secret combinations, for bits."""
    _only_replace_one(request)
    request.require_entries("information-sketch")
    query = _moments(request)
    return Plan(query, InformationSketch.calibrate(query, rows=whole(request.rows), bits=number(request.bits)))


def clear_target_sketch(request: Request) -> Plan:
    """The same, with a target that has no noise."""
    _only_replace_one(request)
    if request.target is not Target.CLEAR:
        raise InvalidInput("method 'clear-target-sketch' gives targets no protection; say so with target='clear' (--target clear).")
    request.require_entries("clear-target-sketch")
    query = _moments(request, Target.NOISY)
    return Plan(query, ClearTargetSketch.calibrate(query, rows=whole(request.rows), bits=number(request.bits)))


def published_sketch(request: Request) -> Plan:
    """Showkatbakhsh et al. 2018, eq. 13."""
    bits = number(request.bits)
    if not (is_finite(bits) and bits > 0):
        raise InvalidInput(f"bits must be positive and finite; {bits!r} was given.")
    return Plan(_moments(request), PublishedSketch(rows=whole(request.rows), bits=bits))


class _Private(TypedDict):
    """The target of most calibrations, as keyword arguments."""

    epsilon: float
    delta: float
    neighbours: Neighbours


def _private(request: Request) -> _Private:
    return {"epsilon": number(request.epsilon), "delta": number(request.delta), "neighbours": request.neighbours}


def _only_replace_one(request: Request) -> None:
    if request.neighbours is not REPLACE_ONE:
        raise InvalidInput("bits about entries are stated for replace-one: an entry cannot be added or removed. Leave neighbours out.")
