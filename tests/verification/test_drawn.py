"""How far drawn noise is from its ideal, derived twice: a library that takes one of the two for less does not verify its own certificates."""

import numpy as np
import pytest

from discreet import GammaRegression, LinearRegression, LinearSVC, LogisticRegression
from discreet.core.remembered import forget
from discreet.noise import gaussian_error, spherical_error
from discreet.verification import classes, numerics
from discreet.verification.drawn import gaussian_distance, spherical_distance

GENERATOR = np.random.default_rng(3)
ROWS = GENERATOR.uniform(-0.5, 0.5, (60, 2))
TWO, THREE = np.arange(60) % 2, np.arange(60) % 3
FITS = {
    "objective": lambda: LinearSVC(epsilon=1.0, delta=1e-6, classes=[0, 1], data_norm=1.0).fit(ROWS, TWO),
    "objective, pure": lambda: LogisticRegression(epsilon=1.0, delta=0.0, classes=[0, 1], data_norm=1.0).fit(ROWS, TWO),
    "output": lambda: LinearSVC(mechanism="output", epsilon=1.0, delta=1e-6, classes=[0, 1], data_norm=1.0).fit(ROWS, TWO),
    "output, pure": lambda: LinearSVC(mechanism="output", epsilon=1.0, delta=0.0, classes=[0, 1], data_norm=1.0).fit(ROWS, TWO),
    "softmax": lambda: LogisticRegression(epsilon=1.0, delta=1e-4, classes=[0, 1, 2], data_norm=1.0).fit(ROWS, THREE),
    "softmax, pure": lambda: LogisticRegression(epsilon=1.0, delta=0.0, classes=[0, 1, 2], data_norm=1.0).fit(ROWS, THREE),
    "one-vs-rest": lambda: LinearSVC(epsilon=1.0, delta=1e-6, classes=[0, 1, 2], data_norm=1.0).fit(ROWS, THREE),
    "one-vs-rest, pure": lambda: LinearSVC(epsilon=1.0, delta=0.0, classes=[0, 1, 2], data_norm=1.0).fit(ROWS, THREE),
    "residuals": lambda: LinearRegression(epsilon=1.0, delta=1e-6, data_norm=1.0, target_bound=1.0).fit(ROWS, ROWS[:, 0]),
    "targets": lambda: LinearRegression(epsilon=1.0, delta=1e-6, data_norm=1.0, target_bound=1.0).fit(ROWS, ROWS),
    "amounts": lambda: GammaRegression(epsilon=1.0, delta=1e-6, data_norm=1.0, target_bound=2.0).fit(ROWS, 1.0 + ROWS[:, 0]),
}


HIDDEN = {"softmax", "one-vs-rest", "targets"}
"""The solver's tolerance is most of what their last stage hides, and their bounds have room for the rest."""


def too_little(*, dimension, scale=1.0, rate=1.0):
    """Of either."""
    return 1e-20 * scale / rate * dimension


@pytest.mark.at_most(4)
@pytest.mark.parametrize("name", sorted(FITS.keys() - HIDDEN))
def test_a_library_that_takes_its_noise_for_exact_does_not_verify_what_it_certifies(name, monkeypatch):
    assert FITS[name]().certificate_.verify().ok
    for stated in (gaussian_error, spherical_error):
        monkeypatch.setattr(stated, "__code__", too_little.__code__)
        monkeypatch.setattr(stated, "__kwdefaults__", too_little.__kwdefaults__)
    forget()
    try:
        failed = [check.name for check in FITS[name]().certificate_.verify().checks if not check.ok]
    finally:
        forget()
    assert failed in (["delta"], ["epsilon"])


@pytest.mark.parametrize("name", FITS)
def test_every_recheck_counts_the_distance_that_it_derives_itself(name, monkeypatch):
    certificate = FITS[name]().certificate_
    monkeypatch.setattr(classes, "_steady", lambda *_: None)  # as for a set: one road is enough
    for own in ("gaussian_distance", "spherical_distance"):
        monkeypatch.setattr(numerics, own, lambda size, dimension: 1e-2)
    assert [check.name for check in certificate.verify().checks if not check.ok] in (["delta"], ["epsilon"])


@pytest.mark.parametrize("dimension", [1, 30, 1_000_000])
def test_both_derivations_of_one_distance_are_near_each_other(dimension):
    for size in (1e-6, 1.0, 1e9):
        assert 0.5 < gaussian_distance(size, dimension) / gaussian_error(scale=size, dimension=dimension) <= 1.0
        assert 0.3 < spherical_distance(size, dimension) / spherical_error(rate=size, dimension=dimension) <= 1.0
