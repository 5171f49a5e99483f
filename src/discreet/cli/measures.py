"""Measures of a classifier on records that need no protection, from its decision values f(x) (n,) and their signs y (n,) of +1 and -1.

error = share of y f(x) <= 0 where f(x) = 0 counts as the first class      log loss = mean of ln(1 + e^{-y f(x)})
"""

from dataclasses import asdict, dataclass

import numpy as np

from discreet.data import EncodedTable
from discreet.errors import InvalidInput
from discreet.estimators.model import Model


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """Exact, unprotected numbers."""

    records: int
    accuracy: float
    error: float
    log_loss: float | None
    """None for a model without probabilities."""
    confusion: tuple[tuple[int, int], tuple[int, int]]
    """confusion[actual][predicted], negative class first."""
    always_commoner: float
    """Error of always answering the commoner class of these records."""

    @classmethod
    def of(cls, model: Model, table: EncodedTable) -> "Measures":
        """Those of `model` on a table of at least one record, encoded with its target."""
        if table.signs is None:
            raise InvalidInput("the table was encoded without its target; encode it with target=True to measure a model.")
        decision, signs = model.decision(table), table.signs
        chosen, positive = decision > 0, signs > 0
        missed, found = int(np.sum(positive & ~chosen)), int(np.sum(positive & chosen))
        kept, alarmed = int(np.sum(~positive & ~chosen)), int(np.sum(~positive & chosen))
        total = len(signs)
        return cls(
            records=total,
            accuracy=(kept + found) / total,
            error=(alarmed + missed) / total,
            log_loss=float(np.mean(np.logaddexp(0.0, -signs * decision))) if model.has_probabilities else None,
            confusion=((kept, alarmed), (missed, found)),
            always_commoner=min(kept + alarmed, missed + found) / total,
        )

    def to_dict(self) -> dict[str, object]:
        """For `--json`."""
        return {**asdict(self), "confusion": [list(row) for row in self.confusion]}
