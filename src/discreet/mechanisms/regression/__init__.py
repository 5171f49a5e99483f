"""Mechanisms for least squares over records with real targets; importing this package registers their rechecks."""

from discreet.mechanisms.regression import rechecks as _rechecks
from discreet.mechanisms.regression import rechecks_objective as _rechecks_objective
from discreet.mechanisms.regression import rechecks_sketch as _rechecks_sketch
from discreet.mechanisms.regression.adassp import AdaSSP
from discreet.mechanisms.regression.base import Fitted, RegressionMechanism
from discreet.mechanisms.regression.choose import calibrate_least_squares
from discreet.mechanisms.regression.hessian_mixing import HessianMixing
from discreet.mechanisms.regression.mixing import GaussianMixing
from discreet.mechanisms.regression.non_private import NonPrivateLeastSquares
from discreet.mechanisms.regression.objective import ResidualObjectivePerturbation
from discreet.mechanisms.regression.refined import RefinedMoments
from discreet.mechanisms.regression.sums import LeastSquares

__all__ = [
    "AdaSSP",
    "Fitted",
    "GaussianMixing",
    "HessianMixing",
    "LeastSquares",
    "NonPrivateLeastSquares",
    "RefinedMoments",
    "RegressionMechanism",
    "ResidualObjectivePerturbation",
    "calibrate_least_squares",
]

del _rechecks, _rechecks_objective, _rechecks_sketch
