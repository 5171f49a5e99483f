"""Measured excess risk of noisy mirror descent against its bound, over all sets.

Records x = 0.3 y e_1 + 0.95 u, u a random unit vector, y = +1 or -1, shortened to norm 1; logistic loss: one coordinate matters and d - 1 do not.
Excess: mean loss less that of the minimiser over the set, by accelerated projected gradients with restarts.
"""

import math
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from discreet.core.neighbours import ADD_REMOVE
from discreet.data import Domain, Records
from discreet.losses.predictions import OfMargin
from discreet.matrices import as_matrix
from discreet.mechanisms.constrained import NoisyMirrorDescent
from discreet.noise import SeededNoise
from discreet.objectives import PredictionSum, sum_over_set
from discreet.problems import ConstrainedRisk
from discreet.sets import (
    Box,
    Constraint,
    ConvexHull,
    GroupL2Ball,
    GroupLInfinityBall,
    InterpolationBall,
    KSupportBall,
    L1Ball,
    L2Ball,
    L2L1Ball,
    LInfinityBall,
    LpBall,
    NuclearBall,
    Simplex,
    scaled,
    translated,
)
from studies.base import Record, seed_of

DELTA = 1e-6
_STEPS = 300


def sets_of(d: int) -> dict[str, Constraint]:
    """Fifteen sets in R^d, d a square and a multiple of 4."""
    side = math.isqrt(d)
    corners = np.random.default_rng(d).normal(size=(8, d))
    corners /= np.linalg.norm(corners, axis=1, keepdims=True)
    return {
        "l2 ball": L2Ball(dimension=d),
        "l1 ball": L1Ball(dimension=d),
        "l1.5 ball": LpBall(dimension=d, exponent=1.5),
        "l-infinity ball": LInfinityBall(dimension=d, radius=1.0 / side),
        "box": Box(lower=np.full(d, -0.5 / side), upper=np.full(d, 1.0 / side)),
        "simplex": Simplex(dimension=d),
        "convex hull of 16 points": ConvexHull(vertices=np.vstack((corners, -corners))),
        "group l2 ball": GroupL2Ball(sizes=(4,) * (d // 4)),
        "group l-infinity ball": GroupLInfinityBall(sizes=(4,) * (d // 4), radius=0.5),
        "4-support ball": KSupportBall(dimension=d, support=4),
        "interpolation ball": InterpolationBall(dimension=d, l2_part=0.5, l1_part=1.0),
        "l2 and l1 ball": L2L1Ball(dimension=d, l1_bound=2.0),
        "nuclear ball": NuclearBall(rows=side, columns=side),
        "l1 ball, twice": scaled(L1Ball(dimension=d), 2.0),
        "simplex, moved": translated(Simplex(dimension=d), np.full(d, -1.0 / d)),
    }


def set_records(*, name: str, features: int, records: int, epsilon: float, seeds: int) -> Iterator[Record]:
    """Mean excess over draws of data and noise, its bound, and the set's Gaussian width."""
    constraint = sets_of(features)[name]
    excesses = []
    for seed in range(seeds):
        problem, objective, least = _problem(name, features, records, seed)
        mechanism = NoisyMirrorDescent.calibrate(problem, epsilon=epsilon, delta=DELTA, neighbours=ADD_REMOVE)
        noise = SeededNoise(seed_of("talwar", name, features, records, epsilon, seed) >> 12)
        excesses.append((objective.value(mechanism.point(problem, objective, noise)) - least) / records)
        yield {"measure": "excess", "repeat": seed, "value": excesses[-1]}
        if seed == 0:
            yield {"measure": "bound", "repeat": 0, "value": mechanism.risk_bound()}
            yield {"measure": "width", "repeat": 0, "value": constraint.gaussian_width}


@lru_cache(maxsize=4)
def _problem(name: str, features: int, records: int, seed: int) -> tuple[ConstrainedRisk, PredictionSum, float]:
    constraint = sets_of(features)[name]
    draw = np.random.default_rng(seed_of("talwar", "rows", features, records, seed))
    rows = draw.normal(size=(records, features))
    rows *= 0.95 / np.linalg.norm(rows, axis=1, keepdims=True)
    signs = np.where(draw.random(records) < 0.5, 1.0, -1.0)
    rows[:, 0] += 0.3 * signs
    domain = Domain(features=features, norm_bound=1.0, records=records, target_bound=1.0)
    problem = ConstrainedRisk(loss=OfMargin(), constraint=constraint, domain=domain)
    objective = sum_over_set(problem, Records(rows=as_matrix(rows), targets=signs, domain=domain))
    return problem, objective, least(problem, objective, 0.25 * float(np.linalg.norm(rows.T @ rows, 2)))


def least(problem: ConstrainedRisk, objective: PredictionSum, length: float) -> float:
    """The minimum of the objective over the set, its gradient `length`-Lipschitz, by accelerated projected gradients with restarts."""
    point = ahead = problem.constraint.project(np.zeros(problem.dimension))
    value, momentum = objective.value(point), 0
    for _ in range(_STEPS):
        following = problem.constraint.project(ahead - objective.gradient(ahead) / length)
        found = objective.value(following)
        momentum = 0 if found > value else momentum + 1
        ahead = following + momentum / (momentum + 3.0) * (following - point) if momentum else following
        point, value = following, min(value, found)
    return value
