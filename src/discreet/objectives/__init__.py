"""Objectives: public problems on records, as what a solver minimises, with bounds of their rounding errors."""

from typing import TYPE_CHECKING

from discreet.core.lazily import names_of

if TYPE_CHECKING:
    from discreet.objectives.objective import MarginObjective
    from discreet.objectives.of_risk import objective_of, objectives_of
    from discreet.objectives.over_set import sum_over_set
    from discreet.objectives.prediction_sum import PredictionSum
    from discreet.objectives.softmax_objective import SoftmaxObjective, softmax
else:
    __getattr__, __dir__ = names_of(__name__)

__all__ = ["MarginObjective", "PredictionSum", "SoftmaxObjective", "objective_of", "objectives_of", "softmax", "sum_over_set"]
