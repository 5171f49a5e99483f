"""Cuts from noisy counts: quantiles, values that many share, and what is left where noise drowns the counts."""

import numpy as np
import pytest

from discreet.mechanisms.cuts.choose import chosen_cuts, pays, public_cuts

EDGES = tuple(np.linspace(0.0, 64.0, 65).tolist())


def mass_of(cuts, counts):
    """The mass of each bin."""
    return np.array([part.sum() for part in np.split(counts, np.searchsorted(EDGES, cuts))])


def test_without_noise_every_bin_holds_about_its_share():
    counts = 1000.0 * np.exp(-np.arange(64) / 20.0)
    cuts = chosen_cuts(EDGES, counts, total=counts.sum(), deviation=1.0)
    for bins, found in zip((4, 8, 16), cuts, strict=False):
        assert mass_of(found, counts).max() < 1.6 * counts.sum() / bins


def test_a_value_that_many_share_is_a_bin_of_its_own():
    counts = np.full(64, 10.0)
    counts[17] = 2000.0
    for found in chosen_cuts(EDGES, counts, total=counts.sum(), deviation=1.0)[:4]:
        assert {17.0, 18.0} <= set(found)


def test_eight_equal_steps_are_always_there():
    counts = np.zeros(64)
    counts[0] = 1e6
    assert tuple(np.linspace(8.0, 56.0, 7)) in chosen_cuts(EDGES, counts, total=1e6, deviation=5.0)


@pytest.mark.parametrize("total", [-50.0, 0.0, 200.0])
def test_where_noise_drowns_the_counts_public_steps_are_left(total):
    counts = np.random.default_rng(0).normal(size=64) * 300.0
    assert set(chosen_cuts(EDGES, counts, total=total, deviation=300.0)) == set(public_cuts(0.0, 64.0))


def test_cuts_are_rising_and_as_many_whatever_the_counts():
    generator = np.random.default_rng(1)
    for _ in range(300):
        counts = np.rint(generator.standard_cauchy(size=64) * generator.choice([1.0, 100.0]))
        found_at_all = chosen_cuts(EDGES, counts, total=float(counts.sum()), deviation=float(generator.choice([0.1, 3.0])))
        assert [len(found) + 1 for found in found_at_all] == [4, 8, 16, 32, 8]
        for found in found_at_all:
            assert np.all(np.diff(found) > 0)
            assert 0.0 < found[0] <= found[-1] < 64.0


def test_whether_it_pays_is_told_by_public_numbers():
    assert pays(10.0, cells=300, records=20_000)
    assert not pays(10.0, cells=300, records=200)
    assert pays(50.0, cells=300, records=None)
    assert not pays(100.0, cells=300, records=None)  # 1,000 records in a bin, whose noise is 306
