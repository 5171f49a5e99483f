"""How much error privacy costs, in advance: the theory of Chaudhuri, Monteleoni and Sarwate (2011), and that of released data, as calculators."""

from typing import TYPE_CHECKING

from discreet.core.lazily import names_of

if TYPE_CHECKING:
    from discreet.bounds.any_method import least_excess
    from discreet.bounds.empirical import ChiNorm, GammaNorm, NoiseNorm, lemma_3, lemma_4, lemma_5, objective_excess, output_excess, published_slack
    from discreet.bounds.fisher import (
        box_centre_error,
        cheapest_covariance,
        class_mean_error,
        cramer_rao_error,
        geometric_mean,
        learning_cost,
        linear_bayes_error,
        moved_probability,
        prior_mean_error,
        shaped_covariance,
        shaped_value,
    )
    from discreet.bounds.localised import (
        ExcessBound,
        best_objective_ridge,
        excess_risk,
        excess_risk_sridharan,
        localised_excess,
    )
    from discreet.bounds.released_regression import noisy_rows_risk, ridge_risk, sketch_loss_mean, sketch_loss_quantile, sketch_risk
    from discreet.bounds.theorems import most_mistakes, theorem_3, theorem_4, theorem_6, theorem_7, theorem_9, unit_ball_volume
else:
    __getattr__, __dir__ = names_of(__name__)

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
    "least_excess",
    "lemma_3",
    "lemma_4",
    "lemma_5",
    "linear_bayes_error",
    "localised_excess",
    "most_mistakes",
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
    "theorem_9",
    "unit_ball_volume",
]
