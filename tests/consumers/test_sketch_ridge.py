"""Regression from a sketch: exact where its law is, unbiased where asked to be."""

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.base import clone

from discreet.consumers import SketchRidge
from discreet.core.errors import InvalidInput
from tests.consumers.tables import regression

VARIANCE = 300.0


def second_moments(count, seed):
    rows, targets = regression(count, seed)
    table = np.column_stack((rows, targets))
    return rows, targets, table.T @ table


def sketch(moments, rows, seed, variances=VARIANCE):
    root = np.linalg.cholesky(moments + np.diag(np.broadcast_to(variances, 4)))
    return np.random.default_rng(seed).standard_normal((rows, 4)) @ root.T


def test_intervals_of_the_records_ridge_are_exact():
    """Student's t with 9 degrees of freedom, where the normal law would be far off: 90 % of 600 intervals, within 6.5 deviations."""
    rows, targets, moments = second_moments(500, 0)
    reference = np.linalg.solve(rows.T @ rows + VARIANCE * np.eye(3), rows.T @ targets)
    place = np.array([[1.0, 2.0, -1.0]])
    inside, narrow = 0, 0
    for seed in range(600):
        released = sketch(moments, 12, seed)
        model = SketchRidge(noise_variance=VARIANCE, debias=False).fit(released[:, :3], released[:, 3])
        low, high = model.predict_interval(place, level=0.9)[0]
        inside += low < float(place[0] @ reference) < high
        narrow += abs(model.predict(place)[0] - float(place[0] @ reference)) < 0.5 * (high - low) * 1.645 / 1.833 * 0.8
        assert model.degrees_ == 9
    assert abs(inside - 540) < 6.5 * np.sqrt(600 * 0.09)
    assert inside - narrow > 20, "intervals a quarter shorter are seen to be too short"


def test_debiased_coefficients_are_those_of_least_squares_and_have_their_standard_errors():
    rows, targets, moments = second_moments(1000, 1)
    reference = np.linalg.lstsq(rows, targets, rcond=None)[0]
    scores, naive, aware = [], [], []
    for seed in range(200):
        released = sketch(moments, 800, seed)
        model = SketchRidge(noise_variance=VARIANCE).fit(released[:, :3], released[:, 3])
        scores.append((model.coef_ - reference) / model.standard_errors_)
        plain = SketchRidge(noise_variance=VARIANCE, debias=False).fit(released[:, :3], released[:, 3])
        naive.append(np.linalg.norm(plain.coef_ - reference))
        aware.append(np.linalg.norm(model.coef_ - reference))
    assert np.all(np.abs(np.mean(scores, axis=0)) < 0.5)
    assert np.all(np.abs(np.std(scores, axis=0) - 1.0) < 0.3)
    assert np.mean(aware) < 0.5 * np.mean(naive)


def test_a_target_without_noise_is_taken_as_such_in_intervals_for_targets():
    rows, targets, moments = second_moments(2000, 2)
    coefficients = np.linalg.lstsq(rows, targets, rcond=None)[0]
    spread = np.mean(np.square(targets - rows @ coefficients))
    for variances, said in (([VARIANCE] * 4, None), ([VARIANCE] * 3 + [0.0], 0.0)):
        widths = []
        for seed in range(20):
            released = sketch(moments, 2000, seed, variances)
            model = SketchRidge(noise_variance=VARIANCE, target_noise=said, records=2000).fit(released[:, :3], released[:, 3])
            low, high = model.predict_interval(np.zeros((1, 3)), level=0.95, target=True)[0]
            widths.append((high - low) / (2 * 1.959964))
        assert np.mean(np.square(widths)) == pytest.approx(spread, rel=0.25)
    with pytest.raises(InvalidInput, match="number of records"):
        SketchRidge(noise_variance=VARIANCE).fit(released[:, :3], released[:, 3]).predict_interval(np.zeros((1, 3)), target=True)


def test_noise_of_a_ridge_on_top_is_allowed_and_short_sketches_are_refused():
    rows, targets, moments = second_moments(1000, 3)
    released = sketch(moments, 200_000, 0)
    model = SketchRidge(noise_variance=VARIANCE, ridge=50.0).fit(released[:, :3], released[:, 3])
    assert np.allclose(model.coef_, np.linalg.solve(rows.T @ rows + 50.0 * np.eye(3), rows.T @ targets), atol=0.05)
    assert model.drowned_ == 0
    assert clone(model).get_params() == model.get_params()
    with pytest.raises(InvalidInput, match="more rows than features"):
        SketchRidge(noise_variance=1.0).fit(released[:3, :3], released[:3, 3])
    with pytest.raises(InvalidInput, match="noise_variance"):
        SketchRidge(noise_variance=-1.0).fit(released[:, :3], released[:, 3])


@pytest.mark.parametrize(
    ("length", "variance", "known"),
    [(60, 300.0, True), *(pytest.param(*case, marks=pytest.mark.more) for case in ((200, 100.0, True), (100, 30_000.0, False)))],
)
def test_debiased_intervals_cover_from_clear_to_drowned(length, variance, known):
    """400 sketches: a coefficient that is covered with 93 % is seen less often once in 1e9. Drowned, intervals are the whole line."""
    rows, targets, moments = second_moments(1000, 4)
    reference = np.linalg.lstsq(rows, targets, rcond=None)[0]
    covered, finite = np.zeros(3), 0
    for seed in range(400):
        released = sketch(moments, length, seed, variance)
        model = SketchRidge(noise_variance=variance).fit(released[:, :3], released[:, 3])
        ends = model.coef_interval(level=0.95)
        covered += (ends[:, 0] <= reference) & (ends[:, 1] >= reference)
        finite += np.all(np.isfinite(ends))
        assert np.all(np.isinf(model.standard_errors_)) or not model.drowned_
    assert covered.min() > binom.ppf(1e-9, 400, 0.93)
    assert finite > 200 if known else finite < 200
