"""Cuts and a fit on them: what both promise together, how close that is to one Gaussian mechanism, and which certificates are refused."""

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy.special import ndtr

from discreet import LinearRegression, LinearSVC
from discreet.accounting import ApproximateDP, PureDP, closeness, gaussian_delta, gaussian_mu, guarantee_from_dict
from discreet.audit import Claim
from discreet.audit.exact import PrivacyLoss, exact_audit, gaussian_integers
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.data import Domain
from discreet.mechanisms.base import certified
from discreet.mechanisms.bounds_choice.release import noise_of
from discreet.mechanisms.counting import GaussianCounting, LaplaceCounting, Queries
from discreet.mechanisms.counting.gaussian_curve import Component, divergence, lattice
from discreet.mechanisms.cuts import ColumnCells, ColumnHistograms, CutsPlan, Interval
from discreet.mechanisms.release import BoundedNoise, GaussianRelease
from discreet.mechanisms.selection import ThenFit
from discreet.queries import Rows
from discreet.statements.base import CUTS_THEN_FIT
from discreet.verification.counting import losses_of_counts
from discreet.words import certified_words

COLUMNS = [Interval(name, 0.0, 1.0) for name in "abcd"]
BOTH = [ADD_REMOVE, REPLACE_ONE]


def planned(neighbours, mechanism="auto", loss=None):
    if mechanism == "regression":
        return of_numbers(neighbours)

    def plan(epsilon, delta):
        model = LinearSVC(epsilon=epsilon, delta=delta, neighbours=str(neighbours), data_norm=2.0, classes=[0, 1], mechanism=mechanism, loss=loss)
        return model.plan(features=300, records=5000 if neighbours is REPLACE_ONE else None)

    return plan


def of_numbers(neighbours):
    def plan(epsilon, delta):
        model = LinearRegression(epsilon=epsilon, delta=delta, neighbours=str(neighbours), data_norm=2.0)
        return model.plan(features=300, records=5000 if neighbours is REPLACE_ONE else None)

    return plan


def of_few_columns(neighbours, classes):
    def plan(epsilon, delta):
        model = LinearSVC(epsilon=epsilon, delta=delta, neighbours=str(neighbours), data_norm=1.0, classes=list(range(classes)))
        return model.plan(features=60, records=20 if neighbours is REPLACE_ONE else None)

    return plan


def both_of(columns, neighbours, **numbers):
    return ThenFit.calibrate(CUTS_THEN_FIT, partial(CutsPlan.calibrate, columns, neighbours=neighbours), **numbers)


def calibrated(neighbours, *, epsilon=1.0, delta=1e-7, share=0.1, mechanism="auto"):
    return both_of(COLUMNS, neighbours, epsilon=epsilon, delta=delta, share=share, planned=planned(neighbours, mechanism))


def certificate(both):
    """As a fit would issue it, but for its noise and its value."""
    fit = both.fit
    return certified(CUTS_THEN_FIT, both.parameters(fit), dict(fit.problem), both.guarantee, fit.digest, "a test", noise_private=True)


def failed(issued):
    return {check.name for check in issued.verify().checks if not check.ok} - {"noise source", "declared"}


@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize(("epsilon", "delta", "share", "room"), [(0.2, 1e-9, 0.1, 1.01), (1.0, 1e-7, 0.1, 1.02), (4.0, 1e-6, 0.3, 1.07)])
def test_both_together_cost_hardly_more_than_one_gaussian_mechanism(neighbours, epsilon, delta, share, room):
    """The counts may lose so much that noise in the objective is read below the epsilon from which it is Gaussian (corollary 1 of T1): 1.6 % at the
    middle target, and more with a large share. Noise in the output is Gaussian everywhere, and within a quarter of a per cent there."""
    both = calibrated(neighbours, epsilon=epsilon, delta=delta, share=share)
    assert both.guarantee == replace(both.guarantee, epsilon=epsilon, delta_at_epsilon=delta)
    rest = gaussian_mu(epsilon, delta) * math.sqrt(1.0 - share)
    assert gaussian_delta(both.target[0] * room, rest) < delta < gaussian_delta(both.target[0] * 0.999, rest) * 1.2
    assert not failed(certificate(both))


