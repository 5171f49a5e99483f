"""Laws of everything that has a certificate: it is saved, and the command line verifies, shows and reports what was saved, whatever made it."""

import json

import numpy as np
import pytest

import discreet as library
from discreet import estimators
from discreet.certificates import Certificate
from discreet.sets import L1Ball
from tests.cli.conftest import discreet

FEATURES = 4
_RANDOM = np.random.default_rng(5)
ROWS = _RANDOM.uniform(-0.4, 0.4, (300, FEATURES))
TARGETS = np.clip(ROWS @ np.linspace(-0.5, 0.6, FEATURES), -1.0, 1.0)
LABELS = (TARGETS > 0).astype(int)
BUDGET = {"epsilon": 1.0, "delta": 1e-6}
BOUNDS = {"data_bound": 0.8, "data_norm": 1.2, **BUDGET}
DECLARED = {"classes": [0, 1], **BUDGET}

MADE = {
    "ConstrainedERM": lambda kind: kind(loss="huber-hinge", constraint=L1Ball(dimension=FEATURES), n_iter=5, classes=[0, 1], **BOUNDS).fit(
        ROWS, LABELS
    ),
    "GroupLasso": lambda kind: kind(groups=2, n_iter=5, **BOUNDS, target_bound=1.0).fit(ROWS, TARGETS),
    "KernelClassifier": lambda kind: kind(n_features=16, gamma=1.0, **DECLARED).fit(ROWS, LABELS),
    "Lasso": lambda kind: kind(n_iter=5, **BOUNDS, target_bound=1.0).fit(ROWS, TARGETS),
    "LassoClassifier": lambda kind: kind(n_iter=5, classes=[0, 1], **BOUNDS).fit(ROWS, LABELS),
    "LinearRegression": lambda kind: kind(**BOUNDS, target_bound=1.0).fit(ROWS, TARGETS),
    "LinearSVC": lambda kind: kind(data_norm=1.0, **DECLARED).fit(ROWS, LABELS),
    "LogisticRegression": lambda kind: kind(data_norm=1.0, **DECLARED).fit(ROWS, LABELS),
    "MatrixRegression": lambda kind: kind(shape=(2, 2), n_iter=5, **BOUNDS, target_bound=1.0).fit(ROWS, TARGETS),
    "PrivateSearchCV": lambda kind: kind(library.LinearSVC(data_norm=1.0, classes=[0, 1]), {"alpha": [0.1, 1.0]}, expected_runs=2, **BUDGET).fit(
        ROWS, LABELS
    ),
    "OrdinalRegression": lambda kind: kind(data_norm=1.2, classes=[0, 1, 2], **BUDGET).fit(ROWS, np.digitize(TARGETS, (-0.1, 0.1))),
    "SimplexRegression": lambda kind: kind(n_iter=5, **BOUNDS, target_bound=1.0).fit(ROWS, TARGETS),
    "SurvivalModel": lambda kind: kind(data_norm=1.2, **BUDGET).fit(ROWS, 1.0 + TARGETS),
    **dict.fromkeys(("PoissonRegression", "GammaRegression"), lambda kind: kind(target_bound=2.0, **BOUNDS).fit(ROWS, 1.0 + TARGETS)),
    **dict.fromkeys(
        ("QuantileRegression", "HuberRegression", "ExpectileRegression"), lambda kind: kind(**BOUNDS, target_bound=1.0).fit(ROWS, TARGETS)
    ),
}


def certified(certificate: Certificate, folder, name):
    """Save it, and have the command line read it back in its three ways."""
    path = folder / f"{name}.json"
    certificate.save(path)
    assert Certificate.load(path) == certificate
    verified = discreet("verify", path, "--json")
    assert (verified.code, verified.json["ok"]) == (0, True), (name, verified)
    assert verified.json["kind"] == "certificate"
    assert any("Only the certificate was given" in line for line in verified.json["limits"])
    shown = discreet("show", path, "--json")
    assert (shown.code, shown.json["certificate"]) == (0, json.loads(certificate.to_json())), name
    assert str(certificate) in discreet("show", path).out
    page = folder / f"{name}.html"
    assert discreet("report", path, "--out", page).code == 0, name
    assert certificate.digest in page.read_text(encoding="utf-8")


def test_every_exported_estimator_is_here():
    fits = {name for name in estimators.__all__ if isinstance(getattr(estimators, name), type) and hasattr(getattr(estimators, name), "fit")}
    assert fits == set(MADE)


@pytest.mark.parametrize("name", MADE)
def test_the_certificate_of_an_estimator_is_saved_verified_shown_and_reported(name, tmp_path):
    certified(MADE[name](getattr(estimators, name)).certificate_, tmp_path, name)


def test_the_certificates_of_all_other_releases_are_too(tmp_path):
    model = MADE["LogisticRegression"](estimators.LogisticRegression)
    found = {
        "curvature": library.release_uncertainty(model, ROWS, LABELS, **BUDGET),
        "evaluation": library.evaluate_privately(model, ROWS, LABELS, metrics=("accuracy", "log_loss"), **BUDGET),
        "evaluation of times": library.evaluate_privately(MADE["SurvivalModel"](estimators.SurvivalModel), ROWS, np.abs(ROWS[:, 0]), **BUDGET),
        "norm": library.choose_norm(ROWS, **BUDGET),
    }
    for name, release in found.items():
        certified(release.certificate, tmp_path, name)


def test_a_certificate_that_was_changed_is_refused_or_fails(tmp_path):
    certificate = MADE["LinearRegression"](estimators.LinearRegression).certificate_
    record = certificate.to_dict()
    record["guarantee"]["epsilon"] *= 0.5
    (tmp_path / "halved.json").write_text(json.dumps(record))
    assert discreet("verify", tmp_path / "halved.json").code == 6
    record["problem"]["loss"] = "a\u202eb"
    (tmp_path / "hidden.json").write_text(json.dumps(record))
    assert "control characters" in discreet("verify", tmp_path / "hidden.json").error
