"""What an estimator may keep, say and do: nothing that is a function of the records except through the mechanism.

A record without any entry is a record like the others: no warning, which would tell of it.
"""

import copy
import logging
import pickle
import traceback
import warnings
from collections.abc import Callable

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from joblib import Parallel, delayed
from scipy import sparse
from sklearn import svm

from discreet import ConstrainedERM, Domain, LinearRegression, LinearSVC, LogisticRegression, Records, SystemNoise, release_uncertainty
from discreet.core.errors import DiscreetError, InfeasibleTarget, InvalidInput, PrivacyAdvice, PrivacyWarning, PrivateDataError, SolverFailure
from discreet.estimators.door import private_estimator
from discreet.matrices import DenseMatrix
from discreet.sets import L2Ball
from tests.canary import CANARY, assert_silent

PUBLIC_ATTRIBUTES = {"classes_", "weights_", "coef_", "intercept_", "certificate_", "n_features_in_", "feature_names_in_"}


def canaries(records: int = 60) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(0)
    X = draw.uniform(0.5, 1.0, (records, 3)) * CANARY
    X[0] = CANARY
    return X, np.where(X[:, 0] > X[:, 1], "yes", "no")


def messages(action: Callable[[], object], caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]) -> str:
    """Everything that an action says: exception with its whole chain, warnings, logs, standard streams."""
    said = ""
    with warnings.catch_warnings(record=True) as caught, caplog.at_level(logging.DEBUG):
        warnings.simplefilter("always")
        try:
            action()
        except DiscreetError as error:
            said += "".join(traceback.format_exception(error))
    out = capsys.readouterr()
    return said + "".join(str(warning.message) for warning in caught) + caplog.text + out.out + out.err


def broken_calls() -> dict[str, Callable[[], object]]:
    X, y = canaries()
    with_nan, with_text, ragged = X.copy(), X.astype(object), [[CANARY, 1.0], [CANARY]]
    with_nan[3, 1] = np.nan
    with_text[2, 2] = f"text {CANARY}"
    fitted = LogisticRegression(classes=["no", "yes"]).fit(X, y)
    return {
        "nan": lambda: LogisticRegression(classes=["no", "yes"]).fit(with_nan, y),
        "inf": lambda: LogisticRegression(classes=["no", "yes"]).fit(np.where(np.isnan(with_nan), np.inf, X), y),
        "text": lambda: LogisticRegression(classes=["no", "yes"]).fit(with_text, y),
        "text frame": lambda: LogisticRegression(classes=["no", "yes"]).fit(pd.DataFrame(with_text), y),
        "text polars": lambda: LogisticRegression(classes=["no", "yes"]).fit(pl.DataFrame({"a": [f"{CANARY} euros"] * 60}), y),
        "text in sparse": lambda: LogisticRegression(classes=["no", "yes"]).fit(sp.csr_array(X).astype(complex), y),
        "dict": lambda: LogisticRegression(classes=["no", "yes"]).fit(np.array([[{"a": CANARY}, 1.0]] * 60, dtype=object), y),
        "ragged": lambda: LogisticRegression(classes=["no", "yes"]).fit(ragged, y[:2]),
        "one dimension": lambda: LogisticRegression(classes=["no", "yes"]).fit(X[:, 0], y),
        "short y": lambda: LogisticRegression(classes=["no", "yes"]).fit(X, y[:-1]),
        "continuous y": lambda: LogisticRegression().fit(X, X[:, 0] + 0.1),
        "nan y": lambda: LogisticRegression().fit(X, np.where(np.arange(60) == 3, np.nan, CANARY)),
        "many labels": lambda: LogisticRegression(mechanism="output").fit(X, np.round(X[:, 0])),
        "text labels": lambda: LogisticRegression(classes=["no", "yes"]).fit(X, np.where(np.arange(60) == 3, f"{CANARY}", y)),
        "number labels": lambda: LogisticRegression(classes=[0, 1]).fit(X, np.where(np.arange(60) == 3, int(CANARY), 0)),
        "object labels": lambda: LogisticRegression().fit(X, np.array([CANARY, "a", None] * 20, dtype=object)),
        "one label": lambda: LogisticRegression().fit(X, np.full(60, CANARY)),
        "weights": lambda: LogisticRegression(classes=["no", "yes"]).fit(X, y, sample_weight=X[:, 0]),
        "infinite weights": lambda: LogisticRegression(classes=["no", "yes"], max_sample_weight=1.0).fit(X, y, sample_weight=with_nan[:, 1]),
        "text weights": lambda: LogisticRegression(classes=["no", "yes"], max_sample_weight=1.0).fit(X, y, sample_weight=[f"{CANARY}a"] * 60),
        "infeasible": lambda: LogisticRegression(alpha=1e-9, epsilon=0.1, classes=["no", "yes"]).fit(X, y),
        "predict nan": lambda: fitted.predict(with_nan),
        "predict text": lambda: fitted.predict(with_text),
        "predict shape": lambda: fitted.predict(X[0]),
    }


