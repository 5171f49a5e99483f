"""Estimators with scikit-learn's manners, and models as files."""

from typing import TYPE_CHECKING

from discreet.core.lazily import names_of

if TYPE_CHECKING:
    from discreet.estimators.array_model import ArrayModel
    from discreet.estimators.base import ManyFits
    from discreet.estimators.calibrated_fit import CalibratedFit, fit_with_calibration
    from discreet.estimators.cut_fit import CutFit, fit_with_cuts
    from discreet.estimators.forms import threshold_for
    from discreet.estimators.interval_file import IntervalFile
    from discreet.estimators.interval_fit import IntervalFit, fit_with_intervals
    from discreet.estimators.intervals import release_uncertainty
    from discreet.estimators.kernel_classifier import KernelClassifier
    from discreet.estimators.kinds import encoded_estimator
    from discreet.estimators.linear_regression import LinearRegression
    from discreet.estimators.margin_classifiers import LinearSVC, LogisticRegression
    from discreet.estimators.model import Model
    from discreet.estimators.over_sets import ConstrainedERM, GroupLasso, MatrixRegression, SimplexRegression
    from discreet.estimators.person_rows import OrdinalRegression, SurvivalModel
    from discreet.estimators.prediction_models import (
        ExpectileRegression,
        GammaRegression,
        HuberRegression,
        PoissonRegression,
        QuantileRegression,
    )
    from discreet.estimators.search import PrivateSearchCV
    from discreet.estimators.sparse import Lasso, LassoClassifier
    from discreet.estimators.uncertainty import Uncertainty
else:
    __getattr__, __dir__ = names_of(__name__)

__all__ = [
    "ArrayModel",
    "CalibratedFit",
    "ConstrainedERM",
    "CutFit",
    "ExpectileRegression",
    "GammaRegression",
    "GroupLasso",
    "HuberRegression",
    "IntervalFile",
    "IntervalFit",
    "KernelClassifier",
    "Lasso",
    "LassoClassifier",
    "LinearRegression",
    "LinearSVC",
    "LogisticRegression",
    "ManyFits",
    "MatrixRegression",
    "Model",
    "OrdinalRegression",
    "PoissonRegression",
    "PrivateSearchCV",
    "QuantileRegression",
    "SimplexRegression",
    "SurvivalModel",
    "Uncertainty",
    "encoded_estimator",
    "fit_with_calibration",
    "fit_with_cuts",
    "fit_with_intervals",
    "release_uncertainty",
    "threshold_for",
]
