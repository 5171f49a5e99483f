"""Mirror descent on Poisson batches: the composed curve against exact laws, the batch, and the certificate."""

import math
from dataclasses import replace

import numpy as np
import pytest

from discreet.accounting import gaussian_delta
from discreet.accounting.subsampled import added_deltas, removed_deltas, subsampled_gaussian
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.losses.predictions import Absolute, Squared
from discreet.mechanisms.constrained.base import GaussianSteps
from discreet.mechanisms.constrained.mirror_sampled import SampledMirrorDescent, batch, sampled_delta
from discreet.noise import SeededNoise, SystemNoise
from discreet.objectives import sum_over_set
from discreet.sets import L1Ball, L2Ball
from discreet.verification.constrained import composed_batches
from tests.canary import CANARY, assert_silent
from tests.mechanisms.constrained.mirror_problems import data_set, line, regression


def calibrated(problem, **changes):
    return SampledMirrorDescent.calibrate(problem, **({"epsilon": 1.0, "delta": 1e-5, "rate": 0.1, "steps": 50, "neighbours": ADD_REMOVE} | changes))


@pytest.mark.parametrize(("mu", "rate"), [(1.0, 0.01), (0.3, 0.2), (3.0, 0.05), (0.5, 1.0)])
def test_one_step_has_the_curve_of_its_densities_in_both_directions(mu, rate):
    x = np.linspace(-15.0, 15.0 + mu, 600_001)
    width = x[1] - x[0]
    centred = np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)
    moved = (1 - rate) * centred + rate * np.exp(-0.5 * (x - mu) ** 2) / math.sqrt(2 * math.pi)
    for epsilon in (-2.0, -0.5, -0.01, 0.0, 0.01, 0.3, 1.0, 2.5):
        here = np.array([epsilon])
        for curve, p, q in ((removed_deltas, moved, centred), (added_deltas, centred, moved)):
            exact = width * np.sum(np.maximum(0.0, p - math.exp(epsilon) * q))
            found = curve(here, mu=mu, rate=rate)[0]
            assert exact * (1 - 1e-6) - 1e-9 <= found <= exact * (1 + 1e-6) + 1e-9


@pytest.mark.at_most(2)
@pytest.mark.parametrize(
    ("mu", "rate", "count", "epsilon"), [(1.0, 0.01, 100, 0.5), (0.5, 0.05, 400, 1.0), (1.0, 0.004, 10_000, 1.0), (2.0, 0.02, 300, 3.0)]
)
def test_the_composed_curve_is_just_above_the_true_one(mu, rate, count, epsilon):
    found = subsampled_gaussian(mu=mu, rate=rate, count=count).delta(epsilon)
    exact = composed_batches(mu, rate, count, 0.0, epsilon)
    assert exact <= found <= 1.003 * exact


def test_without_sampling_it_is_one_gaussian_mechanism():
    found = subsampled_gaussian(mu=0.03, rate=1.0, count=64, extra_mu=0.1).delta(1.0)
    exact = gaussian_delta(1.0, math.hypot(0.24, 0.1))
    assert exact <= found <= 1.005 * exact


def exact_delta(scale, shift, rate, epsilon):
    """One step whose integers are shifted by `shift` where the record takes part: the larger divergence of the two directions."""
    reach = int(9 * scale) + abs(shift)
    k = np.arange(-reach, reach + 1, dtype=float)

    def law(centre):
        weights = np.exp(-0.5 * np.square((k - centre) / scale))
        return weights / np.exp(-0.5 * np.square(np.arange(-20 * scale, 20 * scale) / scale)).sum()

    without = law(0)
    present = (1 - rate) * without + rate * law(shift)
    factor = math.exp(epsilon)
    return max(float(np.sum(np.maximum(0.0, a - factor * b))) for a, b in ((present, without), (without, present)))


