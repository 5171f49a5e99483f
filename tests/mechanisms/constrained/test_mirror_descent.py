"""Noisy mirror descent: what it states, what it computes, and how near the minimum it comes."""

from dataclasses import replace

import numpy as np
import pytest

from discreet.accounting import gaussian_delta
from discreet.certificates import Certificate
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.data import Domain, Records
from discreet.losses.predictions import Absolute, Hinge, LogCosh, Squared
from discreet.matrices import as_matrix
from discreet.mechanisms.constrained.base import gradient_distance
from discreet.mechanisms.constrained.mirror_descent import NoisyMirrorDescent
from discreet.noise import SeededNoise, SystemNoise
from discreet.objectives import sum_over_set
from discreet.problems import ConstrainedRisk
from discreet.sets import Box, L1Ball, L2Ball, Simplex
from discreet.sets.mirror_maps import map_names, mirror_map_named
from tests.canary import CANARY, assert_silent
from tests.mechanisms.constrained.mirror_problems import data_set, line, regression

SETS = [L1Ball(dimension=5), L2Ball(dimension=5), Simplex(dimension=5), Box(lower=[-0.5] * 5, upper=[0.5] * 5)]


def calibrated(problem, **changes):
    return NoisyMirrorDescent.calibrate(problem, **({"epsilon": 1.0, "delta": 1e-6, "neighbours": REPLACE_ONE} | changes))


@pytest.mark.parametrize("constraint", SETS, ids=lambda constraint: constraint.name)
@pytest.mark.parametrize("loss", [Squared(), Absolute(), Hinge()], ids=lambda loss: loss.name)
def test_a_release_lies_in_the_set_and_its_certificate_verifies(constraint, loss):
    problem, data = regression(constraint, loss, records=60)
    mechanism = calibrated(problem, steps=20)
    release = mechanism.run(problem, data, SystemNoise())
    assert constraint.contains(release.value)
    assert release.certificate.guarantee.delta_at_epsilon <= 1e-6
    release.verify().require()
    Certificate.from_dict(release.certificate.to_dict()).verify(release.value).require()


@pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])
@pytest.mark.parametrize("steps", [1, 10, 1000])
def test_many_steps_cost_one_gaussian_mechanism(neighbours, steps):
    problem = line(records=50, loss=LogCosh())
    mechanism = calibrated(problem, steps=steps, neighbours=neighbours)
    mu = gradient_distance(problem, neighbours) * np.sqrt(steps) / mechanism.noise_steps.deviation
    assert 0.999 * 1e-6 <= mechanism.guarantee(problem).delta_at_epsilon <= 1e-6
    assert gaussian_delta(1.0, mu) <= 1e-6 <= gaussian_delta(1.0, 1.001 * mu)


def test_a_recheck_catches_a_smaller_scale():
    problem, data = regression(L1Ball(dimension=3), Squared(), records=40)
    certificate = calibrated(problem, steps=9).run(problem, data, SystemNoise()).certificate
    assert certificate.verify().ok
    for name, value in (("scale", certificate.parameters["scale"] / 1.1), ("steps", 12), ("neighbours", "add-remove"), ("grid_step", 0.3)):
        assert not replace(certificate, parameters={**certificate.parameters, name: value}).verify().ok, name


def test_the_walk_is_mirror_descent(monkeypatch):
    """Without noise, and on a grid too fine to see: the four schedules by hand."""
    problem, data = regression(L1Ball(dimension=4), LogCosh(), records=30)
    objective = sum_over_set(problem, data)
    for ridge, name in ((0.0, "p-norm"), (0.0, "entropy"), (0.0, "euclidean"), (2.0, "euclidean"), (2.0, "entropy"), (2.0, "power")):
        mechanism = calibrated(problem, steps=6, mirror_map=name, ridge=ridge)
        with monkeypatch.context() as patch:
            patch.setattr(type(mechanism.noise_steps), "release", lambda self, vector, noise: vector)
            found = mechanism.point(problem, objective, SeededNoise(0))
        made = mirror_map_named(name, problem.constraint)
        states, points = [made.start()], [made.point(made.start())]
        for t in range(1, 7):
            gradient, at = objective.gradient(points[-1]), states[-1]
            if mechanism.plan.schedule == "composite":
                eta = 2.0 / (ridge * t)
                at = made.conjugate_gradient(made.gradient(at) / (1.0 + eta * ridge))
                eta /= 1.0 + eta * ridge
            elif ridge:
                gradient, eta = gradient + ridge * (points[-1] - points[0]), 2.0 / (ridge * (t + 1))
            else:
                eta = mechanism.plan.step_size
            states.append(made.step(at, eta * gradient))
            points.append(made.point(states[-1]))
        weights = {"smooth": [0.0] + [1.0] * 6, "lipschitz": [1.0] * 7, "strongly-convex": np.arange(1.0, 8.0), "composite": np.arange(2.0, 9.0)}[
            mechanism.plan.schedule
        ]
        np.testing.assert_allclose(found, np.average(points, axis=0, weights=weights), atol=1e-12)


