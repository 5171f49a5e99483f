"""Each set against its definition: members made without the set's own code, support functions by dual norms, projections by SciPy's SLSQP."""

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar

from discreet.sets import (
    Box,
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
    support_function,
    symmetric_hull,
    translated,
)

GENERATOR_SEED = 17
VERTICES = np.random.default_rng(1).standard_normal((6, 4))


def signs(generator, size):
    return generator.choice([-1.0, 1.0], size)


def sparse_unit(generator, dimension, support):
    vector = np.zeros(dimension)
    vector[generator.choice(dimension, support, replace=False)] = generator.standard_normal(support)
    return vector / np.linalg.norm(vector)


def rank_one(generator, rows, columns):
    left, right = generator.standard_normal(rows), generator.standard_normal(columns)
    return np.outer(left / np.linalg.norm(left), right / np.linalg.norm(right)).ravel()


def dual_of_intersection(v):
    """min_h |v - h|_2 + 1.6 |h|_inf."""
    top = np.abs(v).max()
    inner = minimize_scalar(lambda t: np.linalg.norm(v - np.clip(v, -t, t)) + 1.6 * t, bounds=(0.0, top), method="bounded", options={"xatol": 1e-12})
    return min(inner.fun, 1.6 * top)


def shorter(vector):
    return vector * min(1.0 / np.linalg.norm(vector), 1.6 / np.abs(vector).sum())


def blocks(v):
    return v[:2], v[2:3], v[3:]


# The set, one of its extreme points at random, its support function.
CASES = {
    "l2": (L2Ball(dimension=5), lambda g: sparse_unit(g, 5, 5), np.linalg.norm),
    "l1": (L1Ball(dimension=5), lambda g: sparse_unit(g, 5, 1), lambda v: np.abs(v).max()),
    "simplex": (Simplex(dimension=5), lambda g: np.abs(sparse_unit(g, 5, 1)), np.max),
    "linf": (LInfinityBall(dimension=5), lambda g: signs(g, 5), lambda v: np.abs(v).sum()),
    "box": (
        Box(lower=[-1.0, 0.0, 1.0], upper=[0.0, 3.0, 1.5]),
        lambda g: np.where(g.random(3) < 0.5, [-1.0, 0.0, 1.0], [0.0, 3.0, 1.5]),
        lambda v: np.maximum(v * [-1.0, 0.0, 1.0], v * [0.0, 3.0, 1.5]).sum(),
    ),
    "l1.5": (LpBall(dimension=5, exponent=1.5), lambda g: (x := g.standard_normal(5)) / np.linalg.norm(x, 1.5), lambda v: np.linalg.norm(v, 3.0)),
    "l4": (LpBall(dimension=5, exponent=4.0), lambda g: (x := g.standard_normal(5)) / np.linalg.norm(x, 4.0), lambda v: np.linalg.norm(v, 4 / 3)),
    "group-l2": (
        GroupL2Ball(sizes=(2, 1, 3)),
        lambda g: np.concatenate([sparse_unit(g, 3, 3)[:0], *_one_block(g, lambda size: sparse_unit(g, size, size))]),
        lambda v: max(np.linalg.norm(block) for block in blocks(v)),
    ),
    "group-linf": (
        GroupLInfinityBall(sizes=(2, 1, 3)),
        lambda g: np.concatenate(_one_block(g, lambda size: signs(g, size))),
        lambda v: max(np.abs(block).sum() for block in blocks(v)),
    ),
    "k-support": (KSupportBall(dimension=6, support=3), lambda g: sparse_unit(g, 6, 3), lambda v: np.linalg.norm(np.sort(np.abs(v))[-3:])),
    "interpolation": (
        InterpolationBall(dimension=6, l2_part=1.0, l1_part=1.7),
        lambda g: sparse_unit(g, 6, 6) if g.random() < 0.5 else 1.7 * sparse_unit(g, 6, 1),
        lambda v: max(np.linalg.norm(v), 1.7 * np.abs(v).max()),
    ),
    "l2-l1": (L2L1Ball(dimension=6, l1_bound=1.6), lambda g: shorter(g.standard_normal(6)), dual_of_intersection),
    "nuclear": (NuclearBall(rows=3, columns=4), lambda g: rank_one(g, 3, 4), lambda v: np.linalg.norm(v.reshape(3, 4), ord=2)),
    "hull": (ConvexHull(vertices=VERTICES), lambda g: VERTICES[g.integers(6)], lambda v: (VERTICES @ v).max()),
}


