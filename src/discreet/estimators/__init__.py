"""Estimators with scikit-learn's manners."""

from discreet.estimators.linear_classifier import ManyFits
from discreet.estimators.linear_svc import LinearSVC
from discreet.estimators.logistic_regression import LogisticRegression

__all__ = ["LinearSVC", "LogisticRegression", "ManyFits"]
