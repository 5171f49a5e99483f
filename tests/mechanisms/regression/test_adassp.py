"""AdaSSP with joint noise: calibration, audit of the worst pair, eigenvalues, certificates."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from discreet.accounting import gaussian_mu
from discreet.certificates import Certificate
from discreet.core.errors import InfeasibleTarget
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.data import Domain
from discreet.mechanisms.regression import AdaSSP, LeastSquares
from discreet.mechanisms.regression.adassp import eigenvalue_error, eigenvalue_reach, least_eigenvalue
from discreet.noise import SeededNoise, SystemNoise
from tests.mechanisms.release.tables import invented, of

DOMAIN = Domain(features=2, norm_bound=1.0, target_bound=2.0)
PROBLEM = LeastSquares(domain=DOMAIN, most_records=1000)
BOTH = pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])


@BOTH
@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-8), (1.0, 1e-6), (10.0, 1e-5)])
def test_calibration_spends_the_budget_and_less_noise_than_three_answers(neighbours, epsilon, delta):
    made = AdaSSP.calibrate(PROBLEM, epsilon=epsilon, delta=delta, neighbours=neighbours)
    claim = made.guarantee(PROBLEM)
    assert claim.epsilon == epsilon
    assert 0.99 * delta < claim.delta_at_epsilon <= delta
    of_products = 1.0 if neighbours is ADD_REMOVE else math.sqrt(2.0)
    assert made.moment_noise < 0.85 * math.sqrt(3.0) * of_products / gaussian_mu(epsilon, delta)
    if epsilon <= 1:
        assert made.moment_noise < 0.55 * of_products * math.sqrt(math.log(6 / delta)) / (epsilon / 3)


def test_no_room_for_the_noise_is_refused():
    with pytest.raises(InfeasibleTarget, match="Declare a smaller most_records, or use a larger"):
        AdaSSP.calibrate(LeastSquares(domain=DOMAIN), epsilon=1e-7, delta=1e-12, neighbours=ADD_REMOVE)


def test_eigenvalues_are_exact_enough_and_one_record_moves_them_by_a_row_at_most():
    draw = np.random.default_rng(0)
    for count in (1, 2, 30):
        rows, targets = draw.normal(size=(count, 2)), draw.normal(size=count)
        values = [least_eigenvalue(PROBLEM, PROBLEM.moments(of(rows[:size], targets[:size], DOMAIN))) for size in (count - 1, count)]
        data = of(rows, targets, DOMAIN)
        wide = np.column_stack([data.matrix.matvec(unit) for unit in np.eye(2)])
        assert values[1] == pytest.approx(np.linalg.eigvalsh(wide.T @ wide)[0], abs=1e-3)
        assert -eigenvalue_error(PROBLEM) <= values[1] - values[0] <= eigenvalue_reach(PROBLEM)


def loss_of(made, first, second):
    """From data to the log ratio of the densities, first against second table, of what is released from it, drawn anew."""
    row, target = PROBLEM.row_unit, PROBLEM.target_unit
    scales = np.array(made.scales(PROBLEM)) * [2.0**-20, row**2, row**2, row * target]

    def flat(least, products, targets):
        return np.array([least / scales[0], *np.diag(products) / scales[1], products[0, 1] / scales[2], *targets / scales[3]])

    def mean(table):
        exact = PROBLEM.moments(table)
        return flat(least_eigenvalue(PROBLEM, exact), exact.products * row**2, exact.targets * row * target)

    of_first, of_second, noise = mean(first), mean(second), SystemNoise()

    def drawn(data):
        seen = flat(*made.released(PROBLEM, data, noise))
        return 0.5 * (np.sum((seen - of_second) ** 2) - np.sum((seen - of_first) ** 2))

    return drawn


@pytest.mark.slow
@BOTH
def test_a_bad_pair_keeps_the_claim_and_too_little_noise_breaks_it(neighbours):
    epsilon, delta, runs = 0.5, 0.05, 2500
    made = AdaSSP.calibrate(PROBLEM, epsilon=epsilon, delta=delta, neighbours=neighbours)
    others = [[0.0, 1.0]] * 3
    if neighbours is ADD_REMOVE:
        pair = of([*others, [1.0, 0.0]], [0, 0, 0, 2.0], DOMAIN), of(others, [0, 0, 0], DOMAIN)
    else:
        pair = of([*others, [1.0, 0.0]], [0, 0, 0, 2.0], DOMAIN), of([*others, [0.36, math.sqrt(1 - 0.36**2)]], [0, 0, 0, -2.0], DOMAIN)
    faults = [
        (made, True),
        (replace(made, moment_noise=0.3 * made.moment_noise), False),
        (replace(made, eigenvalue_noise=0.15 * made.eigenvalue_noise), False),
    ]
    for mechanism, holds in faults:
        loss = loss_of(mechanism, *pair)
        over = [np.array([loss(table) > epsilon for _ in range(runs)]) for table in pair]
        found = over[0].mean() - math.exp(epsilon) * over[1].mean()
        error = math.sqrt((over[0].var() + math.exp(2 * epsilon) * over[1].var()) / runs)
        assert (found < delta + 6 * error) if holds else (found > delta + 6 * error), (found, error)


@BOTH
def test_a_true_certificate_verifies_and_lies_do_not(neighbours):
    domain = replace(DOMAIN, intercept_scale=0.3, records=50 if neighbours is REPLACE_ONE else None)
    problem = LeastSquares(domain=domain)
    made = AdaSSP.calibrate(problem, epsilon=1.0, delta=1e-6, neighbours=neighbours)
    release = made.run(problem, invented(domain, 50), SystemNoise())
    assert release.verify().ok, release.verify()
    certificate = Certificate.from_dict(json.loads(release.certificate.to_json()))
    claim, numbers = certificate.guarantee, certificate.parameters
    lies = [replace(certificate, parameters={**numbers, name: 0.99 * numbers[name]}) for name in ("moment_noise", "epsilon")]
    lies += [
        replace(certificate, parameters={**numbers, "eigenvalue_noise": 0.9 * numbers["eigenvalue_noise"]}),
        replace(certificate, parameters={**numbers, "target_weight": 1.1 * numbers["target_weight"]}),
        replace(certificate, guarantee=replace(claim, delta_at_epsilon=0.999e-6)),
        replace(certificate, releases=2),
        replace(certificate, problem={}),
    ]
    assert not any(lie.verify().ok for lie in lies), [lie.verify().ok for lie in lies]


def test_the_ridge_is_taken_back_by_a_large_least_eigenvalue():
    draw = np.random.default_rng(3)
    rows = draw.uniform(-0.7, 0.7, (900, 2))
    data = of(rows, rows @ [1.0, -0.5], DOMAIN)
    made = AdaSSP.calibrate(PROBLEM, epsilon=20.0, delta=1e-3, neighbours=ADD_REMOVE)
    found = np.mean([made.run(PROBLEM, data, SeededNoise(seed)).value for seed in range(20)], axis=0)
    assert np.allclose(found, [1.0, -0.5], atol=0.03)
    assert made.largest_ridge(PROBLEM) > 0
