"""Data sets whose records stay where they are: from a table of row blocks to what every mechanism takes."""

from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.data.blocks.base import Block, BlockTable
from discreet.data.dataset import Codes, Dataset
from discreet.data.domain import Domain
from discreet.data.real_dataset import RealDataset
from discreet.data.real_domain import RealDomain
from discreet.data.stream import Stream
from discreet.errors import InvalidInput


def streamed_dataset(table: BlockTable, *, domain: Domain, classes: npt.NDArray[Any], jobs: int = 1) -> Dataset:
    """Records with classes, read from `table` in every pass, by `jobs` threads where they are worked on in this process.

    `classes` (K,), different from each other, are the declared labels in order. Reads the table once; raises InvalidInput for rows that are not
    finite, labels that are not declared, and whatever else a Dataset refuses.
    """
    if table.features != domain.features:
        raise InvalidInput(f"the domain declares {domain.features} features; rows with {table.features} were given.")
    return Dataset.streamed(Stream(table, partial(_classified, domain=domain, classes=classes), jobs), domain=domain, jobs=jobs)


def streamed_real_dataset(table: BlockTable, *, domain: RealDomain, jobs: int = 1) -> RealDataset:
    """Records with real targets, read from `table` in every pass; a table without targets gives zeros. Raises as RealDataset does."""
    if table.features != domain.features:
        raise InvalidInput(f"the domain declares {domain.features} features; rows with {table.features} were given.")
    return RealDataset.streamed(Stream(table, partial(_real, domain=domain), jobs), domain=domain, jobs=jobs)


def class_codes(labels: npt.NDArray[Any], classes: npt.NDArray[Any]) -> Codes:
    """The number of the class of every label, (n,), from 0. Raises InvalidInput for a label that is not declared."""
    codes = np.full(len(labels), -1, dtype=np.intp)
    for code, label in enumerate(classes):
        codes[labels == label] = code
    if np.any(codes < 0):
        raise InvalidInput(
            f"y holds a label outside the declared classes {classes.tolist()}; declare every class that may occur, or map the others first."
        )
    return codes


def _classified(block: Block, *, domain: Domain, classes: npt.NDArray[Any]) -> Dataset:
    if block.targets is None:
        raise InvalidInput("the table has no targets; a classifier needs the class of every record.")
    return Dataset(rows=block.rows, codes=class_codes(block.targets, classes), domain=domain, weights=block.weights)


def _real(block: Block, *, domain: RealDomain) -> RealDataset:
    if block.weights is not None:
        raise InvalidInput("records with real targets have no weights here.")
    try:
        targets = np.zeros(block.rows.shape[0]) if block.targets is None else np.asarray(block.targets, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput("targets must be finite numbers.") from None
    return RealDataset(rows=block.rows, targets=targets, domain=domain)
