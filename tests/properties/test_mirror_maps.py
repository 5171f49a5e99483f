"""The properties of mirror maps over everything that discreet.sets.mirror_maps exports, and the proof that each law can fail."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import discreet.sets.mirror_maps as package
from discreet.core.errors import InvalidInput
from discreet.sets import (
    Box,
    ConvexHull,
    GroupL2Ball,
    KSupportBall,
    L1Ball,
    L2L1Ball,
    NuclearBall,
    Polytope,
    Simplex,
    support_function,
    translated,
)
from discreet.sets.mirror_maps import EntropyMap, EuclideanMap, MirrorMap, PNormMap, Potential, PowerMap, bregman_divergence


def spread(seed, shape):
    return np.random.default_rng(seed).standard_normal(shape)


MAPS = [
    EuclideanMap(constraint=L1Ball(dimension=5, radius=2.0)),
    EuclideanMap(constraint=Simplex(dimension=4)),
    EuclideanMap(constraint=Box(lower=[1.0, -1.0, 0.0], upper=[2.0, 3.0, 0.5])),
    EuclideanMap(constraint=L2L1Ball(dimension=5, l1_bound=1.5)),
    EuclideanMap(constraint=translated(KSupportBall(dimension=4, support=2), spread(0, 4))),
    PNormMap(constraint=L1Ball(dimension=1)),
    PNormMap(constraint=L1Ball(dimension=2, radius=0.1)),
    PNormMap(constraint=L1Ball(dimension=40, radius=3.0)),
    PNormMap(constraint=GroupL2Ball(sizes=(2, 3, 1, 4, 2), radius=0.5)),
    PNormMap(constraint=NuclearBall(rows=4, columns=5, radius=2.0)),
    PowerMap(constraint=L1Ball(dimension=1)),
    PowerMap(constraint=L1Ball(dimension=2, radius=3.0)),
    PowerMap(constraint=L1Ball(dimension=40, radius=0.2)),
    PowerMap(constraint=GroupL2Ball(sizes=(2, 3, 1, 4, 2), radius=2.0)),
    PowerMap(constraint=GroupL2Ball(sizes=(3, 3))),
    EntropyMap(constraint=Simplex(dimension=6, radius=2.0)),
    EntropyMap(constraint=L1Ball(dimension=4, radius=3.0)),
    EntropyMap(constraint=ConvexHull(vertices=spread(1, (9, 3)))),
    EntropyMap(constraint=translated(Simplex(dimension=3), spread(2, 3))),
]


def label(mirror):
    return f"{type(mirror).__name__}-{mirror.constraint.name}{mirror.constraint.dimension}"


each_map = pytest.mark.parametrize("mirror", MAPS, ids=label)


def lifted(mirror):
    return mirror.name == "entropy"


def state_length(mirror):
    return mirror.start().size


def states(mirror, generator, count=40):
    """States of all kinds: near the edge (weights of 1e-6, coordinates of 0), near a vertex, and inside."""
    for number in range(count):
        share = [1.0, 1e-3, 1.0 - 1e-3, generator.random()][number % 4]
        if lifted(mirror):
            weights = generator.dirichlet(np.full(state_length(mirror), [0.3, 1.0, 5.0][number % 3])) + 1e-6
            yield share * weights / weights.sum() + (1.0 - share) * mirror.start()
        else:
            constraint = mirror.constraint
            point = generator.standard_normal(constraint.dimension) * [0.1, 1.0, 10.0][number % 3] * constraint.l2_radius
            point[generator.random(constraint.dimension) < 0.3] = 0.0
            yield share * constraint.linear_minimiser(generator.standard_normal(constraint.dimension)) + (1.0 - share) * constraint.project(point)


def check_strong_convexity(mirror, generator):
    """B(a, b) >= Delta |a - b|^2 / 2, for states far apart and near each other."""
    for first, second in zip(states(mirror, generator, 200), states(mirror, generator, 200), strict=True):
        for share in (1.0, 0.03):
            other = second + share * (first - second)
            least = mirror.strong_convexity * mirror.norm(other - second) ** 2 / 2.0
            assert bregman_divergence(mirror, other, second) >= least * (1.0 - 1e-9) - 1e-13 * (1.0 + mirror.range)


def check_gradient_is_derivative_of_value(mirror, generator):
    for first, second in zip(states(mirror, generator), states(mirror, generator), strict=True):
        middle, change = (first + second) / 2.0, 1e-5 * (first - second)
        difference = mirror.value(middle + change) - mirror.value(middle - change)
        assert difference == pytest.approx(2.0 * mirror.gradient(middle) @ change, rel=1e-4, abs=1e-9 * mirror.range + 1e-15)


def check_conjugate_gradient_inverts_the_gradient(mirror, generator):
    for state in states(mirror, generator):
        assert np.allclose(mirror.conjugate_gradient(mirror.gradient(state)), state, rtol=0.0, atol=1e-12 * (1.0 + np.abs(state).max()))


def check_range(mirror, generator):
    """Psi varies by at most `range` over the set, and the start is its lowest point."""
    lowest = mirror.value(mirror.start())
    for state in states(mirror, generator, 200):
        assert -1e-12 <= mirror.value(state) - lowest <= mirror.range


def check_range_is_reached(mirror, generator):
    """Except for the Euclidean map over sets that are not centred, where the bound is a factor of two at most."""
    if lifted(mirror):
        highest = mirror.value(np.eye(state_length(mirror))[0])
    else:
        directions = [*np.eye(mirror.constraint.dimension), *generator.standard_normal((50, mirror.constraint.dimension))]
        highest = max(mirror.value(mirror.constraint.linear_minimiser(direction)) for direction in directions)
    loose = 0.25 if mirror.name == "euclidean" else 1.0 - 1e-6
    assert highest - mirror.value(mirror.start()) >= loose * mirror.range


def check_step_is_optimal(mirror, generator):
    """At b = step(a, v): <v, point(u - b)> + <grad Psi(b) - grad Psi(a), u - b> >= 0 for all states u, extreme ones too: this determines b."""
    others = list(states(mirror, generator, 40))
    others += list(np.eye(state_length(mirror))) if lifted(mirror) else []
    for number, state in enumerate(states(mirror, generator)):
        direction = generator.standard_normal(mirror.constraint.dimension) * [1e-3, 0.3, 30.0][number % 3]
        found = mirror.step(state, direction)
        if lifted(mirror) and found.min() < 1e-12:
            continue  # the gradient of the entropy is lost to rounding where weights vanish
        assert mirror.constraint.contains(mirror.point(found))
        slope = mirror.gradient(found) - mirror.gradient(state)
        extreme = [] if lifted(mirror) else [mirror.constraint.linear_minimiser(direction + slope)]
        scale = np.abs(mirror.gradient(state)).max() + np.abs(direction).max() + np.abs(slope).max()
        for other in [*others, *extreme]:
            gain = direction @ (mirror.point(other) - mirror.point(found)) + slope @ (other - found)
            assert gain >= -1e-11 * scale * (1.0 + mirror.constraint.l2_radius + mirror.constraint.diameter)


def check_point_is_linear_and_bounded_by_the_norm(mirror, generator):
    """|point(u)|_2 <= norm_radius |u| for differences u of states, and states map into the set."""
    for first, second in zip(states(mirror, generator), states(mirror, generator), strict=True):
        assert mirror.constraint.contains(mirror.point(first))
        middle = mirror.point((first + second) / 2.0)
        assert np.allclose(middle, (mirror.point(first) + mirror.point(second)) / 2.0, rtol=0.0, atol=1e-12 * mirror.constraint.l2_radius)
        moved = np.linalg.norm(mirror.point(first) - mirror.point(second))
        assert moved <= mirror.norm_radius * mirror.norm(first - second) * (1.0 + 1e-12) + 1e-15


def check_norm(mirror, generator):
    """Homogeneous, symmetric, and convex."""
    for first, second in zip(states(mirror, generator), states(mirror, generator), strict=True):
        assert mirror.norm(3.0 * first) == pytest.approx(3.0 * mirror.norm(first), rel=1e-12)
        assert mirror.norm(-first) == pytest.approx(mirror.norm(first), rel=1e-12)
        assert mirror.norm(first + second) <= (mirror.norm(first) + mirror.norm(second)) * (1.0 + 1e-12)


def dual_norm(mirror, noise):
    """sup <noise, point(u)> over differences with |u| <= 1, by formulas that the maps do not use."""
    if lifted(mirror):
        return np.ptp(mirror.constraint.vertex_scores(noise)) / 2.0
    if mirror.name == "euclidean":
        return np.linalg.norm(noise)
    constraint = mirror.constraint
    if isinstance(constraint, NuclearBall):
        magnitudes = np.linalg.svd(noise.reshape(constraint.rows, constraint.columns), compute_uv=False)
    else:
        sizes = getattr(constraint, "sizes", (1,) * constraint.dimension)
        magnitudes = np.array([np.linalg.norm(block) for block in np.split(noise, np.cumsum(sizes)[:-1])])
    if mirror.name == "power":
        return magnitudes.max()
    return np.linalg.norm(magnitudes, ord=mirror.exponent / (mirror.exponent - 1.0))


def check_width_bounds_noise(mirror, generator, draws=2000):
    norms = np.array([dual_norm(mirror, generator.standard_normal(mirror.constraint.dimension)) for _ in range(draws)])
    room = 4.0 * norms.std() / np.sqrt(draws)
    assert mirror.norm_width >= norms.mean() - room
    assert mirror.norm_width <= 1.5 * norms.mean() + 0.5 * mirror.norm_radius + room


def check_regret(mirror, generator, steps=200):
    """sum_t <g_t, x_t - x> <= R / eta + (eta / (2 Delta)) sum_t |g_t|_*^2 for every x, which is what bounds of risk are made of."""
    size = 0.3 * np.sqrt(mirror.range) / max(mirror.norm_radius, 1e-9)
    state, gain, total, squares = mirror.start(), 0.0, np.zeros(mirror.constraint.dimension), 0.0
    drift = generator.standard_normal(mirror.constraint.dimension)
    for _ in range(steps):
        gradient = drift + generator.standard_normal(mirror.constraint.dimension)
        gain += gradient @ mirror.point(state)
        total += gradient
        squares += dual_norm(mirror, gradient) ** 2
        state = mirror.step(state, size / np.sqrt(steps) * gradient)
    eta = size / np.sqrt(steps)
    regret = gain + support_function(mirror.constraint, -total)
    assert regret <= mirror.range / eta + eta * squares / (2.0 * mirror.strong_convexity) + 1e-9


LAWS = [
    check_strong_convexity,
    check_gradient_is_derivative_of_value,
    check_conjugate_gradient_inverts_the_gradient,
    check_range,
    check_range_is_reached,
    check_step_is_optimal,
    check_point_is_linear_and_bounded_by_the_norm,
    check_norm,
    check_width_bounds_noise,
    check_regret,
]


def test_every_exported_map_is_under_the_laws():
    exported = {thing for name in package.__all__ if isinstance(thing := getattr(package, name), type)}
    assert exported - {MirrorMap, Potential} == {type(mirror) for mirror in MAPS}
    assert all(isinstance(mirror, MirrorMap) and isinstance(mirror, Potential) for mirror in MAPS)


@each_map
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law_holds(mirror, law):
    law(mirror, np.random.default_rng(5))


@each_map
def test_names_are_those_of_one_class(mirror):
    assert {other.name for other in MAPS if type(other) is type(mirror)} == {mirror.name}


@each_map
def test_what_is_given_is_neither_changed_nor_kept(mirror):
    state = mirror.start()
    state.flags.writeable = False
    direction = np.ones(mirror.constraint.dimension)
    direction.flags.writeable = False
    assert not np.shares_memory(mirror.step(state, direction), state)
    assert not np.shares_memory(mirror.point(state), state)


@each_map
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_directions_that_are_not_finite_are_refused(mirror, value):
    with pytest.raises(InvalidInput, match="finite"):
        mirror.step(mirror.start(), np.full(mirror.constraint.dimension, value))


@each_map
@pytest.mark.parametrize("scale", [1e-150, 1e12])
def test_tiny_and_huge_steps_stay_in_the_set(mirror, scale):
    generator = np.random.default_rng(0)
    state = mirror.start()
    for _ in range(5):
        state = mirror.step(state, scale * generator.standard_normal(mirror.constraint.dimension))
        assert mirror.constraint.contains(mirror.point(state))


@dataclass(frozen=True)
class Planted:
    """An honest map with one attribute replaced: a constant by another, a method's value by a function of it."""

    attribute: str
    change: Any
    honest: Any

    def __getattr__(self, attribute):
        honest = getattr(self.honest, attribute)
        if attribute != self.attribute:
            return honest
        return (lambda *given: self.change(honest(*given))) if callable(honest) else self.change(honest)


