"""Objective perturbation for losses of predictions: exact densities, planted faults, the certified minimiser, certificates and their lies."""

import json
import math
from dataclasses import dataclass, replace

import mpmath
import numpy as np
import pytest

from discreet.certificates import Certificate
from discreet.core.errors import InfeasibleTarget, InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE, Persons
from discreet.data import Domain, Records
from discreet.losses.predictions import Expectile, Gamma, Hinge, HuberLoss, LogCosh, Pinball, Poisson, SmoothPinball, Squared
from discreet.matrices import as_matrix
from discreet.mechanisms.learning.two_signed import two_signed_scale
from discreet.mechanisms.regression import PredictionObjectivePerturbation, calibrate_prediction
from discreet.mechanisms.regression.objective_minimiser import accurate_gradient, gradient_error
from discreet.mechanisms.regression.prediction import half_of
from discreet.noise import SystemNoise
from discreet.problems import PredictionRisk

SMOOTH = [
    HuberLoss(half_width=0.5),
    SmoothPinball(quantile=0.9, width=0.3),
    Expectile(level=0.7, half_width=0.4),
    Poisson(unit=0.3),
    Gamma(steepest=1.5),
]
each_loss = pytest.mark.parametrize("loss", SMOOTH, ids=lambda loss: loss.name)
BOTH = pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])
LINE = Domain(features=1, norm_bound=1.0, target_bound=1.0)
HELD = [[], [(1.0, 0.0, 30), (-1.0, 0.0, 30)]]
OTHERS = [[], [(1.0, -0.3, 5)], [(1.0, 1.0, 3), (-1.0, -1.0, 4)]]


def pull_and_hessian(loss, ridge, records, points):
    """-b and its derivative, at minimisers on the line, (n,) each."""
    pull, hessian = ridge * points, np.full(len(points), ridge)
    for x, y, count in records:
        predictions, targets = x * points, np.full(len(points), y)
        pull = pull + count * loss.slope(predictions, targets) * x
        hessian += count * loss.curvature(predictions, targets) * x * x
    return pull, hessian


def divergence(loss, ridge, first, second, scale, epsilon):
    """The larger of the hockey-stick divergences both ways, on a grid where the densities are."""
    steepest = loss.lipschitz(math.inf, 1.0)
    end = (9.0 * scale + steepest * sum(count for *_, count in (*first, *second))) / ridge
    points = np.linspace(-end, end, 4_001)
    inside = np.flatnonzero(np.any([np.abs(pull_and_hessian(loss, ridge, each, points)[0]) < 9.0 * scale for each in (first, second)], axis=0))
    points = np.linspace(points[inside[0] - 1], points[inside[-1] + 1], 40_001)
    cell = points[1] - points[0]
    masses = []
    for records in (first, second):
        pull, hessian = pull_and_hessian(loss, ridge, records, points)
        masses.append(np.exp(-0.5 * np.square(pull / scale)) * hessian * cell / (scale * math.sqrt(2 * math.pi)))
        assert masses[-1].sum() == pytest.approx(1.0, abs=1e-2)
    (p, q), growth = masses, math.exp(epsilon)
    return max(np.maximum(p - growth * q, 0.0).sum(), np.maximum(q - growth * p, 0.0).sum())


@each_loss
@BOTH
@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 1e-3), (3.0, 1e-5)])
def test_the_claim_is_kept_and_half_the_noise_breaks_it(loss, neighbours, epsilon, delta):
    problem = PredictionRisk(loss=loss, domain=replace(LINE, records=10 if neighbours is REPLACE_ONE else None))
    ridge = 4.0 * problem.smoothness / epsilon
    ends = [(1.0, y, 1) for y in (-1.0, 0.0, 1.0)]

    def worst(scale):
        if neighbours is ADD_REMOVE:
            pairs = [(others, [*others, one]) for others in OTHERS for one in ends]
        else:
            pairs = [([*others, (1.0, 1.0, 1)], [*others, (x, y, 1)]) for others in HELD for x, y in ((1.0, -1.0), (-1.0, 1.0), (0.3, -1.0))]
        return max(divergence(loss, ridge, *pair, scale, epsilon) for pair in pairs)

    half = half_of(problem, ridge)
    scale = two_signed_scale(half, epsilon=epsilon, delta=delta, neighbours=neighbours)
    assert 0.0 <= worst(scale) <= delta * (1 + 1e-3)
    assert worst((0.5 if neighbours is ADD_REMOVE else 0.4) * scale) > 2.0 * delta


