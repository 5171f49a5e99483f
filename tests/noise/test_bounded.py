import numpy as np
import pytest

from discreet.audit.parts import of_noise
from discreet.noise import SystemNoise
from discreet.noise.bounded import LEAST_CELLS, step_of, symmetric, tilted

STEP = step_of(95.0)
LAWS = {"symmetric": symmetric(1.0 / step_of(1.0), 0.0, step_of(1.0) ** 2), "tilted": tilted(90.0, 100.0, STEP, level=0.0, tilt=0.05 / 190.0**3)}


@pytest.mark.parametrize("name", LAWS)
def test_draws_of_a_table_have_its_law_and_those_of_half_the_size_do_not(name):
    law = LAWS[name]
    drawn = law.draw(SystemNoise(), 5_000, 2)
    k = np.arange(law.least, law.least + len(law.table))
    assert of_noise("noise", drawn, law).chance > 1e-9  # false alarm: 1e-9
    assert of_noise("noise", drawn // 2, law).chance < 1e-12
    np.testing.assert_allclose(np.exp(law.log_mass(k)) / law.table.sum(), law.masses, rtol=1e-12)
    assert law.log_mass(k[-1] + 1.0) == -np.inf
    with pytest.raises(ValueError, match="no law"):
        law.resized(0.5)


def test_half_a_width_has_as_many_steps_as_are_said_and_less_than_twice_as_many():
    for width in (0.7, 1.0, 95.0, 2.0**40):
        assert LEAST_CELLS <= width / step_of(width) < 2 * LEAST_CELLS


def test_without_a_level_the_law_is_a_squared_cosine():
    law, width = LAWS["symmetric"], 1.0 / step_of(1.0)
    assert law.variance() == pytest.approx(width**2 * (1.0 / 3.0 - 2.0 / np.pi**2), rel=1e-5)