def least(problem, objective):
    """The minimum over the set by accelerated projected gradients; smooth losses."""
    length = problem.smoothness * objective.records
    ahead = point = problem.constraint.project(np.zeros(problem.dimension))
    for k in range(3000):
        following = problem.constraint.project(ahead - objective.gradient(ahead) / length)
        ahead, point = following + k / (k + 3.0) * (following - point), following
    return objective.value(point)


@pytest.mark.more
@pytest.mark.parametrize("constraint", [L1Ball(dimension=6), L2Ball(dimension=6), Simplex(dimension=6)], ids=lambda constraint: constraint.name)
@pytest.mark.parametrize("ridge", [0.0, 200.0])
def test_the_mean_excess_is_below_its_bound_for_every_map(constraint, ridge):
    problem, data = regression(constraint, Squared(), records=400)
    objective = sum_over_set(problem, data)
    best = least(problem, objective)
    for name in map_names(constraint):
        mechanism = calibrated(problem, steps=60, mirror_map=name, ridge=ridge, epsilon=4.0)
        excess = np.mean([objective.value(mechanism.point(problem, objective, SeededNoise(seed))) - best for seed in range(5)])
        assert 0.0 <= excess <= mechanism.plan.excess, name


@pytest.mark.more
@pytest.mark.parametrize("name", ["entropy", "euclidean"])
def test_a_ridge_of_the_potential_is_minimised_too(name, monkeypatch):
    """Without noise the walk ends near the minimum of F + lambda Psi, within theorem A.1."""
    constraint = Simplex(dimension=3)
    problem, data = regression(constraint, Squared(), records=50)
    objective, made = sum_over_set(problem, data), mirror_map_named(name, constraint)
    mechanism = calibrated(problem, steps=400, mirror_map=name, ridge=40.0)
    monkeypatch.setattr(type(mechanism.noise_steps), "release", lambda self, vector, noise: vector)

    def total(point):
        return objective.value(point) + 40.0 * (made.value(np.maximum(point, 1e-12)) - made.value(made.start()))

    grid = [np.array([a, b, max(0.0, 1.0 - a - b)]) for a in np.linspace(0, 1, 101) for b in np.linspace(0, 1 - a, 101)]
    best = min(total(point) for point in grid)
    found = total(mechanism.point(problem, objective, SeededNoise(0)))
    assert best - 1e-2 <= found <= best + mechanism.plan.excess - 40.0 * made.range
    assert found < 0.5 * (best + total(min(grid, key=objective.value)))


def test_more_records_come_nearer_the_minimum():
    found = []
    for records in (200, 20_000):
        problem, data = regression(L2Ball(dimension=4), Squared(), records=records)
        objective = sum_over_set(problem, data)
        value = calibrated(problem, steps=200).point(problem, objective, SeededNoise(1))
        found.append((objective.value(value) - least(problem, objective)) / records)
    assert found[1] < 0.1 * found[0]


def test_clipped_slopes_take_less_noise():
    problem, data = regression(L2Ball(dimension=3), Squared(), records=50)
    clipped = replace(problem, max_slope=0.5)
    whole, less = calibrated(problem, steps=5), calibrated(clipped, steps=5)
    assert less.noise_steps.deviation == pytest.approx(whole.noise_steps.deviation * 0.5 / problem.slope_bound, rel=1e-3)
    less.run(clipped, data_set(clipped, [[1.0, 0.0, 0.0]], [1.0]), SystemNoise()).verify().require()
    assert data.domain == clipped.domain


def test_private_numbers_of_records_do_not_enter_the_plan():
    plans = set()
    for records in (30, 90):
        problem, data = regression(L1Ball(dimension=3), Squared(), records=records, public=False)
        mechanism = calibrated(problem, neighbours=ADD_REMOVE)
        plans.add((mechanism.plan, mechanism.noise_steps))
        assert sum_over_set(problem, data).records == records
    assert len(plans) == 1


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"epsilon": 0.0}, "epsilon"),
        ({"delta": 0.0}, "delta"),
        ({"steps": 0}, "number of steps"),
        ({"mirror_map": "p-norms"}, "mirror_map must be one of"),
        ({"ridge": -1.0}, "ridge"),
        ({"ridge": 1.0, "mirror_map": "entropies"}, "mirror_map must be one of"),
    ],
)
def test_bad_arguments_are_refused_in_words(changes, words):
    problem, _ = regression(L1Ball(dimension=3), Squared(), records=10)
    with pytest.raises(InvalidInput, match=words):
        calibrated(problem, **changes)


def test_a_canary_stays_silent():
    domain = Domain(features=2, norm_bound=1.0, records=3, target_bound=1.0)
    problem = ConstrainedRisk(loss=Squared(), constraint=L1Ball(dimension=2), domain=domain)
    data = Records(rows=as_matrix(np.array([[CANARY, 1.0], [0.1, CANARY], [CANARY, -CANARY]])), targets=np.array([CANARY, 1.0, 0.0]), domain=domain)
    release = calibrated(problem, steps=3).run(problem, data, SystemNoise())
    assert_silent(release.certificate.to_json())
    assert_silent(release)
