"""Theorem 1 of Showkatbakhsh et al. and the ridge that predicts better: above simulations, and next to them.

The exact loss by sketching, and theorem 2 with it: quantiles against simulation, the bound above it.
"""

import math

import numpy as np
import pytest
from scipy.stats import f as fisher_law
from scipy.stats import kstest

from discreet.bounds import noisy_rows_risk, ridge_risk, sketch_loss_mean, sketch_loss_quantile, sketch_risk
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


def losses(rows, targets, count, variances, draws, seed=0):
    """|X theta^ - y|^2 + noise terms and without, over |X theta* - y|^2, of sketches of `count` rows drawn by their exact law."""
    table = np.column_stack((rows, targets))
    root = np.linalg.cholesky(table.T @ table + np.diag(variances))
    best = float(np.square(rows @ np.linalg.lstsq(rows, targets, rcond=None)[0] - targets).sum())
    draw = np.random.default_rng(seed)
    found = []
    for _ in range(draws):
        sketch = draw.standard_normal((count, len(root))) @ root.T
        coefficients = np.linalg.lstsq(sketch[:, :-1], sketch[:, -1], rcond=None)[0]
        found.append(float(np.square(rows @ coefficients - targets).sum()) / best)
    return np.array(found)


def invented(records, features, fit, seed=0):
    draw = np.random.default_rng(seed)
    rows = draw.uniform(-1, 1, (records, features))
    signal, error = rows @ draw.standard_normal(features), draw.standard_normal(records)
    return rows, signal / np.linalg.norm(signal) * fit + error / np.linalg.norm(error)


def test_the_loss_has_the_stated_law():
    """Kolmogorov's test on 5000 draws, refused below 1e-6; the law of one row less is seen to be wrong."""
    rows, targets = invented(300, 8, 1.0)
    found = losses(rows, targets, 40, np.zeros(9), 5000) - 1.0
    assert kstest(found * 33 / 8, fisher_law(8, 33).cdf).pvalue > 1e-6
    assert kstest(found * 30 / 8, fisher_law(8, 30).cdf).pvalue < 1e-6, "a planted fault: other degrees of freedom"
    assert np.mean(found) == pytest.approx(sketch_loss_mean(features=8, rows=40) - 1.0, rel=0.05)
    for failure in (0.05, 0.5):
        above = np.mean(found > sketch_loss_quantile(features=8, rows=40, failure=failure) - 1.0)
        assert abs(above - failure) < 5.5 * math.sqrt(failure * (1 - failure) / 5000)


@pytest.mark.parametrize("noisy_target", [False, True])
@pytest.mark.parametrize(("count", "variance", "fit"), [(120, 50.0, 1.0), (300, 400.0, 2.0), (300, 0.0, 2.0)])
def test_the_bound_is_above_the_loss_but_for_its_probability(count, variance, fit, noisy_target):
    rows, targets = invented(1000, 20, fit)
    values = np.linalg.svd(rows, compute_uv=False)
    best = np.linalg.lstsq(rows, targets, rcond=None)[0]
    residual = float(np.square(rows @ best - targets).sum())
    on_target = 0.002 if noisy_target else 0.0
    found = losses(rows, targets, count, np.append(np.full(20, variance), on_target), 400)
    bound = sketch_risk(
        rows=count,
        variance=variance,
        singular_values=values,
        fit=float(np.linalg.norm(rows @ best)) / math.sqrt(residual),
        failure=0.05,
        target_share=on_target / residual,
    )
    assert np.mean(found > bound) < 0.05 + 5.5 * math.sqrt(0.05 * 0.95 / 400)


def test_impossible_numbers_of_a_sketch_are_refused():
    for call in (lambda: sketch_loss_quantile(features=5, rows=4, failure=0.1), lambda: sketch_loss_mean(features=5, rows=6)):
        with pytest.raises(InvalidInput, match="at least"):
            call()
    assert sketch_loss_quantile(features=5, rows=5, failure=0.1) > 1
    with pytest.raises(InvalidInput, match="singular values"):
        sketch_risk(rows=10, variance=1.0, singular_values=np.zeros((2, 2)), fit=1.0, failure=0.1)
    with pytest.raises(InvalidInput, match="least"):
        sketch_risk(rows=10, variance=1.0, singular_values=np.zeros(2), fit=1.0, failure=0.1)


def test_the_loss_by_sketching_is_a_reference_value_that_was_computed_elsewhere():
    assert math.isclose(sketch_loss_quantile(features=20, rows=300, failure=0.05), 1.1144527399149267, rel_tol=1e-14)
