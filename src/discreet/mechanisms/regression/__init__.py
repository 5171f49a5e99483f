"""Mechanisms for least squares over records with real targets."""

from typing import TYPE_CHECKING

from discreet.core.lazily import names_of

if TYPE_CHECKING:
    from discreet.mechanisms.regression.adassp import AdaSSP
    from discreet.mechanisms.regression.base import Fitted, RegressionMechanism, fitted_of
    from discreet.mechanisms.regression.belief import Equations
    from discreet.mechanisms.regression.choose import NonPrivateLeastSquares, calibrate_least_squares
    from discreet.mechanisms.regression.hessian_mixing import HessianMixing
    from discreet.mechanisms.regression.mixing import GaussianMixing
    from discreet.mechanisms.regression.objective import ResidualObjectivePerturbation
    from discreet.mechanisms.regression.prediction import NonPrivatePrediction, PredictionObjectivePerturbation, calibrate_prediction
    from discreet.mechanisms.regression.refined import RefinedMoments
    from discreet.mechanisms.regression.several_targets import NonPrivateTargets, TargetsObjectivePerturbation, calibrate_targets
    from discreet.mechanisms.regression.sums import LeastSquares
else:
    __getattr__, __dir__ = names_of(__name__)

__all__ = [
    "AdaSSP",
    "Equations",
    "Fitted",
    "GaussianMixing",
    "HessianMixing",
    "LeastSquares",
    "NonPrivateLeastSquares",
    "NonPrivatePrediction",
    "NonPrivateTargets",
    "PredictionObjectivePerturbation",
    "RefinedMoments",
    "RegressionMechanism",
    "ResidualObjectivePerturbation",
    "TargetsObjectivePerturbation",
    "calibrate_least_squares",
    "calibrate_prediction",
    "calibrate_targets",
    "fitted_of",
]
