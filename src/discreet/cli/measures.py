"""Measures of a classifier on records that need no protection, from its decision values and their classes.

error = share of records with another class than the chosen one      log loss = mean of -ln(probability of the record's own class)

All are read from one table of counts and one sum of logarithms, so that a table in blocks is read once, whatever its length.
"""

import math
from dataclasses import asdict, dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from discreet.core.errors import InvalidInput
from discreet.data import Block, BlockTable, EncodedTable, class_codes
from discreet.estimators.decision import chosen_codes
from discreet.estimators.model import Model


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
    def of(cls, model: Model, table: EncodedTable | BlockTable, *, jobs: int = 1) -> "Measures":
        """Those of `model` on a table that was encoded with its target, or whose blocks are. Raises InvalidInput for one without records."""
        if isinstance(table, BlockTable):
            return cls._from(list(table.map(lambda _, block: _counted(model, _encoded(model, block)), jobs)), model)
        return cls._from([_counted(model, table)], model)

    @classmethod
    def _from(cls, parts: "list[_Counted]", model: Model) -> "Measures":
        classes = len(model.schema.target.classes)
        confusion = sum((part.confusion for part in parts), np.zeros((classes, classes), dtype=np.int64))
        total = int(confusion.sum())
        if total == 0:
            raise InvalidInput("the table has no record. At least one is needed to measure a model.")
        right = int(np.trace(confusion))
        return cls(
            records=total,
            accuracy=right / total,
            error=(total - right) / total,
            log_loss=math.fsum(part.losses for part in parts) / total if model.has_probabilities else None,
            confusion=tuple(tuple(row) for row in confusion.tolist()),
            always_commoner=(total - int(confusion.sum(axis=1).max())) / total,
        )

    def to_dict(self) -> dict[str, object]:
        """For `--json`."""
        return {**asdict(self), "confusion": [list(row) for row in self.confusion]}


class _Counted(NamedTuple):
    """Of some records."""

    confusion: npt.NDArray[np.int64]
    losses: float
    """Their sum; 0 for a model without probabilities."""


def _counted(model: Model, table: EncodedTable) -> _Counted:
    codes = table.codes if table.signs is None else (table.signs > 0).astype(np.intp)
    if codes is None:
        raise InvalidInput("the table was encoded without its target; encode it with target=True to measure a model.")
    classes = len(model.schema.target.classes)
    confusion = np.bincount(codes * classes + chosen_codes(model.decision(table)), minlength=classes * classes).reshape(classes, classes)
    losses = -float(np.sum(model.log_probabilities(table)[np.arange(len(codes)), codes])) if model.has_probabilities else 0.0
    return _Counted(confusion.astype(np.int64), losses)


def _encoded(model: Model, block: Block) -> EncodedTable:
    """A block as what it was before it was one."""
    schema = model.schema
    codes = None if block.targets is None else class_codes(block.targets, np.asarray(schema.target.classes)).astype(np.int32)
    return schema.encoded(block.rows, codes=codes)
