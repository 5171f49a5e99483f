"""Mechanisms for private learning, with their proof notes beside them (objective_perturbation.md, output_perturbation.md, residual_stage.md)."""

from typing import TYPE_CHECKING

from discreet.core.lazily import names_of
from discreet.core.parts import also_of

if TYPE_CHECKING:
    from discreet.mechanisms.learning.base import LearningMechanism
    from discreet.mechanisms.learning.choose import calibrate, default_ridge, default_temperature, mechanism_names, plan, with_defaults
    from discreet.mechanisms.learning.margin import MARGIN
    from discreet.mechanisms.learning.objective_perturbation import (
        GaussianMultinomialPerturbation,
        GaussianObjectivePerturbation,
        GaussianOneVsRest,
        PureMultinomialPerturbation,
        PureObjectivePerturbation,
        PureOneVsRest,
    )
    from discreet.mechanisms.learning.output_perturbation import GaussianOutputPerturbation, NonPrivate, PureOutputPerturbation
    from discreet.mechanisms.learning.worth import Outlook, outlook
else:
    _own_name, __dir__ = names_of(__name__)
    __getattr__ = also_of(_own_name, dict.fromkeys(("published_objective", "published_output"), "papers"))

__all__ = [
    "MARGIN",
    "GaussianMultinomialPerturbation",
    "GaussianObjectivePerturbation",
    "GaussianOneVsRest",
    "GaussianOutputPerturbation",
    "LearningMechanism",
    "NonPrivate",
    "Outlook",
    "PureMultinomialPerturbation",
    "PureObjectivePerturbation",
    "PureOneVsRest",
    "PureOutputPerturbation",
    "calibrate",
    "default_ridge",
    "default_temperature",
    "mechanism_names",
    "outlook",
    "plan",
    "with_defaults",
]
