"""Whether the rows of a matrix are computed whenever they are asked for: then few passes that do much are cheaper than many that do little."""

from functools import singledispatch

from discreet.matrices.augmented import AugmentedMatrix
from discreet.matrices.base import Matrix


@singledispatch
def computed_rows(matrix: Matrix) -> bool:  # noqa: ARG001 - of every other kind
    """Whether getting at a row takes about as long as its share of a Gram matrix."""
    return False


@computed_rows.register
def _augmented(matrix: AugmentedMatrix) -> bool:
    return computed_rows(matrix._base)
