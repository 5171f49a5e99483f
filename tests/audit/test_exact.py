"""Laws that are known in closed form: the privacy losses written down here give their curves."""

import math

import numpy as np
import pytest

from discreet.accounting import gaussian_delta, gaussian_mu
from discreet.audit import Claim, PrivacyLoss, exact_audit
from discreet.audit.densities import shifted_gaussian, shifted_spherical
from discreet.audit.exact import choice, gaussian_integers, laplace_integers, sketch, two_outcomes
from discreet.core.errors import InvalidInput
from discreet.mechanisms.release.profiles import replace_delta, zero_out_delta


@pytest.mark.parametrize("mu", [0.2, 1.0, 3.0])
def test_a_shifted_gaussian_has_the_analytic_curve_and_its_inverse(mu):
    law = shifted_gaussian(mu)
    for epsilon in (0.0, 0.5, 2.0):
        assert law.delta(epsilon) == pytest.approx(gaussian_delta(epsilon, mu), rel=1e-4, abs=1e-9)
    assert gaussian_mu(law.epsilon(1e-5), 1e-5) == pytest.approx(mu, rel=1e-4)


def test_discrete_gaussians_of_a_large_scale_are_gaussian():
    assert gaussian_integers(500.0, 1024.0, times=4).delta(1.0) == pytest.approx(gaussian_delta(1.0, 2 * 500 / 1024), rel=1e-6)


def test_pure_laws_have_their_largest_loss():
    assert shifted_spherical(1.3).epsilon(0.0) == pytest.approx(1.3)
    assert laplace_integers((1, -1), 4.0).epsilon(0.0) == pytest.approx(0.5)
    assert choice(np.array([0.0] + [2.0] * 999), np.array([2.0] + [0.0] * 999), 0.5).epsilon(0.0) == pytest.approx(2.0, abs=0.01)


@pytest.mark.parametrize("rows", [1, 8, 60])
@pytest.mark.parametrize("epsilon", [0.3, 1.5])
def test_sketches_have_the_curves_of_their_closed_forms(rows, epsilon):
    """Quadrature over chi laws against incomplete gamma functions."""
    first, second = sketch(rows, 0.4, removed=True)
    assert max(first.delta(epsilon), second.delta(epsilon)) == pytest.approx(zero_out_delta(epsilon, rows, 0.4).value, rel=1e-3, abs=1e-9)
    first, second = sketch(rows, 0.4, removed=False)
    assert max(first.delta(epsilon), second.delta(epsilon)) == pytest.approx(replace_delta(epsilon, rows, 0.4).value, rel=1e-2, abs=1e-9)


def test_two_outcomes_are_randomised_response():
    law = two_outcomes(1.0, -1.0, 1)
    assert law.epsilon(0.0) == pytest.approx(1.0)
    assert law.delta(0.0) == pytest.approx(math.tanh(0.5))


def test_outputs_that_only_one_table_has_are_an_infinite_loss():
    law = PrivacyLoss.of_masses(np.array([0.5, 0.5]), np.array([1.0, 0.0]))
    assert law.epsilon(0.0) == math.inf
    assert law.delta(5.0) == 0.5
    assert law.epsilon(0.5) == pytest.approx(0.0)
    report = exact_audit(law, law, Claim(epsilon=9.0, delta=0.1), subject="a leak", described="two tables")
    assert report.violated
    assert report.bound == math.inf
    assert report.to_dict()["bound"] is None
    assert report.to_dict()["separated"] is True


@pytest.mark.parametrize(("stated", "violated"), [(1.0, False), (0.98, True)])
def test_a_claim_is_refuted_from_two_per_cent_on(stated, violated):
    mu = gaussian_mu(1.0, 1e-6)
    law = shifted_gaussian(mu)
    assert exact_audit(law, law, Claim(epsilon=stated, delta=1e-6), subject="s", described="d").violated == violated


def test_an_empty_law_is_refused():
    nothing = PrivacyLoss(masses=np.zeros(0), losses=np.zeros(0))
    with pytest.raises(InvalidInput, match="at least one output"):
        exact_audit(nothing, nothing, Claim(epsilon=1.0), subject="s", described="d")