@pytest.mark.parametrize("case", sorted(broken_calls()))
def test_no_error_shows_a_value(case: str, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]) -> None:
    said = messages(broken_calls()[case], caplog, capsys)
    assert said, "the call must be refused"
    assert_silent(said)


def test_a_fit_shows_no_value(caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]) -> None:
    X, y = canaries()
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    for settings in ({}, {"delta": 1e-6}, {"mechanism": "output"}, {"neighbours": "add-remove"}, {"data_norm": 2.0}):
        model = LogisticRegression(**settings, classes=["no", "yes"])
        assert_silent(messages(lambda model=model: model.fit(frame, y), caplog, capsys))
        assert_silent((repr(model), model.get_params(), model.certificate_, repr(model.certificate_), model.certificate_.to_json()))
        assert_silent(model.certificate_.verify(model.weights_))
        assert set(vars(model)) - set(model.get_params()) <= PUBLIC_ATTRIBUTES


def test_pickles_hold_the_model_and_not_the_records() -> None:
    X, y = canaries()
    dump = pickle.dumps(LogisticRegression(classes=["no", "yes"]).fit(X, y))
    assert np.float64(CANARY).tobytes() not in dump
    assert X[5].tobytes() not in dump


def test_under_add_remove_the_certificate_does_not_hold_the_number_of_records() -> None:
    few, many = (
        LogisticRegression(neighbours="add-remove", delta=1e-6, classes=["no", "yes"]).fit(*canaries(records)).certificate_ for records in (60, 97)
    )
    assert few.problem["records"] is None
    assert few.to_json().replace(few.digest, "") == many.to_json().replace(many.digest, "")


def test_a_table_without_features_is_refused_without_its_number_of_records() -> None:
    with pytest.raises(InvalidInput, match=r"0 feature\(s\)") as caught:
        LogisticRegression(neighbours="add-remove", classes=["no", "yes"]).fit(np.empty((973, 0)), np.zeros(973))
    assert "973" not in str(caught.value)


def test_under_add_remove_alpha_needs_a_public_count() -> None:
    X, y = canaries()
    with pytest.raises(InvalidInput, match="public_records"):
        LogisticRegression(neighbours="add-remove", alpha=0.1, classes=["no", "yes"]).fit(X, y)
    certificate = LogisticRegression(neighbours="add-remove", alpha=0.1, public_records=50, classes=["no", "yes"]).fit(X, y).certificate_
    assert certificate.problem["ridge"] == pytest.approx(5.0)


def test_the_noise_never_depends_on_the_records() -> None:
    small, large = canaries(60), canaries(60)
    large = (large[0] * 1e-9, large[1][::-1])
    first, second = (LogisticRegression(delta=1e-6, classes=["no", "yes"]).fit(*table).certificate_.parameters for table in (small, large))
    assert first == second


def test_an_absent_declared_class_is_no_error() -> None:
    X, _ = canaries()
    model = LogisticRegression(classes=["no", "yes"]).fit(X, ["no"] * 60)
    assert list(model.classes_) == ["no", "yes"]


def test_inferred_classes_are_declared_in_the_certificate() -> None:
    X, y = canaries()
    with pytest.warns(PrivacyWarning, match=r"classes=\[") as warned:
        taken = LogisticRegression(data_norm=1.0).fit(X, y)
    assert [warning.filename for warning in warned if warning.category is PrivacyWarning] == [__file__]
    assert any("labels that occur in y" in line for line in taken.certificate_.declared)
    assert not any("labels that occur in y" in line for line in LogisticRegression(classes=["no", "yes"]).fit(X, y).certificate_.declared)


def test_long_rows_count_no_more_than_clipped_ones() -> None:
    X, y = canaries()
    clipped = X / np.linalg.norm(X, axis=1, keepdims=True)
    long = LogisticRegression(epsilon=np.inf, alpha=0.1, classes=["no", "yes"]).fit(X, y)
    short = LogisticRegression(epsilon=np.inf, alpha=0.1, classes=["no", "yes"]).fit(clipped, y)
    np.testing.assert_allclose(long.coef_, short.coef_, atol=1e-8)
    np.testing.assert_allclose(long.decision_function(X), short.decision_function(clipped), atol=1e-8)