HONEST = {mirror.name: mirror for mirror in reversed(MAPS) if mirror.constraint.dimension > 2}
FAULTS = [
    (check_strong_convexity, "strong_convexity", lambda delta: 2.5 * delta),
    (check_gradient_is_derivative_of_value, "gradient", lambda gradient: 1.01 * gradient),
    (check_conjugate_gradient_inverts_the_gradient, "conjugate_gradient", lambda state: 1.001 * state),
    (check_range, "range", lambda most: 0.3 * most),
    (check_range_is_reached, "range", lambda most: 4.5 * most),
    (check_step_is_optimal, "step", lambda state: 0.99 * state),
    (check_point_is_linear_and_bounded_by_the_norm, "norm_radius", lambda radius: 0.5 * radius),
    (check_norm, "norm", lambda norm: norm**2),
    (check_width_bounds_noise, "norm_width", lambda width: 0.7 * width),
    (check_width_bounds_noise, "norm_width", lambda width: 2.5 * width),
    (check_regret, "range", lambda most: 1e-3 * most),
]


@pytest.mark.parametrize("name", sorted(HONEST))
@pytest.mark.parametrize(("law", "attribute", "change"), FAULTS)
def test_each_law_catches_a_planted_fault(law, attribute, change, name):
    law(HONEST[name], np.random.default_rng(5))
    with pytest.raises((AssertionError, InvalidInput)):
        law(Planted(attribute, change, HONEST[name]), np.random.default_rng(5))


@pytest.mark.parametrize("mirror", [mirror for mirror in MAPS if isinstance(mirror.constraint, Polytope)], ids=label)
def test_entropy_and_euclid_agree_where_to_go(mirror):
    """Many small steps in one direction end at the vertex that linear minimisation names, whatever the map is."""
    direction = spread(3, mirror.constraint.dimension)
    state = mirror.start()
    for _ in range(60):
        state = mirror.step(state, 2.0 * mirror.constraint.l2_radius * direction)
    assert direction @ mirror.point(state) == pytest.approx(-support_function(mirror.constraint, -direction), abs=1e-6 * mirror.constraint.l2_radius)
