"""A law of all exported models: one record more, anywhere in the table, or another order, changes no answer about another one, not in its last bit.

Counts of decisions are released with noise for one record (private evaluation, private search), so this is a matter of privacy.
"""

import importlib

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import discreet
from discreet import (
    ArrayModel,
    ConstrainedERM,
    ExpectileRegression,
    GammaRegression,
    GroupLasso,
    HuberRegression,
    KernelClassifier,
    Lasso,
    LassoClassifier,
    LinearRegression,
    LinearSVC,
    LogisticRegression,
    MatrixRegression,
    Model,
    OrdinalRegression,
    PoissonRegression,
    PrivateSearchCV,
    QuantileRegression,
    SimplexRegression,
    SurvivalModel,
)
from discreet.consumers import (
    MomentsDiscriminant,
    MomentsNaiveBayes,
    NoisyLabelRegression,
    NoisyLinearSVC,
    NoisyLogisticRegression,
    ProjectedKMeans,
    ProjectedLinearSVC,
    ProjectedLogisticRegression,
    ProjectedNearestMeans,
    RandomisedNaiveBayes,
)
from discreet.core.errors import InvalidType
from discreet.data import Block, FunctionTable, NumericColumn, Schema, Target
from discreet.matrices import as_matrix, is_per_record, marked_per_record

ROWS, COLUMNS = 300, 37
QUESTIONS = (
    "decision_function", "predict", "predict_proba", "predict_log_proba", "predict_median", "predict_hazard", "predict_survival",
    "decision", "probabilities", "log_probabilities",
)  # fmt: skip
ONE_BY_ONE = {"MomentsRidge", "NoisyRidge", "ProjectedRidge", "SketchRidge"}
"""Not marked, so that private evaluations ask about one record after the other."""
random = np.random.default_rng(3)
X = random.standard_normal((ROWS, COLUMNS)) * (random.random((ROWS, COLUMNS)) < 0.5)
NAMES = [f"c{column}" for column in range(COLUMNS)]
SCHEMA = Schema(
    name="law",
    target=Target(column="y", classes=("no", "yes")),
    numeric=tuple(NumericColumn(name=name, lower=-9.0, upper=9.0, outside="clip") for name in NAMES),
)
LONG = 40.0 * random.standard_normal(COLUMNS)
"""The record that is added: longer than all bounds."""


def targets(classes):
    scores = X @ np.random.default_rng(4).standard_normal((COLUMNS, classes))
    return scores.argmax(axis=1)


def stored():
    table = pl.DataFrame(X, schema=NAMES).with_columns(y=pl.Series(np.array(["no", "yes"])[targets(2)]))
    return Model.from_estimator(LogisticRegression(data_norm=SCHEMA.norm_bound, **FREE).fit(SCHEMA.encode(table, target=True)), SCHEMA)


def saved():
    return ArrayModel.from_estimator(LinearSVC(classes=list(range(3)), data_norm=2.0, delta=1e-6, **FREE).fit(X, targets(3)))


