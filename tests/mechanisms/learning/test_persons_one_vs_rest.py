"""Several rows of one person in K problems of two classes: exact densities, planted faults, sums of losses, words and rechecks."""

import math
from dataclasses import replace

import numpy as np
import pytest

from discreet.audit.densities import Counted, minimiser, perturbation_and_logdet
from discreet.core.errors import InfeasibleTarget
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE, Neighbours, Persons
from discreet.data import Domain
from discreet.losses import HuberHinge, Logistic, SmoothedHinge, SoftplusHinge
from discreet.mechanisms.learning import calibrate
from discreet.mechanisms.learning.loss_sums import sum_of_losses
from discreet.mechanisms.learning.margin import row_loss
from discreet.mechanisms.learning.one_vs_rest import ONE_VS_REST
from discreet.mechanisms.learning.persons import normal_loss
from discreet.problems import OneVsRestRisk
from tests.mechanisms.learning.persons_of_classes import asked, certified, keeps_its_promise

K = 3
LOSSES = [Logistic(), SoftplusHinge(), HuberHinge(), SmoothedHinge()]
PERSONS = {
    "equal": [(1.0, 0, 1 / 3)] * 3,
    "of all classes": [(1.0, 0, 1 / 3), (1.0, 1, 1 / 3), (1.0, 2, 1 / 3)],
    "opposite": [(1.0, 0, 0.5), (-1.0, 0, 0.5)],
    "long and short": [(1.0, 0, 0.7), (-0.4, 2, 0.2), (0.2, 1, 0.1)],
}
"""Rows on the line with classes and weights."""


def problem(loss=None, *, ridge=1.0, classes=K, features=1, rows=3, records=1000):
    persons = Persons(rows=rows) if rows else None
    domain = Domain(features=features, norm_bound=1.0, classes=classes, records=records, persons=persons)
    return OneVsRestRisk(loss=loss or Logistic(), ridge=ridge, domain=domain)


def comfortable(factor=1.0, *, target, loss=None, **shape):
    public = problem(loss, **shape)
    return replace(public, ridge=factor * ONE_VS_REST.comfortable_ridge(public, **target))


def losses_of_class(code, first, second, *, public, scale):
    """Of one problem, at nodes of its noise: others pull far against the rows of class 0, and far with those of other classes."""
    away = -1.0 if code == 0 else 1.0
    others = ((away,), 3e4 * public.ridge)

    def table(person):
        return Counted.of(others, *[((row if owner == code else -row,), weight) for row, owner, weight in person])

    axis = np.linspace(-7.5, 7.5, 151)
    ridge = np.array([public.ridge])
    f = minimiser(axis[:, np.newaxis] * scale, table(first), public.loss, ridge)
    (b, here), (other, there) = (perturbation_and_logdet(f, table(each), public.loss, ridge) for each in (first, second))
    return (np.sum(other**2, axis=1) - np.sum(b**2, axis=1)) / (2.0 * scale**2) + here - there


def reached(first, second, *, public, scale, epsilon):
    axis = np.linspace(-7.5, 7.5, 151)
    weights = np.exp(-0.5 * axis**2) * (axis[1] - axis[0]) / np.sqrt(2.0 * np.pi)
    one, two, three = (losses_of_class(code, first, second, public=public, scale=scale) for code in range(K))
    together = one[:, np.newaxis, np.newaxis] + two[:, np.newaxis] + three
    density = weights[:, np.newaxis, np.newaxis] * weights[:, np.newaxis] * weights
    return float(np.sum(density * -np.expm1(np.minimum(epsilon - together, 0.0))))


@pytest.mark.at_most(2)
@pytest.mark.parametrize("rows", PERSONS)
@pytest.mark.parametrize("factor", [0.5, 1.0, 20.0])
def test_no_persons_rows_exceed_the_claim_and_equal_ones_nearly_reach_it(rows, factor):
    epsilon, delta = 1.0, 1e-4
    target = asked(epsilon, delta, ADD_REMOVE)
    public = comfortable(factor, target=target)
    numbers = {"public": public, "scale": ONE_VS_REST.scale(public, **target), "epsilon": epsilon}
    most = max(reached(PERSONS[rows], [], **numbers), reached([], PERSONS[rows], **numbers))
    assert most <= delta * (1 + 2e-3)  # the quadrature's own error
    if rows == "equal":
        assert most > (0.85 if factor == 20.0 else 0.1) * delta
        assert reached([(row, code, 1.0) for row, code, _ in PERSONS[rows]], [], **numbers) > 50.0 * delta, "weights that are not shared"
        one_class = ONE_VS_REST.scale(comfortable(factor, target=target), **target) / math.sqrt(K)
        assert reached(PERSONS[rows], [], **{**numbers, "scale": one_class}) > 3.0 * delta, "noise for one class"


@pytest.mark.parametrize(("first", "second"), [("equal", "of all classes"), ("opposite", "long and short"), ("equal", "opposite")])
def test_a_person_who_replaces_another_keeps_the_claim(first, second):
    epsilon, delta = 1.0, 1e-4
    target = asked(epsilon, delta, REPLACE_ONE)
    public = comfortable(target=target)
    numbers = {"public": public, "scale": ONE_VS_REST.scale(public, **target), "epsilon": epsilon}
    for pair in ((first, second), (second, first)):
        assert reached(*(PERSONS[each] for each in pair), **numbers) <= delta


