"""Laws that every constraint set obeys, each as a check that raises AssertionError; `reference_*` solve by SciPy what the sets solve by formulas."""

import numpy as np
from scipy.optimize import LinearConstraint, linprog, minimize

from discreet.sets import Polytope, estimate_width, scaled, support_function, translated

SCALES = (1e-3, 0.3, 1.0, 5.0, 1e4)


def points(constraint, generator, count=40):
    """Points inside, outside and far away, some with ties and zeros."""
    for number in range(count):
        point = generator.standard_normal(constraint.dimension) * SCALES[number % len(SCALES)] * max(constraint.l2_radius, 1e-300)
        if number % 3 == 0:
            point[generator.random(constraint.dimension) < 0.4] = 0.0
        if number % 4 == 0:
            point = np.round(point / constraint.l2_radius) * constraint.l2_radius
        yield point


def members(constraint, generator, count=40):
    """Points of the set: extreme ones, projections, and mixtures."""
    for point in points(constraint, generator, count):
        share = generator.choice([0.0, 1.0, generator.random()])
        extreme = constraint.linear_minimiser(generator.standard_normal(constraint.dimension))
        yield share * extreme + (1.0 - share) * constraint.project(point)


def size(constraint, *vectors):
    """The scale on which rounding errors happen."""
    return constraint.l2_radius + max(float(np.linalg.norm(vector)) for vector in vectors)


def check_projections_are_members_and_stay(constraint, generator):
    for point in points(constraint, generator):
        nearest = constraint.project(point)
        assert nearest.shape == point.shape
        assert constraint.contains(nearest, 1e-11)
        assert np.linalg.norm(constraint.project(nearest) - nearest) <= 1e-11 * size(constraint, nearest)


def check_projection_is_not_expansive(constraint, generator):
    for first, second in zip(points(constraint, generator), points(constraint, generator), strict=True):
        moved = np.linalg.norm(constraint.project(first) - constraint.project(second))
        assert moved <= np.linalg.norm(first - second) + 1e-11 * size(constraint, first, second)


def check_projection_is_optimal(constraint, generator):
    """<y - p, z - y> >= 0 for every member z, the extreme ones included; this determines y."""
    others = list(members(constraint, generator, 30))
    for point in points(constraint, generator):
        nearest = constraint.project(point)
        residual = nearest - point
        room = 1e-11 * size(constraint, point) * constraint.l2_radius
        for other in (*others, constraint.linear_minimiser(residual)):
            assert residual @ (other - nearest) >= -room


def check_linear_minimiser_is_a_member_and_optimal(constraint, generator):
    others = list(members(constraint, generator))
    for direction in points(constraint, generator):
        best = constraint.linear_minimiser(direction)
        assert constraint.contains(best, 1e-11)
        assert all(direction @ best <= direction @ other + 1e-11 * np.linalg.norm(direction) * constraint.l2_radius for other in others)


def check_support_function_and_projection_are_dual(constraint, generator):
    """The projection of a point far away in direction v comes as near to the support function of v as its distance allows."""
    for _ in range(10):
        direction = generator.standard_normal(constraint.dimension)
        direction /= np.linalg.norm(direction)
        far = 1e6 * constraint.l2_radius
        reached = direction @ constraint.project(far * direction)
        assert abs(reached - support_function(constraint, direction)) <= constraint.diameter**2 / far + 1e-9 * constraint.l2_radius


def check_radii_bound_what_is_returned(constraint, generator):
    """Strictly, rounding included: proofs of privacy rely on it."""
    returned = [constraint.project(point) for point in points(constraint, generator)]
    returned += [constraint.linear_minimiser(point) for point in points(constraint, generator)]
    for point in returned:
        assert np.linalg.norm(point) <= constraint.l2_radius
        assert np.abs(point).sum() <= constraint.l1_radius
    assert max(np.linalg.norm(a - b) for a in returned for b in returned) <= constraint.diameter


def check_radii_are_reached(constraint, generator):
    """Within a factor: far too large a radius would cost noise for nothing."""
    norms, sums, widths = [0.0], [0.0], [0.0]
    for direction in [*points(constraint, generator, 200), np.ones(constraint.dimension), *np.eye(constraint.dimension)]:
        for extreme, opposite in ((constraint.linear_minimiser(direction), constraint.linear_minimiser(-direction)),):
            norms.append(np.linalg.norm(extreme))
            sums.append(np.abs(extreme).sum())
            widths.append(np.linalg.norm(extreme - opposite))
    assert constraint.l2_radius <= 1.5 * max(norms)
    assert constraint.l1_radius <= 1.5 * max(sums)
    assert constraint.diameter <= 1.5 * max(widths) + 1e-12 * constraint.l2_radius


