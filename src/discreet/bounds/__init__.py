"""How much error privacy costs, in advance: the generalisation theory of Chaudhuri, Monteleoni and Sarwate (2011) as calculators."""

from discreet.bounds.empirical import lemma_3, lemma_5, objective_excess, output_excess, published_slack
from discreet.bounds.localised import (
    ExcessBound,
    best_objective_ridge,
    excess_risk,
    excess_risk_sridharan,
    localised_excess,
)
from discreet.bounds.noise_norm import ChiNorm, GammaNorm, NoiseNorm, lemma_4
from discreet.bounds.theorems import theorem_3, theorem_4, theorem_6, theorem_7, unit_ball_volume

__all__ = [
    "ChiNorm",
    "ExcessBound",
    "GammaNorm",
    "NoiseNorm",
    "best_objective_ridge",
    "excess_risk",
    "excess_risk_sridharan",
    "lemma_3",
    "lemma_4",
    "lemma_5",
    "localised_excess",
    "objective_excess",
    "output_excess",
    "published_slack",
    "theorem_3",
    "theorem_4",
    "theorem_6",
    "theorem_7",
    "unit_ball_volume",
]