def test_two_fits_differ_and_two_workers_differ() -> None:
    X, y = canaries()
    fits = Parallel(n_jobs=2)(delayed(LogisticRegression(classes=["no", "yes"]).fit)(X, y) for _ in range(4))
    assert len({fit.weights_.tobytes() for fit in fits}) == 4


def test_a_failing_solver_raises_and_releases_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tolerance is not loosened and the noise is not drawn twice."""
    X, y = canaries()
    draws = []

    class Counting(SystemNoise):
        def spherical(self, **settings: float) -> np.ndarray:
            draws.append(settings)
            return super().spherical(**settings)

    def fail(*_: object, **__: object) -> None:
        raise SolverFailure("no")

    monkeypatch.setattr(private_estimator, "SystemNoise", Counting)
    monkeypatch.setattr("discreet.mechanisms.learning.base.solve", fail)
    model = LogisticRegression(classes=["no", "yes"])
    with pytest.raises(SolverFailure):
        model.fit(X, y)
    assert len(draws) == 1
    assert not hasattr(model, "coef_")


def test_a_data_set_can_be_neither_printed_copied_nor_pickled() -> None:
    X, y = canaries()
    data = Records(rows=DenseMatrix(X), targets=np.where(y == "yes", 1.0, -1.0), domain=Domain(features=3, norm_bound=1.0, classes=2))
    assert_silent(repr(data))
    assert "60" not in repr(data)
    for action in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(PrivateDataError):
            action(data)


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"epsilon": 0.0}, InvalidInput),
        ({"epsilon": -1.0}, InvalidInput),
        ({"epsilon": np.nan}, InvalidInput),
        ({"epsilon": "1"}, InvalidInput),
        ({"delta": 1.0}, InvalidInput),
        ({"delta": -1e-9}, InvalidInput),
        ({"data_norm": 0.0}, InvalidInput),
        ({"data_norm": np.inf}, InvalidInput),
        ({"data_norm": 1e160}, InvalidInput),
        ({"data_norm": 1e-160}, InvalidInput),
        ({"intercept_scale": 1e160}, InvalidInput),
        ({"alpha": 0.0}, InvalidInput),
        ({"neighbours": "both"}, InvalidInput),
        ({"mechanism": "magic"}, InvalidInput),
        ({"calibration": "magic"}, InvalidInput),
        ({"calibration": "published"}, InvalidInput),
        ({"calibration": "published", "fit_intercept": False, "neighbours": "add-remove"}, InvalidInput),
        ({"loss": "hinge"}, InvalidInput),
        ({"loss": "magic"}, InvalidInput),
        ({"loss": 3}, InvalidInput),
        ({"loss": "huber-hinge"}, InvalidInput),
        ({"intercept_scale": 0.0}, InvalidInput),
        ({"classes": ["no"]}, InvalidInput),
        ({"classes": ["no", "no"]}, InvalidInput),
        ({"classes": ["no", "yes", "no"]}, InvalidInput),
        ({"multi_class": "ovr"}, InvalidInput),
        ({"class_weight": "balanced"}, InvalidInput),
        ({"class_weight": {"maybe": 2.0}}, InvalidInput),
        ({"class_weight": {"yes": -2.0}}, InvalidInput),
        ({"max_sample_weight": 0.0}, InvalidInput),
        ({"public_records": 2.5, "neighbours": "add-remove"}, InvalidInput),
        ({"random_state": "1"}, InvalidInput),
        ({"alpha": 1e-6}, InfeasibleTarget),
        ({"alpha": 1e-6, "delta": 1e-6}, InfeasibleTarget),
    ],
    ids=str,
)
def test_impossible_settings_get_one_clear_sentence(settings: dict[str, object], error: type[DiscreetError]) -> None:
    with pytest.raises(error) as caught:
        LogisticRegression(**{"classes": ["no", "yes"], **settings}).fit(*canaries())
    assert 20 < len(str(caught.value)) < 500
    assert "\n" not in str(caught.value)


def test_class_weights_scale_the_noise_by_their_largest() -> None:
    X, y = canaries()
    plain = LogisticRegression(alpha=1.0, classes=["no", "yes"]).fit(X, y).certificate_
    weighted = LogisticRegression(alpha=1.0, class_weight={"yes": 4.0}, classes=["no", "yes"]).fit(X, y).certificate_
    assert weighted.problem["max_weight"] == 4.0
    assert weighted.parameters["rate"] == pytest.approx(plain.parameters["rate"] / 4.0, rel=1e-2)
    assert weighted.verify().ok


def test_weights_need_a_bound_and_are_cut_to_it_one_by_one() -> None:
    """Neither the noise nor whether there is an answer depends on a weight."""
    X, y = canaries()
    for neighbours in ("replace-one", "add-remove"):
        given = {"classes": ["no", "yes"], "delta": 1e-6, "neighbours": neighbours}
        with pytest.raises(InvalidInput, match="sample_weight needs max_sample_weight"):
            LogisticRegression(**given).fit(X, y, sample_weight=np.ones(60))
        model = LogisticRegression(**given, max_sample_weight=2.0, random_state=0)
        expected = model.fit(X, y, sample_weight=np.repeat([2.0, 0.0, 1.0], 20))
        stated, weights = expected.certificate_, expected.weights_
        wild = np.concatenate([[1.7e308, 1e39, 4.0, 2.0] * 5, [-1.0, -0.0, 0.0, -1.7e308] * 5, np.ones(20)])
        assert np.array_equal(model.fit(X, y, sample_weight=wild).weights_, weights)
        assert model.certificate_.parameters == stated.parameters
        assert stated.problem["max_weight"] == 2.0
        for light in (np.zeros(60), np.full(60, 5e-324)):
            assert model.fit(X, y, sample_weight=light).certificate_.parameters == stated.parameters


def test_linear_svc_takes_every_smooth_loss_by_name() -> None:
    X, y = canaries()
    for name in ("softplus-hinge", "huber-hinge", "smoothed-hinge", "logistic"):
        assert LinearSVC(loss=name, classes=["no", "yes"]).fit(X, y).certificate_.problem["loss"] == name


@pytest.mark.parametrize("norm", [1e-3, 1.0, 100.0, 1e6])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_rows_of_zeros_warn_of_nothing(norm, kind):
    rows = np.zeros((60, 2))
    rows[::3] = 3.0 * norm
    rows[1::3] = 1e-300
    signs = np.where(np.arange(60) % 2, 1, -1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", PrivacyAdvice)
        for model in (LogisticRegression(delta=1e-6, data_norm=norm, classes=[-1, 1]), LinearSVC(delta=1e-6, data_norm=norm, classes=[-1, 1])):
            model.fit(kind(rows), signs).predict(kind(rows))
        release_uncertainty(model, kind(rows), signs, epsilon=1.0, delta=1e-6)
        LinearRegression(data_norm=norm, target_bound=1.0).fit(kind(rows), signs.astype(float)).predict(kind(rows))
        ConstrainedERM(constraint=L2Ball(dimension=2), data_norm=norm, target_bound=1.0).fit(kind(rows), signs.astype(float)).predict(kind(rows))


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_output_perturbation_takes_the_hinge(neighbours):
    """Algorithm 1 of Chaudhuri et al. needs no smoothness; without noise it is the support vector machine of scikit-learn."""
    draw = np.random.default_rng(0)
    rows = draw.normal(size=(300, 3)) / 4
    labels = (rows[:, 0] + 0.1 * draw.normal(size=300) > 0).astype(int)
    machine = {"loss": "hinge", "mechanism": "output", "alpha": 10 / 300, "fit_intercept": False, "classes": [0, 1], "data_norm": 2.0}
    model = LinearSVC(**machine, neighbours=neighbours, public_records=300).fit(rows, labels)
    model.certificate_.verify(model.weights_).require()
    assert model.certificate_.problem["loss_parameters"] == {"half_width": 1e-4}
    ideal = LinearSVC(**machine, neighbours=neighbours, public_records=300, epsilon=np.inf).fit(rows, labels)
    known = svm.LinearSVC(loss="hinge", C=0.1, fit_intercept=False, tol=1e-10, max_iter=10**6).fit(rows, labels)
    assert np.linalg.norm(ideal.coef_ - known.coef_) <= np.sqrt(300 * 1e-4 / (2 * 10)) + 1e-4
    with pytest.raises(InvalidInput, match="mechanism='output'"):
        LinearSVC(**{**machine, "mechanism": "objective"}, epsilon=1.0).fit(rows, labels)


def test_what_a_fit_has_read_shows_no_record_and_does_not_travel():
    given = LinearRegression(target_bound=1.0)._read_input(np.full((4, 1), CANARY), [CANARY] * 4, None, None, SystemNoise())
    assert str(CANARY) not in repr(given)
    with pytest.raises(PrivateDataError):
        pickle.dumps(given)
