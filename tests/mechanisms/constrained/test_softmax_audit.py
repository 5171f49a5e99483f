"""Many classes over a set: transcripts of neighbours are as far apart as is claimed, the drawn noise is the calibrated one, slips are caught."""

from dataclasses import replace

import numpy as np
import pytest

from discreet.accounting import gaussian_delta
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.data import Domain, Records
from discreet.losses.softmax import Softmax
from discreet.matrices import as_matrix
from discreet.mechanisms.constrained.base import GaussianSteps, gradient_distance
from discreet.mechanisms.constrained.frank_wolfe import GaussianFrankWolfe, PolytopeFrankWolfe, scores_on_grid, span_in_steps
from discreet.mechanisms.constrained.mirror_descent import NoisyMirrorDescent
from discreet.mechanisms.constrained.objective_set import ObjectivePerturbationOverSet, without_set
from discreet.noise import SystemNoise
from discreet.objectives import sum_over_set
from discreet.problems import SoftmaxRisk
from discreet.sets import L1Ball, L2Ball

EPSILON, DELTA, STEPS = 1.0, 1e-4, 12
PAIRS = {ADD_REMOVE: ([], [0.0]), REPLACE_ONE: ([1.0], [0.0])}
"""Classes of the last record of two neighbouring tables, whose row is 1."""


def line(radius=3.0):
    """Three classes of one feature: at the vertex -radius of the first class, its records have the largest slope there is."""
    return SoftmaxRisk(
        loss=Softmax(classes=3), constraint=L1Ball(dimension=3, radius=radius), domain=Domain(features=1, norm_bound=1.0, target_bound=2.0)
    )


def table(problem, codes):
    return Records(rows=as_matrix(np.ones((len(codes) + 2, 1))), targets=np.array([1.0, 2.0, *codes]), domain=problem.domain)


def hidden(mechanism, problem, codes, monkeypatch):
    """What each step hides, (T, 3), where the same public answers lead to that vertex under either table."""
    seen = []

    def released(_steps, vector, _noise):
        seen.append(vector.copy())
        return np.array([1.0, 0.1, 0.0])

    with monkeypatch.context() as patch:
        patch.setattr(GaussianSteps, "release", released)
        mechanism.point(problem, sum_over_set(problem, table(problem, codes)), SystemNoise())
    return np.array(seen)


def true_delta(mechanism, problem, neighbours, monkeypatch):
    """Of Gaussian noise whose scale is far above a step of the grid: the transcripts are one Gaussian release of all that is hidden."""
    near, far = (hidden(mechanism, problem, codes, monkeypatch) for codes in PAIRS[neighbours])
    return gaussian_delta(EPSILON, float(np.linalg.norm(near - far)) / mechanism.noise_steps.deviation)


@pytest.mark.parametrize("kind", [GaussianFrankWolfe, NoisyMirrorDescent])
@pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])
def test_transcripts_keep_their_claim_and_wrong_slopes_are_caught(kind, neighbours, monkeypatch):
    problem = line()
    made = kind.calibrate(problem, epsilon=EPSILON, delta=DELTA, neighbours=neighbours, steps=STEPS)
    found = true_delta(made, problem, neighbours, monkeypatch)
    assert found <= made.delta(problem) <= DELTA
    if kind is GaussianFrankWolfe and neighbours is ADD_REMOVE:
        assert found >= 0.1 * DELTA  # all steps but the first are at the vertex
        own = problem.loss.largest(problem.margin_spread)[0] / problem.slope_bound  # as if a record moved the gradient of its own class alone
        slipped = replace(made, noise_steps=replace(made.noise_steps, scale=own * made.noise_steps.scale))
        assert true_delta(slipped, problem, neighbours, monkeypatch) > DELTA


@pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])
def test_scores_of_vertices_move_by_their_span_and_no_more(neighbours):
    problem = line()
    made = PolytopeFrankWolfe.calibrate(problem, epsilon=EPSILON, delta=DELTA, neighbours=neighbours, steps=STEPS)
    point = np.array([-3.0, 0.0, 0.0])
    near, far = (
        scores_on_grid(problem.constraint, sum_over_set(problem, table(problem, codes)).gradient(point), made.grid_step)
        for codes in PAIRS[neighbours]
    )
    moved = np.ptp(far - near)
    assert moved <= span_in_steps(problem, neighbours, made.grid_step)
    assert moved >= (0.99 if neighbours is ADD_REMOVE else 0.5) * span_in_steps(problem, neighbours, made.grid_step)


def test_the_noise_in_the_objective_is_found_in_what_leaves_and_half_of_it_is_not():
    problem = SoftmaxRisk(
        loss=Softmax(classes=3), constraint=L2Ball(dimension=3, radius=1e4), domain=Domain(features=1, norm_bound=1.0, target_bound=2.0, records=3)
    )
    made = ObjectivePerturbationOverSet.calibrate(problem, epsilon=EPSILON, delta=DELTA, neighbours=REPLACE_ONE)
    head, plain = without_set(problem, made.ridge)
    assert head.delta(plain, scale=made.scale, epsilon=made.epsilon, neighbours=REPLACE_ONE) <= DELTA
    assert head.delta(plain, scale=0.5 * made.scale, epsilon=made.epsilon, neighbours=REPLACE_ONE) > 10 * DELTA
    objective = sum_over_set(problem, table(problem, [0.0]))
    plainly = replace(objective, each=objective.each.unclipped)
    drawn = [-(plainly.gradient(point) + made.ridge * point) for point in (made.point(problem, objective, SystemNoise()) for _ in range(300))]
    assert 0.6 < np.mean(np.square(drawn)) / made.scale**2 < 1.5  # 900 squares of normals: seven standard errors


def check_slopes():
    """No record moves the gradient farther than the noise is for: at the vertex where it moves it as far, and at any other place that is asked."""
    problem = line()
    for place in (-3.0, -900.0):
        beside, alone = (sum_over_set(problem, table(problem, codes)).gradient(np.array([place, 0.0, 0.0])) for codes in ([0.0], []))
        assert np.linalg.norm(beside - alone) <= gradient_distance(problem, ADD_REMOVE)
        assert np.abs(beside - alone).max() == pytest.approx(problem.coordinate_bound, rel=1e-9)  # 1 far out, were it not shortened


def test_slopes_are_shortened_at_whatever_point_is_asked():
    check_slopes()
