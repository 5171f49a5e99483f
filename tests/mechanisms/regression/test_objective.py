"""Objective perturbation for residuals: constants of the losses, calibration, the certified minimiser, certificates."""

import json
from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from discreet.accounting import gaussian_mu
from discreet.certificates import Certificate
from discreet.core.errors import InfeasibleTarget, InvalidInput, SolverFailure
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE, Neighbours
from discreet.data import Domain
from discreet.mechanisms.learning.two_signed import Half, curvature_at, prediction_loss
from discreet.mechanisms.regression import LeastSquares, ResidualObjectivePerturbation, fitted_of, objective_minimiser
from discreet.mechanisms.regression.objective import planned_records
from discreet.mechanisms.regression.objective_minimiser import accurate_gradient, accurate_residuals, certified_minimiser, gradient_error, longest
from discreet.noise import SeededNoise, SystemNoise
from tests.mechanisms.release.tables import invented, of

DOMAIN = Domain(features=2, norm_bound=1.0, target_bound=2.0, intercept_scale=0.3)
PROBLEM = LeastSquares(domain=DOMAIN)
BOTH = pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])
LOSSES = pytest.mark.parametrize("loss", ["log-cosh", "huber"])


@LOSSES
def test_slopes_and_curvatures_are_those_of_the_loss_and_of_its_half(loss):
    width, residuals = 0.7, np.linspace(-3.0, 3.0, 1000)
    zero, whole, half = np.zeros_like(residuals), prediction_loss(loss, width), Half(loss=loss, width=width)
    slopes = whole.slope(residuals, zero)
    numerical = (whole.slope(residuals + 1e-6, zero) - whole.slope(residuals - 1e-6, zero)) / 2e-6
    smooth = np.abs(np.abs(residuals) - width) > 1e-3
    assert np.allclose(curvature_at(loss, width, slopes)[smooth], numerical[smooth], atol=1e-5)
    assert np.all(np.abs(slopes) <= half.lipschitz)
    assert np.all(half.slope(residuals) <= 0)
    assert np.allclose(half.slope(residuals), np.minimum(slopes, 0.0))
    assert np.allclose(np.gradient(half.value(residuals), residuals)[1:-1], half.slope(residuals)[1:-1], atol=1e-2)
    bound = half.curvature_on_slopes(np.abs(slopes), np.abs(slopes))
    assert np.all(half.curvature(residuals) <= bound + 1e-12)
    share = np.linspace(0.0, 1.0, 21)
    assert np.all(half.curvature_on_slopes(share * 0.5, share * 0.5) >= share**2 * half.curvature_on_slopes(np.full(21, 0.5), np.full(21, 0.5)))


@BOTH
@LOSSES
@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-8), (1.0, 1e-6), (10.0, 1e-5)])
def test_calibration_spends_the_budget_and_not_much_more_noise_than_one_gaussian(neighbours, loss, epsilon, delta):
    made = ResidualObjectivePerturbation.calibrate(PROBLEM, epsilon=epsilon, delta=delta, neighbours=neighbours, loss=loss)
    claim = made.guarantee(PROBLEM)
    assert claim.epsilon <= epsilon
    assert claim.epsilon > epsilon * (1 - 1e-9)
    assert 0.9 * delta < claim.delta_at_epsilon <= delta
    least = made.width * DOMAIN.radius * (1 if neighbours is ADD_REMOVE else 2) / gaussian_mu(epsilon, delta)
    assert least < made.scale < (1.2 if loss == "log-cosh" else 1.4) * least


def test_a_ridge_too_small_for_any_noise_is_refused_and_so_are_other_losses():
    with pytest.raises(InfeasibleTarget, match="ridge"):
        ResidualObjectivePerturbation.calibrate(PROBLEM, epsilon=0.1, delta=1e-6, neighbours=ADD_REMOVE, ridge=1.0, loss="huber")
    for wrong in ({"loss": "absolute"}, {"width": -1.0}, {"ridge": np.inf}):
        with pytest.raises(InvalidInput):
            ResidualObjectivePerturbation.calibrate(PROBLEM, epsilon=1.0, delta=1e-6, neighbours=ADD_REMOVE, **wrong)


def test_residuals_are_those_of_sixty_digits_also_where_predictions_cancel():
    draw = np.random.default_rng(0)
    rows, point = draw.normal(size=(200, 5)), np.array([1e9, -1e9, 3.0, 1e-3, 7e8])
    rows[:, 1] = rows[:, 0] * (1 + 1e-12)
    targets = draw.normal(size=200)
    found = accurate_residuals(rows, targets, point)
    for row, target, value in zip(rows, targets, found, strict=True):
        exact = sum(Fraction(a) * Fraction(b) for a, b in zip(row.tolist(), point.tolist(), strict=True)) - Fraction(float(target))
        size = sum(abs(a * b) for a, b in zip(row.tolist(), point.tolist(), strict=True))
        assert abs(Fraction(float(value)) - exact) <= abs(exact) * 2**-53 + Fraction(size) * 2**-98


