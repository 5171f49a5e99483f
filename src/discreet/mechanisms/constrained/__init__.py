"""Mechanisms for learning over a constraint set, with their proof notes beside them (frank_wolfe.md, mirror_descent.md, objective_set.md)."""

from typing import TYPE_CHECKING

from discreet.core.lazily import names_of

if TYPE_CHECKING:
    from discreet.mechanisms.constrained.base import ConstrainedMechanism, GaussianSteps
    from discreet.mechanisms.constrained.choose import (
        Candidate,
        Choices,
        calibrate_frank_wolfe,
        calibrate_over_set,
        candidates,
        frank_wolfe_names,
        mechanism_names_over_sets,
    )
    from discreet.mechanisms.constrained.frank_wolfe import GaussianFrankWolfe, NonPrivateFrankWolfe, PolytopeFrankWolfe
    from discreet.mechanisms.constrained.mirror_descent import NoisyMirrorDescent
    from discreet.mechanisms.constrained.mirror_sampled import SampledMirrorDescent
    from discreet.mechanisms.constrained.objective_set import ObjectivePerturbationOverSet
else:
    __getattr__, __dir__ = names_of(__name__)

__all__ = [
    "Candidate",
    "Choices",
    "ConstrainedMechanism",
    "GaussianFrankWolfe",
    "GaussianSteps",
    "NoisyMirrorDescent",
    "NonPrivateFrankWolfe",
    "ObjectivePerturbationOverSet",
    "PolytopeFrankWolfe",
    "SampledMirrorDescent",
    "calibrate_frank_wolfe",
    "calibrate_over_set",
    "candidates",
    "frank_wolfe_names",
    "mechanism_names_over_sets",
]