@pytest.mark.parametrize("neighbours", BOTH)
def test_noise_in_the_output_loses_nothing(neighbours):
    both = calibrated(neighbours, mechanism="output")
    assert gaussian_delta(both.target[0] * 1.0025, gaussian_mu(1.0, 1e-7) * math.sqrt(0.9)) < 1e-7


@pytest.mark.more
@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize(
    ("epsilon", "delta", "share", "classes"),
    [
        (0.68, 1.9e-8, 0.29, 3),
        (25.0, 1.4e-11, 0.42, 3),
        (30.0, 1e-12, 0.5, 2),
        (0.002, 1e-9, 0.1, 3),
        *(
            pytest.param(*case, marks=pytest.mark.more)
            for case in ((14.65, 3e-5, 0.43, 3), (1.9, 3.8e-5, 0.3, 3), (0.5, 1e-3, 0.5, 3), (0.002, 1e-9, 0.1, 2))
        ),
    ],
)
def test_there_is_a_fit_where_one_point_of_its_curve_is_known(neighbours, epsilon, delta, share, classes):
    """Three classes, or few dimensions and so little delta that a pure fit is best."""
    both = both_of(COLUMNS, neighbours, epsilon=epsilon, delta=delta, share=share, planned=of_few_columns(neighbours, classes))
    assert 0 < both.target[0] < epsilon
    assert not failed(certificate(both))


@pytest.mark.more
@pytest.mark.parametrize("neighbours", BOTH)
def test_shares_of_epsilon_and_delta_add_where_the_search_finds_nothing(neighbours, monkeypatch):
    monkeypatch.setattr("discreet.mechanisms.selection.then_fit._ATTEMPTS", 0)
    for classes in (2, 3):
        both = both_of(COLUMNS, neighbours, epsilon=1.0, delta=1e-7, share=0.2, planned=of_few_columns(neighbours, classes))
        assert both.target == pytest.approx((0.8, 0.9e-7), rel=2e-3)
        assert not failed(certificate(both))


@pytest.mark.parametrize("neighbours", BOTH)
def test_pure_epsilons_add(neighbours):
    both = calibrated(neighbours, delta=0.0)
    assert isinstance(both.guarantee, PureDP)
    assert both.target[0] == pytest.approx(0.9)
    assert not failed(certificate(both))


@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize(("epsilon", "delta", "share"), [(0.1, 1e-9, 0.1), pytest.param(1.0, 1e-9, 0.1, marks=pytest.mark.more), (4.0, 1e-6, 0.3)])
def test_a_regression_is_left_with_what_one_gaussian_mechanism_would_be_but_for_a_fiftieth(neighbours, epsilon, delta, share):
    both = calibrated(neighbours, epsilon=epsilon, delta=delta, share=share, mechanism="regression")
    assert gaussian_delta(both.target[0] * 1.075, gaussian_mu(epsilon, delta) * math.sqrt(1.0 - share)) < delta
    assert both.target[1] == delta
    assert not failed(certificate(both))


@pytest.mark.parametrize("neighbours", [ADD_REMOVE, pytest.param(REPLACE_ONE, marks=pytest.mark.more)])
def test_the_share_of_epsilon_is_left_where_a_search_finds_less(neighbours):
    both = calibrated(neighbours, share=0.8, mechanism="regression")
    assert both.target[0] > 0.14
    assert not failed(certificate(both))


