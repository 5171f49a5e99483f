"""Theorem 1 of Showkatbakhsh et al. and the ridge that predicts better: above simulations, and next to them."""

import math

import numpy as np
import pytest

from discreet.bounds import noisy_rows_risk, ridge_risk
from discreet.core.errors import InvalidInput


class Table:
    """Uniform features and a target of fit r."""

    def __init__(self, records, features, fit):
        draw = np.random.default_rng(0)
        self.rows = draw.uniform(-1, 1, (records, features))
        signal, error = self.rows @ draw.standard_normal(features), draw.standard_normal(records)
        self.targets = signal / np.linalg.norm(signal) * fit + error / np.linalg.norm(error)
        left, self.values, _ = np.linalg.svd(self.rows, full_matrices=False)
        self.projections = left.T @ self.targets
        self.best = self.risk(np.linalg.lstsq(self.rows, self.targets, rcond=None)[0])
        self.fit = np.linalg.norm(self.projections) / math.sqrt(self.best)

    def risk(self, coefficients):
        return float(np.square(self.rows @ coefficients - self.targets).sum())

    def simulated(self, deviation, draws=20):
        draw = np.random.default_rng(1)
        for _ in range(draws):
            noisy = self.rows + deviation * draw.standard_normal(self.rows.shape)
            yield self.risk(np.linalg.lstsq(noisy, self.targets, rcond=None)[0]) / self.best


@pytest.mark.parametrize("fit", [0.5, 3.0])
@pytest.mark.parametrize("bits", [1.5, 2.0, 3.0, 5.0])
def test_the_bound_holds_and_the_ridge_predicts(fit, bits):
    table = Table(4000, 20, fit)
    deviation = math.sqrt(1 / math.expm1(2 * bits * math.log(2)))
    found = list(table.simulated(deviation))
    known = {"records": 4000, "features": 20, "deviation": deviation, "largest": table.values[0], "least": table.values[-1], "fit": table.fit}
    bound, printed = noisy_rows_risk(failure=1e-6, **known), noisy_rows_risk(failure=1e-6, printed=True, **known)
    assert max(found) <= bound <= printed
    assert math.isfinite(bound)
    predicted = ridge_risk(penalty=4000 * deviation**2, singular_values=table.values, projections=table.projections, residual=table.best)
    assert np.mean(found) - 1 == pytest.approx(predicted - 1, rel=0.15, abs=0.01)


def test_the_published_figures_are_outside_the_theorem():
    """Half a bit, uniform features: the condition fails for any number of records (it needs more than one bit)."""
    deviation = 1.0
    for records, features in ((1000, 80), (20_000, 800), (1_000_000, 10)):
        least = (math.sqrt(records) - math.sqrt(features)) / math.sqrt(3)
        assert noisy_rows_risk(records=records, features=features, deviation=deviation, largest=least, least=least, fit=1.0, failure=0.05) == math.inf


def test_the_ridge_risk_is_that_of_ridge_and_its_limits_are_right():
    table = Table(200, 5, 2.0)
    for penalty in (0.0, 1.0, 100.0):
        ridge = np.linalg.solve(table.rows.T @ table.rows + penalty * np.eye(5), table.rows.T @ table.targets)
        found = ridge_risk(penalty=penalty, singular_values=table.values, projections=table.projections, residual=table.best)
        assert found == pytest.approx(table.risk(ridge) / table.best)


def test_impossible_numbers_are_refused():
    known = {"records": 10, "features": 2, "deviation": 0.1, "largest": 1.0, "least": 2.0, "fit": 1.0, "failure": 0.1}
    with pytest.raises(InvalidInput, match="exceeds the largest"):
        noisy_rows_risk(**known)
    with pytest.raises(InvalidInput, match="failure"):
        noisy_rows_risk(**{**known, "least": 1.0, "failure": 0.0})
    with pytest.raises(InvalidInput, match="one finite projection"):
        ridge_risk(penalty=1.0, singular_values=np.ones(2), projections=np.ones(3), residual=1.0)
