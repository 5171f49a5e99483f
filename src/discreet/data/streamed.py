"""Data sets whose records stay where they are: from a table of row blocks to what every mechanism takes."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.quiet import quietly
from discreet.data.blocks.base import Block, BlockTable
from discreet.data.dataset import Codes, Dataset
from discreet.data.domain import Domain
from discreet.data.real_dataset import RealDataset
from discreet.data.real_domain import RealDomain
from discreet.data.stream import Stream


@dataclass(frozen=True, slots=True, kw_only=True)
class Classified:
    """How the blocks of a table become data sets with classes: public numbers only."""

    domain: Domain
    classes: npt.NDArray[Any]
    """(K,), the labels in order, different from each other."""
    max_weight: float | None = None
    """What larger weights of records are cut to; None where the table has no weights."""
    class_weights: Floats | None = None
    """(K,), public weights of the classes, or None for ones."""

    def __call__(self, block: Block) -> Dataset:
        """A small data set. Raises InvalidInput for blocks that are not what was declared."""
        if block.targets is None:
            raise InvalidInput("the table has no targets; a classifier needs the class of every record.")
        codes = class_codes(block.targets, self.classes)
        weights = self._checked(block.weights)
        if self.class_weights is not None:
            weights = self.class_weights[codes] if weights is None else weights * self.class_weights[codes]
        if self.domain.classes == 2:
            return Dataset(rows=block.rows, signs=np.where(codes == 1, 1.0, -1.0), domain=self.domain, weights=weights)
        return Dataset(rows=block.rows, codes=codes, domain=self.domain, weights=weights)

    def _checked(self, weights: Floats | None) -> Floats | None:
        if weights is None:
            return None
        if self.max_weight is None:
            raise InvalidInput("the table has weights of records: declare the largest possible one, max_sample_weight; noise is calibrated for it.")
        if not np.all(np.isfinite(weights)):
            raise InvalidInput("every weight of a record must be a finite number.")
        return np.clip(weights, 0.0, self.max_weight)


def streamed_classes(table: BlockTable, bound: Classified, *, jobs: int = 1) -> tuple[int, "Callable[[Domain], Dataset]"]:
    """The number of records, after reading the table once, and what makes a data set of it, for a domain that may tell that number."""
    if table.features != bound.domain.features:
        raise InvalidInput(f"the domain declares {bound.domain.features} features; rows with {table.features} were given.")
    stream: Stream[Dataset] = Stream(table, bound, jobs)

    def data_of(domain: Domain) -> Dataset:
        return Dataset.streamed(stream.rebound(replace(bound, domain=domain)), domain=domain, jobs=jobs)

    return stream.records, data_of


def streamed_dataset(table: BlockTable, *, domain: Domain, classes: npt.NDArray[Any], jobs: int = 1) -> Dataset:
    """Records with classes, read from `table` in every pass, by `jobs` threads where they are worked on in this process.

    `classes` (K,), different from each other, are the declared labels in order. Reads the table once; raises InvalidInput for rows that are not
    finite, labels that are not declared, and whatever else a Dataset refuses.
    """
    return streamed_classes(table, Classified(domain=domain, classes=classes), jobs=jobs)[1](domain)


def streamed_reals(
    table: BlockTable, domain: RealDomain, *, classes: npt.NDArray[Any] | None = None, jobs: int = 1, targets_needed: bool = False
) -> tuple[int, "Callable[[RealDomain], RealDataset]"]:
    """As `streamed_classes`, with real targets; or, with two `classes` (2,), with targets -1 for the first and +1 for the second.

    A table without targets gives zeros, or InvalidInput where they are needed.
    """
    if table.features != domain.features:
        raise InvalidInput(f"the domain declares {domain.features} features; rows with {table.features} were given.")
    bound = partial(_real, classes=classes, targets_needed=targets_needed)
    stream: Stream[RealDataset] = Stream(table, partial(bound, domain=domain), jobs)

    def data_of(known: RealDomain) -> RealDataset:
        return RealDataset.streamed(stream.rebound(partial(bound, domain=known)), domain=known, jobs=jobs)

    return stream.records, data_of


def streamed_real_dataset(table: BlockTable, *, domain: RealDomain, jobs: int = 1) -> RealDataset:
    """Records with real targets, read from `table` in every pass; a table without targets gives zeros. Raises as RealDataset does."""
    return streamed_reals(table, domain, jobs=jobs)[1](domain)


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


def _real(block: Block, *, domain: RealDomain, classes: npt.NDArray[Any] | None, targets_needed: bool) -> RealDataset:
    if block.weights is not None:
        raise InvalidInput("records with real targets have no weights here.")
    if classes is not None:
        if block.targets is None:
            raise InvalidInput("the table has no targets; a classifier needs the class of every record.")
        return RealDataset(rows=block.rows, targets=np.where(class_codes(block.targets, classes) == 1, 1.0, -1.0), domain=domain)
    if targets_needed and block.targets is None:
        raise InvalidInput("the table has no targets; a regression needs a number for every record.")
    given = np.zeros(block.rows.shape[0]) if block.targets is None else block.targets
    targets: Floats = quietly(lambda: np.asarray(given, dtype=np.float64), InvalidInput("targets must be finite numbers."))
    return RealDataset(rows=block.rows, targets=targets, domain=domain)
