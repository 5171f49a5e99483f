"""Estimators with scikit-learn's manners, and models as files."""

from discreet.estimators.constrained_erm import ConstrainedERM
from discreet.estimators.interval_file import IntervalFile
from discreet.estimators.kernel_classifier import KernelClassifier
from discreet.estimators.lasso import Lasso, LassoClassifier
from discreet.estimators.linear_classifier import ManyFits
from discreet.estimators.linear_regression import LinearRegression
from discreet.estimators.margin_classifiers import LinearSVC, LogisticRegression
from discreet.estimators.model import Model
from discreet.estimators.search import PrivateSearchCV
from discreet.estimators.set_regression import GroupLasso, MatrixRegression, SimplexRegression
from discreet.estimators.uncertainty import Uncertainty
from discreet.estimators.uncertainty_release import release_uncertainty

__all__ = [
    "ConstrainedERM",
    "GroupLasso",
    "IntervalFile",
    "KernelClassifier",
    "Lasso",
    "LassoClassifier",
    "LinearRegression",
    "LinearSVC",
    "LogisticRegression",
    "ManyFits",
    "MatrixRegression",
    "Model",
    "PrivateSearchCV",
    "SimplexRegression",
    "Uncertainty",
    "release_uncertainty",
]
