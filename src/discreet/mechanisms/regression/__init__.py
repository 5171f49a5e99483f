"""Mechanisms for least squares over records with real targets; importing this package registers their rechecks."""

from discreet.mechanisms.regression import rechecks as _rechecks
from discreet.mechanisms.regression.base import Fitted, RegressionMechanism
from discreet.mechanisms.regression.choose import calibrate_least_squares
from discreet.mechanisms.regression.non_private import NonPrivateLeastSquares
from discreet.mechanisms.regression.refined import RefinedMoments
from discreet.mechanisms.regression.sums import LeastSquares

__all__ = ["Fitted", "LeastSquares", "NonPrivateLeastSquares", "RefinedMoments", "RegressionMechanism", "calibrate_least_squares"]

del _rechecks