@pytest.mark.parametrize("compensated", [True, False])
def test_a_gradient_is_within_its_bound_of_the_one_of_sixty_digits(compensated):
    data = invented(DOMAIN, 300)
    point = np.array([40.0, -90.0, 17.0])
    found = accurate_gradient(data, point, loss=prediction_loss("log-cosh", 0.4), compensated=compensated)
    rows = np.column_stack([data.matrix.matvec(unit) for unit in np.eye(3)])
    with mpmath.workdps(60):
        exact = [mpmath.mpf(0)] * 3
        for row, target in zip(rows.tolist(), data.targets.tolist(), strict=True):
            residual = mpmath.fdot(row, point.tolist()) - mpmath.mpf(target)
            slope = mpmath.mpf(0.4) * mpmath.tanh(residual / mpmath.mpf(0.4))
            exact = [total + slope * mpmath.mpf(entry) for total, entry in zip(exact, row, strict=True)]
        away = float(mpmath.sqrt(sum((total - mpmath.mpf(float(value))) ** 2 for total, value in zip(exact, found, strict=True))))
    given = {"records": 300, "width": 0.4, "ridge": 0.0, "length": 100.0, "linear": 0.0}
    assert away <= gradient_error(PROBLEM, compensated=compensated, **given)
    assert 2.0 * gradient_error(PROBLEM, **given) < gradient_error(PROBLEM, compensated=False, **given)


@pytest.mark.parametrize(("width", "products"), [(5.0, {False}), (0.001, {True})])
def test_plain_products_prove_the_minimiser_where_their_errors_leave_room_and_no_further(width, products, monkeypatch):
    data, linear, loss = invented(DOMAIN, 500), np.array([3.0, -2.0, 1.0]), prediction_loss("log-cosh", width)
    given = {"width": width, "ridge": 2.0, "linear": linear}
    length = longest(PROBLEM, records=500, width=width, ridge=2.0, linear=float(np.linalg.norm(linear)))
    tolerance = 4.0 * gradient_error(PROBLEM, records=500, width=width, ridge=2.0, length=length, linear=float(np.linalg.norm(linear)))
    asked, accurate = [], objective_minimiser.accurate_gradient
    monkeypatch.setattr(
        objective_minimiser, "accurate_gradient", lambda *rows, **named: asked.append(named["compensated"]) or accurate(*rows, **named)
    )
    found = certified_minimiser(
        PROBLEM, data, loss=loss, curvature=lambda slopes: curvature_at("log-cosh", width, slopes), tolerance=tolerance, **given
    )
    assert set(asked) == products
    gradient = accurate(data, found, loss=loss) + 2.0 * found + linear
    assert np.linalg.norm(gradient) <= tolerance


@LOSSES
@pytest.mark.parametrize("width", [0.01, 0.4, 5.0])
def test_the_minimiser_has_no_gradient_left_and_a_tolerance_below_rounding_is_refused(loss, width):
    data, linear = invented(DOMAIN, 500), np.array([3.0, -2.0, 1.0])
    given = {"loss": prediction_loss(loss, width), "curvature": lambda slopes: curvature_at(loss, width, slopes), "width": width, "ridge": 2.0}
    found = certified_minimiser(PROBLEM, data, linear=linear, tolerance=1e-8, **given)
    slopes = given["loss"].slope(data.matrix.matvec(found), data.targets)
    assert np.linalg.norm(data.matrix.rmatvec(slopes) + 2.0 * found + linear) < 1e-7
    assert np.linalg.norm(found) <= longest(PROBLEM, records=500, width=width, ridge=2.0, linear=float(np.linalg.norm(linear)))
    with pytest.raises(SolverFailure, match="certified"):
        certified_minimiser(PROBLEM, data, linear=linear, tolerance=1e-18, **given)


@LOSSES
def test_of_a_long_table_it_is_the_same_whatever_precision_and_sample_led_there(loss, monkeypatch):
    data, linear, tolerance = invented(DOMAIN, 30_000), np.array([3.0, -2.0, 1.0]), 1e-8
    given = {"loss": prediction_loss(loss, 0.4), "curvature": lambda slopes: curvature_at(loss, 0.4, slopes), "width": 0.4, "ridge": 2.0}
    short = certified_minimiser(PROBLEM, data, linear=linear, tolerance=tolerance, **given)
    asked, evaluate = [], objective_minimiser.evaluated
    monkeypatch.setattr(objective_minimiser, "WHOLE_RECORDS", 100)
    monkeypatch.setattr(objective_minimiser, "evaluated", lambda *rows, **named: asked.append(named) or evaluate(*rows, **named))
    long = certified_minimiser(PROBLEM, data, linear=linear, tolerance=tolerance, **given)
    assert np.linalg.norm(long - short) <= 2.0 * tolerance / given["ridge"], (
        "each gradient norm is at most the tolerance, and the ridge is the curvature"
    )
    whole = [one for one in asked if one["every"] == 1]
    assert len(whole) < len(asked)
    assert all(one["rough"] for one in asked)


