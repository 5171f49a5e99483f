"""Rows of another matrix, shortened one by one, with a constant column for the intercept.

    x'_i = (scale_i x_i, constant)      and, for constant = 0, x'_i = scale_i x_i

Nothing is copied: X' w = scale * (X w) + constant w_last, and the Gram matrix with weights h is that of the base with weights scale^2 h, bordered.
"""

from collections.abc import Iterator

import numpy as np

from discreet.core.arrays import AnyFloats, Floats, is_finite
from discreet.core.errors import InvalidInput
from discreet.core.private import holds_records_of_a_block
from discreet.matrices.base import Matrix


@holds_records_of_a_block
class AugmentedMatrix:
    """`base` with rows multiplied by `scale` (n,) (None for ones) and, if `constant` > 0, a last column equal to it.

    Raises InvalidInput when the lengths differ or the constant is negative or not finite.
    """

    __slots__ = ("_base", "_constant", "_given", "_norms", "_scale")

    def __init__(self, base: Matrix, *, scale: Floats | None, constant: float, norms: Floats | None = None, given: Matrix | None = None) -> None:
        """Hold the parts; `norms` (n,) are those of the base's rows, where they are known, and `given` is what `base` was made of, if anything."""
        if scale is not None and scale.shape != (base.shape[0],):
            raise InvalidInput("the scale of an augmented matrix needs one factor a row.")
        if not (is_finite(constant) and constant >= 0):
            raise InvalidInput(f"the constant column must be a finite number >= 0; {constant!r} was given.")
        self._base = base
        self._given = base if given is None else given
        self._norms = norms
        self._scale = scale
        self._constant = float(constant)

    @property
    def shape(self) -> tuple[int, int]:
        """(n, d), the constant column counted."""
        count, columns = self._base.shape
        return count, columns + (self._constant > 0)

    @property
    def width(self) -> int:
        """That of the base, the constant column counted."""
        return self._base.width + (self._constant > 0)

    def matvec(self, weights: Floats) -> Floats:
        """See Matrix."""
        columns = self._base.shape[1]
        result = self._scaled(self._base.matvec(weights[:columns]))
        return result + self._constant * weights[columns] if self._constant > 0 else result

    def rmatvec(self, coefficients: Floats) -> Floats:
        """See Matrix."""
        result = self._base.rmatvec(self._scaled(coefficients))
        if self._constant > 0:
            return np.concatenate((result, self._constant * coefficients.sum(axis=0, keepdims=True)))
        return result

    def gram(self, weights: Floats, *, single_precision: bool = False) -> AnyFloats:
        """See Matrix."""
        once = self._scaled(weights)
        inner = self._base.gram(self._scaled(once), single_precision=single_precision)
        if self._constant == 0:
            return inner
        border = self._constant * self._base.rmatvec(once)
        corner = self._constant**2 * weights.sum()
        return np.block([[inner, border[:, np.newaxis]], [border, corner]]).astype(inner.dtype)

    def gram_diagonal(self, weights: Floats) -> Floats:
        """See Matrix."""
        inner = self._base.gram_diagonal(self._scaled(self._scaled(weights)))
        return np.append(inner, self._constant**2 * weights.sum()) if self._constant > 0 else inner

    def row_norms(self) -> Floats:
        """See Matrix."""
        norms = self._base.row_norms() if self._norms is None else self._norms
        return np.hypot(self._scaled(norms), self._constant) if self._constant > 0 else self._scaled(norms)

    def content(self) -> Iterator[bytes]:
        """See Matrix: that of the rows below, so that a table is known again whatever it was scaled by."""
        yield from self._given.content()

    def blocks(self) -> Iterator[tuple[slice, Matrix]]:
        """See Matrix."""
        for rows, block in self._base.blocks():
            scale = None if self._scale is None else self._scale[rows]
            yield rows, AugmentedMatrix(block, scale=scale, constant=self._constant, norms=None if self._norms is None else self._norms[rows])

    def _scaled(self, values: Floats) -> Floats:
        """scale_i values_i, for values (n,) or (n, k)."""
        if self._scale is None:
            return values
        return self._scale[:, np.newaxis] * values if values.ndim == 2 else self._scale * values
