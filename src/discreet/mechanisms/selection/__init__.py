"""Choosing among candidates privately, with proof notes beside the code (exponential.md, stopping.md, and accounting/selection.md)."""

from discreet.mechanisms.selection.calibration import InnerTarget, calibrated
from discreet.mechanisms.selection.curves import whole_curve
from discreet.mechanisms.selection.exponential import ALGORITHM_4, Candidates, ExponentialMechanism
from discreet.mechanisms.selection.score import CountNoise
from discreet.mechanisms.selection.stopping import RandomStopping

__all__ = ["ALGORITHM_4", "Candidates", "CountNoise", "ExponentialMechanism", "InnerTarget", "RandomStopping", "calibrated", "whole_curve"]
