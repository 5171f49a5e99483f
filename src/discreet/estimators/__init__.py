"""Estimators with scikit-learn's manners, and models as files."""

from discreet.estimators.linear_classifier import ManyFits
from discreet.estimators.linear_svc import LinearSVC
from discreet.estimators.logistic_regression import LogisticRegression
from discreet.estimators.model import Model

__all__ = ["LinearSVC", "LogisticRegression", "ManyFits", "Model"]
