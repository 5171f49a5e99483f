"""A norm and a fit of the divided rows: exact laws of both together, planted faults, and which certificates are refused."""

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy.special import ndtr

from discreet import LinearSVC, LogisticRegression
from discreet.accounting import ApproximateDP, PureDP, gaussian_delta, gaussian_mu
from discreet.audit import Claim
from discreet.audit.exact import PrivacyLoss, choice, exact_audit
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.mechanisms.base import certified
from discreet.mechanisms.bounds_choice import OpenColumns, grid_named
from discreet.mechanisms.bounds_choice.norm import CANDIDATES, NormPlan
from discreet.mechanisms.selection import ThenFit
from discreet.noise import SeededNoise
from discreet.statements.base import NORM_THEN_FIT

BOTH = [ADD_REMOVE, REPLACE_ONE]


def planned(neighbours, mechanism="auto", classes=(0, 1)):
    def plan(epsilon, delta):
        kind = LinearSVC if len(classes) == 2 else LogisticRegression
        model = kind(epsilon=epsilon, delta=delta, neighbours=str(neighbours), classes=list(classes), mechanism=mechanism)
        return model.plan(features=300, records=5000 if neighbours is REPLACE_ONE else None)

    return plan


def settled(neighbours, *, epsilon=1.0, delta=1e-7, share=0.1, **of):
    plan = partial(NormPlan.calibrate, neighbours=neighbours)
    return ThenFit.calibrate(NORM_THEN_FIT, plan, epsilon=epsilon, delta=delta, share=share, planned=planned(neighbours, **of))


def certificate(both, norm=4.0):
    """As a fit would issue it, but for its noise and its value."""
    parameters = {**both.parameters(both.fit), "data_norm": norm}
    return certified(NORM_THEN_FIT, parameters, dict(both.fit.problem), both.guarantee, both.fit.digest, "a test", noise_private=True)


def failed(issued):
    return {check.name for check in issued.verify().checks if not check.ok} - {"noise source", "declared"}


@pytest.mark.at_most(2)
@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize(("epsilon", "delta", "share"), [(0.2, 1e-9, 0.1), (1.0, 1e-7, 0.1), (4.0, 1e-6, 0.3), (1.0, 0.0, 0.1)])
def test_the_total_is_what_was_asked_for_and_verifies(neighbours, epsilon, delta, share):
    both = settled(neighbours, epsilon=epsilon, delta=delta, share=share)
    assert isinstance(both.guarantee, ApproximateDP if delta else PureDP)
    assert (both.guarantee.epsilon, both.guarantee.delta(epsilon)) == (epsilon, delta)
    assert not failed(certificate(both))


@pytest.mark.parametrize("neighbours", BOTH)
def test_a_tenth_costs_the_fit_about_what_a_tenth_of_mu_squared_costs(neighbours):
    both = settled(neighbours, mechanism="output")
    rest = gaussian_mu(1.0, 1e-7) * math.sqrt(0.9)
    assert gaussian_delta(both.target[0] * 1.01, rest) < 1e-7 < gaussian_delta(both.target[0] * 0.97, rest)


@pytest.mark.more
@pytest.mark.parametrize("neighbours", BOTH)
def test_one_point_of_a_curve_is_enough(neighbours):
    both = settled(neighbours, classes=(0, 1, 2))
    assert 0.8 < both.target[0] < 1.0
    assert not failed(certificate(both))


def losses_of_choice(width, t):
    """A choice of two candidates whose losses are t and t - width."""
    of_t = np.expm1(t - width) / np.expm1(-width)
    return PrivacyLoss(masses=np.array([of_t, 1.0 - of_t]), losses=np.array([t, t - width]))


@pytest.mark.parametrize("neighbours", BOTH)
def test_exact_laws_of_both_keep_the_total_and_planted_faults_do_not(neighbours):
    """The worst shift of a minimiser beside every two-point law of a choice: half the noise of the fit and twice the range are seen."""
    both = settled(neighbours, epsilon=1.0, delta=1e-5, share=0.3, mechanism="output")
    moved = 1 if neighbours is ADD_REMOVE else 2
    problem, scale = both.fit.problem, both.fit.parameters["scale"]
    shift = moved * math.hypot(problem["data_norm"], problem["intercept_scale"]) / problem["ridge"]

    def audited(mu, width, t):
        first, edges = losses_of_choice(width, t), np.linspace(-9.0, 5.0, 1001)
        cells = np.stack((np.diff(ndtr(edges)), np.diff(ndtr(edges - mu))))
        losses = first.losses[:, np.newaxis] + np.log(cells[0] / cells[1])
        law = PrivacyLoss(masses=np.outer(first.masses, cells[0]).ravel(), losses=losses.ravel())
        return exact_audit(law, law, Claim.of(both.guarantee), subject=NORM_THEN_FIT, described="two-point laws of the choice")

    width = both.choice.mechanism.rate
    honest = [audited(shift / scale, width, share * width) for share in np.linspace(0.05, 0.95, 7)]
    assert not any(result.violated for result in honest)
    assert max(result.bound for result in honest) > 0.95
    assert audited(2.0 * shift / scale, width, 0.5 * width).violated
    assert any(audited(shift / scale, 2.0 * width, 2.0 * share * width).violated for share in np.linspace(0.05, 0.95, 7))


