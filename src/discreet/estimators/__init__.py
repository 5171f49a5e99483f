"""Estimators with scikit-learn's manners, and models as files."""

from typing import TYPE_CHECKING

from discreet.core.lazily import keep_old_names, names_of

if TYPE_CHECKING:
    from discreet.estimators.door.private_estimator import ManyFits
    from discreet.estimators.files.array_model import ArrayModel
    from discreet.estimators.files.model import Model
    from discreet.estimators.intervals.interval_file import IntervalFile
    from discreet.estimators.intervals.uncertainty import Uncertainty
    from discreet.estimators.model_kinds import encoded_estimator
    from discreet.estimators.models.kernel_classifier import KernelClassifier
    from discreet.estimators.models.linear_regression import LinearRegression
    from discreet.estimators.models.margin_classifiers import LinearSVC, LogisticRegression
    from discreet.estimators.models.over_sets import ConstrainedERM, GroupLasso, MatrixRegression, SimplexRegression
    from discreet.estimators.models.prediction_models import (
        ExpectileRegression,
        GammaRegression,
        HuberRegression,
        PoissonRegression,
        QuantileRegression,
    )
    from discreet.estimators.models.sparse import Lasso, LassoClassifier
    from discreet.estimators.models.survival_ordinal import OrdinalRegression, SurvivalModel
    from discreet.estimators.prediction_rules import threshold_for
    from discreet.estimators.search.search import PrivateSearchCV
    from discreet.estimators.two_part.fit_with_calibration import CalibratedFit, fit_with_calibration
    from discreet.estimators.two_part.fit_with_cuts import CutFit, fit_with_cuts
    from discreet.estimators.two_part.fit_with_intervals import IntervalFit, fit_with_intervals, release_uncertainty
else:
    __getattr__, __dir__ = names_of(__name__)

keep_old_names(
    __name__,
    {
        "array_model": "files.array_model",
        "base": "door.private_estimator",
        "calibrated_fit": "two_part.fit_with_calibration",
        "curves": "summaries.curves",
        "cut_fit": "two_part.fit_with_cuts",
        "explanation": "summaries.explanation",
        "forms": "prediction_rules",
        "interval_file": "intervals.interval_file",
        "interval_fit": "two_part.fit_with_intervals",
        "kernel_classifier": "models.kernel_classifier",
        "known_errors": "intervals.known_errors",
        "linear_regression": "models.linear_regression",
        "margin_classifiers": "models.margin_classifiers",
        "metric": "transformers.public_metric",
        "model": "files.model",
        "over_sets": "models.over_sets",
        "person_rows": "models.survival_ordinal",
        "prediction_models": "models.prediction_models",
        "released_noise": "intervals.released_noise",
        "sparse": "models.sparse",
        "summary": "summaries.summary",
        "transformer": "transformers.schema_transformer",
        "uncertainty": "intervals.uncertainty",
    },
)

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