@pytest.mark.parametrize("steps", [1, 2])
@pytest.mark.parametrize(("rate", "epsilon"), [(1 << 18, 0.3), (1 << 19, 1.0)])
def test_exact_laws_keep_the_claim_and_slips_are_caught(rate, epsilon, steps):
    """In one dimension, on a coarse grid; the record adds -1 to the gradient wherever the walk is."""
    problem = line()
    noise = GaussianSteps(count=steps, step=2.0**-10, scale=1100.0 if steps == 1 else 1500.0)
    claimed = sampled_delta(problem, rate=rate, steps=noise, epsilon=epsilon)
    share = rate / 2.0**20
    true = (exact_delta if steps == 1 else two_steps)(noise.scale, 1024, share, epsilon)
    assert 0.8 * claimed <= true <= claimed
    squared = sampled_delta(problem, rate=int(share * rate), steps=noise, epsilon=epsilon)
    assert true > 1.2 * squared
    if steps == 2:
        uncounted = sampled_delta(problem, rate=rate, steps=replace(noise, count=1), epsilon=epsilon)
        assert true > 1.2 * uncounted


def two_steps(scale, shift, rate, epsilon):
    """Two steps by the law of their losses, one step's being known on every eighth integer."""
    k = np.arange(-int(8 * scale), int(8 * scale) + shift, 8, dtype=float)
    without = np.exp(-0.5 * np.square(k / scale))
    present = (1 - rate) * without + rate * np.exp(-0.5 * np.square((k - shift) / scale))
    without, present = without / without.sum(), present / present.sum()
    factor = math.exp(epsilon)
    total = [0.0, 0.0]
    for a, b in zip(present, without, strict=True):
        total[0] += np.sum(np.maximum(0.0, a * present - factor * b * without))
        total[1] += np.sum(np.maximum(0.0, b * without - factor * a * present))
    return float(max(total))


def test_batches_have_their_rate_and_no_memory():
    drawn = np.concatenate([batch(SeededNoise(seed), 100_000, 1 << 17) for seed in range(4)])
    assert set(np.unique(drawn)) == {0.0, 1.0}
    assert abs(drawn.mean() - 0.125) < 5 * math.sqrt(0.125 * 0.875 / drawn.size)
    assert batch(SeededNoise(0), 1000, 1 << 20).all()
    assert abs(np.corrcoef(drawn[:-1], drawn[1:])[0, 1]) < 5 / math.sqrt(drawn.size)


@pytest.mark.parametrize("loss", [Squared(), Absolute()], ids=lambda loss: loss.name)
def test_a_release_lies_in_the_set_and_its_certificate_verifies(loss):
    problem, data = regression(L1Ball(dimension=4), loss, records=200, public=False)
    mechanism = calibrated(problem)
    assert 0.97 * 1e-5 <= mechanism.guarantee(problem).delta_at_epsilon <= 1e-5
    release = mechanism.run(problem, data, SystemNoise())
    assert problem.constraint.contains(release.value)
    release.verify().require()
    for name, value in (("scale", mechanism.noise_steps.scale * 0.95), ("rate", mechanism.rate * 2), ("steps", 80)):
        changed = {**release.certificate.parameters, name: value}
        assert not replace(release.certificate, parameters=changed).verify().ok, name


@pytest.mark.more
def test_it_learns():
    problem, data = regression(L2Ball(dimension=4), Squared(), records=4000)
    objective = sum_over_set(problem, data)
    values = [objective.value(calibrated(problem, steps=200).point(problem, objective, SeededNoise(seed))) for seed in range(3)]
    assert max(values) < 0.4 * objective.value(np.zeros(4))


def test_replace_one_and_numbers_out_of_range_are_refused_in_words():
    problem, _ = regression(L2Ball(dimension=2), Squared(), records=20)
    with pytest.raises(InvalidInput, match="add-remove"):
        calibrated(problem, neighbours=REPLACE_ONE)
    for changes, words in (({"rate": 0.0}, "rate"), ({"rate": 1.5}, "rate"), ({"epsilon": -1.0}, "epsilon"), ({"steps": 0}, "number of steps")):
        with pytest.raises(InvalidInput, match=words):
            calibrated(problem, **changes)


def test_a_canary_stays_silent():
    problem, _ = regression(L2Ball(dimension=2), Squared(), records=3)
    data = data_set(problem, [[CANARY, 1.0], [0.1, CANARY], [CANARY, -CANARY]], [CANARY, 1.0, 0.0])
    release = calibrated(problem, steps=5).run(problem, data, SystemNoise())
    assert_silent(release.certificate.to_json())
    assert_silent(release)