@BOTH
@LOSSES
def test_a_true_certificate_verifies_and_lies_do_not(neighbours, loss):
    domain = replace(DOMAIN, records=400 if neighbours is REPLACE_ONE else None)
    problem = LeastSquares(domain=domain)
    made = ResidualObjectivePerturbation.calibrate(problem, epsilon=1.0, delta=1e-6, neighbours=neighbours, loss=loss)
    release = made.run(problem, invented(domain, 400), SystemNoise())
    fitted = fitted_of(release)
    assert release.verify().ok, release.verify()
    assert fitted.covariance is None
    certificate = Certificate.from_dict(json.loads(release.certificate.to_json()))
    assert certificate.verify(release.value).ok
    claim, numbers = certificate.guarantee, certificate.parameters
    changes = {
        "scale": 0.99 * numbers["scale"],
        "width": 1.02 * numbers["width"],
        "ridge": 0.3 * numbers["ridge"],
        "tolerance": 3.0 * numbers["tolerance"],
        "grid_scale": 0.8 * numbers["grid_scale"],
        "grid_step": 0.75 * numbers["grid_step"],
        "loss": "absolute",
        "epsilon": 0.9 * numbers["epsilon"],
    }
    lies = [replace(certificate, parameters={**numbers, name: value}) for name, value in changes.items()]
    lies += [
        replace(certificate, guarantee=replace(claim, epsilon=0.99)),
        replace(certificate, guarantee=replace(claim, delta_at_epsilon=0.9e-6)),
        replace(certificate, guarantee=replace(claim, neighbours=REPLACE_ONE if neighbours is ADD_REMOVE else ADD_REMOVE)),
        replace(certificate, releases=2),
        replace(certificate, problem={}),
        replace(certificate, problem={**certificate.problem, "norm_bound": 1.1}),
    ]
    assert not any(lie.verify().ok for lie in lies), [lie.verify().ok for lie in lies]


def test_tables_longer_than_planned_are_refused_before_anything_is_spent():
    problem = LeastSquares(domain=DOMAIN, most_records=1000)
    made = replace(ResidualObjectivePerturbation.calibrate(problem, epsilon=1.0, delta=1e-6, neighbours=ADD_REMOVE), records=99)
    with pytest.raises(InvalidInput, match="public_records"):
        made.run(problem, invented(DOMAIN, 100), SystemNoise())
    assert planned_records(PROBLEM, ADD_REMOVE) == 1 << 20
    assert planned_records(LeastSquares(domain=replace(DOMAIN, records=3_000_000)), ADD_REMOVE) == 6_000_000
    assert planned_records(LeastSquares(domain=replace(DOMAIN, records=500)), REPLACE_ONE) == 500


def test_weights_are_near_the_least_squares_ones_and_released_on_the_grid():
    draw = np.random.default_rng(1)
    rows = draw.uniform(-0.7, 0.7, (4000, 2))
    data = of(rows, rows @ [1.0, -0.5] + 0.2 + 0.1 * draw.normal(size=4000), replace(DOMAIN, records=4000))
    problem = LeastSquares(domain=data.domain)
    made = ResidualObjectivePerturbation.calibrate(problem, epsilon=1.0, delta=1e-6, neighbours=REPLACE_ONE)
    found = np.array([made.run(problem, data, SeededNoise(seed)).value for seed in range(20)])
    assert np.allclose(found.mean(axis=0), [1.0, -0.5, 0.2 / 0.3], atol=0.1)
    assert np.array_equal(found, np.rint(found / made.grid.step) * made.grid.step)


def test_width_and_ridge_follow_public_numbers_alone_and_stay_within_their_limits():
    def chosen(records: int | None, epsilon: float, neighbours: Neighbours) -> tuple[float, float]:
        problem = LeastSquares(domain=Domain(features=7, norm_bound=2.0, target_bound=3.0, records=records))
        made = ResidualObjectivePerturbation.calibrate(problem, epsilon=epsilon, delta=1e-6, neighbours=neighbours)
        return made.width / 3.0, made.ridge * epsilon / 4.0

    for neighbours, least, most in ((ADD_REMOVE, 1.3, 2.1), (REPLACE_ONE, 2.0, 5.2)):
        widths, ridges = zip(*(chosen(records, 0.5, neighbours) for records in (20, 2_000, 200_000, 20_000_000)), strict=True)
        assert sorted(widths) == list(widths)
        assert sorted(ridges, reverse=True) == list(ridges)
        assert ridges[0] == pytest.approx(most)
        assert ridges[-1] == pytest.approx(least)
        assert widths[0] >= 0.06
        assert widths[-1] == 1.0
    width, ridge = chosen(None, 0.5, ADD_REMOVE)  # a secret number is not asked for: the width is that of the largest unit
    assert width == 1.0
    assert ridge == pytest.approx(0.672 * 2.1)
