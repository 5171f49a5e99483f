"""How good a model is on private records: accuracy, confusion, log loss, ROC and calibration, errors and R^2, as releases of their own."""

from discreet.evaluation.curves import CalibrationBin, CalibrationCurve, RocCurve
from discreet.evaluation.intervals import Estimate, NoiseLaw, mean_interval, proportion_interval, ratio_interval
from discreet.evaluation.numbers import NUMBER_METRICS, NumberSurvey
from discreet.evaluation.private import evaluate_privately, prepare
from discreet.evaluation.report import PrivateEvaluation
from discreet.evaluation.stored import read_evaluation
from discreet.evaluation.survey import METRICS, Survey
from discreet.evaluation.times import TIME_METRICS, TimeSurvey
from discreet.evaluation.useless import Baseline
from discreet.matrices import answers_per_record

__all__ = [
    "METRICS",
    "NUMBER_METRICS",
    "TIME_METRICS",
    "Baseline",
    "CalibrationBin",
    "CalibrationCurve",
    "Estimate",
    "NoiseLaw",
    "NumberSurvey",
    "PrivateEvaluation",
    "RocCurve",
    "Survey",
    "TimeSurvey",
    "answers_per_record",
    "evaluate_privately",
    "mean_interval",
    "prepare",
    "proportion_interval",
    "ratio_interval",
    "read_evaluation",
]
