"""Choosing privately, among candidates or before a fit, with proof notes (exponential.md, stopping.md, and accounting/selection.md)."""

from typing import TYPE_CHECKING

from discreet.core.lazily import names_of

if TYPE_CHECKING:
    from discreet.mechanisms.selection.calibration import InnerTarget, calibrated
    from discreet.mechanisms.selection.curves import whole_curve
    from discreet.mechanisms.selection.exponential import ALGORITHM_4, Candidates, ExponentialMechanism
    from discreet.mechanisms.selection.score import CountNoise
    from discreet.mechanisms.selection.stopping import RandomStopping
    from discreet.mechanisms.selection.then_fit import SHARE, Choice, ThenFit
else:
    __getattr__, __dir__ = names_of(__name__)

__all__ = [
    "ALGORITHM_4",
    "SHARE",
    "Candidates",
    "Choice",
    "CountNoise",
    "ExponentialMechanism",
    "InnerTarget",
    "RandomStopping",
    "ThenFit",
    "calibrated",
    "whole_curve",
]