@pytest.mark.parametrize("loss", [None, *LOSSES], ids=repr)
@pytest.mark.parametrize("count", [1, 2, 3])
def test_the_sum_of_losses_is_what_quadrature_gives(loss, count):
    """E (T - tau)_+ of sums over 1, 2 and 3 classes: at least the double or triple sum over nodes, and hardly more."""
    s, each = 0.3, problem(loss, ridge=2.0).each
    one = normal_loss(s) if loss is None else row_loss(each, s)
    axis = np.linspace(-8.0, 8.0, 321 if count < 3 else 161)
    weights = np.exp(-0.5 * axis**2) * (axis[1] - axis[0]) / np.sqrt(2.0 * np.pi)
    margins = np.linspace(-30.0, 30.0, 6_001)
    if loss is None:
        values = np.maximum(s * axis + 0.5 * s * s, 0.0)
    else:
        slopes = np.abs(loss.slope(margins)) / loss.lipschitz * s
        heights = 0.5 * np.square(slopes) + loss.curvature(margins) / each.ridge
        values = np.maximum(np.max(slopes * axis[:, np.newaxis] + heights, axis=1), 0.0)
    sums, masses = values, weights
    for _ in range(count - 1):
        sums, masses = np.add.outer(sums, values).ravel(), np.multiply.outer(masses, weights).ravel()
    found = sum_of_losses(one, count, spread=s, reach=s * 11.0 + 1.0)
    for tau in (-0.5, 0.0, 0.4, 1.0, 2.0):
        exact = float(np.maximum(sums - tau, 0.0) @ masses)
        assert exact * (1 - 1e-3) <= found(np.array([tau])).mean[0] <= exact * 1.006 + 1e-7


def test_the_sum_of_losses_that_hardly_vary_is_bounded_too():
    """Noise so large that the Jacobian term is all there is."""
    each = problem(ridge=2.0).each
    most = 3 * each.slack_free_ratio / 4.0
    found = sum_of_losses(row_loss(each, 1e-9), 3, spread=1e-9, reach=1.0)(np.array([0.0, 0.5 * most, 2.0 * most])).mean
    assert found == pytest.approx([most, 0.5 * most, 0.0], rel=1e-4, abs=1e-9)


@pytest.mark.parametrize("classes", [3, 10])
@pytest.mark.parametrize("neighbours", Neighbours)
@pytest.mark.parametrize("factor", [0.5, 1.0, 4.0])
def test_persons_cost_hardly_more_noise_than_rows_but_where_slack_is_dear(classes, neighbours, factor):
    """Rows are composed of curves of theorem T3, lowered near 0 (composition.md, 1d), persons of sums of T1's suprema: slack costs them more."""
    target = asked(1.0, 1e-6, neighbours)
    persons, rows = (ONE_VS_REST.scale(comfortable(factor, target=target, classes=classes, rows=most), **target) for most in (50, 0))
    assert 0.99 < persons / rows < (1.15 if factor == 0.5 else 1.07)


@pytest.mark.at_most(2)
@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-6), (1.0, 1e-6), (4.0, 1e-4), (1.0, 0.0)])
@pytest.mark.parametrize("neighbours", Neighbours)
@pytest.mark.parametrize("factor", [0.6, 1.0, 3.0])
def test_a_released_model_of_persons_verifies_and_says_so(loss, epsilon, delta, neighbours, factor):
    target = asked(epsilon, delta, neighbours)
    public = comfortable(factor, target=target, loss=loss, features=2, rows=5, records=None if neighbours is ADD_REMOVE else 20)
    certificate = certified(public, target)
    noise, more = ("scale", 0.99) if delta > 0 else ("rate", 1.01)
    if delta > 0 or math.isfinite(loss.slope_curvature_ratio):
        assert not replace(certificate, parameters={**certificate.parameters, noise: certificate.parameters[noise] * more}).verify().ok


@pytest.mark.at_most(3)
@pytest.mark.parametrize("epsilon", [1e-3, 0.1, 1.0, 10.0, 1000.0])
@pytest.mark.parametrize("delta", [0.0, 1e-12, 1e-6])
@pytest.mark.parametrize("neighbours", Neighbours)
@pytest.mark.parametrize("classes", [3, 30])
def test_persons_are_calibrated_for_over_all_scales(epsilon, delta, neighbours, classes):
    target = asked(epsilon, delta, neighbours)
    keeps_its_promise(problem(classes=classes, features=20, rows=7), target)


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("loss", [Logistic(), HuberHinge()], ids=repr)
def test_too_little_regularisation_is_refused_for_persons(delta, loss):
    public = problem(loss)
    least = ONE_VS_REST.least_ridge(public, 1.0)
    numbers = {"mechanism": "objective", "calibration": "tight", **asked(1.0, delta, ADD_REMOVE)}
    for share in (0.99, 1.0 + 1e-9):  # where even the search for noise finds none
        with pytest.raises(InfeasibleTarget, match=r"alpha=.* at epsilon=1"):
            calibrate(replace(public, ridge=share * least), **numbers)
    calibrate(replace(public, ridge=1.2 * least), **numbers)
