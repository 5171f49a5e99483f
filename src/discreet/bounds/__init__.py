"""How much error privacy costs, in advance: the theory of Chaudhuri, Monteleoni and Sarwate (2011), and that of released data, as calculators."""

from discreet.bounds.empirical import lemma_3, lemma_5, objective_excess, output_excess, published_slack
from discreet.bounds.localised import (
    ExcessBound,
    best_objective_ridge,
    excess_risk,
    excess_risk_sridharan,
    localised_excess,
)
from discreet.bounds.noise_norm import ChiNorm, GammaNorm, NoiseNorm, lemma_4
from discreet.bounds.noisy_regression import noisy_rows_risk, ridge_risk
from discreet.bounds.reconstruction import box_centre_error, class_mean_error, cramer_rao_error, linear_bayes_error, prior_mean_error
from discreet.bounds.shaped_noise import cheapest_covariance, geometric_mean, learning_cost, moved_probability, shaped_covariance, shaped_value
from discreet.bounds.sketched_regression import sketch_loss_mean, sketch_loss_quantile, sketch_risk
from discreet.bounds.theorems import theorem_3, theorem_4, theorem_6, theorem_7, unit_ball_volume

__all__ = [
    "ChiNorm",
    "ExcessBound",
    "GammaNorm",
    "NoiseNorm",
    "best_objective_ridge",
    "box_centre_error",
    "cheapest_covariance",
    "class_mean_error",
    "cramer_rao_error",
    "excess_risk",
    "excess_risk_sridharan",
    "geometric_mean",
    "learning_cost",
    "lemma_3",
    "lemma_4",
    "lemma_5",
    "linear_bayes_error",
    "localised_excess",
    "moved_probability",
    "noisy_rows_risk",
    "objective_excess",
    "output_excess",
    "prior_mean_error",
    "published_slack",
    "ridge_risk",
    "shaped_covariance",
    "shaped_value",
    "sketch_loss_mean",
    "sketch_loss_quantile",
    "sketch_risk",
    "theorem_3",
    "theorem_4",
    "theorem_6",
    "theorem_7",
    "unit_ball_volume",
]
