"""Mirror steps against general optimisation and known formulas, and the constants that were found to be otherwise than printed."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from discreet.core.errors import InvalidInput, InvalidType
from discreet.sets import Box, ConvexHull, GroupL2Ball, L1Ball, L2Ball, NuclearBall, Simplex
from discreet.sets.mirror_maps import EntropyMap, EuclideanMap, PNormMap, PowerMap, bregman_divergence


def noise(seed, shape):
    return np.random.default_rng(seed).standard_normal(shape)


def test_the_entropy_over_the_simplex_is_exponentiated_gradient():
    mirror = EntropyMap(constraint=Simplex(dimension=4))
    state, direction = np.array([0.1, 0.2, 0.3, 0.4]), noise(0, 4)
    expected = state * np.exp(-direction)
    assert mirror.step(state, direction) == pytest.approx(expected / expected.sum(), rel=1e-14)
    assert mirror.start() == pytest.approx(np.full(4, 0.25))
    assert mirror.range == pytest.approx(math.log(4), rel=1e-12)


def test_the_entropy_over_the_l1_ball_has_two_weights_a_coordinate():
    mirror = EntropyMap(constraint=L1Ball(dimension=3, radius=2.0))
    direction = noise(1, 3)
    weights = np.exp(-2.0 * np.concatenate([direction, -direction]))
    weights /= weights.sum()
    state = mirror.step(mirror.start(), direction)
    assert state == pytest.approx(weights, rel=1e-13)
    assert mirror.point(state) == pytest.approx(2.0 * (weights[:3] - weights[3:]), rel=1e-12)


def test_the_entropy_over_a_hull_ends_at_any_point_of_it():
    """Minimising a squared distance by mirror descent over vertex weights finds the projection."""
    hull = ConvexHull(vertices=noise(2, (6, 3)))
    mirror, target = EntropyMap(constraint=hull), 0.7 * noise(3, 3)
    state, step = mirror.start(), 0.5
    for _ in range(4000):
        state = mirror.step(state, step * (mirror.point(state) - target))
    assert np.linalg.norm(mirror.point(state) - target) <= np.linalg.norm(hull.project(target) - target) + 1e-3


def test_no_vertex_is_lost_for_good():
    mirror = EntropyMap(constraint=Simplex(dimension=2))
    state = mirror.step(mirror.start(), np.array([1e6, 0.0]))
    assert state[0] > 0.0
    for _ in range(3):
        state = mirror.step(state, np.array([-1e6, 0.0]))
    assert state[0] > 0.99


def by_slsqp(mirror, state, direction):
    """The step over the l1 ball by SLSQP, as a difference of two positive parts."""
    d = direction.size
    objective = lambda x: direction @ x + mirror.value(x) - mirror.gradient(state) @ x  # noqa: E731
    rule = {"type": "ineq", "fun": lambda z: np.append(z, mirror.constraint.radius - z.sum())}
    found = minimize(
        lambda z: objective(z[:d] - z[d:]), np.full(2 * d, 0.01), constraints=[rule], method="SLSQP", options={"ftol": 1e-15, "maxiter": 2000}
    )
    return found.x[:d] - found.x[d:]


@pytest.mark.parametrize("kind", [PNormMap, PowerMap])
@pytest.mark.parametrize("scale", [0.3, 5.0])
def test_steps_over_the_l1_ball_agree_with_general_optimisation(kind, scale):
    mirror = kind(constraint=L1Ball(dimension=4))
    state, direction = mirror.constraint.project(noise(0, 4)), scale * noise(1, 4)
    ours, other = mirror.step(state, direction), by_slsqp(mirror, state, direction)
    reached = [direction @ x + bregman_divergence(mirror, x, state) for x in (ours, other / max(1.0, np.abs(other).sum()))]
    assert reached[0] <= reached[1] + 1e-12
    assert ours == pytest.approx(other, abs=2e-3)


@pytest.mark.parametrize("kind", [PNormMap, PowerMap])
def test_groups_of_one_are_coordinates(kind):
    plain, grouped = kind(constraint=L1Ball(dimension=6, radius=2.0)), kind(constraint=GroupL2Ball(sizes=(1,) * 6, radius=2.0))
    state, direction = plain.constraint.project(noise(4, 6)), noise(5, 6)
    assert grouped.step(state, direction) == pytest.approx(plain.step(state, direction), abs=1e-13)
    assert grouped.value(state) == pytest.approx(plain.value(state))
    assert grouped.range == plain.range
    assert grouped.norm_width == pytest.approx(plain.norm_width, rel=0.05)


def test_diagonal_matrices_are_coordinates():
    plain, spectral = PNormMap(constraint=L1Ball(dimension=4)), PNormMap(constraint=NuclearBall(rows=4, columns=4))
    state, direction = plain.constraint.project(noise(6, 4)), noise(7, 4)
    found = spectral.step(np.diag(state).ravel(), np.diag(direction).ravel()).reshape(4, 4)
    assert found == pytest.approx(np.diag(plain.step(state, direction)), abs=1e-12)


def test_the_euclidean_map_is_projected_gradient_descent():
    box = Box(lower=[1.0, -1.0], upper=[2.0, 1.0])
    mirror = EuclideanMap(constraint=box)
    assert np.array_equal(mirror.start(), [1.0, 0.0])
    assert np.array_equal(mirror.step(np.array([1.5, 0.5]), np.array([-3.0, 0.2])), [2.0, 0.3])
    assert mirror.range == pytest.approx(box.diameter**2 / 2.0, rel=1e-9)
    assert EuclideanMap(constraint=L2Ball(dimension=3, radius=2.0)).range == pytest.approx(2.0, rel=1e-9)


@pytest.mark.parametrize("count", [3, 40, 1000])
def test_ranges_are_those_of_the_table(count):
    ball = L1Ball(dimension=count, radius=2.0)
    assert PNormMap(constraint=ball).range == pytest.approx(4.0 * math.log(count) / 2.0, rel=1e-9)
    assert PowerMap(constraint=ball).range <= 4.0 * math.e * math.log(count) * (1.0 + 1e-12)
    assert EntropyMap(constraint=ball).range == pytest.approx(math.log(2 * count), rel=1e-9)


def test_the_potential_of_fact_3_4_is_half_as_convex_as_printed():
    """|a|_q^2 / (4 (q - 1)), q = ln k / (ln k - 1): 1/2-strongly convex at best; dividing by 2 (q - 1) gives 1."""
    q = math.log(8) / (math.log(8) - 1.0)
    lowest = math.inf
    generator = np.random.default_rng(0)
    for _ in range(3000):
        base = generator.standard_normal(8)
        change = 0.1 * generator.standard_normal(8)
        slope = np.sign(base) * np.abs(base) ** (q - 1.0) * np.linalg.norm(base, q) ** (2.0 - q)
        squares = np.linalg.norm(base + change, q) ** 2 - np.linalg.norm(base, q) ** 2 - 2.0 * slope @ change
        lowest = min(lowest, squares / np.linalg.norm(change, q) ** 2)
    assert 2.0 * lowest / (4.0 * (q - 1.0)) < 0.6
    assert 2.0 * lowest / (2.0 * (q - 1.0)) >= 1.0


def test_in_high_dimension_the_right_map_beats_the_euclidean_one():
    """sqrt(R (G_Q^2 + |Q|_2^2) / Delta), the factor of the bound of risk: for the l1 ball it grows like a logarithm, not like sqrt d."""

    def factor(mirror):
        return math.sqrt(mirror.range * (mirror.norm_width**2 + mirror.norm_radius**2) / mirror.strong_convexity)

    ball = L1Ball(dimension=10000)
    factors = {mirror.name: factor(mirror) for mirror in (kind(constraint=ball) for kind in (PNormMap, PowerMap, EntropyMap, EuclideanMap))}
    assert factors["p-norm"] < factors["entropy"] < factors["power"] < factors["euclidean"]
    assert factors["p-norm"] < 1.3 * math.log(10000)


def test_a_map_refuses_a_set_that_it_does_not_fit():
    with pytest.raises(InvalidType, match=r"PNormMap|L1Ball"):
        PNormMap(constraint=L2Ball(dimension=3))
    with pytest.raises(InvalidType, match="Polytope"):
        EntropyMap(constraint=L2Ball(dimension=3))
    with pytest.raises(InvalidType, match="NuclearBall"):
        PowerMap(constraint=NuclearBall(rows=2, columns=2))


def test_states_of_another_length_are_refused():
    with pytest.raises(InvalidInput, match=r"shape \(6,\)"):
        EntropyMap(constraint=L1Ball(dimension=3)).point(np.ones(3))
