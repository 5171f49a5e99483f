"""Any epsilon and delta: an answer whose certificate verifies, or a refusal that is the library's; no bare error and no warning of NumPy."""

import numpy as np
import pytest

from discreet import GammaRegression, LinearRegression, LinearSVC, LogisticRegression, PoissonRegression, QuantileRegression
from discreet.core.errors import DiscreetError

ROWS = np.random.default_rng(0).uniform(-0.5, 0.5, (12, 2))
NUMBERS, TWO, THREE, IDS = ROWS[:, 0] * 0.5, np.arange(12) % 2, np.arange(12) % 3, np.arange(12)
MODELS = {
    "logistic": lambda shared: (LogisticRegression(classes=[0, 1], **shared), TWO),
    "output": lambda shared: (LinearSVC(mechanism="output", classes=[0, 1], **shared), TWO),
    "softmax": lambda shared: (LogisticRegression(classes=[0, 1, 2], **shared), THREE),
    "one-vs-rest": lambda shared: (LinearSVC(classes=[0, 1, 2], **shared), THREE),
    "residuals": lambda shared: (LinearRegression(mechanism="objective", target_bound=1.0, **shared), NUMBERS),
    "moments": lambda shared: (LinearRegression(mechanism="moments", target_bound=1.0, **shared), NUMBERS),
    "refined": lambda shared: (LinearRegression(mechanism="refined", target_bound=1.0, **shared), NUMBERS),
    "mixing": lambda shared: (LinearRegression(mechanism="mixing", target_bound=1.0, **shared), NUMBERS),
    "targets": lambda shared: (LinearRegression(target_bound=1.0, **shared), ROWS),
    "amounts": lambda shared: (GammaRegression(target_bound=2.0, **shared), 1.0 + NUMBERS),
    "counts": lambda shared: (PoissonRegression(target_bound=2.0, **shared), 1.0 + NUMBERS),
    "quantile": lambda shared: (QuantileRegression(target_bound=1.0, **shared), NUMBERS),
}
TARGETS = [(1.0, 5e-26), (699.0, 0.5), (1e-9, 1e-300), (49.0, 1e-100), (1e300, 1e-16), (300.0, 5e-324)]
MORE = [(1e-4, 1e-16), (1e-9, 0.5), (49.0, 5e-26), (1e4, 1e-6), (1e-4, 5e-324), (699.0, 1e-12)]


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("rows", [None, 3])
@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
@pytest.mark.parametrize("target", [*TARGETS, *(pytest.param(target, marks=pytest.mark.more) for target in MORE)])
def test_any_target_is_answered_or_refused(name, target, neighbours, rows):
    shared = dict(zip(("epsilon", "delta"), target, strict=True)) | {"neighbours": neighbours, "data_norm": 1.0}
    model, targets = MODELS[name](shared if rows is None else {**shared, "rows_per_person": rows})
    try:
        model.fit(ROWS, targets, **({} if rows is None else {"persons": IDS}))
    except DiscreetError as refusal:
        said = str(refusal)
    else:
        said = "" if model.certificate_.verify().ok else "an honest certificate is refused"
    assert "grid points" not in said, "what a user is told is about the target"
    assert "honest" not in said