@each_loss
def test_records_that_weigh_less_keep_the_claim_and_weights_that_are_not_cut_break_it(loss):
    epsilon, delta = 0.5, 1e-3
    problem = PredictionRisk(loss=loss, domain=LINE)
    ridge = 4.0 * problem.smoothness / epsilon
    scale = two_signed_scale(half_of(problem, ridge), epsilon=epsilon, delta=delta, neighbours=ADD_REMOVE)

    def worst(*weights):
        return max(
            divergence(loss, ridge, others, [*others, (1.0, y, weight)], scale, epsilon)
            for others in ([], [(1.0, 1.0, 1.3), (-1.0, -1.0, 0.4)])
            for y in (-1.0, 0.0, 1.0)
            for weight in weights
        )

    assert worst(0.3, 0.8) <= delta
    assert worst(2.5) > 2.0 * delta


@dataclass(frozen=True, slots=True, kw_only=True)
class Understated(SmoothPinball):
    """A curvature of 1 / h that is stated eight times too small."""

    def smoothness(self, target_bound):
        return SmoothPinball.smoothness(self, target_bound) / 8.0


def test_a_curvature_that_is_stated_too_small_is_caught():
    epsilon, delta, loss = 0.5, 1e-3, Understated(quantile=0.5, width=0.05)
    problem = PredictionRisk(loss=loss, domain=LINE)
    ridge = 4.0 * problem.smoothness / epsilon
    scale = two_signed_scale(half_of(problem, ridge), epsilon=epsilon, delta=delta, neighbours=ADD_REMOVE)
    assert max(divergence(loss, ridge, [], [(1.0, y, 1)], scale, epsilon) for y in (0.0, 0.5, 1.0)) > 5.0 * delta


PLANE = Domain(features=2, norm_bound=1.0, target_bound=1.0, intercept_scale=0.3, records=400)


def invented(domain, records, weights=None):
    draw = np.random.default_rng(3)
    rows = draw.uniform(-0.7, 0.7, (records, 2))
    return Records(rows=as_matrix(rows), targets=np.clip(rows @ [0.9, -0.4] + 0.3 * draw.normal(size=records), -1, 1), domain=domain, weights=weights)


@each_loss
def test_a_gradient_is_within_its_bound_of_the_one_of_sixty_digits(loss):
    domain = replace(PLANE, largest_weight=3.0)
    weights = np.random.default_rng(5).uniform(0.5, 1.0, 60)
    data, point = invented(domain, 60, weights), np.array([4.0, -9.0, 1.7])
    found = accurate_gradient(data, point, loss=loss, residuals=False)
    rows = np.column_stack([data.matrix.matvec(unit) for unit in np.eye(3)])
    bend, steepest = loss.smoothness(1.0), loss.lipschitz(math.inf, 1.0)
    with mpmath.workdps(60):
        exact = [mpmath.mpf(0)] * 3
        for row, target, weight in zip(rows.tolist(), data.targets.tolist(), weights.tolist(), strict=True):
            slope = weight * of_sixty_digits(loss, mpmath.fdot(row, point.tolist()), mpmath.mpf(target))
            exact = [total + slope * mpmath.mpf(entry) for total, entry in zip(exact, row, strict=True)]
        away = float(mpmath.sqrt(sum((total - mpmath.mpf(float(value))) ** 2 for total, value in zip(exact, found, strict=True))))
    problem = PredictionRisk(loss=loss, domain=domain)
    assert away <= gradient_error(problem, records=60, width=steepest, ridge=0.0, length=10.0, linear=0.0, bend=bend)


def of_sixty_digits(loss, prediction, target):
    """The slope, from its formula."""
    ahead, share = prediction - target, (target + 1) / 2
    match loss:
        case HuberLoss(half_width=h):
            return max(-mpmath.mpf(h), min(mpmath.mpf(h), ahead))
        case SmoothPinball(quantile=q, width=h):
            return max(mpmath.mpf(0), min(mpmath.mpf(1), ahead / mpmath.mpf(h) + 0.5)) - mpmath.mpf(q)
        case Expectile(level=q, half_width=h):
            return (1 - mpmath.mpf(q) if ahead > 0 else mpmath.mpf(q)) * max(-mpmath.mpf(h), min(mpmath.mpf(h), ahead))
        case Poisson(unit=u):
            return min(mpmath.mpf(u) * mpmath.exp(prediction), mpmath.mpf(1)) - share
        case Gamma(unit=u, steepest=a, least=least):
            return max(1 - max(share, mpmath.mpf(least)) / mpmath.mpf(u) * mpmath.exp(-prediction), -mpmath.mpf(a))


