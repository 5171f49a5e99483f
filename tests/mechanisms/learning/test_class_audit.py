"""Exact and sampled privacy losses of many classes against claims: the right noise passes, planted faults are caught."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.accounting import gaussian_delta
from discreet.audit.densities import Counted, perturbation_and_logdet
from discreet.audit.densities import minimiser as one_minimiser
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.data import Domain
from discreet.losses import Logistic, SoftplusHinge
from discreet.mechanisms.learning.class_mixture import STICK, cell_edges, lifts, most_gained
from discreet.mechanisms.learning.margin import MARGIN
from discreet.mechanisms.learning.multinomial import MULTINOMIAL, Multinomial
from discreet.mechanisms.learning.one_vs_rest import ONE_VS_REST
from discreet.problems import MultinomialRisk, OneVsRestRisk
from tests.mechanisms.learning.class_densities import Labelled, complement, delta_between, log_ratios, minimiser, noise_and_hessians

K = 3
OTHERS = {
    "nobody": [((0.0,), 0, 1.0)],
    "a few": [((1.0,), 1, 3.0), ((-1.0,), 2, 5.0)],
    "many that push": [((1.0,), 1, 100.0)],
}


def multinomial(ridge, classes=K, features=1):
    return MultinomialRisk(ridge=ridge, domain=Domain(features=features, norm_bound=1.0, classes=classes, records=1000), max_weight=1.0)


def comfortable(epsilon, delta, neighbours, factor=1.0, **shape):
    return factor * MULTINOMIAL.comfortable_ridge(multinomial(1.0, **shape), epsilon=epsilon, delta=delta, neighbours=neighbours)


@pytest.mark.at_most(1)
@pytest.mark.parametrize("others", OTHERS)
@pytest.mark.parametrize("factor", [pytest.param(0.4, marks=pytest.mark.slow), 1.0, pytest.param(4.0, marks=pytest.mark.slow)])
def test_multinomial_add_remove_keeps_its_claim_and_less_noise_breaks_it(others, factor):
    epsilon, delta = 1.0, 1e-4
    ridge = comfortable(epsilon, delta, ADD_REMOVE, factor)
    scale = MULTINOMIAL.scale(multinomial(ridge), epsilon=epsilon, delta=delta, neighbours=ADD_REMOVE)
    with_it, without = Labelled.of(K, *OTHERS[others], ((1.0,), 0, 1.0)), Labelled.of(K, *OTHERS[others])

    def worst(noise):
        pairs = ((with_it, without), (without, with_it))
        return max(delta_between(*pair, ridge=ridge, scale=noise, epsilon=epsilon, nodes=37) for pair in pairs)

    assert worst(scale) <= delta
    if others == "many that push" and factor == 1:
        assert worst(scale) > 0.1 * delta
        assert worst(scale / np.sqrt(2.0)) > 5.0 * delta, "a sensitivity of R for sqrt(2) R"
        assert worst(0.5 * scale) > 50.0 * delta


@pytest.mark.parametrize("second", [((-1.0,), 0), ((1.0,), 1), ((-1.0,), 2), ((0.5,), 0)], ids=str)
@pytest.mark.parametrize("others", ["nobody", pytest.param("a few", marks=pytest.mark.slow)])
def test_multinomial_replace_one_keeps_its_claim_on_the_line(second, others):
    epsilon, delta = 1.0, 1e-4
    ridge = comfortable(epsilon, delta, REPLACE_ONE)
    scale = MULTINOMIAL.scale(multinomial(ridge), epsilon=epsilon, delta=delta, neighbours=REPLACE_ONE)
    first, other = Labelled.of(K, *OTHERS[others], ((1.0,), 0, 1.0)), Labelled.of(K, *OTHERS[others], (*second, 1.0))
    for pair in ((first, other), (other, first)):
        assert delta_between(*pair, ridge=ridge, scale=scale, epsilon=epsilon, nodes=37) <= delta


def test_a_missing_factor_two_under_replace_one_is_caught():
    """Nearly opposite rows, and others that keep class 1 certain at both: the shift is close to 2 sqrt(2) R."""
    epsilon, delta, angle, draws = 1.0, 1e-2, 0.2, 15_000
    ridge = comfortable(epsilon, delta, REPLACE_ONE, features=2)
    problem = multinomial(ridge, features=2)
    here, there = (np.cos(angle), np.sin(angle)), (-np.cos(angle), np.sin(angle))
    others = [((0.0, 0.02), 1, 200_000.0)]
    pair = Labelled.of(K, *others, (here, 0, 1.0)), Labelled.of(K, *others, (there, 0, 1.0))
    standard = np.random.default_rng(0).standard_normal((draws, 4))

    def reached(scale):
        return float(np.mean(-np.expm1(np.minimum(epsilon - log_ratios(standard * scale, *pair, ridge=ridge, scale=scale), 0.0))))

    right = MULTINOMIAL.scale(problem, epsilon=epsilon, delta=delta, neighbours=REPLACE_ONE)
    wrong = MULTINOMIAL.scale(problem, epsilon=epsilon, delta=delta, neighbours=ADD_REMOVE)
    assert 0.1 * delta < reached(right) < delta
    assert reached(wrong) > 3.0 * delta


def supremum(scores, bend):
    """sup over probabilities of <p, A> + bend (1 - |p|^2), rows of scores (m, K): projection on the simplex."""
    ordered = -np.sort(-scores, axis=1)
    thresholds = (np.cumsum(ordered, axis=1) - 2.0 * bend) / np.arange(1, scores.shape[1] + 1)
    active = np.sum(ordered > thresholds, axis=1)
    level = thresholds[np.arange(len(scores)), active - 1]
    p = np.maximum(scores - level[:, np.newaxis], 0.0) / (2.0 * bend)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    return np.sum(p * scores, axis=1) + bend * (1.0 - np.sum(p * p, axis=1))


@pytest.mark.parametrize("factor", [0.5, 1.0])
def test_the_bound_covers_the_supremum_over_probabilities_and_one_class_alone_does_not(factor):
    """What M1 proves a bound of, sampled: with all K classes; a bound without the factor K - 1 is broken by the sample."""
    epsilon, delta, classes = 1.0, 2e-2, 4
    ridge = comfortable(epsilon, delta, ADD_REMOVE, factor, classes=classes)
    problem = multinomial(ridge, classes=classes)
    scale = MULTINOMIAL.scale(problem, epsilon=epsilon, delta=delta, neighbours=ADD_REMOVE)
    s, bend = 1.0 / scale, 1.0 / ridge - 0.5 / scale**2
    normal = np.random.default_rng(1).standard_normal((400_000, classes))
    scores = s * (normal - normal[:, :1]) + s * s
    scores[:, 0] = 0.0
    worst = -np.expm1(np.minimum(epsilon - supremum(scores, bend), 0.0))
    error = 4.0 * worst.std() / np.sqrt(len(worst))
    assert worst.mean() - error < delta
    assert worst.mean() > 0.5 * delta
    assert worst.mean() - error > gaussian_delta(epsilon, np.sqrt(2.0) * s), "K - 1 classes cost more than one"


def test_without_its_factor_m1_is_false_and_for_weak_regularisation_the_factor_is_nearly_attained():
    """One record added to nothing: the law without it against the law with it, beside one Gaussian mechanism of sensitivity sqrt(2) R."""
    epsilon, delta = 1.0, 1e-4
    with_it, without = Labelled.of(K, ((1.0,), 0, 1.0)), Labelled.of(K, ((1.0,), 0, 1e-9))
    comfortable_scale = MULTINOMIAL.scale(multinomial(comfortable(epsilon, delta, ADD_REMOVE)), epsilon=epsilon, delta=delta, neighbours=ADD_REMOVE)
    ridge = comfortable(epsilon, delta, ADD_REMOVE, 0.4)
    scale = MULTINOMIAL.scale(multinomial(ridge), epsilon=epsilon, delta=delta, neighbours=ADD_REMOVE)
    for one_ridge, one_scale, least in ((ridge, scale, 1.5), (0.05, comfortable_scale, 1.9)):
        reached = delta_between(without, with_it, ridge=one_ridge, scale=one_scale, epsilon=epsilon, nodes=61)
        assert least < reached / gaussian_delta(epsilon, np.sqrt(2.0) / one_scale) <= K - 1.0


@given(left=st.floats(-1.0, 0.0), right=st.floats(0.0, 1.0), tilt=st.floats(-1.5, 1.5), level=st.floats(-3.0, 3.0), classes=st.integers(3, 100))
def test_no_point_of_a_cell_gains_more_than_its_bound(left, right, tilt, level, classes):
    """Also of the cell at 0, where the bonus has its peak: forty points in every cell, against the formula of lemma 3."""
    bend, share = 0.5, 1.0 - 1.0 / classes
    edges = cell_edges(left, right)
    bounds = most_gained(level + tilt * edges, *lifts(edges, bend, share), 0.0, STICK)
    inside = edges[:-1, np.newaxis] + np.diff(edges)[:, np.newaxis] * np.linspace(0.0, 1.0, 41)
    larger = level + tilt * inside + 0.5 * np.abs(inside)
    lifted = larger + share * np.square(2.0 * bend - np.abs(inside)) / (4.0 * bend)
    gained = np.expm1(-np.maximum(larger, 0.0)) - np.expm1(-np.maximum(lifted, 0.0))
    assert np.all(gained <= bounds[:, np.newaxis] + 1e-13)


def test_the_comparison_lemma_on_samples():
    """Longer shifts at the same mutual distances are easier to tell apart (lemma 2), here with a bonus for close pairs."""
    epsilon, s, bend = 0.5, 0.4, 0.1
    normal = np.random.default_rng(2).standard_normal((400_000, 4))
    found = []
    for squares in ([2.0, 2.0, 0.0], [4.0, 3.0, 1.5], [8.0, 6.0, 2.0]):
        lengths = np.array(squares) * s * s
        covariance = 0.5 * (lengths[:, np.newaxis] + lengths - 2.0 * s * s * (1.0 - np.eye(3)))
        values, vectors = np.linalg.eigh(covariance)
        assert values.min() > -1e-12
        scores = normal[:, :3] @ (vectors * np.sqrt(np.maximum(values, 0.0))).T + 0.5 * lengths
        found.append(np.mean(-np.expm1(np.minimum(epsilon - supremum(scores, bend), 0.0))))
    assert found[0] < found[1] < found[2]


@pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])
@pytest.mark.parametrize("factor", [0.4, 1.0])
def test_pure_multinomial_noise_keeps_its_claim_and_less_of_it_breaks_it(neighbours, factor):
    epsilon = 1.0
    ridge = comfortable(epsilon, 0.0, neighbours, factor)
    rate = MULTINOMIAL.rate(multinomial(ridge), epsilon=epsilon, neighbours=neighbours)
    assert MULTINOMIAL.epsilon(multinomial(ridge), rate=rate, neighbours=neighbours) <= epsilon
    second = [] if neighbours is ADD_REMOVE else [((1.0,), 1, 1.0)]
    base = [((1.0,), 1, 100.0), ((1.0,), 2, 80.0)]
    pair = Labelled.of(K, *base, ((1.0,), 0, 1.0)), Labelled.of(K, *base, *second)
    axis = np.linspace(-300.0, 300.0, 101)
    points = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2) / ridge

    def worst(noise_rate):
        (b, here), (other, there) = (noise_and_hessians(points, data, ridge) for data in pair)
        logs = np.linalg.slogdet(here)[1] - np.linalg.slogdet(there)[1]
        return float(np.abs(noise_rate * (np.linalg.norm(other, axis=1) - np.linalg.norm(b, axis=1)) + logs).max())

    assert worst(rate) <= epsilon * (1 + 1e-9)
    less = 2.0 if neighbours is ADD_REMOVE else 4.0  # on the line two records of one row move the noise by half of what is possible
    assert worst(less * rate) > 1.2 * epsilon


@pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])
def test_pure_multinomial_noise_is_all_needed(neighbours):
    """M3 is attained: far across both rows one wrong class is certain for both, and others who are certain too turn the noise along the shift."""
    epsilon, angle = 1.0, 0.05
    ridge = comfortable(epsilon, 0.0, neighbours, features=2)
    rate = MULTINOMIAL.rate(multinomial(ridge, features=2), epsilon=epsilon, neighbours=neighbours)
    here, there = (np.cos(angle), np.sin(angle)), (-np.cos(angle), np.sin(angle))
    if neighbours is ADD_REMOVE:
        pair, towards = (Labelled.of(K, ((0.0, 0.0), 0, 1.0)), Labelled.of(K, (here, 0, 1.0))), here
    else:
        others = [((np.cos(angle), -np.sin(angle)), 1, 1e7)]
        pair, towards = (Labelled.of(K, *others, (here, 0, 1.0)), Labelled.of(K, *others, (there, 0, 1.0))), (0.0, 1.0)
    wrong = complement(K).T @ np.array([-1.0, 1.0, 0.0])
    point = 1000.0 * np.outer(towards, wrong).reshape(1, -1)
    (b, hessian), (other, other_hessian) = (noise_and_hessians(point, data, ridge) for data in pair)
    logs = np.linalg.slogdet(hessian)[1] - np.linalg.slogdet(other_hessian)[1]
    reached = abs(float((rate * (np.linalg.norm(other, axis=1) - np.linalg.norm(b, axis=1)) + logs)[0]))
    assert (0.999 if neighbours is ADD_REMOVE else 0.99) * epsilon < reached <= epsilon * (1 + 1e-9)


@pytest.mark.at_most(2)
@pytest.mark.parametrize("loss", [Logistic(), SoftplusHinge(temperature=0.5)], ids=repr)
@pytest.mark.parametrize("factor", [0.25, 0.5, 1.0, 20.0])
def test_one_vs_rest_keeps_its_claim_and_noise_for_one_class_breaks_it(loss, factor):
    """K independent problems on the line, each with others that pull against the record: losses add."""
    epsilon, delta = 1.0, 1e-4
    domain = Domain(features=1, norm_bound=1.0, classes=K, records=1000)

    def problem(ridge):
        return OneVsRestRisk(loss=loss, ridge=ridge, domain=domain)

    ridge = factor * ONE_VS_REST.comfortable_ridge(problem(1.0), epsilon=epsilon, delta=delta, neighbours=ADD_REMOVE)
    scale = ONE_VS_REST.scale(problem(ridge), epsilon=epsilon, delta=delta, neighbours=ADD_REMOVE)
    assert ONE_VS_REST.delta(problem(ridge), scale=scale, epsilon=epsilon, neighbours=ADD_REMOVE) <= delta
    others = ((-1.0,), 3e4 * ridge)
    without, with_it = Counted.of(others), Counted.of(others, ((1.0,), 1.0))
    axis = np.linspace(-7.5, 7.5, 151)
    weights = np.exp(-0.5 * axis**2) * (axis[1] - axis[0]) / np.sqrt(2.0 * np.pi)

    def reached(noise):
        b = axis[:, np.newaxis] * noise
        f = one_minimiser(b, with_it, loss, np.array([ridge]))
        (b, here), (other, there) = (perturbation_and_logdet(f, data, loss, np.array([ridge])) for data in (with_it, without))
        losses = (np.sum(other**2, axis=1) - np.sum(b**2, axis=1)) / (2.0 * noise**2) + here - there
        together = losses[:, np.newaxis, np.newaxis] + losses[:, np.newaxis] + losses
        density = weights[:, np.newaxis, np.newaxis] * weights[:, np.newaxis] * weights
        return float(np.sum(density * -np.expm1(np.minimum(epsilon - together, 0.0))))

    assert reached(scale) <= delta * (1 + 2e-3)  # the quadrature's own error, as with exactly Gaussian losses
    assert reached(scale) > (0.9 if factor == 20.0 else 0.1) * delta
    alone = MARGIN.scale(problem(ridge).each, epsilon=epsilon, delta=delta, neighbours=ADD_REMOVE)
    assert reached(alone) > 3.0 * delta


def test_with_enough_regularisation_one_vs_rest_is_one_gaussian_of_sqrt_k():
    domain = Domain(features=1, norm_bound=1.0, classes=10, records=1000)
    scale = 20.0
    strong = OneVsRestRisk(loss=Logistic(), ridge=2.0 * scale**2 * (1 + 1e-9), domain=domain)
    weak = OneVsRestRisk(loss=Logistic(), ridge=1.8 * scale**2, domain=domain)
    for neighbours, changed in ((ADD_REMOVE, 1.0), (REPLACE_ONE, 2.0)):
        exact = gaussian_delta(1.0, changed * np.sqrt(10.0) / scale)
        assert ONE_VS_REST.delta(strong, scale=scale, epsilon=1.0, neighbours=neighbours) == pytest.approx(exact, rel=1e-9)
        assert exact < ONE_VS_REST.delta(weak, scale=scale, epsilon=1.0, neighbours=neighbours) < 1.05 * exact


@pytest.mark.parametrize("classes", [3, 10, 100])
@pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])
def test_only_the_logarithm_of_the_number_of_classes_is_paid(classes, neighbours):
    epsilon, delta, over_sets = 1.0, 1e-5, Multinomial(others=True)  # without M4, which pays for no class where lambda is strong
    problem = multinomial(1e6, classes=classes)
    scale = over_sets.scale(problem, epsilon=epsilon, delta=delta, neighbours=neighbours)
    moved = np.sqrt(2.0) * (1.0 if neighbours is ADD_REMOVE else 2.0)
    share = (classes - 1) * gaussian_delta(epsilon, moved / scale) / delta
    assert share == pytest.approx(1.0, rel=1e-3) if neighbours is ADD_REMOVE else 0.3 < share < 1.0
    assert over_sets.delta(problem, scale=scale, epsilon=epsilon, neighbours=neighbours) <= delta
    comfortable_scale = over_sets.scale(
        multinomial(comfortable(epsilon, delta, neighbours, classes=classes), classes=classes), epsilon=epsilon, delta=delta, neighbours=neighbours
    )
    assert comfortable_scale < (1.18 if classes == 100 else 1.06) * scale


def test_the_audit_solves_its_own_equation():
    data = Labelled.of(K, ((1.0, 0.3), 0, 2.0), ((-0.4, 0.8), 2, 7.0))
    noise = np.random.default_rng(3).standard_normal((50, 4)) * 5.0
    np.testing.assert_allclose(noise_and_hessians(minimiser(noise, data, 0.7), data, 0.7)[0], noise, atol=1e-7)
