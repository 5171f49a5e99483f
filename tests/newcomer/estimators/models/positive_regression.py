"""Least squares with non-negative weights of bounded length."""

from dataclasses import dataclass

from discreet.core.validate import measure
from discreet.estimators.models.over_sets import SetRegression
from discreet.estimators.prediction_rules import BoundedForm
from discreet.matrices.per_record import answers_per_record
from discreet.sets import Constraint, constraint_named


@answers_per_record
@dataclass(kw_only=True, eq=False, repr=False)
class PositiveRegression(SetRegression):
    """Weights of length at most `radius`, none negative. See SetRegression."""

    saved_as = "positive-regression"
    form = BoundedForm
    set_name = "positive-ball"

    def _constraint(self, dimension: int) -> Constraint:
        return constraint_named("positive-ball", {"dimension": dimension, "radius": measure(self.radius, "radius")})
