"""How good a classifier is on private records: accuracy, confusion, log loss, ROC and calibration as releases of their own."""

from discreet.evaluation.curves import CalibrationBin, CalibrationCurve, RocCurve
from discreet.evaluation.intervals import Estimate, NoiseLaw, mean_interval, proportion_interval, ratio_interval
from discreet.evaluation.private import evaluate_privately, prepare, read_evaluation
from discreet.evaluation.report import PrivateEvaluation
from discreet.evaluation.survey import METRICS, Survey
from discreet.matrices import answers_per_record

__all__ = [
    "METRICS",
    "CalibrationBin",
    "CalibrationCurve",
    "Estimate",
    "NoiseLaw",
    "PrivateEvaluation",
    "RocCurve",
    "Survey",
    "answers_per_record",
    "evaluate_privately",
    "mean_interval",
    "prepare",
    "proportion_interval",
    "ratio_interval",
    "read_evaluation",
]
