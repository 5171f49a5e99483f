"""An adversary who knows all other records solves for the last one: what that does to printed noise, and to ours."""

import numpy as np

from discreet.core.neighbours import REPLACE_ONE
from discreet.data import Domain
from discreet.mechanisms.release import GaussianRelease, NullSpaceNoise
from discreet.noise import SystemNoise
from discreet.queries import Rows
from discreet.solvers.soft_margin import solve_soft_margin
from tests.mechanisms.release.tables import of


def test_a_support_vector_is_computed_from_null_space_noise_and_not_from_ours():
    draw = np.random.default_rng(6)
    rows = np.vstack([draw.standard_normal((50, 2)), draw.standard_normal((50, 2)) + np.array([0.0, 5.0])])
    signs = np.repeat([1.0, -1.0], 50)
    domain = Domain(features=2, norm_bound=20.0, target_bound=1.0)
    query, data = Rows(domain=domain, target="clear"), of(rows, signs, domain)

    def computed(release):
        """The record with the largest multiplier, from the release and all other records."""
        trained = solve_soft_margin(release[:, :2], release[:, 2])
        last = int(np.argmax(trained.multipliers))
        others = np.arange(100) != last
        rest = (trained.multipliers * signs)[others] @ rows[others]
        return (trained.weights - rest) / (trained.multipliers[last] * signs[last]), rows[last]

    found, record = computed(NullSpaceNoise(variance=100.0).run(query, data, SystemNoise()).value)
    assert np.allclose(found, record, atol=1e-5)
    ours = GaussianRelease.calibrate(query, epsilon=1.0, delta=1e-5, neighbours=REPLACE_ONE)
    found, record = computed(ours.run(query, data, SystemNoise()).value)
    assert np.linalg.norm(found - record) > 1.0, "it is off by about 220; the least of 150 runs was 177"
