"""Classifiers for scikit-learn's checks, which invent tables with labels of every kind: the labels of each are declared, as a user would.

What holds no class labels is passed on without, to be refused as it would be.
"""

import functools
from contextlib import contextmanager

import numpy as np
from sklearn.base import clone
from sklearn.utils.multiclass import type_of_target

from discreet import ConstrainedERM, KernelClassifier, LassoClassifier, LinearSVC, LogisticRegression, PrivateSearchCV

RECORDS_ARE_PEOPLE = "a repeated record is another person: it changes n, which the noise and alpha depend on, so no private fit can satisfy it"
NONE_IS_AN_ANSWER = "under add-remove n is private, so a table without records has a model like any other"
WEIGHTS_ARE_PRIVATE = "weights may be private, so an error must not tell that all of them are zero"


def expected_failures(estimator):
    failures = dict.fromkeys(
        ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"),
        RECORDS_ARE_PEOPLE,
    )
    failures["check_all_zero_sample_weights_error"] = WEIGHTS_ARE_PRIVATE
    if estimator.get_params().get("neighbours") == "add-remove" and "classes" not in estimator.get_params():  # no labels, no classes
        failures["check_estimators_empty_data_messages"] = NONE_IS_AN_ANSWER
    return failures


def _classes(y):
    given = np.asarray(y)
    if given.dtype.kind == "f" and not np.all(np.isfinite(given)):
        return None
    try:
        return np.unique(given) if type_of_target(given) in {"binary", "multiclass"} else None
    except (ValueError, TypeError):
        return None


@contextmanager
def _given(model, name, value):
    before = getattr(model, name)
    setattr(model, name, value)
    try:
        yield
    finally:
        setattr(model, name, before)


def _declaring(fit):
    @functools.wraps(fit)
    def declared(self, X, y=None, *given, **named):
        with _given(self, "classes", _classes(y)):
            return fit(self, X, y, *given, **named)

    return declared


class DeclaringLogisticRegression(LogisticRegression):
    fit = _declaring(LogisticRegression.fit)


class DeclaringLinearSVC(LinearSVC):
    fit = _declaring(LinearSVC.fit)


class DeclaringKernelClassifier(KernelClassifier):
    fit = _declaring(KernelClassifier.fit)


class DeclaringLassoClassifier(LassoClassifier):
    fit = _declaring(LassoClassifier.fit)


class DeclaringERM(ConstrainedERM):
    fit = _declaring(ConstrainedERM.fit)


class DeclaringSearch(PrivateSearchCV):
    @functools.wraps(PrivateSearchCV.fit)
    def fit(self, X, y=None):
        with _given(self, "estimator", clone(self.estimator).set_params(classes=_classes(y))):
            return super().fit(X, y)
