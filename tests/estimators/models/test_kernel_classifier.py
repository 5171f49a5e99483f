"""Kernel machines: what they learn, what they keep, what they refuse."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from discreet import KernelClassifier, LinearSVC
from discreet.certificates import digest_of
from discreet.core.errors import DiscreetError, InvalidInput, SolverFailure
from discreet.data import CategoricalColumn, NumericColumn, Schema, Target
from discreet.kernels import Gaussian, Matern
from discreet.kernels import matrix as streamed_matrix
from tests.canary import CANARY, assert_silent

PUBLIC = {
    "classes_", "weights_", "coef_", "intercept_", "certificate_", "n_features_in_", "feature_names_in_", "frequencies_", "feature_seed_", "kernel_",
    "data_norm", "device",
}  # fmt: skip


def ring(records: int = 3000, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A disc in a square: no line separates them."""
    X = np.random.default_rng(seed).uniform(-1.0, 1.0, (records, 2))
    return X, np.where(np.hypot(*X.T) > 0.75, "out", "in")


@pytest.mark.parametrize("kernel", ["gaussian", "laplacian", "matern", "cauchy", Matern(gamma=1.0, nu=2.5)], ids=str)
def test_it_learns_what_no_line_can(kernel: object) -> None:
    X, y = ring()
    named = isinstance(kernel, str)
    model = KernelClassifier(
        epsilon=4.0, delta=1e-6, kernel=kernel, gamma=1.0 if named else None, n_features=60, random_state=0, classes=["in", "out"]
    ).fit(X, y)
    test = ring(2000, seed=1)
    assert model.score(*test) > 0.85
    assert LinearSVC(epsilon=4.0, delta=1e-6, random_state=0, classes=["in", "out"]).fit(X, y).score(*test) < 0.7


def test_the_certificate_says_which_map_and_verifies() -> None:
    X, y = ring()
    model = KernelClassifier(gamma=2.0, n_features=40, feature_seed=7, classes=["in", "out"]).fit(X, y)
    certificate = model.certificate_
    assert certificate.verify(model.weights_).ok
    record = certificate.problem["feature_map"]
    assert record == {
        "kernel": "gaussian", "kernel_parameters": {"gamma": 2.0}, "orthogonal": True, "seed": 7, "frequencies": digest_of(model.frequencies_),
    }  # fmt: skip
    assert certificate.problem["features"] == 40
    assert certificate.problem["data_norm"] == 1.0
    assert any("public seed 7" in part.enforced for part in certificate.hypotheses)
    assert any("kernel" in line for line in certificate.declared)
    assert type(certificate).from_dict(certificate.to_dict()) == certificate


def test_the_guarantee_is_that_of_the_linear_mechanism_for_rows_of_norm_one() -> None:
    X, y = ring()
    features = KernelClassifier(n_features=40, classes=["in", "out"])
    features.fit(X, y)
    linear = LinearSVC(data_norm=1.0, fit_intercept=False, classes=["in", "out"]).fit(features.random_features(X), y)
    assert linear.certificate_.parameters == features.certificate_.parameters
    assert linear.certificate_.guarantee == features.certificate_.guarantee


def test_noise_does_not_depend_on_the_size_of_the_rows() -> None:
    X, y = ring(500)
    fits = [KernelClassifier(n_features=20, classes=["in", "out"]).fit(X * size, y).certificate_ for size in (1e-300, 1.0, 1e12, 1e300)]
    assert len({fit.parameters["scale"] for fit in fits}) == 1


def test_without_noise_it_is_the_minimiser_on_the_features() -> None:
    X, y = ring(800)
    model = KernelClassifier(epsilon=np.inf, alpha=0.01, n_features=30, gamma=1.0, fit_intercept=True, classes=["in", "out"]).fit(X, y)
    linear = LinearSVC(epsilon=np.inf, alpha=0.01, classes=["in", "out"]).fit(model.random_features(X), y)
    np.testing.assert_allclose(model.coef_, linear.coef_, atol=1e-8)
    np.testing.assert_allclose(model.decision_function(X), linear.decision_function(model.random_features(X)), atol=1e-8)