@pytest.mark.parametrize("neighbours", BOTH)
def test_losses_of_a_choice_lie_in_an_interval_of_the_stated_range(neighbours):
    """Neighbouring tables at all candidates: by the law that is drawn, with the tolls; a rate twice as large is seen."""
    plan = NormPlan.calibrate(epsilon=0.5, delta=0.0, neighbours=neighbours)
    (grid,) = plan.problem.grids.values()
    rest = np.repeat([0.3, 3.0, 100.0], [40, 40, 3])

    def spread(rate):
        found = []
        for added in (1e-3, 1.0, 7.0, 1e12):
            before = rest if neighbours is ADD_REMOVE else np.append(rest, 0.05)
            here, there = (plan.mechanism.scores(grid, column)[1] for column in (before, np.append(rest, added)))
            found.append(np.ptp(choice(here, there, rate).losses))
        return max(found)

    assert 0.9 * plan.mechanism.rate < spread(plan.mechanism.rate) <= plan.mechanism.guarantee(plan.problem).epsilon * (1.0 + 1e-9)
    assert spread(2.0 * plan.mechanism.rate) > plan.mechanism.guarantee(plan.problem).epsilon


def test_the_choice_is_that_of_most_rows():
    plan = NormPlan.calibrate(epsilon=1.0, delta=0.0, neighbours=REPLACE_ONE)
    norms = np.random.default_rng(0).uniform(5.0, 15.0, 20_000)
    assert plan.chosen(norms, SeededNoise(1)) == 16.0
    assert plan.chosen(np.array([]), SeededNoise(1)) in CANDIDATES


@pytest.mark.at_most(1)
@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("delta", [0.0, 1e-7])
def test_lies_are_refused(neighbours, delta):
    issued = certificate(settled(neighbours, delta=delta))
    claim, parameters = issued.guarantee, dict(issued.parameters)
    lies = [replace(claim, epsilon=claim.epsilon * 0.98), replace(claim, epsilon=claim.epsilon * 2.0)]
    if isinstance(claim, ApproximateDP):
        lies += [replace(claim, delta_at_epsilon=0.8 * delta)]
    assert all(failed(replace(issued, guarantee=lie)) for lie in lies)
    norm, fit = parameters["norm"], parameters["fit"]
    louder = {**norm, "parameters": {**norm["parameters"], "rate": 1.1 * norm["parameters"]["rate"]}}
    key = "scale" if "scale" in fit["parameters"] else "rate"
    quieter = {**fit, "parameters": {**fit["parameters"], key: fit["parameters"][key] * (0.9 if key == "scale" else 1.1)}}
    for changed in ({"norm": louder}, {"fit": quieter}, {"data_norm": 3.0}, {"data_norm": 2.0**40}, {"data_norm": None}, {"norm": fit}):
        assert failed(replace(issued, parameters={**parameters, **changed}))
    assert failed(replace(issued, problem={**issued.problem, "data_norm": 2.0}))
    assert failed(replace(issued, releases=2))
    for broken in (None, {}, [], 3.0):
        assert failed(replace(issued, parameters={**parameters, "norm": broken}))


@pytest.mark.at_most(1)
@pytest.mark.parametrize("neighbours", BOTH)
def test_a_choice_of_several_bounds_is_no_choice_of_a_norm(neighbours):
    """Bounds of a column have two sides, and more than one column costs more."""
    both = settled(neighbours)
    wide = OpenColumns({"income": grid_named("powers-of-two")})
    assert "chosen norm" in failed(certificate(replace(both, choice=replace(both.choice, problem=wide))))
    (grid,) = both.choice.problem.grids.values()
    two = OpenColumns({"one": grid, "other": grid})
    assert "chosen norm" in failed(certificate(replace(both, choice=replace(both.choice, problem=two))))


def test_a_fit_that_forgets_the_choice_is_refused():
    both = settled(ADD_REMOVE)
    assert "delta" in failed(certificate(replace(both, fit=planned(ADD_REMOVE)(1.0, 1e-7))))


def test_what_is_no_target_or_no_share_is_refused():
    for numbers in ({"epsilon": 0.0}, {"epsilon": math.inf}, {"delta": 1.0}, {"share": 0.0}, {"share": 1.0}):
        with pytest.raises(InvalidInput):
            settled(ADD_REMOVE, **numbers)
