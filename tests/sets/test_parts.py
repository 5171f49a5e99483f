"""The scalar equations, the expected maxima and the nearest point of a hull, against sixty digits, sampling and brute force."""

import itertools
import math

import mpmath
import numpy as np
import pytest

from discreet.core.errors import InvalidInput
from discreet.sets import Box, ConvexHull, GroupL2Ball, KSupportBall, L1Ball, L2Ball, LpBall, Simplex, estimate_width, scaled, translated
from discreet.sets import extremes as means
from discreet.sets.base import outward
from discreet.sets.convex_hull import nearest_to_origin
from discreet.sets.thresholds import shrink_to_ratio, shrink_to_sum


@pytest.mark.parametrize("degrees", [1, 2, 3, 10, 1000, 10**6])
def test_the_mean_of_chi_has_twelve_digits(degrees):
    mpmath.mp.dps = 60
    exact = mpmath.sqrt(2) * mpmath.gammaprod([mpmath.mpf(degrees + 1) / 2], [mpmath.mpf(degrees) / 2])
    assert means.mean_chi(degrees) == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.parametrize("count", [2, 5, 1000])
def test_means_of_largest_numbers_are_bounds_within_a_thousandth(count):
    mpmath.mp.dps = 20
    absolute = mpmath.quad(lambda t: 1 - mpmath.erf(t / mpmath.sqrt(2)) ** count, [0, 1, 2, 3, 4, 5, 7, 12])
    assert 0.0 <= means.mean_largest_absolute(count) - float(absolute) <= 1e-3
    largest = mpmath.quad(lambda t: 1 - mpmath.ncdf(t) ** count, [-12, -4, -2, 0, 1, 2, 3, 4, 5, 7, 12]) - 12
    assert 0.0 <= means.mean_largest(count) - float(largest) <= 1e-3


def test_largest_blocks_are_bounded_closely():
    sizes = (1, 4, 4, 9)
    draws = np.random.default_rng(0).standard_normal((40000, 18))
    largest = np.max([np.linalg.norm(block, axis=1) for block in np.split(draws, [1, 5, 9], axis=1)], axis=0)
    assert abs(means.mean_largest_chi(sizes) - largest.mean()) <= 4.0 * largest.std() / 200.0 + 1e-3
    either = np.maximum(np.linalg.norm(draws, axis=1), 2.0 * np.abs(draws).max(axis=1))
    assert means.mean_larger_norm(18, 1.0, 2.0) >= either.mean() - 4.0 * either.std() / 200.0
    assert means.mean_larger_norm(18, 1.0, 2.0) <= 1.1 * either.mean()


def test_dependent_numbers_are_bounded():
    """All equal, all independent, and of unlike deviations."""
    generator = np.random.default_rng(0)
    same = generator.standard_normal((20000, 1)) * np.ones(8)
    unlike = generator.standard_normal((20000, 8)) * np.geomspace(0.01, 1.0, 8)
    for draws, deviations in ((same, np.ones(8)), (generator.standard_normal((20000, 8)), np.ones(8)), (unlike, np.geomspace(0.01, 1.0, 8))):
        assert means.mean_largest_dependent(deviations) >= np.abs(draws).max(axis=1).mean() - 0.02
    assert means.mean_largest_dependent(np.geomspace(0.01, 1.0, 8)) <= 1.05 * np.abs(unlike).max(axis=1).mean()


@pytest.mark.parametrize("threshold", [0.0, 0.3, 2.0, 30.0])
def test_excesses_and_moments_match_integrals(threshold):
    mpmath.mp.dps = 30
    far = [math.sqrt(threshold), math.sqrt(threshold) + 2, math.sqrt(threshold) + 40]
    excess = 2 * mpmath.quad(lambda t: (t**2 - threshold) * mpmath.npdf(t), far)
    assert means.mean_excess(threshold) == pytest.approx(float(excess), rel=1e-8)
    square = 2 * mpmath.quad(lambda t: (t - threshold) ** 2 * mpmath.npdf(t), [threshold, threshold + 2, threshold + 40])
    assert means.mean_square_excess(threshold) == pytest.approx(float(square), rel=1e-6, abs=1e-60)
    moment = (2 * mpmath.quad(lambda t: t ** (threshold + 1) * mpmath.npdf(t), [0, 1, 5, 60])) ** (1 / mpmath.mpf(threshold + 1))
    assert means.absolute_moment(threshold + 1.0) == pytest.approx(float(moment), rel=1e-9)


@pytest.mark.parametrize("shift", [0.0, 1e8, -1e8])
def test_a_sum_is_met_whatever_the_size_of_the_numbers(shift):
    values = np.random.default_rng(0).standard_normal(50) + shift
    shrunk = shrink_to_sum(values, 1.0)
    kept = shrunk > 0.0
    assert shrunk.sum() == pytest.approx(1.0, rel=1e-14)
    assert np.ptp((values - shrunk)[kept]) <= 1e-14 * max(abs(shift), 1.0) * 2
    assert (values[~kept] <= (values - shrunk)[kept].max() + 1e-7).all()


def test_a_ratio_is_met_or_ties_are_returned():
    values = np.abs(np.random.default_rng(0).standard_normal(50))
    shrunk = shrink_to_ratio(values, 2.5)
    assert shrunk.sum() / np.linalg.norm(shrunk) == pytest.approx(2.5, rel=1e-12)
    assert shrink_to_ratio(np.array([1.0, 1.0, 1.0, 0.5]), 1.2) == pytest.approx([1.0, 1.0, 1.0, 0.0])


