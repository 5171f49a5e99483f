"""M5, the supremum over probabilities itself where a record comes or goes: the law, exact densities, a recheck that inverts a transform."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import ncx2

from discreet.core.neighbours import ADD_REMOVE
from discreet.data import Domain, Records
from discreet.matrices import as_matrix
from discreet.mechanisms.learning import GaussianMultinomialPerturbation
from discreet.mechanisms.learning.class_mixture import excess
from discreet.mechanisms.learning.class_supremum import _PLACES, _within, supremum_delta
from discreet.mechanisms.learning.multinomial import MULTINOMIAL, jacobian_lines
from discreet.noise import SystemNoise
from discreet.problems import MultinomialRisk
from discreet.verification.suprema import squares_beyond
from tests.mechanisms.learning.class_densities import Labelled, delta_between
from tests.mechanisms.learning.test_class_audit import supremum


def problem_at(factor, classes, epsilon, delta, features=1):
    """With so many times the comfortable lambda."""
    problem = MultinomialRisk(ridge=1.0, domain=Domain(features=features, norm_bound=1.0, classes=classes), max_weight=1.0)
    return replace(problem, ridge=factor * MULTINOMIAL.comfortable_ridge(problem, epsilon=epsilon, delta=delta, neighbours=ADD_REMOVE))


def by_pairs(problem, s, epsilon):
    """What sums over pairs of classes say, theorem M1."""
    shifts = ((2.0, problem.classes - 1), (0.0, 1))
    lines = jacobian_lines(problem)
    return min(excess(shifts, s, max(0.0, slope - 0.5 * s * s), np.array([epsilon - height]), problem.classes)[0] for height, slope in lines)


@pytest.mark.parametrize(("count", "square"), [(2, 3.0), (9, 12.0), (9, 0.5), (29, 6.0)])
def test_the_convolution_is_above_the_inverted_transform_and_next_to_it(count, square):
    stated, exact = -np.expm1(_within(count, square)), squares_beyond(count, _PLACES, square)
    assert np.all(stated >= exact - 1e-13)
    likely = exact > 1e-8
    assert np.all(stated[likely] < 1.06 * exact[likely])
    draws = np.random.default_rng(0).standard_normal((200_000, count))
    for place in np.flatnonzero((exact > 0.01) & (exact < 0.9))[::6]:
        shares = np.mean(np.sum(np.square(np.maximum(draws + _PLACES[place], 0.0)), axis=1) > square)
        assert shares == pytest.approx(exact[place], abs=5e-3)


@pytest.mark.parametrize("count", [2, 9, 29, 99])
def test_near_the_mean_of_the_squares_their_law_is_the_chi_square_distribution(count):
    """Of places so far up that no square is cut. Of 29 classes and more, terms far from the pole cancelled to 0 or 1 where it is a half."""
    places = np.linspace(6.5, 7.0, 9)
    mean, deviation = count * (1.0 + places[4] ** 2), np.sqrt(2.0 * count * (1.0 + 2.0 * places[4] ** 2))
    for away in (-8.0, -3.0, 0.0, 2.0, 7.0):
        square = mean + away * deviation
        if 0.05 < square < 5_000.0:
            exact = ncx2.sf(square, count, count * places**2)
            assert squares_beyond(count, places, square) == pytest.approx(exact, rel=1e-9, abs=2e-12), away


@pytest.mark.parametrize(("count", "square"), [(9, 0.5), (99, 544.0), pytest.param(99, 3_900.0, marks=pytest.mark.more)])
def test_the_transform_is_inverted_in_steps_that_are_short_enough(count, square):
    """Beside steps a fifth as long, and draws; at .03 throughout, 544 was exceeded with probability 1 where it is .12."""
    places = np.linspace(-2.0, 6.0, 33)
    found, finer = squares_beyond(count, places, square), squares_beyond(count, places, square, step=0.2 * min(0.03, 1.5 / square))
    seen = finer > 1e-30
    assert np.allclose(found[seen], finer[seen], rtol=1e-8)
    draws = np.random.default_rng(0).standard_normal((20_000, count))
    for place in np.flatnonzero((finer > 0.01) & (finer < 0.99)):
        shares = np.mean(np.sum(np.square(np.maximum(draws + places[place], 0.0)), axis=1) > square)
        assert shares == pytest.approx(found[place], abs=0.02)


@pytest.mark.parametrize(("factor", "classes", "epsilon"), [(0.25, 3, 1.0), (0.5, 4, 1.0), (0.5, 10, 0.5), (0.25, 10, 4.0)])
def test_the_bound_covers_samples_of_the_supremum_and_two_fifths_of_b_do_not(factor, classes, epsilon):
    """With the law of one line; a bend of two fifths, and half the shift, are caught."""
    delta = 1e-2
    problem = problem_at(factor, classes, epsilon, delta)
    s = problem.domain.radius / MULTINOMIAL.scale(problem, epsilon=epsilon, delta=delta, neighbours=ADD_REMOVE)
    line = (0.0, problem.jacobian_ratio)
    normal = np.random.default_rng(1).standard_normal((300_000, classes))
    scores = s * (normal - normal[:, :1]) + s * s
    scores[:, 0] = 0.0
    losses = -np.expm1(np.minimum(epsilon - supremum(scores, line[1] - 0.5 * s * s), 0.0))
    error = 4.0 * losses.std() / np.sqrt(len(losses))
    stated = supremum_delta(classes, s, [line], epsilon)
    assert losses.mean() - error < stated < 1.5 * losses.mean() + error
    assert supremum_delta(classes, s, [(0.0, 0.4 * line[1] + 0.3 * s * s)], epsilon) < losses.mean() - error
    assert supremum_delta(classes, 0.5 * s, [line], epsilon) < losses.mean() - error


@pytest.mark.at_most(2)
@pytest.mark.parametrize("factor", [pytest.param(0.2, marks=pytest.mark.slow), 0.4])
def test_exact_densities_keep_the_claim_and_less_noise_breaks_it(factor):
    """A record added to nobody and to many that push: three classes, one feature, both directions."""
    epsilon, delta = 1.0, 1e-4
    problem = problem_at(factor, 3, epsilon, delta)
    scale = MULTINOMIAL.scale(problem, epsilon=epsilon, delta=delta, neighbours=ADD_REMOVE)
    assert by_pairs(problem, 1.0 / scale, epsilon) > 1.05 * delta, "what the pairs ask for is more"

    def worst(noise):
        found = 0.0
        for others in ([((1.0,), 1, 1e-9)], [((1.0,), 1, 100.0), ((1.0,), 2, 90.0)]):
            pair = Labelled.of(3, *others, ((1.0,), 0, 1.0)), Labelled.of(3, *others)
            for one, other in (pair, pair[::-1]):
                found = max(found, delta_between(one, other, ridge=problem.ridge, scale=noise, epsilon=epsilon, nodes=31))
        return found

    assert worst(scale) <= delta
    assert worst(0.5 * scale) > 10.0 * delta


def check_recheck(classes=10, factor=0.5, epsilon=1.0, delta=1e-5):
    """What is fitted verifies, with less noise than pairs of classes ask for, and one percent less noise does not."""
    problem = problem_at(factor, classes, epsilon, delta, features=2)
    made = GaussianMultinomialPerturbation.calibrate(problem, epsilon=epsilon, delta=delta, neighbours=ADD_REMOVE)
    assert by_pairs(problem, 1.0 / made.scale, made.epsilon) > 1.5 * delta
    rows = Records(rows=as_matrix(np.ones((20, 2)) / 2), targets=np.arange(20) % classes, domain=problem.domain)
    released = made.run(problem, rows, SystemNoise())
    assert released.verify().ok, released.verify()
    assert not replace(released.certificate, parameters={**released.certificate.parameters, "scale": 0.99 * made.scale}).verify().ok


@pytest.mark.parametrize(("classes", "factor"), [(10, 0.2), *(pytest.param(*other, marks=pytest.mark.more) for other in ((3, 0.25), (30, 0.5)))])
def test_a_stranger_finds_the_same_and_refuses_less_noise(classes, factor):
    check_recheck(classes, factor)


def test_it_is_one_where_it_says_nothing():
    assert supremum_delta(10, 0.2, [(0.0, 0.01)], 1.0) == 1.0, "no bonus at all"
    assert supremum_delta(10, 0.2, [(2.0, 0.3)], 1.0) == 1.0, "the line alone is above epsilon"
