"""T3, a record along one direction: the worst law of all stays below it and reaches it, both signs cost two or one, a recheck finds the same."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy.special import ndtr

from discreet.accounting import gaussian_delta, gaussian_mu
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.data import Domain, Records
from discreet.losses import HuberHinge, Logistic
from discreet.matrices import DenseMatrix
from discreet.mechanisms.learning.margin import MARGIN, jacobian_corners, worst_outcome
from discreet.mechanisms.learning.objective_perturbation import GaussianObjectivePerturbation, GaussianOneVsRest
from discreet.mechanisms.learning.one_direction import one_direction
from discreet.mechanisms.learning.one_vs_rest import ONE_VS_REST, one_problem_profile
from discreet.mechanisms.learning.two_signed import half_problem, two_signed_profile, two_signed_scale
from discreet.noise import SystemNoise
from discreet.problems import OneVsRestRisk, RegularisedRisk
from discreet.verification.one_direction import one_direction as recheck
from discreet.verification.scans import corners_of
from tests.mechanisms.learning.problems import problem as of_margin

RISES = {"huber": np.ones_like, "log-cosh": lambda share: 1.0 - share**2, "logistic": lambda share: share - share**2}


def half(loss, strength, epsilon):
    if loss == "logistic":
        return of_margin(Logistic(), ridge=strength / epsilon)
    return half_problem(loss=loss, width=1.0, radius=1.0, ridge=strength / epsilon, dimension=1)


def beyond(y, tau, epsilon):
    """At most P1(S) - e^epsilon P0(S) of the best S: y is normal under P0, y + tau under P1, both counted on cells."""
    with_record, without = np.diff(ndtr(y + tau)), np.diff(ndtr(y))
    return float(np.maximum(with_record - np.exp(epsilon) * without, 0.0).sum())


def risen(y, places, levels, speed):
    """tau over y: from one level to the next from each place on, no faster than `speed` at these levels, and never back."""
    tau, start = np.full_like(y, levels[0]), -np.inf
    for place, low, high in zip(places, levels[:-1], levels[1:], strict=True):
        start = max(start, place)
        tau = np.where(y > start, np.minimum(low + speed(low, high) * (y - start), high), tau)
        start += (high - low) / speed(low, high)
    return tau


def steepest(loss, s, u):
    return lambda low, high: u * min(float(RISES[loss](np.array(level / s))) for level in (low, high))


@pytest.mark.parametrize(
    ("loss", "epsilon", "strength"),
    [("huber", 1.0, 5.0), ("huber", 0.1, 5.0), ("huber", 4.0, 1.0), ("log-cosh", 1.0, 0.8), ("logistic", 1.0, 0.3), ("logistic", 0.1, 0.3)],
)
def test_no_law_exceeds_it_one_reaches_it_and_what_forgets_the_jacobian_is_exceeded(loss, epsilon, strength):
    rng = np.random.default_rng(8)
    problem = half(loss, strength, epsilon)
    s, u = 0.9 * gaussian_mu(epsilon, 1e-5), epsilon / strength
    bound = one_direction(*jacobian_corners(problem), s)(epsilon)
    levels = np.linspace(0.03 * s if loss == "logistic" else 0.0, s * (1.0 if loss == "huber" else 0.97), 80)
    room = np.log1p([steepest(loss, s, u)(*pair) for pair in pairwise(levels)])
    middle = 0.5 * (levels[1:] + levels[:-1])
    worst = 0.0
    shares = [np.full(79, share) for share in np.linspace(0.3, 0.95, 12)] + list(np.sort(rng.uniform(0.0, 1.2, (12, 79)), axis=1)[:, ::-1])
    for share in shares:
        places = -(epsilon - share * room) / middle - 0.5 * middle
        y = np.unique(np.concatenate((places, np.linspace(-12.0, 3.0, 6_000))))
        tau = risen(y, places, levels, steepest(loss, s, u))
        assert np.all(np.diff(tau) >= 0)
        worst = max(worst, beyond(y, tau, epsilon), beyond(y, tau + (s - tau[-1]), epsilon))
    assert worst <= bound
    assert worst > (0.9 if strength == 5.0 else 0.6) * bound
    assert worst > 1.05 * gaussian_delta(epsilon, s)
    assert bound < worst_outcome(problem)(1.0 / s, epsilon)


def most_beyond(epsilon, s, speed, *, both, back):
    """The most that any law of y + tau(y) has beyond e^epsilon times the normal one, or the normal one beyond it: tau by dynamic programming."""
    levels = s * np.arange(-150 if both else 0, 151) / 150.0
    apart, speeds = s / 150.0, speed(np.abs(levels) / s)
    cell = round(6.0 / speeds.max()) * apart
    y = np.arange(-9.5 - s, 9.5 + s, cell)
    with_record, without = ndtr(np.add.outer(y, levels)), np.diff(ndtr(y))
    allowed = [np.minimum(speeds[: len(levels) - rise], speeds[rise:]) * cell >= rise * apart * (1.0 - 1e-9) for rise in range(7)]
    most = np.zeros(len(levels))
    for place in reversed(range(len(without))):
        later, most = most, np.zeros(len(levels))
        for rise, may in enumerate(allowed):
            mass = with_record[place + 1, rise:] - with_record[place, : len(may)]
            over = without[place] - np.exp(epsilon) * mass if back else mass - np.exp(epsilon) * without[place]
            np.maximum(most[: len(may)], np.where(may, np.maximum(over, 0.0) + later[rise:], 0.0), out=most[: len(may)])
    return most.max()


@pytest.mark.parametrize(
    ("loss", "epsilon", "delta", "strength", "back", "reached"),
    [
        ("huber-hinge", 1.0, 1e-2, 1.16, False, 0.98),
        ("huber", 1.0, 1e-2, 1.16, False, 0.98),
        ("huber", 0.4, 1e-2, 1.63, True, 0.99),
        ("huber", 1.0, 1e-6, 4.66, False, 0.96),
        ("log-cosh", 1.0, 1e-2, 1.16, False, 0.45),
        ("logistic", 1.0, 1e-2, 0.29, False, 0.5),
    ],
)
def test_the_worst_of_all_laws_keeps_what_is_charged(loss, epsilon, delta, strength, back, reached):
    both = loss in ("huber", "log-cosh")
    problem = of_margin(HuberHinge(), ridge=strength / epsilon) if loss == "huber-hinge" else half(loss, strength, epsilon)
    rises = RISES["huber" if loss == "huber-hinge" else loss]
    if both:
        scale = two_signed_scale(problem, epsilon=epsilon, delta=delta, neighbours=ADD_REMOVE)
        charged = two_signed_profile(problem, ADD_REMOVE)(scale, epsilon)
    else:
        scale = MARGIN.scale(problem, epsilon=epsilon, delta=delta, neighbours=ADD_REMOVE)
        charged = MARGIN.profile(problem, ADD_REMOVE)(scale, epsilon)
    speed, s = problem.curvature_bound / problem.ridge if loss != "logistic" else 1.0 / problem.ridge, problem.gradient_bound / scale
    worst = most_beyond(epsilon, s, lambda share: speed * rises(share), both=both, back=back)
    assert reached * charged < worst <= charged * (1.0 + 1e-9)


@pytest.mark.parametrize(("classes", "neighbours"), [(2, ADD_REMOVE), (4, ADD_REMOVE), (4, REPLACE_ONE)])
def test_a_certificate_with_a_hundredth_less_noise_does_not_verify(classes, neighbours):
    target = {"epsilon": 1.0, "delta": 1e-6, "neighbours": neighbours}
    domain = Domain(features=2, norm_bound=1.0, classes=classes, records=100)
    kind, risk = (GaussianObjectivePerturbation, RegularisedRisk) if classes == 2 else (GaussianOneVsRest, OneVsRestRisk)
    problem = risk(loss=Logistic(), ridge=0.35, domain=domain)
    if classes > 2:
        problem = replace(problem, ridge=0.5 * ONE_VS_REST.comfortable_ridge(problem, **target))
    draw = np.random.default_rng(0)
    codes = draw.integers(0, classes, 100)
    records = Records(rows=DenseMatrix(draw.standard_normal((100, 2))), targets=codes if classes > 2 else 2.0 * codes - 1.0, domain=domain)
    true = kind.calibrate(problem, **target).run(problem, records, SystemNoise()).certificate
    less = replace(true, parameters={**true.parameters, "scale": 0.99 * true.parameters["scale"]})
    failed = [{check.name for check in one.verify().checks if not check.ok} & {"delta", "epsilon", "record"} for one in (true, less)]
    assert failed == [set(), {"delta"}]


def test_both_signs_cost_two_tails_without_the_record_and_one_with_it():
    epsilon, delta = 1.0, 1e-6
    for loss, strength in (("huber", 5.0), ("log-cosh", 1.0)):
        problem = half(loss, strength, epsilon)
        scale = two_signed_scale(problem, epsilon=epsilon, delta=delta, neighbours=ADD_REMOVE)
        found = two_signed_profile(problem, ADD_REMOVE)(scale, epsilon)
        assert 2.0 * gaussian_delta(epsilon, 1.0 / scale) <= found <= delta
        assert 2.0 * worst_outcome(problem)(scale, epsilon) > 2.0 * delta
        floor = 1.0 / gaussian_mu(epsilon, delta / 2.0)
        assert floor <= scale < 1.08 * floor
    strong = half("log-cosh", 4.0, epsilon)
    assert two_signed_profile(strong, ADD_REMOVE)(5.0, epsilon) == pytest.approx(2.0 * gaussian_delta(epsilon, 0.2), rel=1e-6)


def check_recheck():
    """A stranger finds the same, a little less, for any curvature; and what a slope may not have is seen."""
    for loss, epsilon, strength in (("huber", 1.0, 5.0), ("log-cosh", 0.1, 1.0), ("huber", 4.0, 0.5)):
        s = 0.9 * gaussian_mu(epsilon, 1e-6)
        shares = np.linspace(0.0, 1.0, 2001)
        stated = one_direction(*jacobian_corners(half(loss, strength, epsilon)), s)(epsilon)
        again = recheck(shares, np.log1p(RISES[loss](shares) * epsilon / strength), s)(epsilon)
        assert 0.92 * stated < again < stated
    for strength in (0.3, 0.5):
        problem, s = half("logistic", strength, 1.0), gaussian_mu(1.0, 1e-6) / 1.1
        scan = corners_of(problem.to_dict())
        assert 0.92 < recheck(scan.slopes, scan.jacobian, s)(1.0) / MARGIN.profile(problem, ADD_REMOVE)(1.0 / s, 1.0) < 1.0
    for loss, ridge in ((Logistic(), 1.0), (HuberHinge(), 2.0)):
        problem, s = of_margin(loss, ridge=ridge), 0.1
        scan, one = corners_of(problem.to_dict()), one_problem_profile(problem, scale=1.0 / s)
        for epsilon in (3.0 * s, 5.0 * s):  # nearer to 0 complements say less
            assert 0.92 < recheck(scan.slopes, scan.jacobian, s)(epsilon) / one.delta(epsilon) < 1.0


def test_a_stranger_finds_the_same():
    check_recheck()


@pytest.mark.parametrize(
    ("loss", "strength", "least", "most"), [(Logistic(), 0.35, 0.91, 0.93), (Logistic(), 0.5, 0.96, 0.98), (HuberHinge(), 10.0, 0.91, 0.93)], ids=repr
)
def test_one_sign_costs_less_than_the_worst_of_every_outcome(loss, strength, least, most):
    epsilon, delta = 1.0, 1e-6
    problem = of_margin(loss, ridge=strength / epsilon)
    worst = worst_outcome(problem)
    scale = MARGIN.scale(problem, epsilon=epsilon, delta=delta, neighbours=ADD_REMOVE)
    assert worst(scale / least, epsilon) < delta < worst(scale / most, epsilon)
    assert scale > 1.0 / gaussian_mu(epsilon, delta)
    assert MARGIN.profile(problem, REPLACE_ONE)(scale, epsilon) > worst(scale, epsilon) > delta, "records that replace each other have two directions"


@pytest.mark.parametrize(
    ("loss", "share", "least", "most"), [(Logistic(), 0.25, 1.06, 1.10), (Logistic(), 0.5, 1.0, 1.02), (HuberHinge(), 0.5, 1.0, 1.04)]
)
@pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])
def test_ten_classes_against_the_rest_cost_about_ten_gaussian_mechanisms(loss, share, least, most, neighbours):
    target = {"epsilon": 1.0, "delta": 1e-5, "neighbours": neighbours}
    problem = OneVsRestRisk(loss=loss, ridge=1.0, domain=Domain(features=1, norm_bound=1.0, classes=10, records=1000))
    problem = replace(problem, ridge=share * ONE_VS_REST.comfortable_ridge(problem, **target))
    floor = (1.0 if neighbours is ADD_REMOVE else 2.0) * np.sqrt(10.0) / gaussian_mu(1.0, 1e-5) * loss.lipschitz
    assert least < ONE_VS_REST.scale(problem, **target) / floor < most


def test_it_holds_where_nothing_is_left_of_epsilon_and_both_signs_ask_for_some():
    assert gaussian_delta(1.0, 0.2) < one_direction(*jacobian_corners(half("huber", 0.5, 1.0)), 0.2)(1.0) < 1.0
    assert gaussian_delta(1.0, 2.0) < one_direction(*jacobian_corners(half("huber", 5.0, 1.0)), 2.0)(1.0) < 1.0
    tight = half("log-cosh", 1.0 / np.expm1(1.01), 1.0)
    s = 0.1
    assert two_signed_profile(tight, ADD_REMOVE)(1.0 / s, 1.0) == min(1.0, 2.0 * worst_outcome(tight)(1.0 / s, 1.0))
    flat = half("huber", 1e300, 1.0)
    assert one_direction(*jacobian_corners(flat), 0.2)(1.0) >= gaussian_delta(1.0, 0.2)