@pytest.mark.parametrize("seed", range(20))
def test_the_nearest_point_is_that_of_the_best_face(seed):
    """All faces are tried: the nearest point of each one's affine hull that lies in the face."""
    generator = np.random.default_rng(seed)
    points = generator.standard_normal((6, 3)) + generator.standard_normal(3) * generator.choice([0.0, 2.0])
    weights = nearest_to_origin(points)
    best = math.inf
    for size in (1, 2, 3, 4):
        for face in itertools.combinations(range(6), size):
            edges = (points[list(face[1:])] - points[face[0]]).T
            steps = np.linalg.lstsq(edges, -points[face[0]], rcond=None)[0] if size > 1 else np.zeros(0)
            if (steps >= 0.0).all() and steps.sum() <= 1.0:
                best = min(best, float(np.linalg.norm(points[face[0]] + (edges @ steps if size > 1 else 0.0))))
    assert weights.sum() == pytest.approx(1.0, abs=1e-15)
    assert weights.min() >= 0.0
    assert np.linalg.norm(weights @ points) == pytest.approx(best, abs=1e-12)


def test_a_point_inside_a_hull_stays_and_duplicates_do_no_harm():
    generator = np.random.default_rng(0)
    vertices = np.repeat(generator.standard_normal((30, 4)), 3, axis=0)
    hull = ConvexHull(vertices=vertices)
    inside = hull.combine(generator.dirichlet(np.ones(90)))
    assert hull.project(inside) == pytest.approx(inside, abs=1e-7)
    assert hull.project(1e6 * inside) @ inside == pytest.approx((vertices @ inside).max(), rel=1e-9)


def test_the_diameter_of_many_vertices_is_a_bound():
    vertices = np.random.default_rng(0).standard_normal((2100, 3))
    exact = ConvexHull(vertices=vertices[:2000]).diameter
    assert exact <= ConvexHull(vertices=vertices).diameter <= 2.0 * exact


def test_constants_are_rounded_outward():
    assert outward(1.0, 1) > 1.0
    assert L2Ball(dimension=3, radius=0.1).l2_radius > 0.1
    assert L1Ball(dimension=3, radius=0.1).l1_radius > 0.1


def test_widths_of_high_dimension_follow_the_geometry():
    """The l1 ball's grows like the root of a logarithm, the Euclidean one's like the root of the dimension."""
    assert L1Ball(dimension=10**6).gaussian_width < math.sqrt(2.0 * math.log(2e6))
    assert L2Ball(dimension=10**6).gaussian_width == pytest.approx(1000.0, rel=1e-3)
    assert KSupportBall(dimension=10**6, support=10).gaussian_width < math.sqrt(10) + math.sqrt(20.0 * math.log(math.e * 1e5))
    assert GroupL2Ball(sizes=(10,) * 1000).gaussian_width < math.sqrt(10) + math.sqrt(2.0 * math.log(1000))
    assert LpBall(dimension=10**6, exponent=1.05).gaussian_width < 12.0


def test_an_estimate_needs_two_draws_and_says_how_good_it_is():
    generator = np.random.default_rng(0)
    with pytest.raises(InvalidInput, match="at least 2"):
        estimate_width(L2Ball(dimension=3), 1, generator)
    estimate = estimate_width(L2Ball(dimension=100), 400, generator)
    assert abs(estimate.value - L2Ball(dimension=100).gaussian_width) <= 4.0 * estimate.standard_error
    assert estimate.standard_error == pytest.approx(math.sqrt(0.5 / 400), rel=0.2)


REFUSED = [
    (lambda: L2Ball(dimension=0), "dimension must be an integer"),
    (lambda: L2Ball(dimension=2.0), "dimension must be an integer"),
    (lambda: L1Ball(dimension=3, radius=0.0), "radius must be a positive"),
    (lambda: L1Ball(dimension=3, radius=math.nan), "radius must be a positive"),
    (lambda: L1Ball(dimension=3, radius=True), "radius must be a positive"),
    (lambda: Simplex(dimension=3, radius=-1.0), "radius must be a positive"),
    (lambda: LpBall(dimension=3, exponent=1.0), r"from 1\.001 to 1000.*L1Ball"),
    (lambda: GroupL2Ball(sizes=()), "non-empty sequence"),
    (lambda: GroupL2Ball(sizes=(2, 0)), "size of a group"),
    (lambda: KSupportBall(dimension=3, support=4), "at most the dimension 3"),
    (lambda: Box(lower=[0.0, 1.0], upper=[1.0, 0.0]), "lower <= upper"),
    (lambda: Box(lower=[0.0], upper=[1.0, 0.0]), "one shape"),
    (lambda: Box(lower=[-1e308], upper=[1e308]), "1e150"),
    (lambda: ConvexHull(vertices=np.zeros((0, 3))), "non-empty array"),
    (lambda: ConvexHull(vertices=[1.0, 2.0]), r"2 dimension\(s\)"),
    (lambda: scaled(L2Ball(dimension=2), -1.0), "factor must be a positive"),
    (lambda: translated(L2Ball(dimension=2), np.zeros(3)), r"shape \(2,\)"),
    (lambda: L1Ball(dimension=3).vertex(6), "from 0 to 5"),
]


@pytest.mark.parametrize(("make", "reason"), REFUSED)
def test_what_is_no_set_is_refused_with_the_reason(make, reason):
    with pytest.raises(InvalidInput, match=reason):
        make()


def test_vertices_cannot_be_changed_from_outside():
    given = np.ones((2, 2))
    hull = ConvexHull(vertices=given)
    given[0, 0] = 5.0
    assert hull.vertices[0, 0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        hull.vertices[0, 0] = 2.0
