"""The whole curve behind a certificate: it meets what is stated, and is above the hockey-stick divergence of the noise."""

import dataclasses

import numpy as np
import pytest
import scipy.sparse as sp

from discreet import ConstrainedERM, KernelClassifier, LinearRegression, LinearSVC, LogisticRegression, PrivateSearchCV
from discreet.accounting import ApproximateDP, Profile, PureDP, gaussian_delta, gaussian_mu
from discreet.mechanisms.selection import whole_curve
from discreet.mechanisms.selection.curves import problem_from

TABLE = (sp.csr_array((500, 3)), np.arange(500) % 2)


def certificate(model):
    return model.fit(*TABLE).certificate_


def curve(record):
    return whole_curve(record.mechanism, record.parameters, record.problem, record.guarantee)


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
@pytest.mark.parametrize(
    "make",
    [
        lambda **given: LogisticRegression(mechanism="objective", **given, classes=[0, 1]),
        lambda **given: LinearSVC(mechanism="objective", **given, classes=[0, 1]),
        lambda **given: LinearSVC(loss="huber-hinge", mechanism="objective", **given, classes=[0, 1]),
        lambda **given: LinearSVC(mechanism="output", **given, classes=[0, 1]),
        lambda **given: KernelClassifier(n_features=10, mechanism="objective", **given, classes=[0, 1]),
    ],
    ids=["logistic", "svc", "huber", "output", "kernel"],
)
def test_the_curve_meets_what_is_stated_and_is_above_one_gaussian(make, neighbours):
    record = certificate(make(epsilon=0.5, delta=1e-6, neighbours=neighbours))
    found = curve(record)
    assert isinstance(found, Profile)
    stated = record.guarantee
    assert found.delta(stated.epsilon) == pytest.approx(stated.delta_at_epsilon, rel=1e-3)
    moved = 1.0 if neighbours == "add-remove" else 2.0
    radius = np.hypot(record.problem["data_norm"], record.problem["intercept_scale"])
    sensitivity = moved * radius / (record.problem["ridge"] if "output" in record.mechanism else 1.0)
    for epsilon in (0.0, 0.05, 0.2, 0.5, 0.7):
        assert found.delta(epsilon) >= gaussian_delta(epsilon, sensitivity / record.parameters["scale"]) * (1 - 1e-6)
    # Far below what the point alone would say, which is why a search asks for the curve.
    assert found.delta(0.25) < 0.5 * stated.delta(0.25)


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
@pytest.mark.parametrize("scheme", ["multinomial", "one-vs-rest"])
def test_the_curve_of_many_classes_meets_what_is_stated_and_is_above_one_pair(scheme, neighbours):
    """A record of one class where all its neighbours have another: one Gaussian mechanism of the slopes that the loss has there."""
    record = certificate(LogisticRegression(epsilon=0.5, delta=1e-6, multi_class=scheme, classes=[0, 1, 2, 3], neighbours=neighbours))
    found = curve(record)
    assert isinstance(found, Profile)
    stated = record.guarantee
    assert found.delta(stated.epsilon) == pytest.approx(stated.delta_at_epsilon, rel=1e-3)
    moved = np.sqrt(2.0 if scheme == "multinomial" else 4.0) * (1.0 if neighbours == "add-remove" else 2.0)
    radius = np.hypot(record.problem["data_norm"], record.problem["intercept_scale"])
    for epsilon in (0.0, 0.05, 0.2, 0.5, 0.7):
        assert found.delta(epsilon) >= gaussian_delta(epsilon, moved * radius / record.parameters["scale"]) * (1 - 1e-6)
    assert found.delta(0.25) < 0.5 * stated.delta(0.25)
    assert problem_from(record.problem).to_dict() == dict(record.problem)


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
@pytest.mark.parametrize("mechanism", ["objective", "objective-huber"])
def test_the_curve_of_a_regression_is_that_of_both_signs(mechanism, neighbours):
    """A record that pushes either way, far out: two tails of one Gaussian mechanism each, at every epsilon."""
    record = certificate(LinearRegression(epsilon=0.5, delta=1e-6, mechanism=mechanism, neighbours=neighbours, target_bound=1.0))
    found = curve(record)
    stated = record.guarantee
    assert found.delta(stated.epsilon) == pytest.approx(stated.delta_at_epsilon, rel=1e-3)
    moved = 1.0 if neighbours == "add-remove" else 2.0
    radius = np.hypot(record.problem["norm_bound"], record.problem["intercept_scale"])
    for epsilon in (0.0, 0.05, 0.2, 0.5, 0.7):
        sides = 2.0 * gaussian_delta(epsilon, moved * record.parameters["width"] * radius / record.parameters["scale"])
        assert found.delta(epsilon) >= min(1.0, sides) * (1 - 1e-6)
    # Below the largest Jacobian term, .3 for log-cosh under add-remove, a curve is flat for good reason.
    assert found.delta(0.4) < 0.2 * stated.delta(0.4)


def test_a_curve_with_less_noise_is_higher():
    record = certificate(LogisticRegression(epsilon=0.5, delta=1e-6, mechanism="objective", classes=[0, 1]))
    loud = dataclasses.replace(record, parameters={**record.parameters, "scale": 0.9 * record.parameters["scale"]})
    for epsilon in (0.0, 0.1, 0.4):
        assert curve(loud).delta(epsilon) > curve(record).delta(epsilon)
    assert gaussian_mu(0.5, 1e-6) > 0


def test_pure_and_unknown_mechanisms_keep_what_they_state():
    pure = certificate(LogisticRegression(epsilon=0.5, classes=[0, 1]))
    assert curve(pure) is pure.guarantee
    assert isinstance(pure.guarantee, PureDP)
    stated = ApproximateDP(epsilon=1.0, delta_at_epsilon=1e-6, neighbours=pure.guarantee.neighbours, theorem="t")
    assert whole_curve("another", {}, {}, stated) is stated


def test_an_unreadable_record_raises():
    record = certificate(LogisticRegression(epsilon=0.5, delta=1e-6, mechanism="objective", classes=[0, 1]))
    for change in ({"ridge": "much"}, {"loss_parameters": None}, {"records": True}):
        with pytest.raises((TypeError, ValueError)):
            whole_curve(record.mechanism, record.parameters, {**record.problem, **change}, record.guarantee)


@pytest.mark.at_most(1)
@pytest.mark.parametrize("loss", ["logistic", "squared"])
@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_the_curve_over_a_set_meets_what_is_stated(loss, neighbours):
    chosen = {"constraint": "simplex", "mechanism": "objective-perturbation-set", "classes": [0, 1] if loss == "logistic" else None}
    record = certificate(ConstrainedERM(loss=loss, epsilon=0.5, delta=1e-6, neighbours=neighbours, **chosen, target_bound=1.0))
    found = curve(record)
    assert isinstance(found, Profile)
    assert found.delta(record.guarantee.epsilon) == pytest.approx(record.guarantee.delta_at_epsilon, rel=1e-3)
    assert found.delta(0.25) < 0.5 * record.guarantee.delta(0.25)
    model, grid = ConstrainedERM(loss=loss, **chosen, neighbours=neighbours, target_bound=1.0), {"constraint": ["simplex", "l1-ball"]}
    search = PrivateSearchCV(model, grid, epsilon=2.0, delta=1e-6)
    search.fit(*TABLE).certificate_.verify(search.best_estimator_.weights_).require()
