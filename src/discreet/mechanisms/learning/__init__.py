"""Mechanisms for private learning, with their proof notes beside them (objective_perturbation.md, output_perturbation.md, residual_stage.md)."""

from discreet.mechanisms.learning.base import LearningMechanism
from discreet.mechanisms.learning.choose import calibrate, calibrate_classes, mechanism_names
from discreet.mechanisms.learning.objective_perturbation import (
    GaussianMultinomialPerturbation,
    GaussianObjectivePerturbation,
    GaussianOneVsRest,
    PureMultinomialPerturbation,
    PureObjectivePerturbation,
    PureOneVsRest,
)
from discreet.mechanisms.learning.output_perturbation import GaussianOutputPerturbation, NonPrivate, PureOutputPerturbation
from discreet.mechanisms.learning.published import published_objective, published_output
from discreet.mechanisms.learning.ridge import default_class_ridge, default_ridge, least_ridge, slack_free_ridge

__all__ = [
    "GaussianMultinomialPerturbation",
    "GaussianObjectivePerturbation",
    "GaussianOneVsRest",
    "GaussianOutputPerturbation",
    "LearningMechanism",
    "NonPrivate",
    "PureMultinomialPerturbation",
    "PureObjectivePerturbation",
    "PureOneVsRest",
    "PureOutputPerturbation",
    "calibrate",
    "calibrate_classes",
    "default_class_ridge",
    "default_ridge",
    "least_ridge",
    "mechanism_names",
    "published_objective",
    "published_output",
    "slack_free_ridge",
]