@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("mechanism", ["objective", "output", "regression"])
def test_the_total_covers_the_sum_over_the_counts(neighbours, mechanism):
    """The curve of the fit, at its own theorem, over the exact law of the loss of the counts."""
    both = calibrated(neighbours, mechanism=mechanism)
    moved = len(COLUMNS) * (1 if neighbours is ADD_REMOVE else 2)
    losses, masses = lattice(Component(coordinates=moved, step=1, scale=both.choice.mechanism.scales[0]))
    stated = both.fit.guarantee
    mu = gaussian_mu(stated.epsilon, stated.delta_at_epsilon)
    ideal = sum(mass * gaussian_delta(both.guarantee.epsilon - loss, mu) for loss, mass in zip(losses, masses, strict=True) if mass > 1e-16)
    # A regression under add-remove has one part more, the noisy number of its records, and so one lemma about integers more.
    near = 0.58 if mechanism == "regression" and neighbours is ADD_REMOVE else 0.6
    assert near * both.guarantee.delta_at_epsilon < ideal < 1.1 * both.guarantee.delta_at_epsilon


@pytest.mark.at_most(1)
@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize(("delta", "mechanism"), [(0.0, "auto"), (1e-7, "auto"), (1e-7, "regression")])
def test_lies_are_refused(neighbours, delta, mechanism):
    issued = certificate(calibrated(neighbours, delta=delta, mechanism=mechanism))
    claim, parameters = issued.guarantee, dict(issued.parameters)
    lies = [replace(claim, epsilon=claim.epsilon * 0.98), replace(claim, epsilon=claim.epsilon * 2.0)]
    if isinstance(claim, ApproximateDP):
        lies += [replace(claim, delta_at_epsilon=0.8 * delta), replace(claim, delta_at_epsilon=2.0 * delta)]
    assert all(failed(replace(issued, guarantee=lie)) for lie in lies)
    for key in ("epsilon", "delta"):
        assert "hypotheses" in failed(replace(issued, guarantee=lies[1], parameters={**parameters, key: 2.0 * parameters[key] + 1e-9}))
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


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_the_recheck_knows_wide_counts_under_a_curve_with_a_corner(share):
    """Their loss is normal then, but for the price of a lemma, and of a pure fit the total is that of one Gaussian mechanism, further out."""
    plan = CutsPlan.calibrate(COLUMNS, epsilon=1e-3, delta=1e-9, neighbours=ADD_REMOVE)
    stated = plan.release(np.zeros(plan.cells.size, dtype=np.int64), noise_of(0)).certificate
    losses, masses = losses_of_counts(stated)
    mu = math.sqrt(len(COLUMNS)) / plan.mechanism.scales[0]
    at = share * 1e-3 - closeness(len(COLUMNS), plan.mechanism.scales[0]).total
    assert plan.mechanism.scales[0] > 2.0**13
    assert masses @ np.maximum(0.0, -np.expm1(share * 1e-3 - losses)) == pytest.approx(gaussian_delta(at, mu), rel=5e-5)


def test_a_pair_that_forgets_the_cuts_is_refused():
    """The fit alone would keep (epsilon, delta) with the whole budget."""
    both = calibrated(ADD_REMOVE)
    whole = planned(ADD_REMOVE)(1.0, 1e-7)
    assert "delta" in failed(certificate(replace(both, fit=whole)))


def record(mechanism, problem):
    """Of one part, as certificates hold it."""
    guarantee = mechanism.guarantee(problem).to_dict()
    return {"mechanism": mechanism.name, "parameters": mechanism.parameters(), "problem": problem.to_dict(), "guarantee": guarantee}


def of_fit(fit):
    return {"mechanism": fit.mechanism, "parameters": dict(fit.parameters), "problem": dict(fit.problem), "guarantee": fit.guarantee.to_dict()}


