"""The named audits and those of certificates: what they find is at most what is claimed, and not far below it."""

from dataclasses import replace

import numpy as np
import pytest

from discreet import KernelClassifier, LinearSVC, LogisticRegression
from discreet.accounting import ApproximateDP, PureDP
from discreet.audit.drawn.named import CATALOGUE, Target
from discreet.audit.learning import certificate_audit
from discreet.cli import audit_estimators
from discreet.cli.audit_estimators import ESTIMATORS
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE

EXACT = [name for name, entry in CATALOGUE.items() if entry.method == "exact"]
X = np.array([[0.6, 0.0], [-0.6, 0.1], [0.2, -0.5], [-0.1, 0.9]])
Y = np.array([1, -1, 1, -1])


SLOW = [("sketch", REPLACE_ONE)]
PAIRS = [
    pytest.param(name, neighbours, marks=[pytest.mark.slow] if (name, neighbours) in SLOW else [])
    for name in EXACT
    for neighbours in (ADD_REMOVE, REPLACE_ONE)
    if (name, neighbours) != ("categories", ADD_REMOVE)
]


@pytest.mark.at_most(12)
@pytest.mark.parametrize("epsilon", [1.0, pytest.param(0.3, marks=pytest.mark.slow), pytest.param(4.0, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("name", "neighbours"), PAIRS)
def test_exact_audits_find_most_of_what_is_claimed_and_no_more(name, epsilon, neighbours):
    entry = CATALOGUE[name]
    report = entry.run(Target(epsilon=epsilon, delta=0.0 if entry.pure else 1e-6, neighbours=neighbours))
    assert not report.violated, str(report)
    assert 0.6 * epsilon < report.bound <= epsilon * 1.001
    assert report.confidence is None


@pytest.mark.parametrize("mechanism", ["objective", "output"])
def test_learning_is_audited_with_pure_epsilon_too(mechanism):
    report = CATALOGUE[mechanism].run(Target(epsilon=1.0, delta=0.0, neighbours=REPLACE_ONE))
    assert not report.violated
    assert report.bound > 0.9


@pytest.mark.parametrize(
    "name",
    [
        *("rows", "fresh-projection", "logistic-regression", "linear-svc"),
        *(pytest.param(name, marks=pytest.mark.slow) for name, entry in list(ESTIMATORS.items())[2:] if entry.run is not None),
    ],
)
def test_statistical_audits_find_no_violation(name):
    """Few runs: that they are made and reported; power is tested with planted faults."""
    entry = {**CATALOGUE, **ESTIMATORS}[name]
    report = entry.run(Target(epsilon=1.0, delta=0.01, neighbours=REPLACE_ONE, runs=100, confidence=1 - 1e-8))
    assert not report.violated
    assert report.runs == 100


@pytest.mark.parametrize("name", [name for name, entry in ESTIMATORS.items() if entry.run is not None])
@pytest.mark.parametrize("neighbours", [REPLACE_ONE, ADD_REMOVE])
def test_every_statistical_audit_fits_on_both_of_its_tables(monkeypatch, name, neighbours):
    """Once each: what a fit asks for must be said before the thousand fits of an audit begin."""
    monkeypatch.setattr(audit_estimators, "audit", lambda several, pair, *claim, **sampling: [several(table, 1) for table in pair])
    first, second = ESTIMATORS[name].run(Target(epsilon=1.0, delta=0.01, neighbours=neighbours, runs=100))
    assert np.isfinite(first).all()
    assert np.shape(first) == np.shape(second)


@pytest.mark.parametrize("name", ["rows", "fresh-projection", "categories"])
def test_releases_of_every_row_are_of_replace_one(name):
    with pytest.raises(InvalidInput, match="replace-one"):
        CATALOGUE[name].run(Target(epsilon=1.0, delta=0.01, neighbours=ADD_REMOVE, runs=100))


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("mechanism", ["objective", "output"])
@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
@pytest.mark.parametrize("kind", [LogisticRegression, pytest.param(LinearSVC, marks=pytest.mark.slow)])
def test_a_certificate_passes_and_one_with_half_the_noise_does_not(kind, neighbours, mechanism, delta):
    made = kind(epsilon=1.0, delta=delta, neighbours=neighbours, mechanism=mechanism, classes=[-1, 1]).fit(X, Y).certificate_
    report = certificate_audit(made)
    assert not report.violated, str(report)
    assert report.bound > 0.5
    noise = "scale" if delta > 0 else "rate"
    factor = 0.5 if delta > 0 else 2.0
    forged = replace(made, parameters={**made.parameters, noise: made.parameters[noise] * factor})
    assert certificate_audit(forged).violated


def test_a_smaller_claim_than_the_noise_supports_is_refuted():
    made = LogisticRegression(epsilon=1.0, classes=[-1, 1]).fit(X, Y).certificate_
    stated = PureDP(epsilon=0.5, neighbours=REPLACE_ONE, theorem=made.guarantee.theorem)
    assert certificate_audit(replace(made, guarantee=stated)).violated
    stated = ApproximateDP(epsilon=0.5, delta_at_epsilon=1e-6, neighbours=REPLACE_ONE, theorem=made.guarantee.theorem)
    assert certificate_audit(replace(made, guarantee=stated)).violated


def test_kernel_machines_are_audited_like_linear_ones():
    made = KernelClassifier(epsilon=1.0, delta=1e-6, classes=[-1, 1], gamma=1.0, n_features=20).fit(X, Y).certificate_
    assert not certificate_audit(made).violated


def test_certificates_without_a_known_law_are_refused():
    many = LogisticRegression(epsilon=1.0, classes=[0, 1, 2]).fit(X, [0, 1, 2, 1]).certificate_
    with pytest.raises(InvalidInput, match="no exact output distribution is known"):
        certificate_audit(many)
    several = LogisticRegression(epsilon=1.0, classes=[-1, 1]).fit_many(X, Y, count=2).certificate
    with pytest.raises(InvalidInput, match="2 releases together"):
        certificate_audit(several)
    none = LogisticRegression(epsilon=float("inf"), classes=[-1, 1]).fit(X, Y).certificate_
    with pytest.raises(InvalidInput):
        certificate_audit(none)
