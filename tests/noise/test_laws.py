import dataclasses

import numpy as np
import pytest

from discreet.audit.parts import of_noise, uniform
from discreet.noise import SystemNoise
from discreet.noise.laws import DiscreteGaussian, DiscreteLaplace, IntegerLaw, Normal, Spherical

INTEGERS = [DiscreteLaplace(0.7), DiscreteLaplace(5.0), DiscreteGaussian(1.3), DiscreteGaussian(40.0)]
LAWS = [*INTEGERS, DiscreteGaussian(1000.0), Normal(2.5), Spherical(0.4)]


@pytest.mark.parametrize("law", INTEGERS, ids=str)
def test_what_a_law_of_integers_says_of_itself_follows_from_its_masses(law: IntegerLaw):
    k, masses = law.masses()
    assert float(masses @ k**2) == pytest.approx(law.variance(), rel=1e-8)
    assert law.largest_deviation**2 >= law.variance()
    beyond = [float(masses[np.abs(k) > 3 * place].sum()) for place in range(4)]
    grid_of_one = law.tails(grid=1, count=10)[::3]
    np.testing.assert_allclose(grid_of_one, beyond, rtol=1e-9, atol=1e-15)
    for failure in (0.1, 1e-6):
        assert float(masses[np.abs(k) > law.bound(failure)].sum()) <= failure
    place = int(np.flatnonzero(k == 2)[0])
    np.testing.assert_allclose(law.log_ratio([2.0], 1.0), np.log(masses[place] / masses[place + 1]), rtol=1e-9)


def test_the_tails_of_wide_gaussian_integers_are_those_of_rounded_normal_numbers():
    law = DiscreteGaussian(200.0)
    k, masses = law.masses()
    beyond = [float(masses[np.abs(k) > 6 * place].sum()) for place in range(100)]
    np.testing.assert_allclose(law.tails(grid=6, count=100), beyond, rtol=1e-4)


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_draws_of_a_law_become_normal_scores_and_those_of_another_size_do_not(law):
    drawn = law.draw(SystemNoise(), 4, 2_000).T
    assert of_noise("noise", drawn, law).chance > 1e-9  # false alarm: 1e-9
    (size,) = (getattr(law, field.name) for field in dataclasses.fields(law))
    for wrong in (type(law)(0.5 * size), type(law)(2.0 * size)):
        assert of_noise("noise", drawn, wrong).chance < 1e-12
    assert np.mean(np.square(drawn)) == pytest.approx(law.variance(4), rel=0.2)  # eight thousand numbers: beyond six standard errors


def test_numbers_for_scores_are_uniform():
    drawn = np.sort(uniform((20_000,)))
    assert np.max(np.abs(drawn - np.arange(20_000) / 20_000)) < 0.03  # Massart 1990: 2 exp(-36)