def forged(cuts, fit, *, epsilon, delta, neighbours=ADD_REMOVE):
    """A certificate whose words are those of its parts, and whose total is this."""
    parameters = {"neighbours": str(neighbours), "epsilon": epsilon, "delta": delta, "cuts": cuts, "fit": fit}
    theorem = certified_words(CUTS_THEN_FIT, parameters, fit["problem"]).theorem
    total = ApproximateDP(epsilon=epsilon, delta_at_epsilon=delta, neighbours=neighbours, theorem=theorem)
    return certified(CUTS_THEN_FIT, parameters, fit["problem"], total, "0" * 64, "a test", noise_private=True)


def counts(columns):
    return Queries([ColumnHistograms(tuple(ColumnCells(name=str(number), lower=0.0, upper=1.0, steps=4) for number in range(columns)))])


def of_bounded_noise():
    query = Rows(domain=Domain(features=2, entry_bound=0.25, target_bound=1.0))
    return record(BoundedNoise(half_width=1.0, level=1.0, epsilon=1.0), query)


def of_rows():
    query = Rows(domain=Domain(features=2, norm_bound=1.0, target_bound=1.0), target="clear")
    return record(GaussianRelease.calibrate(query, epsilon=1.0, delta=1e-6, neighbours=REPLACE_ONE), query)


@pytest.mark.parametrize("of_part", [of_bounded_noise, of_rows])
def test_what_protects_less_than_a_record_is_no_part_of_a_total_about_records(of_part):
    part, cuts = of_part(), record(LaplaceCounting(scales=(9.0,), neighbours=REPLACE_ONE), counts(4))
    with pytest.raises(ValueError, match="fits no linear model"):
        forged(cuts, part, epsilon=9.0, delta=0.5, neighbours=REPLACE_ONE)
    fit = of_fit(planned(REPLACE_ONE)(1.0, 1e-7))
    with pytest.raises(ValueError, match="no part of a guarantee of whole records"):
        forged(part, fit, epsilon=9.0, delta=0.5, neighbours=REPLACE_ONE)
    for lie in ({"unit": "entry"}, {"local": True}, {"secret": ["a seed"]}):
        with pytest.raises(ValueError, match="states another unit"):
            forged(cuts, {**fit, "guarantee": {**fit["guarantee"], **lie}}, epsilon=9.0, delta=0.5, neighbours=REPLACE_ONE)


def test_counts_with_laplace_noise_are_not_read_as_gaussian_ones():
    """Of one count with scale 1 alone delta is .241 at .6."""
    cuts = record(LaplaceCounting.calibrate(counts(1), epsilon=1.0, neighbours=ADD_REMOVE), counts(1))
    assert "delta" in failed(forged(cuts, of_fit(planned(ADD_REMOVE)(0.05, 1e-9)), epsilon=0.6, delta=0.194))


@pytest.mark.parametrize(("columns", "length", "epsilon", "delta"), [(40, 12.0, 120.0, 1e-40), (40, 8.0, 70.0, 6e-7), (4, 8.0, 64.0, 1.5e-10)])
def test_the_tail_of_loud_counts_is_not_lost(columns, length, epsilon, delta):
    loud = GaussianCounting(scales=(math.sqrt(columns) / length,), neighbours=ADD_REMOVE, epsilon=epsilon)
    fit = of_fit(planned(ADD_REMOVE)(0.5, 0.0))
    assert "delta" in failed(forged(record(loud, counts(columns)), fit, epsilon=epsilon, delta=delta))
    assert not failed(forged(record(loud, counts(columns)), fit, epsilon=epsilon + 0.5, delta=loud.guarantee(counts(columns)).delta_at_epsilon))


