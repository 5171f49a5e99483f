"""Cuts and a fit on them: what both promise together, how close that is to one Gaussian mechanism, and which certificates are refused."""

import math
from dataclasses import replace

import numpy as np
import pytest

from discreet import LinearSVC
from discreet.accounting import ApproximateDP, PureDP, gaussian_delta, gaussian_mu, guarantee_from_dict
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.mechanisms.base import certified
from discreet.mechanisms.counting.gaussian_curve import Component, lattice
from discreet.mechanisms.cuts import Interval
from discreet.mechanisms.cuts.composed import CUTS_THEN_FIT, CutsThenFit

COLUMNS = [Interval(name, 0.0, 1.0) for name in "abcd"]
BOTH = [ADD_REMOVE, REPLACE_ONE]


def planned(neighbours, mechanism="auto"):
    def plan(epsilon, delta):
        model = LinearSVC(epsilon=epsilon, delta=delta, neighbours=str(neighbours), data_norm=2.0, classes=[0, 1], mechanism=mechanism)
        return model.plan(features=300, records=5000 if neighbours is REPLACE_ONE else None)

    return plan


def calibrated(neighbours, *, epsilon=1.0, delta=1e-7, share=0.1, mechanism="auto"):
    return CutsThenFit.calibrate(COLUMNS, epsilon=epsilon, delta=delta, neighbours=neighbours, share=share, planned=planned(neighbours, mechanism))


def certificate(both):
    """As a fit would issue it, but for its noise and its value."""
    fit = both.fit
    return certified(CUTS_THEN_FIT, both.parameters(fit), dict(fit.problem), both.guarantee, fit.digest, "a test", noise_private=True)


def failed(issued):
    return {check.name for check in issued.verify().checks if not check.ok} - {"noise source", "declared"}


@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize(("epsilon", "delta", "share", "room"), [(0.2, 1e-9, 0.1, 1.01), (1.0, 1e-7, 0.1, 1.015), (4.0, 1e-6, 0.3, 1.07)])
def test_both_together_cost_hardly_more_than_one_gaussian_mechanism(neighbours, epsilon, delta, share, room):
    """With a large share the counts may lose so much that the fit is read below the epsilon from which it is Gaussian (corollary 1 of T1)."""
    both = calibrated(neighbours, epsilon=epsilon, delta=delta, share=share)
    assert both.guarantee == replace(both.guarantee, epsilon=epsilon, delta_at_epsilon=delta)
    rest = gaussian_mu(epsilon, delta) * math.sqrt(1.0 - share)
    assert gaussian_delta(both.target[0] * room, rest) < delta < gaussian_delta(both.target[0] * 0.999, rest) * 1.2
    assert not failed(certificate(both))


@pytest.mark.parametrize("neighbours", BOTH)
def test_pure_epsilons_add(neighbours):
    both = calibrated(neighbours, delta=0.0)
    assert isinstance(both.guarantee, PureDP)
    assert both.target[0] == pytest.approx(0.9)
    assert not failed(certificate(both))


@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("mechanism", ["objective", "output"])
def test_the_total_covers_the_sum_over_the_counts(neighbours, mechanism):
    """The curve of the fit, at its own theorem, over the exact law of the loss of the counts."""
    both = calibrated(neighbours, mechanism=mechanism)
    moved = len(COLUMNS) * (1 if neighbours is ADD_REMOVE else 2)
    losses, masses = lattice(Component(coordinates=moved, step=1, scale=both.cuts.mechanism.scales[0]))
    stated = both.fit.guarantee
    mu = gaussian_mu(stated.epsilon, stated.delta_at_epsilon)
    ideal = sum(mass * gaussian_delta(both.guarantee.epsilon - loss, mu) for loss, mass in zip(losses, masses, strict=True) if mass > 1e-16)
    assert 0.6 * both.guarantee.delta_at_epsilon < ideal < 1.1 * both.guarantee.delta_at_epsilon


@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("delta", [0.0, 1e-7])
def test_lies_are_refused(neighbours, delta):
    issued = certificate(calibrated(neighbours, delta=delta))
    claim, parameters = issued.guarantee, dict(issued.parameters)
    lies = [replace(claim, epsilon=claim.epsilon * 0.98)]
    if isinstance(claim, ApproximateDP):
        lies.append(replace(claim, delta_at_epsilon=0.8 * delta))
    assert all(failed(replace(issued, guarantee=lie)) for lie in lies)
    cuts, fit = parameters["cuts"], parameters["fit"]
    finer = {**cuts, "parameters": {**cuts["parameters"], "scales": [0.9 * cuts["parameters"]["scales"][0]]}}
    assert failed(replace(issued, parameters={**parameters, "cuts": finer}))
    key = "scale" if "scale" in fit["parameters"] else "rate"
    louder = {**fit, "parameters": {**fit["parameters"], key: fit["parameters"][key] * (0.9 if key == "scale" else 1.1)}}
    assert failed(replace(issued, parameters={**parameters, "fit": louder}))
    assert failed(replace(issued, problem={**issued.problem, "features": 200}))


@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("delta", [0.0, pytest.param(1e-7, marks=pytest.mark.more)])
def test_parts_that_are_not_of_this_form_are_refused(neighbours, delta):
    issued = certificate(calibrated(neighbours, delta=delta))
    parameters = dict(issued.parameters)
    cuts, fit = parameters["cuts"], parameters["fit"]
    for name, part in (("cuts", cuts), ("fit", fit)):
        for more in ({**part, "more": 1}, {**part, "guarantee": {**part["guarantee"], "more": 1}}):
            assert failed(replace(issued, parameters={**parameters, name: more}))
    assert failed(replace(issued, parameters={**parameters, "cuts": fit}))
    assert failed(replace(issued, releases=2))
    for broken in (None, {}, [], 3.0):
        assert failed(replace(issued, parameters={**parameters, "fit": broken}))
        assert failed(replace(issued, parameters={**parameters, "cuts": broken}))


def test_a_pair_that_forgets_the_cuts_is_refused():
    """The fit alone would keep (epsilon, delta) with the whole budget."""
    both = calibrated(ADD_REMOVE)
    whole = planned(ADD_REMOVE)(1.0, 1e-7)
    assert "delta" in failed(certificate(replace(both, fit=whole)))


def test_a_pair_of_two_relations_is_refused():
    issued = certificate(calibrated(REPLACE_ONE))
    other = calibrated(ADD_REMOVE)
    parameters = {**issued.parameters, "cuts": other.parameters(other.fit)["cuts"]}
    assert failed(replace(issued, parameters=parameters))


def test_the_parts_state_what_they_promise():
    parts = calibrated(ADD_REMOVE).parameters(planned(ADD_REMOVE)(0.5, 1e-7))
    assert guarantee_from_dict(parts["fit"]["guarantee"]).epsilon == pytest.approx(0.5, rel=1e-3)
    assert np.isfinite(parts["cuts"]["parameters"]["scales"]).all()


def test_what_is_no_target_or_no_share_is_refused():
    for numbers in ({"epsilon": 0.0}, {"epsilon": math.inf}, {"delta": 1.0}, {"share": 0.0}, {"share": 1.0}):
        with pytest.raises(InvalidInput):
            calibrated(ADD_REMOVE, **numbers)