def _one_block(generator, make):
    chosen = generator.integers(3)
    return [make(size) if index == chosen else np.zeros(size) for index, size in enumerate((2, 1, 3))]


@pytest.mark.parametrize("case", CASES)
def test_mixtures_of_extreme_points_are_members(case):
    constraint, extreme, _ = CASES[case]
    generator = np.random.default_rng(GENERATOR_SEED)
    for _ in range(100):
        count = generator.integers(1, 5)
        mixture = generator.dirichlet(np.ones(count)) @ np.array([extreme(generator) for _ in range(count)])
        assert constraint.contains(mixture, 1e-12)
        assert np.allclose(constraint.project(mixture), mixture, rtol=0.0, atol=1e-7)


@pytest.mark.parametrize("case", CASES)
def test_support_functions_are_the_dual_norms(case):
    constraint, _, dual = CASES[case]
    generator = np.random.default_rng(GENERATOR_SEED)
    for _ in range(100):
        direction = generator.standard_normal(constraint.dimension)
        assert support_function(constraint, direction) == pytest.approx(dual(direction), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("case", CASES)
def test_points_beyond_a_supporting_hyperplane_are_no_members(case):
    constraint, _, dual = CASES[case]
    generator = np.random.default_rng(GENERATOR_SEED)
    for _ in range(100):
        direction = generator.standard_normal(constraint.dimension)
        point = direction * (dual(direction) + 1e-6) / (direction @ direction)
        assert not constraint.contains(point)


@pytest.mark.parametrize("case", CASES)
def test_residuals_of_projections_are_normals_by_the_dual_norm(case):
    """y is the projection of p exactly if <p - y, y> = h(p - y) and <v, y> <= h(v) for all v; h is taken from the definition."""
    constraint, _, dual = CASES[case]
    generator = np.random.default_rng(GENERATOR_SEED)
    for _ in range(50):
        point = generator.standard_normal(constraint.dimension) * generator.choice([0.5, 2.0, 10.0])
        nearest = constraint.project(point)
        residual = point - nearest
        assert residual @ nearest >= dual(residual) - 1e-9 * (1.0 + np.linalg.norm(point))
        for _ in range(20):
            near = residual + generator.choice([0.01, 0.3, 10.0]) * generator.standard_normal(constraint.dimension)
            assert near @ nearest <= dual(near) + 1e-9 * (1.0 + np.linalg.norm(near))


def slsqp(objective, start, constraints):
    found = minimize(objective, start, constraints=constraints, method="SLSQP", options={"maxiter": 5000, "ftol": 1e-16})
    return found.x


def within(bound):
    return [{"type": "ineq", "fun": bound}]


def by_slsqp(constraint, point):
    """The projection of a point, from the definition of its set; signs and smooth forms where norms have kinks."""
    d, facing = constraint.dimension, np.sign(point)
    sizes = np.abs(point)
    distance = lambda x: np.sum(np.square(x - sizes))  # noqa: E731
    forward = [{"type": "ineq", "fun": lambda x: x}]
    if isinstance(constraint, LpBall):
        return facing * slsqp(distance, sizes / 10.0, forward + within(lambda x: 1.0 - np.sum(np.maximum(x, 0.0) ** constraint.exponent)))
    if isinstance(constraint, L2L1Ball):
        return facing * slsqp(distance, sizes / 10.0, forward + within(lambda x: [1.0 - x @ x, 1.6 - x.sum()]))
    if isinstance(constraint, GroupLInfinityBall):
        member = np.repeat([0, 1, 2], [2, 1, 3])
        rule = forward + within(lambda z: np.append(z[d:][member] - z[:d], 1.0 - z[d:].sum()))
        return facing * slsqp(lambda z: np.sum(np.square(z[:d] - sizes)), np.concatenate([sizes / 10.0, np.full(3, 0.3)]), rule)[:d]
    rule = forward + within(lambda z: [1.0 - z[2 * d] - z[d : 2 * d].sum() / 1.7, z[2 * d] ** 2 - z[:d] @ z[:d]])
    found = slsqp(lambda z: np.sum(np.square(z[:d] + z[d : 2 * d] - sizes)), np.concatenate([sizes / 10.0, sizes / 10.0, [0.5]]), rule)
    return facing * (found[:d] + found[d : 2 * d])


@pytest.mark.parametrize("case", ["l1.5", "l4", "group-linf", "interpolation", "l2-l1"])
def test_projections_agree_with_general_optimisation(case):
    constraint = CASES[case][0]
    generator = np.random.default_rng(GENERATOR_SEED)
    for _ in range(3):
        point = generator.standard_normal(constraint.dimension)
        if constraint.contains(point):
            point *= 3.0
        other, ours = by_slsqp(constraint, point), constraint.project(point)
        assert np.linalg.norm(ours - point) <= np.linalg.norm(other - point) + 1e-6
        assert np.allclose(ours, other, rtol=0.0, atol=2e-3)


def test_known_projections():
    assert L1Ball(dimension=3).project(np.array([2.0, -1.5, 0.1])) == pytest.approx([0.75, -0.25, 0.0])
    assert Simplex(dimension=3).project(np.array([0.5, 0.5, 3.0])) == pytest.approx([0.0, 0.0, 1.0])
    assert GroupLInfinityBall(sizes=(2, 1)).project(np.array([3.0, 2.9, 1.0])) == pytest.approx([1.0, 1.0, 0.0])
    assert NuclearBall(rows=2, columns=2).project(np.diag([3.0, 2.5]).ravel()) == pytest.approx([0.75, 0.0, 0.0, 0.25])
    assert GroupL2Ball(sizes=(2, 2)).project(np.array([3.0, 4.0, 0.0, 0.1])) == pytest.approx([0.6, 0.8, 0.0, 0.0])


def test_extreme_supports_are_other_balls():
    point = np.random.default_rng(2).standard_normal(8)
    assert KSupportBall(dimension=8, support=1).project(point) == pytest.approx(L1Ball(dimension=8).project(point), abs=1e-12)
    assert KSupportBall(dimension=8, support=8).project(point) == pytest.approx(L2Ball(dimension=8).project(point), abs=1e-12)
    assert LpBall(dimension=8, exponent=2.0).project(point) == pytest.approx(L2Ball(dimension=8).project(point), abs=1e-12)
    assert GroupLInfinityBall(sizes=(1,) * 8).project(point) == pytest.approx(L1Ball(dimension=8).project(point), abs=1e-12)
    assert InterpolationBall(dimension=8, l2_part=0.1, l1_part=1.0).project(point) == pytest.approx(L1Ball(dimension=8).project(point), abs=1e-12)
    assert L2L1Ball(dimension=8, l1_bound=9.0).project(point) == pytest.approx(L2Ball(dimension=8).project(point), abs=1e-12)


def test_symmetric_hulls():
    assert symmetric_hull(L1Ball(dimension=3, radius=2.0)) == L1Ball(dimension=3, radius=2.0)
    assert symmetric_hull(Simplex(dimension=3, radius=2.0)) == L1Ball(dimension=3, radius=2.0)
    moved = symmetric_hull(translated(Simplex(dimension=3), np.array([1.0, 0.0, 0.0])))
    assert moved.symmetric
    assert moved.vertex_count == 6
    assert support_function(moved, np.array([-1.0, 0.0, 0.0])) == 2.0