@pytest.mark.at_most(2)
@pytest.mark.parametrize("columns", [1, 2, 3, 40, 4096])
@pytest.mark.parametrize("length", [0.1, 1.0, 6.0, 12.0])
def test_losses_of_counts_are_those_of_the_calibration_far_into_the_tail(columns, length):
    scale = math.sqrt(columns) / length
    mechanism = GaussianCounting(scales=(scale,), neighbours=ADD_REMOVE, epsilon=1.0)
    issued = certified(
        mechanism.name,
        mechanism.parameters(),
        counts(columns).to_dict(),
        mechanism.guarantee(counts(columns)),
        "0" * 64,
        "a test",
        noise_private=True,
    )
    losses, masses = losses_of_counts(issued)
    for place in (-3.03, 0.07, 4.11, 8.01):  # between losses: at one the calibration has room for its rounding
        epsilon = length * (0.5 * length + place)
        ideal = divergence([Component(coordinates=columns, step=1, scale=scale)], epsilon)
        assert float(masses @ np.maximum(-np.expm1(np.minimum(epsilon - losses, 0.0)), 0.0)) == pytest.approx(ideal, rel=1e-6)


@pytest.mark.parametrize(("columns", "scale"), [(1, 3e5), (4, 1e4), (4096, 9e3)])
def test_losses_of_counts_with_much_noise_are_those_of_the_calibration(columns, scale):
    wide = GaussianCounting(scales=(scale,), neighbours=ADD_REMOVE, epsilon=1.0)
    guarantee = wide.guarantee(counts(columns))
    issued = certified(wide.name, wide.parameters(), counts(columns).to_dict(), guarantee, "0" * 64, "a test", noise_private=True)
    losses, masses = losses_of_counts(issued)
    for place in (0.07, 4.11, 8.01):
        epsilon = place * math.sqrt(columns) / scale
        ideal = divergence([Component(coordinates=columns, step=1, scale=scale)], epsilon)
        assert float(masses @ np.maximum(-np.expm1(np.minimum(epsilon - losses, 0.0)), 0.0)) == pytest.approx(ideal, rel=1e-5)


def test_the_curve_of_a_fit_is_never_read_below_itself():
    """A quiet fit beside loud counts: it is 6.6475e-10 with six times as many knots as there are, and fewer may only say more."""
    cuts = CutsPlan.calibrate(COLUMNS, epsilon=19.6, delta=1e-8, neighbours=ADD_REMOVE)
    parts = record(cuts.mechanism, cuts.problem), of_fit(planned(ADD_REMOVE, loss="softplus-hinge")(0.3, 1e-8))
    assert failed(forged(*parts, epsilon=20.0, delta=6.1e-10)) == {"delta"}
    assert failed(forged(*parts, epsilon=20.0, delta=6.62e-10)) == {"delta"}
    assert not failed(forged(*parts, epsilon=20.0, delta=6.7e-10))


@pytest.mark.at_most(1)
@pytest.mark.parametrize("neighbours", BOTH)
def test_exact_laws_of_both_keep_the_total_and_half_the_noise_of_the_fit_does_not(neighbours):
    """Counts of one column and the worst shift of a minimiser: all outputs together, in cells that only hide."""
    columns = COLUMNS[:1]
    both = both_of(columns, neighbours, epsilon=1.0, delta=1e-5, share=0.3, planned=planned(neighbours, "output"))
    moved = 1 if neighbours is ADD_REMOVE else 2
    first = gaussian_integers(1.0, both.choice.mechanism.scales[0], times=moved)
    problem, scale = both.fit.problem, both.fit.parameters["scale"]
    shift = moved * math.hypot(problem["data_norm"], problem["intercept_scale"]) / problem["ridge"]

    def audited(mu):
        edges = np.linspace(-9.0, 5.0, 1001)
        cells = np.stack((np.diff(ndtr(edges)), np.diff(ndtr(edges - mu))))
        losses = first.losses[:, np.newaxis] + np.log(cells[0] / cells[1])
        law = PrivacyLoss(masses=np.outer(first.masses, cells[0]).ravel(), losses=losses.ravel())
        return exact_audit(law, law, Claim.of(both.guarantee), subject=CUTS_THEN_FIT, described="the worst pair of either part")

    honest = audited(shift / scale)
    assert not honest.violated
    assert honest.bound > 0.9
    assert audited(2.0 * shift / scale).violated


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
