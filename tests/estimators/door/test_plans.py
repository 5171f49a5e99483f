"""What an estimator plans is what a fit states, and promises nothing by itself."""

import numpy as np
import pytest

from discreet import ConstrainedERM, GroupLasso, KernelClassifier, Lasso, LassoClassifier, LinearRegression, LinearSVC, LogisticRegression
from discreet.core.errors import InfeasibleTarget, InvalidInput
from discreet.data import Block, FunctionTable
from discreet.matrices import DenseMatrix

ROWS = np.random.default_rng(0).uniform(-0.5, 0.5, (400, 3))
LABELS = (ROWS[:, 0] > 0).astype(np.int64)
MODELS = {
    "default": LinearSVC(),
    "alpha": LogisticRegression(alpha=0.05, fit_intercept=False),
    "weights of classes": LinearSVC(class_weight={0: 2.0}),
    "output": LogisticRegression(mechanism="output", data_norm=0.5),
    "published": LogisticRegression(alpha=0.05, mechanism="objective", calibration="published", fit_intercept=False),
    "kernel": KernelClassifier(n_features=8),
    "lasso": LassoClassifier(n_iter=5),
}
SAID = ("mechanism", "parameters", "problem", "guarantee", "hypotheses", "releases")


def planned(model, records=400, *, classes=2, **settings):
    return model.set_params(classes=list(range(classes))).plan(features=3, records=records, **settings)


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_the_plan_is_what_the_fit_states(model, neighbours, delta):
    if (delta or neighbours == "add-remove") and model.get_params().get("calibration") == "published":
        with pytest.raises(InvalidInput, match="replace-one and delta=0 only"):
            planned(model.set_params(neighbours=neighbours, delta=delta, public_records=400))
        return
    public = {"public_records": 400} if neighbours == "add-remove" else {}
    model.set_params(classes=[0, 1], neighbours=neighbours, delta=delta, **public)
    plan, fitted = planned(model), model.fit(ROWS, LABELS).certificate_
    for name in SAID:
        assert getattr(plan, name) == getattr(fitted, name), name
    assert not plan.verify(model.coef_).ok


@pytest.mark.parametrize("scheme", ["multinomial", "one-vs-rest"])
def test_the_plan_of_more_classes_is_what_the_fit_states(scheme):
    model = LogisticRegression(classes=[0, 1, 2], multi_class=scheme, epsilon=4.0)
    plan, fitted = planned(model, classes=3), model.fit(ROWS, LABELS + (ROWS[:, 1] > 0.2)).certificate_
    for name in SAID:
        assert getattr(plan, name) == getattr(fitted, name), name


@pytest.mark.parametrize("model", [LinearSVC(max_sample_weight=2.0, class_weight={1: 3.0}), LassoClassifier(n_iter=5)], ids=["weights", "lasso"])
def test_the_plan_for_blocks_is_what_the_fit_of_blocks_states(model):
    model.set_params(classes=[0, 1])
    weights = None if isinstance(model, LassoClassifier) else np.full(400, 0.5)
    table = FunctionTable(lambda _: Block(DenseMatrix(ROWS), LABELS, weights), blocks=1, features=3)
    plan, fitted = planned(model, **({} if weights is None else {"weighted": True})), model.fit(table).certificate_
    for name in SAID:
        assert getattr(plan, name) == getattr(fitted, name), name


REGRESSIONS = {
    "linear": LinearRegression(target_bound=1.0),
    "moments": LinearRegression(mechanism="moments", fit_intercept=False, data_bound=0.5, target_bound=1.0),
    "lasso": Lasso(n_iter=5, target_bound=1.0),
    "over a set": ConstrainedERM(target_bound=1.0),
    "groups": GroupLasso(groups=3, loss="huber", target_bound=1.0),
}


@pytest.mark.parametrize("model", REGRESSIONS.values(), ids=REGRESSIONS)
@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_the_plan_of_a_regression_is_what_the_fit_states(model, neighbours):
    model.set_params(neighbours=neighbours, public_records=400)
    plan, fitted = model.plan(features=3, records=400), model.fit(ROWS, ROWS[:, 0]).certificate_
    for name in SAID:
        assert getattr(plan, name) == getattr(fitted, name), name
    assert not plan.verify(model.weights_).ok


def test_what_has_no_fit_has_no_plan():
    with pytest.raises(InfeasibleTarget, match="alpha"):
        planned(LinearSVC(alpha=1e-9, classes=[0, 1], mechanism="objective"))
