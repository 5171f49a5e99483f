"""A fit and its intervals under one guarantee: what both promise, laws of both together, lies that are refused, and intervals that cover."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit, ndtr

from discreet import KernelClassifier, Lasso, LinearRegression, LinearSVC, LogisticRegression, release_uncertainty
from discreet.audit.claim import Claim
from discreet.audit.exact import PrivacyLoss, exact_audit
from discreet.core.errors import InvalidInput, InvalidType
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.estimators import IntervalFile, fit_with_intervals
from discreet.estimators.intervals.uncertainty import problem_of
from discreet.ledger import Ledger, using
from discreet.mechanisms.curvature.with_fit import settled
from discreet.statements.base import CURVATURE_WITH_FIT
from tests.chance import fewest, highest
from tests.estimators.paying import paid_once

BOTH = ["replace-one", "add-remove"]
TRUE = np.array([6.0, 0.0, -3.0])


def people(count=3000, seed=0, features=3):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-0.5, 0.5, (count, features))
    return X, (rng.random(count) < expit(X[:, :3] @ TRUE)).astype(int)


def made(kind=LogisticRegression, **settings):
    return kind(**({"epsilon": 1.0, "delta": 1e-6, "classes": [0, 1], "data_norm": 1.0, "random_state": 0} | settings))


def refused(certificate, weights=None):
    return {check.name for check in certificate.verify(weights).checks if not check.ok} - {"noise source"}


@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("kind", [LogisticRegression, LinearSVC])
def test_both_promise_what_was_asked_for_together_and_verify(kind, neighbours):
    found = fit_with_intervals(made(kind, neighbours=neighbours), *people())
    certificate, bought = found.model.certificate_, found.uncertainty
    assert (certificate.guarantee.epsilon, certificate.guarantee.delta_at_epsilon) == (1.0, 1e-6)
    assert bought.guarantee == certificate.guarantee
    assert not refused(certificate, found.model.weights_)
    assert not refused(bought.certificate, bought.value)
    file = IntervalFile(uncertainty=bought, names=("a", "b", "c"))
    assert not {check.name for check in IntervalFile.from_json(file.to_json()).verify().checks if not check.ok and "noise source" not in check.name}
    assert found.model.summary(uncertainty=bought).parts[0].lines[1].low == pytest.approx(bought.coef_interval().low[0])


def test_the_fit_is_left_more_than_shares_that_add_would_leave_it():
    found = fit_with_intervals(made(neighbours="add-remove"), *people(features=40))
    left = found.model.certificate_.parameters["fit"]["guarantee"]["epsilon"]
    assert left > 0.75  # of .7; a Gaussian fit with .7 of mu^2 has .82


def test_intervals_that_are_bought_afterwards_are_not_in_the_total_of_the_fit():
    X, y = people(500)
    found = fit_with_intervals(made(neighbours="add-remove"), X, y)
    more = release_uncertainty(found.model, X, y, epsilon=0.5, delta=1e-7, random_state=1)
    assert not more.paid_with_the_model
    assert more.guarantee.epsilon == pytest.approx(1.5)
    assert dict(found.model.summary(uncertainty=more).paid)["Intervals"].endswith("besides")
    assert dict(found.model.summary(uncertainty=found.uncertainty).paid)["Intervals"].endswith("within it")
    file = IntervalFile(uncertainty=found.uncertainty, names=("a", "b", "c"))
    assert IntervalFile.from_json(file.to_json()).uncertainty.guarantee == found.model.certificate_.guarantee


def both_of(neighbours, share=0.3):
    model = made(LinearSVC, neighbours=str(neighbours), mechanism="output", loss="softplus-hinge")

    def planned(epsilon, delta):
        return made(**(model.get_params() | {"epsilon": epsilon, "delta": delta}), kind=LinearSVC).plan(
            features=30, records=3000 if neighbours is REPLACE_ONE else None
        )

    return settled(epsilon=1.0, delta=1e-6, neighbours=neighbours, share=share, planned=planned, problem=problem_of)


@pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])
def test_the_laws_of_both_together_are_within_the_total_and_half_the_noise_of_either_is_not(neighbours):
    """Fits with noise on their weights have the law of one Gaussian, and so has the curvature: their worst pair is a product."""
    both = both_of(neighbours)
    fit, problem, plan = both.fit.parameters, both.fit.problem, both.choice
    radius = math.hypot(problem["data_norm"], problem["intercept_scale"])
    shift = (1.0 if neighbours is ADD_REMOVE else 2.0) * radius / problem["ridge"] / fit["scale"]
    moved = plan.problem.distance(neighbours) / plan.mechanism.scale

    def audited(*mus):
        mu, edges = math.hypot(*mus), np.linspace(-9.0, 5.0, 2001)
        cells = np.stack((np.diff(ndtr(edges)), np.diff(ndtr(edges - mu))))
        law = PrivacyLoss(masses=cells[0], losses=np.log(cells[0] / cells[1]))
        return exact_audit(law, law, Claim.of(both.guarantee), subject=CURVATURE_WITH_FIT, described="two Gaussians")

    honest = audited(shift, moved)
    assert not honest.violated
    assert honest.bound > 0.9
    assert audited(2.0 * shift, moved).violated
    assert audited(shift, 2.0 * moved).violated


def test_a_lie_about_either_part_or_the_total_is_refused():
    certificate = fit_with_intervals(made(LinearSVC, neighbours="add-remove", mechanism="output"), *people(500, features=40)).model.certificate_
    part = certificate.parameters["curvature"]

    def told(**changed):
        return replace(certificate, parameters={**certificate.parameters, "curvature": {**part, **changed}})

    half = told(parameters={**part["parameters"], "scale": 0.5 * part["parameters"]["scale"]})
    assert "curvature" in refused(half)
    elsewhere = told(problem={**part["problem"], "weights": "0" * 64})
    assert "question" in refused(elsewhere)
    other = told(problem={**part["problem"], "data_norm": 0.5})
    assert refused(other)
    less = replace(certificate.guarantee, delta_at_epsilon=1e-7)
    assert refused(replace(certificate, guarantee=less, parameters={**certificate.parameters, "delta": 1e-7}))


def test_one_entry_pays_for_both_before_anything_is_drawn(tmp_path):
    found = paid_once(tmp_path, lambda: fit_with_intervals(made(random_state=None), *people(500)), CURVATURE_WITH_FIT)
    assert found.uncertainty.certificate.ledger_entry == found.model.certificate_.ledger_entry


def test_persons_are_those_of_both():
    X, y = people(600)
    found = fit_with_intervals(made(rows_per_person=2), X, y, persons=np.arange(600) // 3)
    assert not refused(found.model.certificate_, found.model.weights_)
    assert any("drawn twice" in line.enforced for line in found.model.certificate_.hypotheses)
    assert found.uncertainty.problem.persons.rows == 2


@pytest.mark.parametrize(
    ("estimator", "error", "says"),
    [
        (KernelClassifier(classes=[0, 1]), InvalidType, "coefficients of random features mean nothing by"),
        (Lasso(radius=1.0, target_bound=1.0), InvalidType, "a fit with intervals needs LogisticRegression"),
        (made(delta=0.0), InvalidInput, "positive delta"),
        (made(epsilon=np.inf), InvalidInput, "finite epsilon"),
        (made(data_norm="private"), InvalidInput, "declared data_norm"),
        (made(classes=None), InvalidInput, "classes declared"),
        (
            LinearRegression(delta=1e-6, neighbours="add-remove", mechanism="moments", target_bound=1.0),
            InvalidInput,
            "distribution of the noise in single weights",
        ),
    ],
)
def test_what_has_no_intervals_says_so_before_it_is_paid_for(estimator, error, says, tmp_path):
    ledger = Ledger.create(tmp_path / "ledger")
    ledger.declare("people", epsilon=5.0, delta=1e-3)
    with using(tmp_path / "ledger", "people"), pytest.raises(error, match=says):
        fit_with_intervals(estimator, *people(200))
    assert not ledger.history("people")


@pytest.mark.slow
@pytest.mark.parametrize("kind", [LogisticRegression, LinearSVC])
@pytest.mark.parametrize("neighbours", BOTH)
def test_intervals_of_one_budget_cover(kind, neighbours):
    """Of 400 tables the penalised weights of the population lie in 95 % intervals, but for two points, coefficient by coefficient."""
    fitted = [fit_with_intervals(made(kind, neighbours=neighbours, random_state=seed), *people(seed=seed)) for seed in range(400)]
    problem = fitted[0].uncertainty.problem
    # The same lambda and n: the mean of many such fits without noise is the minimiser of the expected risk but for 1 / n.
    alpha = problem.ridge / 3000
    loss = problem.loss
    exact = np.mean(
        [kind(epsilon=np.inf, alpha=alpha, classes=[0, 1], loss=loss).fit(*people(seed=5000 + seed)).coef_[0] for seed in range(200)], axis=0
    )
    intervals = [one.uncertainty.coef_interval() for one in fitted]
    covered = np.array([(found.low <= exact) & (exact <= found.high) for found in intervals])
    assert highest(covered.mean(axis=1)) >= 0.93
    assert covered.sum(axis=0).min() >= fewest(400, 0.93, looks=covered.shape[1])
    apart = release_uncertainty(made(kind, neighbours=neighbours, epsilon=0.5).fit(*people()), *people(), epsilon=0.5, delta=5e-7, random_state=1)
    assert np.all(np.isfinite(apart.coef_interval().low))
