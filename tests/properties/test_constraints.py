"""The properties of constraint sets over everything that discreet.sets exports, and the proof that each law can fail."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import discreet.sets as package
from discreet.core.errors import InvalidInput
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
    Polytope,
    Scaled,
    ScaledPolytope,
    Simplex,
    Translated,
    TranslatedPolytope,
    constraint_named,
)
from tests.properties import constraint_properties as properties


def spread(seed, shape):
    return np.random.default_rng(seed).standard_normal(shape)


SETS = [
    L2Ball(dimension=1),
    L2Ball(dimension=6, radius=0.02),
    L1Ball(dimension=1),
    L1Ball(dimension=7, radius=20.0),
    Simplex(dimension=1),
    Simplex(dimension=6, radius=0.5),
    LInfinityBall(dimension=4, radius=2.0),
    Box(lower=[-1.0, 0.0, 2.0, 0.3], upper=[1.0, 0.5, 2.0, 4.0]),
    Box(lower=[-1.0, -2.0], upper=[1.0, 2.0]),
    LpBall(dimension=5, exponent=1.05),
    LpBall(dimension=6, exponent=1.5, radius=3.0),
    LpBall(dimension=5, exponent=2.0),
    LpBall(dimension=5, exponent=8.0, radius=0.1),
    GroupL2Ball(sizes=(2, 1, 4), radius=1.5),
    GroupL2Ball(sizes=(5,)),
    GroupLInfinityBall(sizes=(2, 1, 4), radius=1.5),
    GroupLInfinityBall(sizes=(3,)),
    GroupLInfinityBall(sizes=(1, 1, 1, 1)),
    KSupportBall(dimension=7, support=1),
    KSupportBall(dimension=7, support=3, radius=2.0),
    KSupportBall(dimension=5, support=5),
    InterpolationBall(dimension=7, l2_part=1.0, l1_part=1.7),
    InterpolationBall(dimension=5, l2_part=1.0, l1_part=0.5),
    InterpolationBall(dimension=4, l2_part=1.0, l1_part=3.0),
    L2L1Ball(dimension=7, l1_bound=1.6),
    L2L1Ball(dimension=4, l1_bound=0.7),
    L2L1Ball(dimension=4, l1_bound=9.0, l2_bound=2.0),
    NuclearBall(rows=3, columns=4, radius=2.0),
    NuclearBall(rows=5, columns=1),
    ConvexHull(vertices=[[1.0, -2.0, 0.5]]),
    ConvexHull(vertices=spread(0, (9, 3))),
    ConvexHull(vertices=np.concatenate([spread(1, (3, 5)), -spread(1, (3, 5))])),
    ConvexHull(vertices=np.repeat(spread(2, (4, 6)), 2, axis=0)),
    Scaled(base=KSupportBall(dimension=4, support=2), factor=0.1),
    ScaledPolytope(base=L1Ball(dimension=3), factor=3.0),
    Translated(base=L2Ball(dimension=3), centre=[1.0, 0.0, -2.0]),
    TranslatedPolytope(base=Simplex(dimension=3), centre=[1.0, 0.0, -2.0]),
]
POLYTOPES = [constraint for constraint in SETS if isinstance(constraint, Polytope)]


def label(constraint):
    return f"{type(constraint).__name__}{constraint.dimension}"


each_set = pytest.mark.parametrize("constraint", SETS, ids=label)
each_polytope = pytest.mark.parametrize("constraint", POLYTOPES, ids=label)
LAWS = [
    properties.check_projections_are_members_and_stay,
    properties.check_projection_is_not_expansive,
    properties.check_projection_is_optimal,
    properties.check_linear_minimiser_is_a_member_and_optimal,
    properties.check_support_function_and_projection_are_dual,
    properties.check_radii_bound_what_is_returned,
    properties.check_radii_are_reached,
    properties.check_width_bounds_the_estimate,
    properties.check_moving_moves_everything,
    properties.check_membership_has_an_edge,
    properties.check_symmetry_is_what_is_said,
]


def test_every_exported_set_is_under_the_laws():
    exported = {thing for name in package.__all__ if isinstance(thing := getattr(package, name), type)}
    protocols = {Constraint, Polytope, package.StandardNormals}
    assert exported - protocols - {package.WidthEstimate} == {type(constraint) for constraint in SETS}
    assert all(isinstance(constraint, Constraint) for constraint in SETS)


@each_set
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law_holds(constraint, law):
    law(constraint, np.random.default_rng(11))


@each_polytope
def test_vertices_are_what_is_said(constraint):
    properties.check_vertices(constraint, np.random.default_rng(11))


@each_polytope
def test_a_polytope_agrees_with_quadratic_and_linear_programming(constraint):
    generator = np.random.default_rng(3)
    vertices = np.array([constraint.vertex(index) for index in range(constraint.vertex_count)])
    for _ in range(3):
        point = generator.standard_normal(constraint.dimension) * constraint.l2_radius
        other = properties.reference_projection(vertices, point)
        assert np.linalg.norm(constraint.project(point) - point) <= np.linalg.norm(other - point) + 1e-10 * constraint.l2_radius
        assert np.allclose(constraint.project(point), other, rtol=0.0, atol=1e-3 * constraint.l2_radius)
        assert point @ constraint.linear_minimiser(point) == pytest.approx(properties.reference_minimum(vertices, point), rel=1e-9)


@each_set
def test_a_set_is_rebuilt_from_its_name_and_parameters(constraint):
    again = constraint_named(constraint.name, constraint.parameters)
    assert type(again) is type(constraint)
    assert again.parameters == constraint.parameters
    point = np.random.default_rng(0).standard_normal(constraint.dimension)
    assert np.array_equal(again.project(point), constraint.project(point))


@each_set
@pytest.mark.parametrize("method", ["project", "linear_minimiser", "contains"])
def test_what_is_given_is_neither_changed_nor_kept(constraint, method):
    given = np.random.default_rng(0).standard_normal(constraint.dimension) * 1e-3
    given.flags.writeable = False
    returned = getattr(constraint, method)(given)
    assert method == "contains" or not np.shares_memory(returned, given)


@each_set
@pytest.mark.parametrize("method", ["project", "linear_minimiser", "contains"])
@pytest.mark.parametrize("value", [np.nan, np.inf, 918273.645])
def test_points_of_another_shape_or_without_a_value_are_refused_without_repeating_them(constraint, method, value):
    wrong = np.full(constraint.dimension, value) if not np.isfinite(value) else np.full(constraint.dimension + 1, value)
    with pytest.raises(InvalidInput, match="must") as refusal:
        getattr(constraint, method)(wrong)
    assert "918273" not in str(refusal.value)


@each_set
def test_the_zero_direction_has_a_minimiser(constraint):
    assert constraint.contains(constraint.linear_minimiser(np.zeros(constraint.dimension)))


@each_set
@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_tiny_and_huge_points_do_no_harm(constraint, scale):
    point = np.random.default_rng(5).standard_normal(constraint.dimension) * scale
    assert constraint.contains(constraint.linear_minimiser(point))
    assert constraint.contains(constraint.project(point))


def test_an_unknown_name_is_refused_with_the_names_that_exist():
    with pytest.raises(InvalidInput, match="l1-ball"):
        constraint_named("ball", {})


def test_other_parameters_are_refused():
    with pytest.raises(InvalidInput, match="does not take the parameters"):
        constraint_named("l1-ball", {"dimension": 3, "size": 2.0})
    with pytest.raises(InvalidInput, match="its base"):
        constraint_named("scaled", {"base": "l1-ball", "factor": 2.0})


# A law that cannot fail is not a law: each is met by an l1 ball with one planted fault.


@dataclass(frozen=True)
class Planted:
    """An honest set with one attribute replaced: a constant by another, a method's value by a function of it."""

    attribute: str
    change: Any
    honest: Any = L1Ball(dimension=5, radius=2.0)  # noqa: RUF009 (frozen)

    def __getattr__(self, attribute):
        honest = getattr(self.honest, attribute)
        if attribute != self.attribute:
            return honest
        return (lambda *given: self.change(honest(*given))) if callable(honest) else self.change


