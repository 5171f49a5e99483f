"""ROC, AUC and calibration against values known in closed form, and their bands against many drawings."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score, roc_curve

from discreet.evaluation import NoiseLaw
from discreet.evaluation.curves import area_under_curve, calibration_curve
from discreet.evaluation.curves import roc_curve as noisy_curve
from discreet.noise.laws import DiscreteGaussian, DiscreteLaplace
from tests.evaluation.people import drawn

EDGES = tuple(i / 20 for i in range(1, 20))
NONE = NoiseLaw.of(DiscreteGaussian(0.05))


def counted(X, y):
    bins = np.searchsorted(EDGES, X[:, 0], side="left")
    return np.array([np.bincount(bins[y == label], minlength=20) for label in ("no", "yes")], dtype=float)


def test_without_noise_points_are_those_of_scikit_learn():
    X, y = drawn(5000)
    curve = noisy_curve(counted(X, y), EDGES, NONE, NONE, level=0.95)
    false_alarms, hits, thresholds = roc_curve(y == "yes", np.ceil(20 * X[:, 0]) / 20, drop_intermediate=False)
    known = {round(float(t), 6): (f, h) for f, h, t in zip(false_alarms, hits, thresholds, strict=True) if t <= 1}
    for threshold, alarm, hit in zip(curve.thresholds, curve.false_alarms, curve.hits, strict=True):
        assert (alarm, hit) == pytest.approx(known[round(threshold + 0.05, 6)])
    assert curve.area.value == pytest.approx(roc_auc_score(y == "yes", np.ceil(20 * X[:, 0])))
    assert curve.area.low < roc_auc_score(y == "yes", X[:, 0]) < curve.area.high


def simulate(scale, records, drawings, level=0.9):
    """Curves of independent samples with drawn noise."""
    law, row = NoiseLaw.of(DiscreteGaussian(scale)), NoiseLaw.of(DiscreteGaussian(scale), count=20)
    draw = np.random.default_rng(0)
    for seed in range(drawings):
        counts = counted(*drawn(records, seed)) + draw.choice(law.values, (2, 20), p=law.masses)
        yield counts, noisy_curve(counts, EDGES, law, row, level=level)


@pytest.mark.parametrize(("scale", "records"), [(4.0, 1500), (12.0, 1500)])
def test_bands_hold_the_curve_of_the_population_and_areas_their_value(scale, records):
    """Of the oracle: hits 1 - t^2, false alarms (1 - t)^2, area 5/6 less what bins of 1/20 hide. 200 drawings at level 0.9."""
    t = np.array(EDGES[::-1])
    true_hits, true_alarms = 1 - t**2, (1 - t) ** 2
    first, second = np.diff([0, *true_alarms, 1])[::-1], np.diff([0, *true_hits, 1])[::-1]
    area = float(second @ (np.cumsum(first) - 0.5 * first))
    assert area == pytest.approx(5 / 6, abs=2e-3)
    outside = missed = forgetful = 0
    for _, curve in simulate(scale, records, 200):
        alarms, hits = (np.array(band) for band in (curve.false_alarm_band, curve.hit_band))
        outside += not (
            np.all((alarms[:, 0] <= true_alarms) & (true_alarms <= alarms[:, 1])) and np.all((hits[:, 0] <= true_hits) & (true_hits <= hits[:, 1]))
        )
        missed += not curve.area.low <= area <= curve.area.high
        forgetful += not curve.area.value - 0.017 <= area <= curve.area.value + 0.017  # 1.645 times the sampling error alone
    assert outside <= 20
    assert missed <= 45
    if scale > 10:
        assert forgetful > missed


RARE = {
    "bells": ([0.01, 0.02, 0.06, 0.13, 0.24, 0.24, 0.17, 0.08, 0.04, 0.01], [0.0, 0.01, 0.02, 0.05, 0.11, 0.19, 0.24, 0.2, 0.12, 0.06]),
    "two scores": ([0, 0, 0.8, 0, 0, 0, 0, 0.2, 0, 0], [0, 0, 0.3, 0, 0, 0, 0, 0.7, 0, 0]),
    "calibrated": ([0.8, 0.12, 0.05, 0.02, 0.01] + [0.0] * 15, [0.35, 0.25, 0.15, 0.1, 0.06, 0.04, 0.03, 0.02] + [0.0] * 12),
    "a few misjudged": ([0, 0, 0, 0, 1, 0, 0, 0, 0, 0], [0.04, 0, 0, 0, 0, 0, 0, 0, 0, 0.96]),
}


@pytest.mark.at_most(2)
@pytest.mark.parametrize("population", RARE)
@pytest.mark.parametrize(
    "law",
    [NoiseLaw.of(DiscreteLaplace(0.5)), NoiseLaw.of(DiscreteGaussian(6.0)), NoiseLaw.of(DiscreteLaplace(20.0))],
    ids=["weak", "middling", "strong"],
)
def test_areas_of_a_rare_class_are_covered(population, law):
    """50 of 1,000 records, and noise on the class up to three times as large: at most two points below the level in 500 seeded drawings."""
    first, second = (np.array(row, dtype=float) for row in RARE[population])
    area = second @ (np.cumsum(first) - 0.5 * first)
    draw = np.random.default_rng(0)
    covered = own = 0
    for _ in range(500):
        rare = draw.binomial(1000, 0.05)
        counts = np.array([draw.multinomial(1000 - rare, first), draw.multinomial(rare, second)], dtype=float)
        these = counts[1] @ (np.cumsum(counts[0]) - 0.5 * counts[0]) / counts.sum(axis=1).prod()
        found = area_under_curve(counts + draw.choice(law.values, counts.shape, p=law.masses), law, level=0.95)
        covered += found.low <= area <= found.high
        own += found.noise_low <= these <= found.noise_high
    assert covered >= 465
    assert own >= 465


def test_an_area_says_nothing_where_noise_drowns_a_class_and_something_where_it_does_not():
    counts = 50.0 * np.array([RARE["bells"][0], RARE["bells"][1]])
    widths = []
    for scale in (60.0, 0.3):
        found = area_under_curve(counts, NoiseLaw.of(DiscreteGaussian(scale)), level=0.95)
        widths.append((found.high - found.low, found.noise_high - found.noise_low))
    assert widths[0][0] > 0.9
    assert widths[1][0] < 0.3
    assert widths[1][1] < 0.05


def test_curves_rise_whatever_the_noise():
    law, row = NoiseLaw.of(DiscreteLaplace(30.0)), NoiseLaw.of(DiscreteLaplace(30.0), count=20)
    draw = np.random.default_rng(1)
    for _ in range(50):
        counts = draw.integers(0, 20, (2, 20)) + draw.choice(law.values, (2, 20), p=law.masses)
        curve = noisy_curve(counts, EDGES, law, row, level=0.95)
        for shares, band in ((curve.false_alarms, curve.false_alarm_band), (curve.hits, curve.hit_band)):
            assert list(shares) == sorted(shares)
            assert all(0.0 <= low <= share <= high <= 1.0 for share, (low, high) in zip(shares, band, strict=True))
        assert 0.0 <= curve.area.low <= curve.area.value <= curve.area.high <= 1.0


def test_a_class_of_which_nothing_is_left_says_nothing():
    curve = noisy_curve(np.zeros((2, 20)) - 5.0, EDGES, NoiseLaw.of(DiscreteGaussian(4.0)), NoiseLaw.of(DiscreteGaussian(4.0), count=20), level=0.95)
    assert (curve.area.low, curve.area.high) == (0.0, 1.0)
    assert curve.hit_band[3] == (0.0, 1.0)


def test_calibration_intervals_hold_the_share_of_each_bin():
    """A calibrated model: the share in (a, b] is (a + b) / 2. 20 bins of 60 samples at level 0.9: 120 misses expected at most."""
    law, missed, empty = NoiseLaw.of(DiscreteGaussian(5.0)), 0, 0
    for counts, _ in simulate(5.0, 3000, 60):
        for one in calibration_curve(counts, EDGES, law, level=0.9).bins:
            if one.share is None:
                empty += 1
            else:
                middle = 0.5 * (one.lowest + one.highest)
                missed += not one.share.low <= middle <= one.share.high
    assert empty == 0
    assert missed < 160


def test_bins_without_records_are_left_open():
    counts = np.zeros((2, 20))
    counts[:, 3] = 100.0
    curve = calibration_curve(counts, EDGES, NoiseLaw.of(DiscreteGaussian(4.0)), level=0.95)
    assert [one.share is None for one in curve.bins] == [place != 3 for place in range(20)]
    assert curve.bins[3].share.value == 0.5
    assert (curve.bins[0].lowest, curve.bins[-1].highest) == (0.0, 1.0)
