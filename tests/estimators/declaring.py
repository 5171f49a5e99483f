"""Classifiers for scikit-learn's checks, which invent tables with labels of every kind: the labels of each are declared, as a user would.

What holds no class labels is passed on without, to be refused as it would be.
"""

import functools
from contextlib import contextmanager

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.multiclass import type_of_target

from discreet import PrivateSearchCV, consumers, estimators

RECORDS_ARE_PEOPLE = "a repeated record is another person: it changes n, which the noise and alpha depend on, so no private fit can satisfy it"
NONE_IS_AN_ANSWER = "under add-remove n is private, so a table without records has a model like any other"
ONE_ANSWER = "the columns of its table are collinear, and rows that are said to have no noise are then refused: no least squares is the only one"
NOISE_TAKEN_OUT = (consumers.NoisyRidge, consumers.SketchRidge, consumers.ProjectedRidge, consumers.NoisyLinearSVC, consumers.NoisyLogisticRegression)
NO_WEIGHTS = "noisy moments are of records that weigh alike, and say so"
WEIGHTS_ARE_PRIVATE = "weights may be private, so an error must not tell that all of them are zero"


MEDIAN = "an ordered class is predicted as the median one, which errs by the fewest steps, and not as the likeliest"
TIMES_AND_EVENTS = "targets of two dimensions are times and whether the event happened then"


def expected_failures(estimator):
    failures = dict.fromkeys(
        ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"),
        RECORDS_ARE_PEOPLE,
    )
    failures["check_all_zero_sample_weights_error"] = WEIGHTS_ARE_PRIVATE
    if estimator.get_params().get("neighbours") == "add-remove" and "classes" not in estimator.get_params():  # no labels, no classes
        failures["check_estimators_empty_data_messages"] = NONE_IS_AN_ANSWER
    if isinstance(estimator, estimators.LinearRegression) and estimator.mechanism == "moments":
        failures |= {f"check_sample_weights_{of}": NO_WEIGHTS for of in ("pandas_series", "not_an_array", "list", "shape", "not_overwritten")}
    if isinstance(estimator, NOISE_TAKEN_OUT):
        failures["check_array_api_input"] = ONE_ANSWER
    if isinstance(estimator, estimators.OrdinalRegression):
        failures["check_classifiers_train"] = MEDIAN
    if isinstance(estimator, estimators.SurvivalModel):
        failures["check_supervised_y_2d"] = TIMES_AND_EVENTS
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


def _exported():
    """Every estimator of the packages, by name."""
    known = {name: getattr(package, name) for package in (estimators, consumers) for name in package.__all__}
    return {name: kind for name, kind in known.items() if isinstance(kind, type) and issubclass(kind, BaseEstimator)}


EXPORTED = _exported()


class DeclaringSearch(PrivateSearchCV):
    @functools.wraps(PrivateSearchCV.fit)
    def fit(self, X, y=None):
        with _given(self, "estimator", clone(self.estimator).set_params(classes=_classes(y))):
            return super().fit(X, y)


for _name, _kind in EXPORTED.items():
    if _kind is not PrivateSearchCV and "classes" in _kind().get_params():
        globals()[f"Declaring{_name}"] = type(f"Declaring{_name}", (_kind,), {"fit": _declaring(_kind.fit), "__module__": __name__})


def declaring(name, **parameters):
    """An estimator that is told the classes of each table, where it takes classes."""
    return globals().get(f"Declaring{name}", EXPORTED[name])(**parameters)