TURNED = np.random.default_rng(5).standard_normal((COLUMNS, COLUMNS))
FREE = {"epsilon": 50.0, "random_state": 1}
BOUNDS = {"data_bound": 0.8, "data_norm": 2.0, "n_iter": 6}
MADE = {
    "logistic": (LogisticRegression(data_norm=3.0, **FREE), 2),
    "logistic-10": (LogisticRegression(delta=1e-6, **FREE), 10),
    "svc": (LinearSVC(fit_intercept=False, **FREE), 2),
    "svc-12": (LinearSVC(loss="softplus-hinge", **FREE), 12),
    "kernel": (KernelClassifier(n_features=22, **FREE), 2),
    "kernel-3": (KernelClassifier(n_features=22, delta=1e-6, **FREE), 3),
    "lasso-classifier": (LassoClassifier(**BOUNDS, **FREE), 2),
    "lasso-classifier-plain": (LassoClassifier(data_bound=None, data_norm=2.0, fit_intercept=False, n_iter=6, **FREE), 2),
    "erm": (ConstrainedERM(loss="logistic", **BOUNDS, **FREE), 2),
    "search": (
        PrivateSearchCV(
            LassoClassifier(classes=[0, 1], **BOUNDS), {"radius": [5.0, 10.0]}, epsilon=20.0, delta=1e-6, expected_runs=3.0, random_state=1
        ),
        2,
    ),
    "noisy-logistic": (NoisyLogisticRegression(feature_noise=0.01), 2),
    "noisy-labels": (NoisyLabelRegression(label_noise=0.1), 2),
    "noisy-labels-9": (NoisyLabelRegression(label_noise=0.1), 9),
    "noisy-svc": (NoisyLinearSVC(feature_noise=0.01), 2),
    "discriminant": (MomentsDiscriminant(), 3),
    "naive-bayes": (MomentsNaiveBayes(), 2),
    "projected-logistic": (ProjectedLogisticRegression(), 2),
    "projected-svc": (ProjectedLinearSVC(), 2),
    "projected-means": (ProjectedNearestMeans(projection=TURNED), 3),
    "projected-clusters": (ProjectedKMeans(n_clusters=3, random_state=1, projection=TURNED), 0),
    "randomised-bayes": (RandomisedNaiveBayes(feature_noise=0.01, label_noise=0.1), 3),
    "stored": (stored, 2),
    "lasso": (Lasso(**BOUNDS, **FREE, target_bound=1.0), 0),
    "group-lasso": (GroupLasso(groups=COLUMNS, **BOUNDS, **FREE, target_bound=1.0), 0),
    "matrix": (MatrixRegression(shape=(1, COLUMNS), **BOUNDS, **FREE, target_bound=1.0), 0),
    "simplex": (SimplexRegression(**BOUNDS, **FREE, target_bound=1.0), 0),
    "regression": (LinearRegression(data_norm=2.0, **FREE, target_bound=1.0), 0),
    "quantile": (QuantileRegression(data_norm=2.0, **FREE, target_bound=1.0), 0),
    "huber": (HuberRegression(data_norm=2.0, **FREE, target_bound=1.0), 0),
    "expectile": (ExpectileRegression(data_norm=2.0, **FREE, target_bound=1.0), 0),
    "poisson": (PoissonRegression(data_norm=2.0, target_bound=1.0, **FREE), 0),
    "gamma": (GammaRegression(data_norm=2.0, target_bound=1.0, **FREE), 0),
    "ordinal": (OrdinalRegression(data_norm=2.0, **FREE), 4),
    "survival": (SurvivalModel(data_norm=2.0, ends=[1.0, 2.0, 4.0, 7.0], **FREE), 0),
    "saved": (saved, 3),
}
"""What is tried, and how many classes it has; 0 for models of numbers, whose predictions somebody may compare with a threshold."""
FORMS = {
    "row-major": np.ascontiguousarray,
    "column-major": np.asfortranarray,
    "float32": lambda rows: rows.astype(np.float32),
    "sparse": sp.csr_array,
    "frame": pd.DataFrame,
    "blocks": lambda rows: FunctionTable(lambda part: Block(as_matrix(np.array_split(rows, 3)[part]), None, None), blocks=3, features=COLUMNS),
}
SPARSE_NOT_TAKEN = {
    "noisy-logistic", "noisy-labels", "noisy-labels-9", "noisy-svc", "discriminant", "naive-bayes", "projected-logistic", "projected-svc",
    "projected-means", "projected-clusters", "randomised-bayes",
}  # fmt: skip
BLOCKS_NOT_TAKEN = {*SPARSE_NOT_TAKEN, "saved"}


@pytest.fixture(scope="module", params=MADE)
def model(request):
    made, classes = MADE[request.param]
    if request.param in ("stored", "saved"):
        return request.param, made()
    numbers = np.clip(X @ np.linspace(-0.1, 0.1, COLUMNS), -1.0, 1.0)
    y = targets(classes) if classes else 4.0 + 3.0 * numbers if request.param == "survival" else np.abs(numbers)
    declared = {"classes": list(range(classes))} if classes and "classes" in made.get_params() else {}
    return request.param, clone(made).set_params(**declared).fit(X, y)


def test_the_law_is_about_everything_that_is_exported():
    exported = [getattr(package, name) for package in (discreet, importlib.import_module("discreet.consumers")) for name in package.__all__]
    answering = {kind.__name__ for kind in exported if isinstance(kind, type) and hasattr(kind, "predict")}
    assert answering - ONE_BY_ONE == {{"stored": "Model", "saved": "ArrayModel"}.get(name, type(made).__name__) for name, (made, _) in MADE.items()}
    assert not any(marked_per_record(kind) for kind in exported if isinstance(kind, type) and kind.__name__ in ONE_BY_ONE)


@pytest.mark.at_most(14)
@pytest.mark.parametrize("form", FORMS)
def test_one_record_more_changes_no_other_answer_in_its_last_bit(model, form):
    name, fitted = model
    if (form == "sparse" and name in {*SPARSE_NOT_TAKEN, "stored"}) or (form == "blocks" and name in {*BLOCKS_NOT_TAKEN, "stored"}):
        return  # no such tables are taken
    if name == "stored" and form != "frame":
        return  # it takes tables of its schema
    assert is_per_record(fitted)
    table_of = (lambda rows: pl.DataFrame(rows, schema=NAMES)) if name == "stored" else FORMS[form]
    asked = [getattr(fitted, question) for question in QUESTIONS if callable(getattr(fitted, question, None))]
    base = X[:41]
    for ask in asked:
        together = np.asarray(ask(table_of(base)))
        for length in (3, 8, 33) if form == "blocks" else (1, 2, 3, 7, 8, 9, 16, 33):
            np.testing.assert_array_equal(ask(table_of(base[:length])), together[:length])
        for place in (*range(9), len(base)):
            more = np.asarray(ask(table_of(np.insert(base, place, LONG, axis=0))))
            np.testing.assert_array_equal(np.delete(more, place, axis=0), together)
        order = np.random.default_rng(7).permutation(len(base))
        np.testing.assert_array_equal(ask(table_of(base[order])), together[order])


def test_a_search_counts_no_answers_of_a_class_that_nobody_has_marked():
    class Ours(LinearSVC):
        """It may decide in another way."""

    with pytest.raises(InvalidType, match="answers_per_record"):
        PrivateSearchCV(Ours(classes=[0, 1]), {"alpha": [0.1]}).fit(X, targets(2))
