"""The properties of noise over everything that discreet.noise exports, and the proof that each can fail."""

import itertools
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from scipy import stats

from discreet.noise import Noise, SeededNoise
from tests.properties.catalogue import every, name
from tests.properties.noise_properties import check_gaussian, check_spherical

each_source = pytest.mark.parametrize("noise", every(Noise), ids=name)
each_dimension = pytest.mark.parametrize("dimension", [1, 4])


@each_source
@each_dimension
def test_gaussian_noise_has_its_law(noise, dimension):
    check_gaussian(noise, dimension=dimension)


@each_source
@each_dimension
def test_spherical_noise_has_its_law(noise, dimension):
    check_spherical(noise, dimension=dimension)


@each_source
def test_two_calls_never_give_the_same_noise(noise):
    drawn = [noise.gaussian(scale=1.0, dimension=3, draws=2).tobytes() for _ in range(50)]
    drawn += [noise.spherical(rate=1.0, dimension=3, draws=2).tobytes() for _ in range(50)]
    assert len(set(drawn)) == 100


@each_source
def test_two_columns_never_hold_the_same_noise(noise):
    for drawn in (noise.gaussian(scale=1.0, dimension=3, draws=500), noise.spherical(rate=1.0, dimension=3, draws=500)):
        assert len({column.tobytes() for column in drawn.T}) == 500


@each_source
def test_a_source_says_whether_it_is_private_and_in_one_line_why(noise):
    assert isinstance(noise.private, bool)
    assert noise.description
    assert "\n" not in noise.description
    assert ("not private" in noise.description) == (not noise.private)


# A test of privacy that cannot fail is not a test: the same checks, met by sources with one planted fault.


@dataclass(frozen=True)
class Planted:
    """A seeded source whose draws are changed."""

    change_draws: Any
    source: Any = field(default_factory=lambda: SeededNoise(20_261_121))

    def gaussian(self, **request):
        return self.change_draws(self.source.gaussian(**request))

    def spherical(self, **request):
        return self.change_draws(self.source.spherical(**request))


def scaled(factor):
    return Planted(change_draws=lambda drawn: factor * drawn)


def replaying(*signs):
    """Gives the first draws again and again, with the signs in turn."""
    turn, kept = itertools.cycle(signs), {}
    return Planted(change_draws=lambda drawn: next(turn) * kept.setdefault(drawn.shape, drawn))


FAULTS = {
    "2 % too small": scaled(0.98),
    "2 % too large": scaled(1.02),
    "the same noise in every call": replaying(1.0),
    "the same noise with the other sign in every other call": replaying(1.0, -1.0),
    "columns repeat": Planted(change_draws=lambda drawn: np.repeat(drawn[:, ::2], 2, axis=1)),
    "coordinates repeat": Planted(change_draws=lambda drawn: np.broadcast_to(drawn[:1], drawn.shape)),
    "positive only": Planted(change_draws=np.abs),
    "one column is forgotten in ten": Planted(change_draws=lambda drawn: drawn * (np.arange(drawn.shape[1]) % 10 > 0)),
    "the first coordinate is 5 % too small": Planted(change_draws=lambda drawn: drawn * np.where(np.arange(len(drawn)) == 0, 0.95, 1.0)[:, None]),
}


@pytest.mark.each_with_each
@pytest.mark.parametrize("check", [check_gaussian, check_spherical], ids=lambda check: check.__name__)
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
def test_a_planted_fault_is_caught(check, fault):
    with pytest.raises(AssertionError), np.errstate(invalid="ignore"):
        check(fault)


def test_the_right_covariance_under_the_wrong_law_is_caught():
    def uniform(drawn):
        return 3.0 * np.sqrt(12.0) * (stats.norm.cdf(drawn / 3.0) - 0.5)

    with pytest.raises(AssertionError, match="distribution"):
        check_gaussian(Planted(change_draws=uniform), dimension=1)