def check_width_bounds_the_estimate(constraint, generator, draws=1500):
    estimate = estimate_width(constraint, draws, generator)
    room = 4.0 * estimate.standard_error + 1e-9 * constraint.l2_radius
    assert constraint.gaussian_width >= estimate.value - room
    assert not constraint.width_is_exact or constraint.gaussian_width <= estimate.value + room
    # No bound here is loose by more than a constant: a third more, and a part of the radius for dimensions this small.
    assert constraint.gaussian_width <= 1.4 * estimate.value + 0.5 * constraint.diameter + room


def check_moving_moves_everything(constraint, generator):
    factor, centre = 2.5, generator.standard_normal(constraint.dimension)
    larger, moved = scaled(constraint, factor), translated(constraint, centre)
    for point in points(constraint, generator, 10):
        near = 1e-10 * (size(constraint, point) + size(constraint, centre))
        assert np.allclose(larger.project(factor * point), factor * constraint.project(point), rtol=0.0, atol=2.5 * near)
        assert np.allclose(moved.project(point + centre), constraint.project(point) + centre, rtol=0.0, atol=near)
        assert np.array_equal(larger.linear_minimiser(point), factor * constraint.linear_minimiser(point))
        assert np.array_equal(moved.linear_minimiser(point), constraint.linear_minimiser(point) + centre)
    assert abs(larger.gaussian_width - factor * constraint.gaussian_width) <= 1e-12 * larger.gaussian_width
    assert moved.gaussian_width == constraint.gaussian_width
    assert isinstance(larger, Polytope) == isinstance(moved, Polytope) == isinstance(constraint, Polytope)


def check_membership_has_an_edge(constraint, generator):
    """Beyond the support function nothing is a member; what is returned is."""
    for direction in points(constraint, generator, 20):
        if not direction.any():
            continue
        unit = direction / np.linalg.norm(direction)
        edge = constraint.linear_minimiser(-unit)
        assert constraint.contains(edge)
        assert not constraint.contains(edge + 1e-3 * constraint.l2_radius * unit)


def check_symmetry_is_what_is_said(constraint, generator):
    opposite = [constraint.contains(-member, 1e-9) for member in members(constraint, generator)]
    assert all(opposite) or not constraint.symmetric


def check_vertices(constraint, generator):
    """Scores, mixtures and the linear minimiser agree with the list of vertices."""
    listed = np.array([constraint.vertex(index) for index in range(constraint.vertex_count)])
    assert listed.shape == (constraint.vertex_count, constraint.dimension)
    assert all(constraint.contains(vertex) for vertex in listed)
    for direction in points(constraint, generator, 20):
        scores = constraint.vertex_scores(direction)
        room = 1e-13 * np.linalg.norm(direction) * constraint.l2_radius * constraint.dimension
        assert np.allclose(scores, listed @ direction, rtol=0.0, atol=room)
        assert direction @ constraint.linear_minimiser(direction) <= scores.min() + room
    weights = generator.standard_normal(constraint.vertex_count)
    assert np.allclose(constraint.combine(weights), weights @ listed, rtol=0.0, atol=1e-12 * constraint.l2_radius * np.abs(weights).sum())


def reference_projection(vertices, point):
    """The nearest point of a hull by SLSQP over weights."""
    count = len(vertices)
    found = minimize(
        lambda a: 0.5 * np.sum(np.square(a @ vertices - point)),
        np.full(count, 1.0 / count),
        jac=lambda a: vertices @ (a @ vertices - point),
        bounds=[(0.0, 1.0)] * count,
        constraints=LinearConstraint(np.ones((1, count)), 1.0, 1.0),
        method="SLSQP",
        options={"maxiter": 2000, "ftol": 1e-15},
    )
    weights = np.maximum(found.x, 0.0)
    return (weights / weights.sum()) @ vertices


def reference_minimum(vertices, direction):
    """The smallest <x, direction> over a hull by linear programming."""
    count = len(vertices)
    return linprog(vertices @ direction, A_eq=np.ones((1, count)), b_eq=[1.0], bounds=(0.0, None), method="highs").fun
