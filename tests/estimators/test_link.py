"""Probabilities from decision values: the link of a loss, its calibration and its tails."""

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import LinearSVC, LogisticRegression
from discreet.estimators.decision import has_link, log_odds, log_probabilities, probabilities
from discreet.losses import HuberHinge, Logistic, SmoothedHinge, SoftplusHinge

LINKED = [Logistic(), SoftplusHinge(), SoftplusHinge(temperature=0.02), SoftplusHinge(temperature=10.0)]


@pytest.mark.parametrize("loss", LINKED, ids=repr)
@given(chance=st.floats(0.001, 0.999))
def test_the_decision_that_is_best_for_a_probability_tells_it(loss, chance):
    """p l(f) + (1 - p) l(-f) is least where the link of f is p: its derivative there is zero."""
    low, high = -60.0 * 10.0, 60.0 * 10.0
    for _ in range(200):
        middle = 0.5 * (low + high)
        slope = chance * loss.slope(np.array([middle]))[0] - (1 - chance) * loss.slope(np.array([-middle]))[0]
        low, high = (middle, high) if slope < 0 else (low, middle)
    assert probabilities(loss, np.array([low]), multinomial=False)[0, 1] == pytest.approx(chance, abs=1e-9)


@pytest.mark.parametrize("loss", LINKED, ids=repr)
def test_the_link_rises_strictly_is_odd_and_keeps_its_accuracy_far_out(loss):
    decision = np.linspace(-30.0, 30.0, 3001)
    odds = log_odds(loss, decision)
    assert np.all(np.diff(odds) > 0)
    np.testing.assert_allclose(odds, -odds[::-1], rtol=1e-12, atol=1e-12)
    logs = log_probabilities(loss, decision, multinomial=False)
    assert np.all(np.isfinite(logs))
    with mpmath.workdps(60):
        for f in (-30.0, -3.0, 0.3, 17.0):
            temperature, centre = (mpmath.mpf(loss.temperature), 1) if isinstance(loss, SoftplusHinge) else (mpmath.mpf(1), 0)
            against, by = (1 / (1 + mpmath.exp((sign * mpmath.mpf(f) - centre) / temperature)) for sign in (-1, 1))
            expected = [mpmath.log(by / (by + against)), mpmath.log(against / (by + against))]
            got = log_probabilities(loss, np.array([f]), multinomial=False)[0]
            np.testing.assert_allclose(got, [float(value) for value in expected], rtol=1e-10)


@pytest.mark.parametrize("loss", [HuberHinge(), SmoothedHinge()], ids=repr)
def test_losses_with_flat_parts_have_no_link(loss):
    assert not has_link(loss)
    model = LinearSVC(loss=loss)
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError, match="has no attribute 'predict_proba'") as refused:
        _ = model.predict_proba
    assert "flat parts" in str(refused.value.__cause__)
    assert hasattr(LinearSVC(), "predict_proba")


def test_a_logistic_model_is_as_before():
    decision = np.array([-2.0, 0.0, 1.5])
    np.testing.assert_array_equal(log_odds(Logistic(), decision), decision)
    np.testing.assert_allclose(probabilities(Logistic(), decision, multinomial=True)[:, 1], 1 / (1 + np.exp(-decision)))


def test_support_vector_probabilities_are_calibrated_on_invented_records():
    rng = np.random.default_rng(0)
    X = rng.uniform(-0.7, 0.7, (20_000, 2))
    chance = 1 / (1 + np.exp(-4.0 * X[:, 0]))
    y = (rng.random(20_000) < chance).astype(int)
    for model in (
        LinearSVC(epsilon=np.inf, alpha=1e-5, loss=SoftplusHinge(temperature=1.0), classes=[0, 1]),
        LogisticRegression(epsilon=np.inf, alpha=1e-5, classes=[0, 1]),
    ):
        told = model.fit(X, y).predict_proba(X)[:, 1]
        assert np.abs(told - chance).mean() < 0.05
