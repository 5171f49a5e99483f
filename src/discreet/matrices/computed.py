"""Whether the rows of a design are computed whenever they are asked for: then few passes that do much are cheaper than many that do little."""

from functools import singledispatch

from discreet.matrices.augmented import AugmentedDesign
from discreet.matrices.base import Design


@singledispatch
def computed_rows(design: Design) -> bool:  # noqa: ARG001 - of every other kind
    """Whether getting at a row takes about as long as its share of a Gram matrix."""
    return False


@computed_rows.register
def _augmented(design: AugmentedDesign) -> bool:
    return computed_rows(design._base)
