"""Mechanisms for private learning, with their proof notes beside them (objective_perturbation.md, output_perturbation.md, residual_stage.md)."""

from discreet.mechanisms.learning import rechecks as _rechecks  # noqa: F401 - registers them
from discreet.mechanisms.learning.choose import calibrate, mechanism_names
from discreet.mechanisms.learning.non_private import NonPrivate
from discreet.mechanisms.learning.objective_gaussian import GaussianObjectivePerturbation
from discreet.mechanisms.learning.objective_pure import PureObjectivePerturbation
from discreet.mechanisms.learning.output_gaussian import GaussianOutputPerturbation
from discreet.mechanisms.learning.output_pure import PureOutputPerturbation
from discreet.mechanisms.learning.published import published_objective, published_output
from discreet.mechanisms.learning.ridge import slack_free_ridge

__all__ = [
    "GaussianObjectivePerturbation",
    "GaussianOutputPerturbation",
    "NonPrivate",
    "PureObjectivePerturbation",
    "PureOutputPerturbation",
    "calibrate",
    "mechanism_names",
    "published_objective",
    "published_output",
    "slack_free_ridge",
]
