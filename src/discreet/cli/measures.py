"""Measures of a classifier on records that need no protection, from its decision values and their classes.

error = share of records with another class than the chosen one      log loss = mean of -ln(probability of the record's own class)
"""

from dataclasses import asdict, dataclass

import numpy as np

from discreet.data import EncodedTable
from discreet.errors import InvalidInput
from discreet.estimators.model import Model, chosen_codes


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """Exact, unprotected numbers."""

    records: int
    accuracy: float
    error: float
    log_loss: float | None
    """None for a model without probabilities."""
    confusion: tuple[tuple[int, ...], ...]
    """confusion[actual][predicted], in the order of the declared classes: negative first where they are two."""
    always_commoner: float
    """Error of always answering the commoner class of these records."""

    @classmethod
    def of(cls, model: Model, table: EncodedTable) -> "Measures":
        """Those of `model` on a table of at least one record, encoded with its target."""
        codes = table.codes if table.signs is None else (table.signs > 0).astype(np.intp)
        if codes is None:
            raise InvalidInput("the table was encoded without its target; encode it with target=True to measure a model.")
        classes, total = len(model.schema.target.classes), len(codes)
        chosen = chosen_codes(model.decision(table))
        confusion = np.bincount(codes * classes + chosen, minlength=classes * classes).reshape(classes, classes)
        right = int(np.trace(confusion))
        return cls(
            records=total,
            accuracy=right / total,
            error=(total - right) / total,
            log_loss=float(-np.mean(model.log_probabilities(table)[np.arange(total), codes])) if model.has_probabilities else None,
            confusion=tuple(tuple(row) for row in confusion.tolist()),
            always_commoner=(total - int(confusion.sum(axis=1).max())) / total,
        )

    def to_dict(self) -> dict[str, object]:
        """For `--json`."""
        return {**asdict(self), "confusion": [list(row) for row in self.confusion]}