@pytest.mark.parametrize("loss", [SMOOTH[1], SMOOTH[3]], ids=lambda loss: loss.name)
@BOTH
def test_a_true_certificate_verifies_and_lies_do_not(loss, neighbours):
    domain = replace(PLANE, records=400 if neighbours is REPLACE_ONE else None)
    problem = PredictionRisk(loss=loss, domain=domain)
    made = calibrate_prediction(problem, epsilon=1.0, delta=1e-6, neighbours=neighbours)
    release = made.run(problem, invented(domain, 400), SystemNoise())
    certificate = Certificate.from_dict(json.loads(release.certificate.to_json()))
    assert certificate.verify(release.value).ok, certificate.verify(release.value)
    numbers = certificate.parameters
    changes = {"scale": 0.99, "ridge": 0.5, "tolerance": 3.0, "grid_scale": 0.8, "epsilon": 0.9}
    lies = [replace(certificate, parameters={**numbers, name: factor * numbers[name]}) for name, factor in changes.items()]
    lies += [
        replace(certificate, problem={**certificate.problem, "norm_bound": 1.1}),
        replace(certificate, problem={**certificate.problem, "loss": "squared", "loss_parameters": {}}),
        replace(certificate, guarantee=replace(certificate.guarantee, delta_at_epsilon=0.4e-6)),  # Poisson uses half of what was asked for
    ]
    assert [lie.verify().ok for lie in lies] == [False] * len(lies)


def test_for_persons_rows_share_a_weight_and_the_certificate_verifies():
    domain = replace(PLANE, records=100, persons=Persons(rows=4))
    problem = PredictionRisk(loss=Poisson(), domain=domain)
    made = calibrate_prediction(problem, epsilon=1.0, delta=1e-6, neighbours=REPLACE_ONE)
    release = made.run(problem, invented(domain, 400, np.full(400, 0.25)), SystemNoise())
    assert release.verify().ok, release.verify()
    assert made.records == 400


def test_what_the_theorem_does_not_cover_is_refused():
    for loss, words in ((Squared(), "no bound"), (Hinge(), "classes")):
        with pytest.raises(InvalidInput, match=words):
            PredictionRisk(loss=loss, domain=LINE)
    target = {"epsilon": 1.0, "delta": 1e-6, "neighbours": ADD_REMOVE}
    with pytest.raises(InvalidInput, match="kink"):
        PredictionObjectivePerturbation.calibrate(PredictionRisk(loss=Pinball(), domain=LINE), **target)
    with pytest.raises(InfeasibleTarget, match="comfortable"):
        PredictionObjectivePerturbation.calibrate(PredictionRisk(loss=Poisson(), domain=LINE), ridge=0.1, **target)
    problem = PredictionRisk(loss=LogCosh(), domain=replace(PLANE, records=None))
    short = replace(PredictionObjectivePerturbation.calibrate(problem, **target), records=9)
    with pytest.raises(InvalidInput, match="public_records"):
        short.run(problem, invented(problem.domain, 10), SystemNoise())


@pytest.mark.parametrize("loss", [*SMOOTH, Pinball(quantile=0.3)], ids=lambda loss: loss.name)
def test_without_privacy_nothing_is_left_to_gain(loss):
    problem = PredictionRisk(loss=loss, domain=PLANE)
    data = invented(PLANE, 400)
    release = calibrate_prediction(problem, epsilon=math.inf, delta=1e-6, neighbours=REPLACE_ONE).run(problem, data, SystemNoise())
    assert not release.verify().ok

    def total(point):
        return loss.value(data.matrix.matvec(point), data.targets).sum()

    draw = np.random.default_rng(0)
    least = total(release.value)
    assert all(total(release.value + size * draw.normal(size=3)) >= least - 1e-9 for size in (1e-6, 1e-3, 0.1) for _ in range(20))
