"""Records that stay where they are: from a table of row blocks to what every mechanism takes."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.quiet import quietly
from discreet.data.blocks.base import Block, BlockTable
from discreet.data.domain import Domain
from discreet.data.records import Codes, Records
from discreet.data.stream import Stream


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """How the blocks of a table become records: public numbers only."""

    domain: Domain
    classes: npt.NDArray[Any] | None = None
    """(K,), the labels in order, different from each other; of a domain of numbers (2,), whose targets are -1 and +1, or None for numbers."""
    max_weight: float | None = None
    """What larger weights of records are cut to; None where the table has no weights."""
    class_weights: Floats | None = None
    """(K,), public weights of the classes, or None for ones."""
    needed: str = ""
    """What to say of a table of numbers without targets; "" reads zeros there."""
    omitted: bool = False
    """Whether zeros stand for the targets, whatever they are."""

    def __call__(self, block: Block) -> Records:
        """Some records that are held. Raises InvalidInput for blocks that are not what was declared."""
        if self.domain.classes:
            return self._classified(block)
        if block.weights is not None:
            raise InvalidInput("records have no weights here, but those of a classifier.")
        targets = None if self.domain.kind == "none" else self._numbers(block)
        return Records(rows=block.rows, targets=targets, domain=self.domain)

    def read(self, table: BlockTable, jobs: int = 1) -> tuple[int, Callable[[Domain], Records]]:
        """The number of records, after reading the table once, and what makes them records of a domain that may tell that number."""
        if table.features != self.domain.features:
            raise InvalidInput(f"the domain declares {self.domain.features} features; rows with {table.features} were given.")
        stream: Stream[Records] = Stream(table, self, jobs)
        return stream.records, lambda domain: Records.streamed(stream.rebound(replace(self, domain=domain)), domain=domain, jobs=jobs)

    def _classified(self, block: Block) -> Records:
        if block.targets is None or self.classes is None:
            raise InvalidInput("the table has no targets; a classifier needs the class of every record.")
        codes = class_codes(block.targets, self.classes)
        weights = self._checked(block.weights)
        if self.class_weights is not None:
            weights = self.class_weights[codes] if weights is None else weights * self.class_weights[codes]
        return Records(rows=block.rows, targets=codes, domain=self.domain, weights=weights)

    def _checked(self, weights: Floats | None) -> Floats | None:
        if weights is None:
            return None
        if self.max_weight is None:
            raise InvalidInput("the table has weights of records: declare the largest possible one, max_sample_weight; noise is calibrated for it.")
        if not np.all(np.isfinite(weights)):
            raise InvalidInput("every weight of a record must be a finite number.")
        return np.clip(weights, 0.0, self.max_weight)

    def _numbers(self, block: Block) -> Floats:
        if self.omitted:
            return np.zeros(block.rows.shape[0])
        if block.targets is None and (self.needed or self.classes is not None):
            raise InvalidInput(f"the table has no targets; {self.needed or 'a classifier needs the class of every record.'}")
        if block.targets is None:
            return np.zeros(block.rows.shape[0])
        if self.classes is not None:
            return np.where(class_codes(block.targets, self.classes) == 1, 1.0, -1.0)
        return quietly(lambda: np.asarray(block.targets, dtype=np.float64), InvalidInput("targets must be finite numbers."))


def streamed_records(table: BlockTable, *, domain: Domain, classes: npt.NDArray[Any] | None = None, jobs: int = 1) -> Records:
    """Records read from `table` in every pass, by `jobs` threads where they are worked on in this process.

    `classes` (K,), different from each other, are the declared labels in order; None for numbers, zeros where the table has none. Reads the table
    once; raises InvalidInput for rows that are not finite, labels that are not declared, and whatever else Records refuse.
    """
    return Reader(domain=domain, classes=classes).read(table, jobs)[1](domain)


def class_codes(labels: npt.NDArray[Any], classes: npt.NDArray[Any]) -> Codes:
    """The number of the class of every label, (n,), from 0. Raises InvalidInput for a label that is not declared."""
    codes = np.full(len(labels), -1, dtype=np.intp)
    for code, label in enumerate(classes):
        codes += (code + 1) * (labels == label)  # faster than to assign where they are equal; classes differ from each other
    if np.any(codes < 0):
        raise InvalidInput(
            f"y holds a label outside the declared classes {classes.tolist()}; declare every class that may occur, or map the others first."
        )
    return codes
