"""Invented outcomes whose measures are known, and a model that answers from a table."""

from typing import Any

import numpy as np

from discreet.evaluation.outcomes import Outcomes

SURE = 1.0 - 1e-9
"""A level at which noise alone fails no test."""


class Oracle:
    """A fitted classifier whose probabilities are the first column of X."""

    classes_ = np.array(["no", "yes"])

    def predict(self, X: Any) -> Any:
        return self.classes_[(np.asarray(X)[:, 0] > 0.5).astype(int)]

    def predict_proba(self, X: Any) -> Any:
        chance = np.asarray(X)[:, 0]
        return np.column_stack((1.0 - chance, chance))


def drawn(records: int, seed: int = 0) -> tuple[Any, Any]:
    """X (n, 1) of probabilities and y (n,) drawn with them: the oracle is calibrated, right in 75 % of cases, its AUC 5/6."""
    draw = np.random.default_rng(seed)
    chance = draw.uniform(0.0, 1.0, records)
    return chance[:, np.newaxis], np.where(draw.uniform(0.0, 1.0, records) < chance, "yes", "no")


def outcomes(X: Any, y: Any) -> Outcomes:
    oracle = Oracle()
    return Outcomes(
        classes=("no", "yes"),
        actual=(y == "yes").astype(np.int64),
        predicted=(oracle.predict(X) == "yes").astype(np.int64),
        probabilities=oracle.predict_proba(X),
        decision=None,
    )
