"""Mechanisms for private learning, with their proof notes beside them (objective_perturbation.md, output_perturbation.md, residual_stage.md)."""

from discreet.mechanisms.learning.choose import calibrate, mechanism_names
from discreet.mechanisms.learning.choose_classes import calibrate_classes
from discreet.mechanisms.learning.default_ridge import default_class_ridge, default_ridge
from discreet.mechanisms.learning.multinomial_gaussian import GaussianMultinomialPerturbation
from discreet.mechanisms.learning.multinomial_pure import PureMultinomialPerturbation
from discreet.mechanisms.learning.non_private import NonPrivate, NonPrivateClasses
from discreet.mechanisms.learning.objective_gaussian import GaussianObjectivePerturbation
from discreet.mechanisms.learning.objective_pure import PureObjectivePerturbation
from discreet.mechanisms.learning.one_vs_rest import GaussianOneVsRest, PureOneVsRest
from discreet.mechanisms.learning.output_gaussian import GaussianOutputPerturbation
from discreet.mechanisms.learning.output_pure import PureOutputPerturbation
from discreet.mechanisms.learning.published import published_objective, published_output
from discreet.mechanisms.learning.ridge import least_ridge, slack_free_ridge

__all__ = [
    "GaussianMultinomialPerturbation",
    "GaussianObjectivePerturbation",
    "GaussianOneVsRest",
    "GaussianOutputPerturbation",
    "NonPrivate",
    "NonPrivateClasses",
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
