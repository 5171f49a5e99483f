"""Hessians are built up as far as they pay, and the minimiser is the same whatever was built."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.losses import HuberHinge, Logistic, SoftplusHinge
from discreet.matrices import DenseMatrix
from discreet.objectives.objective import MarginObjective
from discreet.solvers import solve
from discreet.solvers.directions import CholeskyDirections
from discreet.solvers.newton import minimise

LOSSES = [Logistic(), SoftplusHinge(temperature=0.3), HuberHinge(half_width=0.01)]


class Dear(MarginObjective):
    """An objective whose Hessians cost as much as those of a wide table."""

    hessian_passes = (9.0, 40.0)


def _objective(kind, seed, loss, *, count, dimension, ridge, noise=1.0, decay=0.0):
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((count, dimension)) * (1.0 + np.arange(dimension)) ** -decay
    rows = rows @ np.linalg.qr(rng.standard_normal((dimension, dimension)))[0]
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    linear = rng.standard_normal(dimension)
    linear *= noise / np.linalg.norm(linear)
    return kind(matrix=DenseMatrix(rows), signs=rng.choice([-1.0, 1.0], count), weights=rng.random(count), loss=loss, ridge=ridge, linear=linear)


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    count=st.sampled_from([1, 3, 40, 200]),
    dimension=st.integers(1, 8),
    ridge=st.sampled_from([1e-3, 1e-1, 10.0]),
    noise=st.sampled_from([1e-2, 1.0, 1e2, 1e5]),
    decay=st.sampled_from([0.0, 3.0]),
)
def test_every_loss_converges_by_stages(loss, seed, count, dimension, ridge, noise, decay):
    objective = _objective(Dear, seed, loss, count=count, dimension=dimension, ridge=ridge, noise=noise, decay=decay)
    tolerance = 1e-9 * count + 1e-14 * noise
    solution = minimise(objective, CholeskyDirections(tolerance=tolerance), tolerance=tolerance, start=np.zeros(dimension))
    assert objective.certified_gradient_norm(solution.weights) <= tolerance


@pytest.mark.each_with_each
@pytest.mark.parametrize(("decay", "ridge", "built"), [(0.0, 20.0, set()), (1.5, 1e-3, {"sampled"})])
def test_a_hessian_is_built_only_where_steps_without_it_are_slow(monkeypatch, decay, ridge, built):
    made = set()

    def noted(name, work):
        def note(self, *given, **named):
            made.add(name)
            return work(self, *given, **named)

        return note

    monkeypatch.setattr(Dear, "sampled_hessian", noted("sampled", MarginObjective.sampled_hessian))
    monkeypatch.setattr(Dear, "hessian", noted("whole", MarginObjective.hessian))
    given = {"count": 2000, "dimension": 60, "decay": decay, "ridge": ridge}
    weights = solve(_objective(Dear, 5, Logistic(), **given), tolerance=1e-8).weights
    assert made & {"sampled", "whole"} >= built
    assert bool(made) is bool(built)
    np.testing.assert_allclose(
        weights, solve(_objective(MarginObjective, 5, Logistic(), **given), tolerance=1e-8).weights, atol=1e-4 if built else 1e-8
    )


def test_a_sampled_hessian_is_near_that_of_all_records():
    objective = _objective(MarginObjective, 1, Logistic(), count=40_000, dimension=20, ridge=3.0)
    curvatures = objective.curvatures(objective.margins(np.zeros(20)))
    whole, sampled = objective.hessian(curvatures), objective.sampled_hessian(curvatures)
    assert not np.array_equal(whole, sampled)
    np.testing.assert_allclose(np.trace(sampled), np.trace(whole), rtol=0.2)
    assert np.linalg.norm(sampled - whole, 2) < 1.2 * np.linalg.norm(whole, 2)
    diagonal = 1.0 / objective.sampled_inverse_diagonal(curvatures)(np.ones((20, 1)))[:, 0]
    np.testing.assert_allclose(diagonal, np.diag(whole), rtol=0.2)
