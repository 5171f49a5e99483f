"""The decision about a record depends on this record and the model alone, to the last bit.

Probabilities from decision values: the link of a loss, its calibration and its tails.
"""

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import NotFittedError

from discreet import KernelClassifier, LinearSVC, LogisticRegression
from discreet.estimators.prediction_rules import linear_decision, log_odds, log_probabilities, probabilities
from discreet.kernels import Gaussian, draw_frequencies
from discreet.kernels.feature_map import FeatureMap
from discreet.kernels.matrix import FeatureMapMatrix
from discreet.losses import HuberHinge, Logistic, SmoothedHinge, SoftplusHinge
from discreet.matrices import DenseMatrix, TabularMatrix, as_matrix

ROWS, COLUMNS = 2500, 37


def tables():
    """(name, the matrix of some row numbers)."""
    random = np.random.default_rng(0)
    dense = random.standard_normal((ROWS, COLUMNS))
    thin = sparse.csr_array(np.where(random.random(dense.shape) < 0.2, dense, 0.0))
    codes = [random.integers(0, size, ROWS) for size in (3, 5)]
    frequencies = draw_frequencies(Gaussian(gamma=1.0), features=COLUMNS, count=20, seed=1, orthogonal=True)
    yield "row-major", lambda rows: as_matrix(dense[rows])
    yield "column-major", lambda rows: as_matrix(np.asfortranarray(dense[rows]))
    yield "float32", lambda rows: as_matrix(dense[rows].astype(np.float32))
    yield "sparse", lambda rows: as_matrix(thin[rows])
    yield "tabular", lambda rows: TabularMatrix(dense[rows], [code[rows] for code in codes], [3, 5])
    yield "random features", lambda rows: FeatureMapMatrix(DenseMatrix(dense[rows]), FeatureMap(frequencies=frequencies))


@pytest.mark.parametrize("classes", [1, 4])
@pytest.mark.parametrize("matrix", [pytest.param(make, id=name) for name, make in tables()])
def test_other_records_change_nothing(matrix, classes):
    random = np.random.default_rng(1)
    everything = matrix(np.arange(ROWS))
    shape = (everything.shape[1], classes) if classes > 1 else (everything.shape[1],)
    weights, intercept = random.standard_normal(shape), (random.standard_normal(classes) if classes > 1 else 0.3)

    def decide(rows):
        return linear_decision(matrix(rows), weights=weights, intercept=intercept, data_norm=2.0)

    together = decide(np.arange(ROWS))
    for rows in (np.arange(1, ROWS), random.permutation(ROWS)[:1111], np.array([7])):
        assert np.array_equal(decide(rows), together[rows])


def test_it_is_the_formula():
    rows = np.array([[3.0, 4.0], [0.3, 0.4]])
    found = linear_decision(as_matrix(rows), weights=np.array([1.0, 2.0]), intercept=0.5, data_norm=1.0)
    assert found == pytest.approx([0.6 + 1.6 + 0.5, 1.1 + 0.5])


def test_after_fit_many_there_is_no_model():
    model = LinearSVC(classes=[0, 1])
    model.fit_many(np.eye(2).repeat(50, axis=0), np.arange(2).repeat(50), count=2)
    with pytest.raises(NotFittedError):
        model.predict(np.eye(2))


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
    assert 1.0 / (1.0 + np.exp(-loss.proper_log_odds(np.array([low]))[0])) == pytest.approx(chance, abs=1e-9)


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

            def proper(f, temperature=temperature, centre=centre):
                against, by = (1 / (1 + mpmath.exp((sign * mpmath.mpf(f) - centre) / temperature)) for sign in (-1, 1))
                return mpmath.log(by / against)

            share = mpmath.mpf(0.5) if isinstance(loss, SoftplusHinge) else 0
            mixed = (1 - share) * proper(f) + share * proper(2) * mpmath.mpf(f) / 2
            expected = [-mpmath.log1p(mpmath.exp(-mixed)), -mpmath.log1p(mpmath.exp(mixed))]
            got = log_probabilities(loss, np.array([f]), multinomial=False)[0]
            np.testing.assert_allclose(got, [float(value) for value in expected], rtol=1e-10)


@pytest.mark.parametrize("loss", [HuberHinge(), SmoothedHinge()], ids=repr)
def test_losses_with_flat_parts_have_no_link(loss):
    assert not loss.linked
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


def test_probabilities_of_a_support_vector_machine_are_better_told_than_by_the_link_of_all_functions():
    """Where the truth is no line and records are few, at several budgets: the mixed link has less log loss than the proper one."""
    rng = np.random.default_rng(1)
    X = rng.uniform(-0.5, 0.5, (6000, 3))
    y = np.where(rng.random(6000) < 1 / (1 + np.exp(-8.0 * X[:, 0] - 12.0 * X[:, 1] * X[:, 2])), 1, -1)
    for epsilon in (0.2, 1.0, np.inf):
        ours = proper = 0.0
        for seed in range(3):
            chosen = {"alpha": 1e-4} if epsilon == np.inf else {}
            model = LinearSVC(epsilon=epsilon, classes=[-1, 1], loss="softplus-hinge", random_state=seed, **chosen).fit(X[:3000], y[:3000])
            decision, loss = model.decision_function(X[3000:]), SoftplusHinge()
            assert np.array_equal(model.predict_proba(X)[:, 1] > 0.5, model.predict(X) == 1)
            ours -= np.mean(model.predict_log_proba(X[3000:])[np.arange(3000), (y[3000:] + 1) // 2])
            proper += np.mean(np.log1p(np.exp(-y[3000:] * loss.proper_log_odds(decision))))
        assert ours < proper


@pytest.mark.parametrize("make", [LinearSVC, lambda **given: KernelClassifier(n_features=4, **given)], ids=["linear", "kernel"])
@pytest.mark.parametrize(("epsilon", "alpha"), [(1.0, None), (1.0, 0.1), (50.0, 0.1)])
def test_a_temperature_that_nobody_chose_is_stated_and_probabilities_are_told_with_it(make, epsilon, alpha):
    rng = np.random.default_rng(2)
    X, y = rng.uniform(-0.5, 0.5, (500, 3)), rng.integers(0, 2, 500)
    model = make(epsilon=epsilon, alpha=alpha, classes=[0, 1], random_state=0).fit(X, y)
    assert model.certificate_.problem["loss_parameters"] == {"temperature": 1.0}
    decision = model.decision_function(X)
    told = probabilities(SoftplusHinge(temperature=1.0), decision, multinomial=False)
    np.testing.assert_array_equal(model.predict_proba(X), told)
    assert not np.allclose(told, probabilities(SoftplusHinge(), decision, multinomial=False))
    given = make(epsilon=epsilon, alpha=alpha, classes=[0, 1], loss="softplus-hinge", random_state=0).fit(X, y)
    assert given.certificate_.problem["loss_parameters"] == {"temperature": 0.25}
