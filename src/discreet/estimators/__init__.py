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

_MOVED = {
    "files": "array_model model",
    "intervals": "interval_file known_errors released_noise uncertainty",
    "models": "kernel_classifier linear_regression margin_classifiers over_sets prediction_models sparse person_rows=survival_ordinal",
    "summaries": "curves explanation summary",
    "transformers": "metric=public_metric transformer=schema_transformer",
    "two_part": "calibrated_fit=fit_with_calibration cut_fit=fit_with_cuts interval_fit=fit_with_intervals",
    "door": "base=private_estimator",
}
"""Folder -> its modules that stood here before there were folders, with another name than now: old=new."""
_OLD_AND_NEW = [(folder, *name.split("=")) for folder, names in _MOVED.items() for name in names.split()]
keep_old_names(__name__, {"forms": "prediction_rules"} | {old: f"{folder}.{([old, *new])[-1]}" for folder, old, *new in _OLD_AND_NEW})

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