def test_streamed_and_held_features_give_the_same_model(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = ring()
    held = KernelClassifier(n_features=30, random_state=0, classes=["in", "out"]).fit(X, y)
    monkeypatch.setattr(streamed_matrix.FeatureMapMatrix.__init__, "__kwdefaults__", {"held_bytes": 0, "recent": None})
    streamed = KernelClassifier(n_features=30, random_state=0, classes=["in", "out"]).fit(X, y)
    np.testing.assert_allclose(streamed.weights_, held.weights_, rtol=1e-7, atol=1e-8)


def test_sparse_rows_and_dense_rows_are_the_same_rows() -> None:
    X, y = ring(1000)
    X[X < 0.3] = 0.0
    dense, sparse = (KernelClassifier(n_features=30, random_state=0, classes=["in", "out"]).fit(rows, y) for rows in (X, sp.csr_array(X)))
    np.testing.assert_array_equal(dense.random_features(X), sparse.random_features(sp.csr_array(X)))
    np.testing.assert_allclose(sparse.decision_function(X), dense.decision_function(X), atol=1e-6)


def test_the_seed_of_the_features_is_public_and_reproduces_them() -> None:
    X, y = ring(200)
    first, again, other = (KernelClassifier(n_features=10, feature_seed=seed, classes=["in", "out"]).fit(X, y) for seed in (1, 1, None))
    np.testing.assert_array_equal(first.frequencies_, again.frequencies_)
    assert other.feature_seed_ not in (0, 1)
    told = KernelClassifier(n_features=10, feature_seed=other.feature_seed_, classes=["in", "out"]).fit(X, y)
    np.testing.assert_array_equal(told.frequencies_, other.frequencies_)
    assert not np.array_equal(first.weights_, again.weights_), "the noise is never that of the public seed"


def test_many_fits_share_their_frequencies_and_leave_the_estimator_unfitted() -> None:
    X, y = ring(500)
    model = KernelClassifier(epsilon=50.0, n_features=30, gamma=2.0, classes=["in", "out"])
    fits = model.fit_many(X, y, count=3)
    decisions = model.random_features(X) @ fits.coef.T + fits.intercept
    assert np.mean((decisions > 0) == (y == "out")[:, np.newaxis]) > 0.85
    assert fits.certificate.problem["feature_map"]["seed"] == 0
    assert fits.certificate.verify().ok
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_a_fit_that_fails_leaves_the_model_with_its_frequencies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights of other frequencies would say nothing."""
    X, y = ring(200)
    model = KernelClassifier(n_features=10, feature_seed=None, classes=["in", "out"]).fit(X, y)
    before = model.predict(X)

    def fail(*_: object, **__: object) -> None:
        raise SolverFailure("no")

    monkeypatch.setattr("discreet.mechanisms.learning.base.solve", fail)
    with pytest.raises(SolverFailure):
        model.fit(X, y)
    np.testing.assert_array_equal(model.predict(X), before)


def test_predictions_of_a_pickled_model_and_of_a_clone_fit() -> None:
    X, y = ring(500)
    model = KernelClassifier(n_features=20, kernel=Gaussian(gamma=2.0), random_state=1, classes=["in", "out"]).fit(X, y)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).decision_function(X), model.decision_function(X))  # noqa: S301 - our own
    np.testing.assert_array_equal(clone(model).fit(X, y).weights_, model.weights_)


def test_an_encoded_table_can_be_fitted() -> None:
    schema = Schema(
        name="clinic",
        target=Target(column="ill", classes=("no", "yes")),
        numeric=(NumericColumn(name="age", lower=20, upper=120),),
        categorical=(CategoricalColumn(name="group", categories=("A", "B")),),
    )
    table = schema.encode({"age": [20, 70, 120] * 50, "group": ["B", "A", "A"] * 50, "ill": ["no", "yes", "no"] * 50}, target=True)
    model = KernelClassifier(n_features=20, classes=["in", "out"]).fit(table)
    assert model.n_features_in_ == 3
    assert list(model.classes_) == ["no", "yes"]
    assert model.decision_function(table).shape == (150,)
    with pytest.raises(InvalidInput, match="fitted on 3 features"):
        model.predict(Schema(name="other", target=schema.target, numeric=schema.numeric).encode({"age": [20]}, target=False))


def test_three_rings_are_three_classes() -> None:
    X = np.random.default_rng(0).uniform(-1.0, 1.0, (4000, 2))
    y = np.digitize(np.hypot(*X.T), [0.5, 0.9])
    model = KernelClassifier(epsilon=8.0, delta=1e-6, gamma=3.0, n_features=60, classes=[0, 1, 2], random_state=0).fit(X, y)
    assert model.coef_.shape == (3, 60)
    assert model.score(X, y) > 0.75
    assert model.certificate_.problem["feature_map"]["kernel"] == "gaussian"


def test_nothing_shows_a_value() -> None:
    X = np.random.default_rng(0).uniform(0.5, 1.0, (60, 3)) * CANARY
    X[0] = CANARY
    y = np.where(X[:, 0] > X[:, 1], "yes", "no")
    for settings in ({}, {"delta": 1e-6}, {"neighbours": "add-remove"}, {"kernel": "laplacian"}):
        model = KernelClassifier(n_features=10, classes=["no", "yes"], **settings).fit(X, y)
        assert_silent((repr(model), model.get_params(), vars(model), model.certificate_, model.certificate_.to_json()))
        assert set(vars(model)) - set(model.get_params()) <= PUBLIC
        assert X[5].tobytes() not in pickle.dumps(model)
    X[3, 1] = np.nan
    with pytest.raises(InvalidInput) as caught:
        KernelClassifier(classes=["no", "yes"]).fit(X, y)
    assert_silent(caught.value)


def test_under_add_remove_the_certificate_does_not_hold_the_number_of_records() -> None:
    few, many = (
        KernelClassifier(neighbours="add-remove", delta=1e-6, n_features=10, classes=["in", "out"]).fit(*ring(records)).certificate_
        for records in (60, 97)
    )
    assert few.to_json().replace(few.digest, "") == many.to_json().replace(many.digest, "")


@pytest.mark.parametrize(
    "settings",
    [
        {"kernel": "linear"}, {"kernel": 3}, {"kernel": Gaussian(), "gamma": 1.0}, {"gamma": 0.0}, {"gamma": -1.0}, {"gamma": np.inf},
        {"gamma": "scale"}, {"gamma": True}, {"n_features": 3}, {"n_features": 0}, {"n_features": 10.0}, {"n_features": True}, {"orthogonal": 1},
        {"feature_seed": -1}, {"feature_seed": "0"}, {"feature_seed": True}, {"loss": "hinge"}, {"alpha": 1e-9},
    ],
    ids=str,
)  # fmt: skip
def test_impossible_settings_get_one_clear_sentence(settings: dict[str, object]) -> None:
    with pytest.raises(DiscreetError) as caught:
        KernelClassifier(**settings, classes=["in", "out"]).fit(*ring(60))
    assert 20 < len(str(caught.value)) < 500
    assert "\n" not in str(caught.value)


def test_the_hinge_is_for_output_perturbation() -> None:
    model = KernelClassifier(loss="hinge", mechanism="output", n_features=20, classes=["in", "out"]).fit(*ring(200))
    model.certificate_.verify(model.weights_).require()
    assert model.certificate_.problem["loss_parameters"] == {"half_width": 1e-4}


def test_the_printed_calibration_runs_on_paired_features() -> None:
    """Algorithm 3 of the paper, with the features for which its theorem 5 is true."""
    X, y = ring()
    for mechanism in ("objective", "output"):
        model = KernelClassifier(
            n_features=20, delta=0.0, mechanism=mechanism, calibration="published", loss="huber-hinge", alpha=0.05, classes=["in", "out"]
        ).fit(X, y)
        assert model.certificate_.guarantee.epsilon <= 1.001 * (1 + 1e-9)
        assert model.certificate_.verify(model.weights_).ok