FAULTS = [
    (properties.check_projections_are_members_and_stay, "project", lambda found: 1.0001 * found),
    (properties.check_projections_are_members_and_stay, "project", lambda found: 0.9999 * found),
    (properties.check_projection_is_not_expansive, "project", lambda found: 1.5 * np.sign(found)),
    (properties.check_projection_is_optimal, "project", lambda found: 0.9999 * found),
    (properties.check_linear_minimiser_is_a_member_and_optimal, "linear_minimiser", lambda found: 0.9 * found),
    (properties.check_linear_minimiser_is_a_member_and_optimal, "linear_minimiser", lambda found: 1.0001 * found),
    (properties.check_support_function_and_projection_are_dual, "linear_minimiser", lambda found: 0.999 * found),
    (properties.check_radii_bound_what_is_returned, "l2_radius", 1.999999),
    (properties.check_radii_bound_what_is_returned, "l1_radius", 1.999999),
    (properties.check_radii_bound_what_is_returned, "diameter", 3.9999),
    (properties.check_radii_are_reached, "l2_radius", 3.5),
    (properties.check_radii_are_reached, "l1_radius", 3.5),
    (properties.check_radii_are_reached, "diameter", 7.0),
    (properties.check_width_bounds_the_estimate, "gaussian_width", 2.9),
    (properties.check_width_bounds_the_estimate, "gaussian_width", 7.0),
    (properties.check_width_bounds_the_estimate, "width_is_exact", True),
    (properties.check_membership_has_an_edge, "contains", lambda _: True),
    (properties.check_membership_has_an_edge, "contains", lambda _: False),
    (properties.check_vertices, "vertex", np.abs),
    (properties.check_vertices, "vertex_scores", lambda found: found[::-1]),
    (properties.check_vertices, "combine", lambda found: -found),
]


@pytest.mark.parametrize(("law", "attribute", "change"), FAULTS)
def test_each_law_catches_a_planted_fault(law, attribute, change):
    law(Planted("name", "l1-ball"), np.random.default_rng(11))
    honest = L1Ball(dimension=5, radius=2.0)
    if attribute == "width_is_exact":
        honest = KSupportBall(dimension=5, support=2)
    with pytest.raises(AssertionError):
        law(Planted(attribute, change, honest), np.random.default_rng(11))


def test_the_laws_catch_a_simplex_that_calls_itself_symmetric():
    with pytest.raises(AssertionError):
        properties.check_symmetry_is_what_is_said(Planted("symmetric", True, Simplex(dimension=3)), np.random.default_rng(11))
