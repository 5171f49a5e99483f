"""Rows of a feature map, computed a few at a time: a table (n, D) that is never written out.

    matvec, rmatvec, gram = sums over blocks of v(x_i),  v the map of module `feature_map`

The rows are those floats that the map gives, and it gives the same ones in every pass, so that bounds on rounding errors (designs/base.py,
problems/objective.py) hold for one fixed table, as for any dense one: sums here are sums of products in float64 in any order, width D.

Time of a pass: O(n d m) for the angles, about 10 ns each of the n m cosines and sines, and O(n D) for the product; O(n D^2) for a Gram matrix.
Memory: the base table and one block of 1024 rows, O(1024 D), whatever n is. A table that takes at most `held_bytes` in all is computed once and
held: solvers make ten to thirty passes.
"""

from collections.abc import Iterator

import numpy as np

from discreet.arrays import Floats, Matrix
from discreet.designs import DenseDesign, Design, entries_of
from discreet.designs.cut import rows_of
from discreet.designs.dense import weighted_gram
from discreet.errors import InvalidInput
from discreet.kernels.feature_map import FeatureMap

HELD_BYTES = 256 * 2**20
"""Up to this size a table of features is computed once and kept."""
_WRITTEN_OUT = 2**18
"""Entries of the base that are written out at a time."""
_GRAM_BYTES = 512 * 1024
"""A scaled copy of this size stays in cache while a Gram matrix is updated."""


class FeatureMapDesign:
    """v(x_i) for the rows x_i of `base` (n, d): a Design of shape (n, D). Rows have norm 1 up to rounding.

    Raises InvalidInput when the map takes rows of another width. The caller guarantees finite entries and leaves the base unchanged.
    """

    __slots__ = ("_base", "_held", "_map")

    def __init__(self, base: Design, feature_map: FeatureMap, *, held_bytes: int = HELD_BYTES) -> None:
        """Hold the base, and the features where they are small."""
        if base.shape[1] != feature_map.inputs:
            raise InvalidInput(f"the feature map takes rows of {feature_map.inputs} columns; a table with {base.shape[1]} was given.")
        self._base = base
        self._map = feature_map
        self._held: Floats | None = None
        if 8 * base.shape[0] * feature_map.outputs <= held_bytes:
            held = np.empty(self.shape)
            for rows, part in self._parts():
                held[rows] = part
            self._held = held

    @property
    def shape(self) -> tuple[int, int]:
        """(n, D)."""
        return self._base.shape[0], self._map.outputs

    @property
    def width(self) -> int:
        """D."""
        return self._map.outputs

    def matvec(self, weights: Floats) -> Floats:
        """See Design."""
        result = np.empty((self.shape[0], *weights.shape[1:]))
        for rows, part in self._parts():
            result[rows] = part @ weights
        return result

    def rmatvec(self, coefficients: Floats) -> Floats:
        """See Design."""
        result = np.zeros((self.shape[1], *coefficients.shape[1:]))
        for rows, part in self._parts():
            result += part.T @ coefficients[rows]
        return result

    def gram(self, weights: Floats, *, single_precision: bool = False) -> Matrix:
        """See Design."""
        return weighted_gram(self._small_parts(), self.shape[1], weights, single_precision=single_precision)

    def gram_diagonal(self, weights: Floats) -> Floats:
        """See Design."""
        result = np.zeros(self.shape[1])
        for rows, part in self._parts():
            result += weights[rows] @ np.square(part)
        return result

    def row_norms(self) -> Floats:
        """See Design: computed, not taken to be 1, so that rounding above 1 is seen and cut."""
        norms = np.empty(self.shape[0])
        for rows, part in self._parts():
            norms[rows] = np.sqrt(np.einsum("ij,ij->i", part, part))
        return norms

    def blocks(self) -> Iterator[tuple[slice, Design]]:
        """See Design: each block is written out, and gone with its last reference."""
        for rows, part in self._parts():
            yield rows, DenseDesign(part)

    def content(self) -> Iterator[bytes]:
        """See Design: that of the rows below, so that a table is known again whatever features were made of it."""
        yield from self._base.content()

    def _parts(self) -> Iterator[tuple[slice, Floats]]:
        """The features in blocks of the base."""
        for rows, block in self._base.blocks():
            yield rows, self._computed(block) if self._held is None else self._held[rows]

    def _computed(self, block: Design) -> Floats:
        """The features of a block; its rows are written out a few at a time, since they may be as wide as the table."""
        count, columns = block.shape
        step = max(16, _WRITTEN_OUT // max(columns, self._map.outputs))
        features = np.empty((count, self._map.outputs))
        for start in range(0, count, step):
            rows = slice(start, min(start + step, count))
            self._map.write(entries_of(block, rows), features[rows])
        return features

    def _small_parts(self) -> Iterator[Floats]:
        size = max(64, _GRAM_BYTES // (8 * self.shape[1]))
        for _, part in self._parts():
            for start in range(0, len(part), size):
                yield part[start : start + size]


@rows_of.register
def _some_rows(design: FeatureMapDesign, rows: slice) -> Design:
    """Rows that are held, or computed in every pass as those of the whole table are: a part is never held when the table is not."""
    if design._held is not None:  # noqa: SLF001 - this module's own class
        return DenseDesign(design._held[rows])  # noqa: SLF001
    return FeatureMapDesign(rows_of(design._base, rows), design._map, held_bytes=0)  # noqa: SLF001
