"""The exact law of a mirror-descent transcript in one dimension: the right noise keeps its claim, two classical slips are caught."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.signal import fftconvolve

from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.mechanisms.constrained.base import GaussianSteps, gradient_distance
from discreet.mechanisms.constrained.mirror_descent import NoisyMirrorDescent
from discreet.noise import SeededNoise
from discreet.objectives import sum_over_set
from tests.mechanisms.constrained.mirror_problems import data_set, line

EPSILON, DELTA, STEPS = 1.0, 1e-3, 9
PAIRS = {
    ADD_REMOVE: ([[1.0]], [[1.0], [1.0]]),
    REPLACE_ONE: ([[1.0], [1.0]], [[1.0], [-1.0]]),
}
"""Rows of two neighbouring tables; all targets are 1, so a row x adds -x to the gradient wherever the walk is."""


class Silent(SeededNoise):
    """Noise of zeros, so that what is released is what would be hidden."""

    __slots__ = ()

    def discrete_gaussian(self, *, scale, dimension, draws):
        return np.zeros((dimension, draws), dtype=np.int64)


def calibrated(problem, neighbours, *, fineness=256.0):
    """A mechanism on a coarse grid, on which laws can be written down: the step is a public parameter, and the noise is calibrated for it."""
    fine = NoisyMirrorDescent.calibrate(problem, epsilon=EPSILON, delta=DELTA, neighbours=neighbours, steps=STEPS)
    step = 2.0 ** np.floor(np.log2(gradient_distance(problem, neighbours) / fineness))
    scale = fine.noise_steps.scale * fine.noise_steps.step / step
    coarse = GaussianSteps(count=STEPS, step=step, scale=scale)
    while coarse.delta(EPSILON, distance=gradient_distance(problem, neighbours), dimension=1) > DELTA:
        coarse = replace(coarse, scale=coarse.scale * (1.0 + 1e-4))
    return replace(fine, noise_steps=coarse)


def hidden(mechanism, problem, rows, monkeypatch):
    """The integers that the steps of one run hide, as the mechanism itself asks for them."""
    seen = []
    release = GaussianSteps.release

    def watched(steps, vector, noise):
        found = release(steps, vector, noise)
        seen.append(int(found[0] / steps.step))
        return found

    with monkeypatch.context() as patch:
        patch.setattr(GaussianSteps, "release", watched)
        mechanism.point(problem, sum_over_set(problem, data_set(problem, rows, np.ones(len(rows)))), Silent(0))
    return seen


def true_delta(scale, ours, theirs):
    """delta at EPSILON of the transcripts: the likelihood ratio of k + K_1 .. k + K_T to k' + K_1 .. depends on the sum alone."""
    (mine,), (other,) = set(ours), set(theirs)
    assert len(ours) == len(theirs)
    reach = int(9 * scale)
    k = np.arange(-reach, reach + 1, dtype=float)
    one = np.exp(-0.5 * np.square(k / scale))
    one /= one.sum()
    total = one
    for _ in ours[1:]:
        total = fftconvolve(total, one)
    sums = np.arange(len(total)) - (len(total) - 1) / 2.0
    shift = mine - other
    loss = shift * (2.0 * sums + len(ours) * shift) / (2.0 * scale**2)
    return float(np.sum(np.maximum(total, 0.0) * np.maximum(0.0, -np.expm1(EPSILON - loss))))


def audited(mechanism, problem, neighbours, monkeypatch):
    near, far = (hidden(mechanism, problem, rows, monkeypatch) for rows in PAIRS[neighbours])
    assert len(near) == STEPS
    scale = mechanism.noise_steps.scale
    return max(true_delta(scale, near, far), true_delta(scale, far, near))


@pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])
def test_the_calibrated_noise_keeps_its_claim_and_nearly_reaches_it(neighbours, monkeypatch):
    problem = line(records=2)
    mechanism = calibrated(problem, neighbours)
    found = audited(mechanism, problem, neighbours, monkeypatch)
    claimed = mechanism.guarantee(problem).delta_at_epsilon
    assert 0.95 * claimed <= found <= claimed <= DELTA


@pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])
def test_noise_for_one_step_is_caught_over_many(neighbours, monkeypatch):
    problem = line(records=2)
    mechanism = calibrated(problem, neighbours)
    steps = mechanism.noise_steps
    weak = replace(mechanism, noise_steps=replace(steps, scale=steps.scale / np.sqrt(STEPS)))
    assert audited(weak, problem, neighbours, monkeypatch) > 10 * DELTA


def test_add_remove_noise_is_caught_for_replaced_records(monkeypatch):
    problem = line(records=2)
    weak = calibrated(problem, ADD_REMOVE)
    assert audited(weak, problem, REPLACE_ONE, monkeypatch) > 10 * DELTA


def test_weak_noise_makes_a_weak_statement():
    problem = line(records=2)
    mechanism = calibrated(problem, REPLACE_ONE)
    steps = mechanism.noise_steps
    weak = replace(mechanism, noise_steps=replace(steps, scale=steps.scale / np.sqrt(STEPS)))
    assert weak.guarantee(problem).delta_at_epsilon > 10 * DELTA
