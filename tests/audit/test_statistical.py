"""Audits of black boxes. A right mechanism is reported with a probability of at most 1 - confidence, here 1e-8."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from discreet import ConstrainedERM, LogisticRegression
from discreet.audit import Claim, audit
from discreet.audit.fits import many_fits, single_fits
from discreet.audit.statistical import lower_share, upper_share
from discreet.core.errors import InvalidInput
from discreet.ledger import Ledger, using
from discreet.noise import SeededNoise, SystemNoise

SURE = 1 - 1e-8
NOISE = SystemNoise()


def laplace(scale):
    return lambda shift, count: shift + NOISE.spherical(rate=1.0 / scale, dimension=1, draws=count).T


def test_noise_that_is_wide_enough_passes_and_narrower_noise_is_caught():
    claim = Claim(epsilon=1.0)
    assert not audit(laplace(1.0), (0.0, 1.0), claim, runs=4000, confidence=SURE, batch=True).violated
    found = audit(laplace(0.5), (0.0, 1.0), claim, runs=8000, batch=True)
    assert found.violated
    assert 1.0 < found.bound < 2.0, "the truth is 2"
    assert found.advantage < math.tanh(1.0) + 0.2
    assert {event.likelier for event in found.events} == {"the first", "the second"}


def test_a_black_box_gets_another_seed_for_every_run():
    seen = []

    def run(shift, seed):
        seen.append(seed)
        return shift + SeededNoise(seed).gaussian(scale=3.0, dimension=1, draws=1)[0, 0]

    audit(run, (0.0, 1.0), Claim(epsilon=3.0, delta=0.1), runs=100)
    assert sorted(seen) == list(range(200))


def test_correlated_outputs_are_told_apart_by_their_difference():
    """Each output alone hides the record; noise that both share does not."""

    def run(shift, count):
        shared = NOISE.gaussian(scale=100.0, dimension=1, draws=count).T
        return np.column_stack((shared, shared + shift + NOISE.gaussian(scale=0.3, dimension=1, draws=count).T))

    assert audit(run, (0.0, 1.0), Claim(epsilon=1.0), runs=1000, batch=True).bound > 2.0


def test_unlike_variances_are_seen():
    def run(scale, count):
        return NOISE.gaussian(scale=scale, dimension=6, draws=count).T

    assert audit(run, (1.0, 2.0), Claim(epsilon=1.0), runs=1000, batch=True).bound > 1.0


def test_an_interval_is_found_where_no_threshold_is():
    """Mass in the middle on one table, at both ends on the other."""

    def run(middle, count):
        uniform = (NOISE.words()(count) >> np.uint64(11)).astype(float) * 2.0**-53
        return 0.25 + 0.5 * uniform if middle else np.where(uniform < 0.5, uniform * 0.5, 0.5 + uniform * 0.5)

    assert audit(run, (True, False), Claim(epsilon=1.0), runs=1000, batch=True).bound > 2.0


def test_a_small_region_across_two_outputs_is_found():
    """One run in eight lies on a short diagonal, on one table only: no single output shows it, nor a straight line, nor an ellipse."""

    def run(planted, count):
        z = np.column_stack([NOISE.gaussian(scale=scale, dimension=1, draws=count)[0] for scale in (3.0, 30.0)])
        if planted:
            chosen = NOISE.words()(count) < np.uint64(2.0**64 / 8)
            z[chosen, 1] = 4.0 + np.abs(z[chosen, 1]) % 5.0
            z[chosen, 0] = -z[chosen, 1] + 0.2 * z[chosen, 0]
        return z

    assert audit(run, (True, False), Claim(epsilon=0.5), runs=8000, batch=True).violated


def test_a_failure_to_answer_is_an_output_too():
    """NaN on one table only."""

    def run(works, count):
        return np.full(count, 1.0 if works else math.nan)

    assert audit(run, (True, False), Claim(epsilon=1.0), runs=200, batch=True).violated


def test_constant_outputs_show_nothing():
    report = audit(lambda table, seed: 3.0, (0, 1), Claim(epsilon=0.0), runs=200)
    assert (report.bound, report.advantage, report.violated) == (0.0, 0.0, False)


def test_arguments_out_of_range_are_refused():
    claim = Claim(epsilon=1.0)
    for runs in (99, 1e4, True):
        with pytest.raises(InvalidInput, match="at least 100 runs"):
            audit(laplace(1.0), (0.0, 1.0), claim, runs=runs, batch=True)
    for confidence in (0.4, 1.0):
        with pytest.raises(InvalidInput, match="the confidence of an audit"):
            audit(laplace(1.0), (0.0, 1.0), claim, confidence=confidence, batch=True)
    with pytest.raises(InvalidInput, match="must return numbers"):
        audit(lambda table, seed: "yes", (0, 1), claim, runs=100)
    with pytest.raises(InvalidInput, match="outputs of one shape"):
        audit(lambda table, count: np.zeros((count, table)), (1, 2), claim, runs=100, batch=True)
    with pytest.raises(InvalidInput, match="first axis"):
        audit(lambda table, count: np.zeros(3), (1, 2), claim, runs=100, batch=True)


def test_progress_is_told_to_its_end():
    told = []
    audit(laplace(1.0), (0.0, 1.0), Claim(epsilon=1.0), runs=1200, batch=True, progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (2400, 2400)
    assert [done for done, _ in told] == sorted({done for done, _ in told})


def test_estimators_run_with_fresh_noise_only():
    table = np.eye(3), np.array([-1, 1, 1])
    fits = many_fits(LogisticRegression(classes=[-1, 1]))(table, 5)
    assert fits.shape == (5, 4)
    assert len(np.unique(fits[:, 0])) == 5
    assert single_fits(ConstrainedERM(classes=[-1, 1], loss="logistic"))(table, 2).shape == (2, 3)
    for wrap, model in ((many_fits, LogisticRegression(random_state=1)), (single_fits, ConstrainedERM(random_state=1))):
        with pytest.raises(InvalidInput, match="independent fits"):
            wrap(model)


def test_no_ledger_records_the_runs(tmp_path):
    ledger = Ledger.create(tmp_path / "a.ledger")
    ledger.declare("people", epsilon=1.0)
    run = many_fits(LogisticRegression(classes=[-1, 1]))
    with using(tmp_path / "a.ledger", "people"):
        audit(run, ((np.eye(3), [-1, 1, 1]), (np.eye(3), [1, 1, 1])), Claim(epsilon=1.0), runs=100, batch=True)
    assert ledger.history("people") == ()


@pytest.mark.parametrize("failure", [1e-6, 1e-3, 0.2])
@pytest.mark.parametrize("runs", [1, 7, 60])
def test_the_bounds_fail_at_most_as_often_as_they_say(runs, failure):
    counts = np.arange(runs + 1)
    lower, upper = lower_share(counts, runs, failure), upper_share(counts, runs, failure)
    for share in np.concatenate((np.linspace(0.0, 1.0, 101), lower, upper)):
        masses = binom.pmf(counts, runs, share)
        # At a bound itself the count that gave it may or may not be above: it fails with `failure` in the limit.
        assert masses[lower > share].sum() <= failure * (1 + 1e-6)
        assert masses[upper < share].sum() <= failure * (1 + 1e-6)


def test_extreme_counts_have_their_closed_forms():
    assert lower_share(10, 10, 0.01) == pytest.approx(0.01**0.1, rel=1e-8)
    assert upper_share(0, 10, 0.01) == pytest.approx(1 - 0.01**0.1, rel=1e-8)
    assert lower_share(0, 10, 0.01) == 0.0
    assert upper_share(10, 10, 0.01) == 1.0


def test_bounds_that_were_too_tight_would_be_seen():
    """The plug-in share instead of a bound fails about half of the time."""
    counts = np.arange(61)
    assert binom.pmf(counts, 60, 0.5)[counts / 60 > 0.5].sum() > 0.4
