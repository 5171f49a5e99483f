"""Gaussian mixing and iterative Hessian mixing: curves, audit, certificates, and that they fit."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from discreet.accounting import gaussian_delta, gaussian_mu
from discreet.certificates import Certificate
from discreet.core.errors import InfeasibleTarget, InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE, Persons
from discreet.data import Domain, Records
from discreet.matrices import as_matrix
from discreet.mechanisms.regression import GaussianMixing, HessianMixing, LeastSquares
from discreet.mechanisms.regression.hessian_mixing import sketch_profile
from discreet.mechanisms.regression.mixing import drawn_moments, of_records, sketched
from discreet.mechanisms.release.answers import exact_moments
from discreet.mechanisms.release.profiles import replace_delta, zero_out_delta
from discreet.noise import SeededNoise, SystemNoise
from discreet.verification.shared_sketch import shared_composed
from discreet.verification.sketch import composed
from tests.mechanisms.release.tables import invented, of

DOMAIN = Domain(features=2, norm_bound=1.0, target_bound=2.0, intercept_scale=0.3)
PROBLEM = LeastSquares(domain=DOMAIN)
BOTH = pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])
MADE = pytest.mark.parametrize("kind", [GaussianMixing, HessianMixing])


@BOTH
@MADE
def test_calibration_spends_the_budget(neighbours, kind):
    made = kind.calibrate(PROBLEM, epsilon=1.0, delta=1e-6, neighbours=neighbours, rows=300)
    claim = made.guarantee(PROBLEM)
    assert claim.epsilon == 1.0
    assert 0.99e-6 < claim.delta_at_epsilon <= 1e-6
    assert claim.secret


@BOTH
@pytest.mark.parametrize(("rows", "ratio", "mu"), [(50, 0.02, 0.3), (2000, 0.002, 0.1)])
def test_the_curve_of_sketch_and_gradients_is_an_integral_that_has_both_as_its_limits(neighbours, rows, ratio, mu):
    alone = (zero_out_delta if neighbours is ADD_REMOVE else replace_delta)(0.4, rows, ratio).value
    assert composed(neighbours, 0.4, rows, ratio, 1e-4) == pytest.approx(alone, rel=1e-2)
    assert composed(neighbours, 0.4, rows, 1e-9, mu) == pytest.approx(gaussian_delta(0.4, mu), rel=1e-3)
    assert composed(neighbours, 0.4, rows, ratio, mu) > max(alone, gaussian_delta(0.4, mu))


@BOTH
@MADE
def test_a_true_certificate_verifies_and_lies_do_not(neighbours, kind):
    domain = replace(DOMAIN, records=50 if neighbours is REPLACE_ONE else None)
    problem = LeastSquares(domain=domain)
    made = kind.calibrate(problem, epsilon=1.0, delta=1e-6, neighbours=neighbours, rows=300)
    release = made.run(problem, invented(domain, 50), SystemNoise())
    assert release.verify().ok, release.verify()
    certificate = Certificate.from_dict(json.loads(release.certificate.to_json()))
    claim, numbers = certificate.guarantee, certificate.parameters
    of_sketch = "sketch_" if kind is HessianMixing else ""
    changes = {
        f"{of_sketch}variance": int(0.95 * numbers[f"{of_sketch}variance"]),
        f"{of_sketch}rows": 400,
        f"{of_sketch}scale": 0.5 * numbers[f"{of_sketch}scale"],
        f"{of_sketch}least_eigenvalue": 1e6,
        "epsilon": 0.9,
        **({"step_noise": 0.98 * numbers["step_noise"], "steps": 4} if kind is HessianMixing else {"target_weight": 0.6}),
    }
    lies = [replace(certificate, parameters={**numbers, name: value}) for name, value in changes.items()]
    lies += [
        replace(certificate, guarantee=replace(claim, delta_at_epsilon=0.9e-6)),
        replace(certificate, guarantee=replace(claim, neighbours=REPLACE_ONE if neighbours is ADD_REMOVE else ADD_REMOVE)),
        replace(certificate, releases=2),
        replace(certificate, problem={}),
    ]
    assert not any(lie.verify().ok for lie in lies), [lie.verify().ok for lie in lies]


def test_a_sketch_has_the_second_moments_of_the_records_and_its_noise():
    data = of(np.tile([[0.8, -0.6]], (3000, 1)), np.full(3000, 2.0), DOMAIN)
    made = GaussianMixing.calibrate(PROBLEM, epsilon=5.0, delta=1e-4, neighbours=ADD_REMOVE, rows=4000)
    query = sketched(PROBLEM, target_weight=made.target_weight)
    found = drawn_moments(made.sketch, query, of_records(PROBLEM, data, query), SystemNoise())
    record = np.array([0.8, -0.6, 0.3, made.target_weight * DOMAIN.radius])
    expected = 3000 * np.outer(record, record) + made.sketch.noise_variance(query) * np.eye(4)
    error = np.sqrt((np.outer(np.diag(expected), np.diag(expected)) + expected**2) / 4000)
    assert np.all(np.abs(found - expected) < 6.5 * error)


def test_wrong_numbers_are_refused():
    for steps in (0, 2.5, 1001):
        with pytest.raises(InvalidInput, match="steps"):
            HessianMixing.calibrate(PROBLEM, epsilon=1.0, delta=1e-6, neighbours=ADD_REMOVE, steps=steps)
    with pytest.raises(InvalidInput, match="rows"):
        GaussianMixing.calibrate(PROBLEM, epsilon=1.0, delta=1e-6, neighbours=ADD_REMOVE, rows=0)
    with pytest.raises(InfeasibleTarget):
        HessianMixing.calibrate(LeastSquares(domain=DOMAIN, most_records=1 << 40), epsilon=1e-3, delta=1e-6, neighbours=ADD_REMOVE)


@pytest.mark.slow
def test_sketch_and_gradients_keep_their_curve_and_a_third_of_the_noise_breaks_it():
    """The law of the sketch of one record and of none is known: the log ratio of all that is released, drawn anew from the records."""
    domain = Domain(features=1, norm_bound=1.0, target_bound=1.0)
    problem = LeastSquares(domain=domain, most_records=1000)
    epsilon, delta, runs = 0.5, 0.05, 3000
    made = HessianMixing.calibrate(problem, epsilon=epsilon, delta=delta, neighbours=ADD_REMOVE, rows=30, steps=2)
    query = sketched(problem, target_weight=None)
    one, none = of([[1.0]], [1.0], domain), of(np.zeros((0, 1)), [], domain)
    variance, noise = made.sketch.noise_variance(query), SystemNoise()
    for mechanism, holds in ((made, True), (replace(made, step_noise=made.step_noise / 3.0), False)):

        def loss(table, used=mechanism):
            squares = 30 * float(drawn_moments(used.sketch, query, of_records(problem, table, query), noise)[0, 0])
            total = 0.5 * squares * (1 / variance - 1 / (variance + 1.0)) - 15 * math.log((variance + 1.0) / variance)
            for _ in range(2):
                seen = float(used.noisy_gradient(problem, table, noise, np.zeros(1), 1.0)[0])
                total += (seen - 0.5) / used.step_noise**2
            return total

        over = [np.array([loss(table) > epsilon for _ in range(runs)]) for table in (one, none)]
        found = over[0].mean() - math.exp(epsilon) * over[1].mean()
        error = math.sqrt((over[0].var() + math.exp(2 * epsilon) * over[1].var()) / runs)
        assert abs(found - delta) < 6 * error if holds else found > delta + 6 * error, (found, error)


@BOTH
@MADE
def test_with_a_large_budget_it_is_least_squares(neighbours, kind):
    draw = np.random.default_rng(3)
    rows = draw.uniform(-0.7, 0.7, (5000, 2))
    data = of(rows, rows @ [1.0, -0.5] + 0.2 + 0.1 * draw.normal(size=5000), replace(DOMAIN, records=5000))
    problem = LeastSquares(domain=data.domain)
    made = kind.calibrate(problem, epsilon=20.0, delta=1e-3, neighbours=neighbours, rows=1000)
    found = np.mean([made.run(problem, data, SeededNoise(seed)).value for seed in range(15)], axis=0)
    assert np.allclose(found, [1.0, -0.5, 0.2 / 0.3], atol=0.05)


def test_a_profile_is_that_of_the_sketch_from_its_first_point_on():
    made = HessianMixing.calibrate(PROBLEM, epsilon=1.0, delta=1e-6, neighbours=ADD_REMOVE, rows=300)
    profile = sketch_profile(PROBLEM, made.sketch, 1.0)
    query = sketched(PROBLEM, target_weight=None)
    at = made.sketch.epsilon
    assert made.sketch.delta(query) <= profile.delta(at) <= 1.2 * made.sketch.delta(query)
    assert profile.delta(0.0) < 0.2
    assert gaussian_mu(at, 1e-6) == pytest.approx(math.sqrt(0.5) * gaussian_mu(1.0, 1e-6), rel=1e-3)


@BOTH
@MADE
def test_persons_of_equal_rows_are_records_at_their_noise(neighbours, kind):
    """Four rows of weight 1/4 give the sums of one row, to the rounding of each; certificates with less noise are refused."""
    single, problem = invented(DOMAIN, 150), LeastSquares(domain=replace(DOMAIN, persons=Persons(rows=4)))
    rows, targets = single.matrix.plain()[:, :2].repeat(4, axis=0), single.targets.repeat(4)
    shared = Records(rows=as_matrix(rows), targets=targets, domain=problem.domain, weights=np.full(600, 0.25))
    queries = [sketched(one, target_weight=0.5) for one in (PROBLEM, problem)]
    sums = [exact_moments(query, of_records(PROBLEM, data, query)) * query.unit**2 for query, data in zip(queries, (single, shared), strict=True)]
    assert np.allclose(*sums, atol=1e-3)
    made = kind.calibrate(problem, epsilon=1.0, delta=1e-6, neighbours=neighbours, rows=300)
    document = made.run(problem, shared, SystemNoise()).certificate.to_dict()
    assert Certificate.from_dict(document).verify().ok
    size = "variance" if kind is GaussianMixing else "step_noise"
    document["parameters"][size] = type(document["parameters"][size])(0.99 * document["parameters"][size])
    assert "delta" in {check.name for check in Certificate.from_dict(document).verify().checks if not check.ok}


@BOTH
@pytest.mark.parametrize(("rows", "ratio", "mu"), [(50, 0.02, 0.3), (2000, 0.002, 0.1)])
def test_the_bound_of_persons_is_a_little_above_the_curve_of_sketch_and_gradients(neighbours, rows, ratio, mu):
    exact, bound = (curve(neighbours, 0.8, rows, ratio, mu) for curve in (composed, shared_composed))
    assert exact < bound < 1.2 * exact
