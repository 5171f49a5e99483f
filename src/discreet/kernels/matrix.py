"""Rows of a feature map, computed a few at a time: a table (n, D) that is never written out.

    matvec, rmatvec, gram = sums over blocks of v(x_i),  v the map of module `feature_map`

The rows are those floats that the map gives, and it gives the same ones in every pass, so that bounds on rounding errors (matrices/base.py,
objectives/objective.py) hold for one fixed table, as for any dense one: sums here are sums of products in float64 in any order, width D.

Time of a pass: O(n d m) for the angles, about 10 ns each of the n m cosines and sines, and O(n D) for the product; O(n D^2) for a Gram matrix.
Memory: the base table and one block of 1024 rows, O(1024 D), whatever n is. A table that takes at most `held_bytes` in all is computed once and
held: solvers make ten to thirty passes. Of a longer table, solvers work on one part after the other, and ask several things of each: every thread
keeps the features of the part that it asked about last (`RecentFeatures`).
"""

import threading
from collections.abc import Iterator

import numpy as np

from discreet.core.arrays import AnyFloats, Floats
from discreet.core.errors import InvalidInput
from discreet.core.private import holds_records
from discreet.kernels.feature_map import FeatureMap
from discreet.matrices import DenseMatrix, Matrix
from discreet.matrices.base import Numbers, cuts, gram_rows, weighted_gram
from discreet.matrices.bounded import RowsOf

HELD_BYTES = 256 * 2**20
"""Up to this size a table of features is computed once and kept."""
RECENT_BYTES = 128 * 2**20
"""Up to this size the features of a part are kept while a thread works on it."""
_WRITTEN_OUT = 2**18
"""Entries of the base that are written out at a time."""


class RecentFeatures:
    """In each thread the features of one part of a table, the one that was worked on last. A copy that travels to another process is empty."""

    __slots__ = ("_local",)

    def __init__(self) -> None:
        """Nothing yet."""
        self._local = threading.local()

    def __reduce__(self) -> "tuple[type[RecentFeatures], tuple[()]]":
        """Records stay here."""
        return RecentFeatures, ()

    def of(self, part: object) -> Floats | None:
        """The features that were kept under this object, if they were the last ones."""
        kept, features = vars(self._local).get("kept", (None, None))
        return features if kept is part else None

    def keep(self, part: object, features: Floats) -> None:
        """Keep these, and no others in this thread."""
        self._local.kept = (part, features)


@holds_records
class FeatureMapMatrix(RowsOf):
    """v(x_i) for the rows x_i of `base` (n, d): a Matrix of shape (n, D).

    Rows have norm 1 up to rounding; norms are computed, not taken to be 1, so that rounding above 1 is seen and cut. `recent` is for rows that are
    part of a longer table: where their features are kept while a thread works on them. Raises InvalidInput when the map takes rows of another width.
    The caller guarantees finite entries and leaves the base unchanged.
    """

    __slots__ = ("_held", "_keeps", "_lent", "_map", "_name", "_recent")

    def __init__(self, base: Matrix, feature_map: FeatureMap, *, held_bytes: int = HELD_BYTES, recent: RecentFeatures | None = None) -> None:
        """Hold the base, and the features where they are small."""
        if base.shape[1] != feature_map.inputs:
            raise InvalidInput(f"the feature map takes rows of {feature_map.inputs} columns; a table with {base.shape[1]} was given.")
        self._base = base
        self._map = feature_map
        self._keeps = recent is not None and self._bytes <= RECENT_BYTES
        self._recent = RecentFeatures() if recent is None else recent
        self._name = object()
        """Under which features are kept: not the matrix itself, which would then hold itself."""
        self._lent: Floats | None = None
        self._held = self._all() if self._bytes <= held_bytes else None

    @property
    def shape(self) -> tuple[int, int]:
        """(n, D)."""
        return self._base.shape[0], self._map.outputs

    @property
    def width(self) -> int:
        """D."""
        return self._map.outputs

    @property
    def on_device(self) -> bool:
        """No: features are made in memory."""
        return False

    @property
    def computed(self) -> bool:
        """See Matrix."""
        return self._held is None

    def gram(self, weights: Floats, *, single_precision: bool = False) -> AnyFloats:
        """See Matrix."""
        size = gram_rows(self.shape[1])
        small = (part[rows] for _, part in self._parts() for rows in cuts(len(part), size))
        return weighted_gram(small, self.shape[1], weights, single_precision=single_precision)

    def entries(self, rows: slice) -> Floats:
        """See Matrix."""
        features = self._at_hand()
        return self._computed(self._base.rows(rows)) if features is None else features[rows]

    def blocks(self) -> Iterator[tuple[slice, Matrix]]:
        """See Matrix: each block is written out, and gone with its last reference."""
        for rows, part in self._parts():
            yield rows, DenseMatrix(part)

    @property
    def _bytes(self) -> int:
        """How many bytes all features would take."""
        return 8 * self.shape[0] * self.shape[1]

    def _at_hand(self) -> Floats | None:
        """All features (n, D), where they need not be computed; not to be written to."""
        if self._held is not None:
            return self._held
        return self._recent.of(self._name) if self._lent is None else self._lent

    def _parts(self) -> Iterator[tuple[slice, Floats]]:
        """The features in blocks of the base."""
        features = self._at_hand()
        if features is None and self._keeps:
            features = self._all()
            self._recent.keep(self._name, features)
        for rows, block in self._base.blocks():
            yield rows, self._computed(block) if features is None else features[rows]

    def _all(self) -> Floats:
        features = np.empty(self.shape)
        for rows, block in self._base.blocks():
            features[rows] = self._computed(block)
        return features

    def _computed(self, block: Matrix) -> Floats:
        """The features of a block; its rows are written out a few at a time, since they may be as wide as the table."""
        count, columns = block.shape
        step = max(16, _WRITTEN_OUT // max(columns, self._map.outputs))
        features = np.empty((count, self._map.outputs))
        for rows in cuts(count, step):
            self._map.write(block.entries(rows), features[rows])
        return features

    def rows(self, rows: slice) -> Matrix:
        """See Matrix.

        Whether it is held depends on the shape of the whole table alone, and so does the order in which sums are taken: features that happen to be
        kept in this thread only save computing them.
        """
        return super().rows(rows) if self._held is None else DenseMatrix(self._held[rows])

    def part(self, base: Matrix, rows: slice | Numbers) -> Matrix:
        """See RowsOf."""
        part = FeatureMapMatrix(base, self._map, held_bytes=0, recent=self._recent)
        features = self._at_hand()
        part._lent = None if features is None else features[rows]
        return part
