"""End to end: from what is released and the records, the noise that was really in it has the law that the certificate states.

The attacker who knows all records recovers b = -grad G(f) from a released f; over many releases its law is tested (failure by chance below
1e-9). A noise two percent too small is seen.
"""

import numpy as np
import pytest
from scipy.stats import gamma, kstest, norm

from discreet.core.arrays import Floats
from discreet.core.neighbours import REPLACE_ONE
from discreet.data import Records
from discreet.losses import HuberHinge, Logistic, MarginLoss, SoftplusHinge
from discreet.matrices import DenseMatrix
from discreet.mechanisms.learning import calibrate
from discreet.mechanisms.learning.base import LearningMechanism
from discreet.mechanisms.learning.margin import MARGIN
from discreet.noise import SystemNoise
from discreet.problems import RegularisedRisk
from tests.mechanisms.learning.problems import problem

DRAWS = 20_000
DIMENSION = 3
SPREAD = 6.5 / np.sqrt(2.0 * DRAWS * DIMENSION)


def setting(loss: MarginLoss, mechanism: str, delta: float) -> tuple[RegularisedRisk, Records, LearningMechanism]:
    ridge = MARGIN.comfortable_ridge(problem(loss, ridge=1.0, features=DIMENSION), epsilon=1.0, delta=delta, neighbours=REPLACE_ONE)
    public = problem(loss, ridge=ridge, features=DIMENSION, records=40)
    rows = np.random.default_rng(0).standard_normal((40, DIMENSION))
    data = Records(rows=DenseMatrix(rows), targets=np.sign(rows[:, 0] + 0.5), domain=public.domain)
    chosen = calibrate(public, mechanism=mechanism, calibration="tight", epsilon=1.0, delta=delta, neighbours=REPLACE_ONE)
    return public, data, chosen


def recovered(public: RegularisedRisk, data: Records, released: Floats, mechanism: str) -> Floats:
    """The noise behind every released column, (DIMENSION, DRAWS)."""
    if mechanism == "output":
        return released - calibrate(public, mechanism="objective", calibration="tight", epsilon=np.inf, delta=0.0, neighbours=REPLACE_ONE).columns(
            public, data, SystemNoise(), 1
        )
    signed = (data.matrix.entries(slice(None)) * data.signs[:, np.newaxis]).T
    return -(signed @ public.loss.slope(signed.T @ released) + public.ridge * released)


@pytest.mark.at_most(1)
@pytest.mark.parametrize("loss", [pytest.param(Logistic(), marks=pytest.mark.more), SoftplusHinge(), HuberHinge()], ids=repr)
@pytest.mark.parametrize("mechanism", ["objective", "output"])
def test_gaussian_noise_is_what_the_certificate_says(loss: MarginLoss, mechanism: str) -> None:
    public, data, chosen = setting(loss, mechanism, 1e-6)
    release = chosen.run_many(public, data, SystemNoise(), DRAWS)
    noise = recovered(public, data, release.value, mechanism) / release.certificate.parameters["scale"]
    assert kstest(noise.ravel(), norm.cdf).pvalue > 1e-9
    assert abs(noise.std() - 1.0) < SPREAD, "three percent would be ten standard errors"
    assert np.abs(np.corrcoef(noise) - np.eye(DIMENSION)).max() < 0.05


@pytest.mark.at_most(1)
@pytest.mark.parametrize("mechanism", ["objective", "output"])
def test_spherical_noise_is_what_the_certificate_says(mechanism: str) -> None:
    public, data, chosen = setting(Logistic(), mechanism, 0.0)
    release = chosen.run_many(public, data, SystemNoise(), DRAWS)
    lengths = np.linalg.norm(recovered(public, data, release.value, mechanism), axis=0) * release.certificate.parameters["rate"]
    assert kstest(lengths, gamma(DIMENSION).cdf).pvalue > 1e-9
    assert kstest(1.05 * lengths, gamma(DIMENSION).cdf).pvalue < 1e-9, "five percent would be seen"
