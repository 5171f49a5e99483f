"""`score`, as scikit-learn's mixins have it but for its refusals: theirs quote the labels that they cannot compare or convert.

The measure of private records is a number that nobody has paid for; `evaluate_privately` releases one.
"""

from collections.abc import Callable
from typing import Any

from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.metrics import accuracy_score, r2_score

from discreet.core.errors import InvalidInput
from discreet.core.quiet import quietly


class ScoredClassifier(ClassifierMixin):  # type: ignore[misc]
    """A classifier's manners."""

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of records whose class is predicted, not private. Raises InvalidInput for labels of another kind, shape or number."""
        return measured(accuracy_score, y, self.predict(X), sample_weight)


class ScoredRegressor(RegressorMixin):  # type: ignore[misc]
    """A regression's manners."""

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R^2 of the predictions, not private. Raises InvalidInput for targets that are no finite numbers, one for each record."""
        return measured(r2_score, y, self.predict(X), sample_weight)


def measured(measure: Callable[..., float], y: Any, predicted: Any, sample_weight: Any = None) -> float:
    """A measure of scikit-learn. Raises InvalidInput, without any value, for what it refuses."""
    refusal = InvalidInput(
        "a score needs one target for each row of X, labels of the kind that the model predicts or finite numbers, and weights that are numbers."
    )
    return quietly(lambda: float(measure(y, predicted, sample_weight=sample_weight)), refusal)
