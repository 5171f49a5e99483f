"""What a fitted model says of the rows of a table in blocks, block by block and in their order."""

from collections.abc import Callable

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.data import BlockTable
from discreet.matrices import Design


def by_blocks(table: BlockTable, work: Callable[[Design], Floats], *, features: int, jobs: int) -> Floats:
    """work(rows) (b, ..) of all blocks, one after the other, by `jobs` threads. Raises InvalidInput for another number of features."""
    if table.features != features:
        raise InvalidInput(f"the model was fitted on {features} features; rows with {table.features} were given.")
    return np.concatenate(list(table.map(lambda _, block: work(block.rows), jobs)))
